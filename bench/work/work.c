/* SPDX-License-Identifier: Apache-2.0 */
/* bench/work/work.c - work as a line of text, and what libraries ask of its windows. */
#include "bench/work/work.h"

#include "base/text.h"

int64_t work_pad_end(const struct work *w, int i)
{
	int64_t end = w->pad_end[i] > 0 ? w->pad_end[i] : 0;
	int64_t reach = w->dilation[i] * (w->b.view.dim[2 + i].extent - 1) + 1;
	int64_t room = w->a.view.dim[2 + i].extent + w->pad_begin[i] + end - reach;

	return room / w->stride[i] + 1 == w->y.view.dim[2 + i].extent ? end : -1;
}

const char *epilogue_name(enum epilogue_kind k)
{
	static const char *const names[] = {
		[EPILOGUE_ADD] = "add", [EPILOGUE_MUL] = "mul", [EPILOGUE_LINEAR] = "linear",
		[EPILOGUE_CLIP] = "clip", [EPILOGUE_RELU] = "relu",
		[EPILOGUE_SIGMOID] = "sigmoid", [EPILOGUE_SILU] = "silu",
		[EPILOGUE_GELU] = "gelu", [EPILOGUE_TANH] = "tanh",
		[EPILOGUE_HARD_SWISH] = "hard_swish",
	};

	return names[k];
}

static void put_shape(struct text *t, const struct view *v)
{
	for (int i = 0; i < v->ndim; i++)
		text_printf(t, "%s%jd", i ? "x" : "", (intmax_t)v->dim[i].extent);
}

static void put_window(struct text *t, const struct work *w, const char *name, const int64_t *v,
		       int64_t usual)
{
	bool differ = false, unusual = false;

	for (int i = 0; i < w->spatial; i++) {
		differ |= v[i] != v[0];
		unusual |= v[i] != usual;
	}
	if (!unusual)
		return;
	text_printf(t, ", %s ", name);
	for (int i = 0; i < (differ ? w->spatial : 1); i++)
		text_printf(t, "%s%jd", i ? "x" : "", (intmax_t)v[i]);
}

const char *work_text(struct arena *a, const struct work *w)
{
	struct text t = { 0 };

	if (w->kind == WORK_CONV)
		text_printf(&t, "conv%dd ", w->spatial);
	else
		text_puts(&t, "matmul ");
	put_shape(&t, &w->a.view);
	text_puts(&t, " by ");
	put_shape(&t, &w->b.view);
	if (w->kind == WORK_CONV) {
		put_window(&t, w, "stride", w->stride, 1);
		put_window(&t, w, "pad", w->pad_begin, 0);
		put_window(&t, w, "dilation", w->dilation, 1);
		if (w->groups > 1)
			text_printf(&t, ", groups %jd", (intmax_t)w->groups);
	}
	for (int i = 0; i < w->epilogue.n; i++)
		text_printf(&t, "%s%s", i ? ", " : "; ", epilogue_name(w->epilogue.at[i].kind));
	const char *line = arena_strdup(a, text_str(&t));

	text_free(&t);
	return line;
}
