/* SPDX-License-Identifier: Apache-2.0 */
/* bench/work/recognize.c - finds the one sum of products of a DAG and follows its result to the
 * output. */
#include "bench/work/match.h"

#include "base/text.h"

bool index_equal(struct arena *a, const struct expr *e, const struct expr *f)
{
	struct linear l;

	return linear_from(a, expr_binary(a, EXPR_SUB, e, f), &l) && l.n == 0 && l.constant == 0;
}

bool index_is_axis(struct arena *a, const struct expr *e, int64_t extent, const struct axis **axis)
{
	struct linear l;

	*axis = NULL;
	if (!linear_from(a, e, &l) || l.constant != 0)
		return false;
	if (l.n == 0)
		return extent == 1;
	if (l.n != 1 || l.term[0].coef != 1 || l.term[0].atom->kind != EXPR_AXIS)
		return false;
	*axis = l.term[0].atom->axis;
	return (*axis)->lo == 0 && (*axis)->hi == extent;
}

bool index_is(struct arena *a, const struct expr *e, int64_t extent, const struct axis *axis)
{
	const struct axis *met;

	return index_is_axis(a, e, extent, &met) && axis->hi == extent && (!met || met == axis);
}

/* The DAG's only reduction, NULL where there are more or none. */
static const struct op *only_reduction(const struct dag *d)
{
	const struct op *found = NULL;

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];

		if (op->kind != OP_COMPUTE || !op_is_reduction(op))
			continue;
		if (found)
			return NULL;
		found = op;
	}
	return found;
}

static bool only_f32(const struct dag *d)
{
	for (int i = 0; i < d->ops.n; i++)
		if (d->ops.at[i]->tensor.dtype != DTYPE_F32)
			return false;
	return true;
}

static int count_ops(const struct dag *d, bool outputs)
{
	int n = 0;

	for (int i = 0; i < d->ops.n; i++)
		n += d->ops.at[i]->kind == OP_COMPUTE && (!outputs || d->ops.at[i]->output);
	return n;
}

static bool is_product(const struct expr *e)
{
	return e->kind == EXPR_MUL && e->arg[0]->kind == EXPR_LOAD && e->arg[1]->kind == EXPR_LOAD;
}

struct reads {
	const struct tensor *tensor;
	bool found;
};

static bool find_read(const struct expr *e, void *user)
{
	struct reads *r = user;

	r->found |= e->kind == EXPR_LOAD && e->tensor == r->tensor;
	return !r->found;
}

static const struct op *consumer(const struct dag *d, const struct op *of)
{
	for (int i = 0; i < d->ops.n; i++) {
		struct reads r = { &of->tensor, false };

		if (d->ops.at[i]->kind != OP_COMPUTE)
			continue;
		expr_visit(d->ops.at[i]->body, find_read, &r);
		if (r.found)
			return d->ops.at[i];
	}
	return NULL;
}

/* From the sum to the output; the number of ops on the way, -1 where one is not understood. */
static int follow(struct arena *a, const struct dag *d, const struct op *op, struct work *w,
		  const char **why)
{
	int n = 0;

	while (!op->output) {
		const struct op *next = consumer(d, op);

		if (!next || op_is_reduction(next) || !match_epilogue(a, d, next, op, w)) {
			*why = arena_printf(a, "%s, after the sum, is not understood",
					    next ? next->tensor.name : op->tensor.name);
			return -1;
		}
		op = next;
		n++;
	}
	w->y.op = op;
	w->y.view.tensor = &op->tensor;
	return n;
}

static bool match(const struct work_product *p, struct work *w, const struct op **padded)
{
	const struct work blank = *w;

	*padded = NULL;
	for (int order = 0; order < 2; order++) {
		/* The kernel axes of a convolution are there even where it is 1x1. */
		bool matmul_first = p->sum->nreduce == 1;

		for (int i = 0; i < 2; i++) {
			struct work_product q = *p;

			*w = blank;
			if (order == 1) {
				q.x = p->w;
				q.w = p->x;
			}
			if ((i == 0) == matmul_first ? match_matmul(&q, w)
						     : match_conv(&q, w, padded))
				return true;
			*padded = NULL;
		}
	}
	return false;
}

const struct work *recognize(struct arena *a, const struct dag *d, const char **why)
{
	struct work *w = arena_one(a, struct work);
	const struct op *sum = only_reduction(d);
	const struct op *padded;

	*why = NULL;
	if (!only_f32(d))
		*why = "not all of it is f32";
	else if (count_ops(d, true) != 1)
		*why = "it has more than one output";
	else if (!sum || sum->reducer != REDUCE_SUM || !is_product(sum->body))
		*why = "it is not one sum of products of two tensors";
	if (*why)
		return NULL;
	struct work_product p = { a, d, sum, sum->body->arg[0], sum->body->arg[1] };

	if (!match(&p, w, &padded)) {
		*why = "its indices are neither those of a matrix product nor of a convolution";
		return NULL;
	}
	int after = follow(a, d, sum, w, why);

	if (after < 0)
		return NULL;
	if (count_ops(d, false) == 1 + after + (padded != NULL))
		return w;
	*why = "there are operations in front of it";
	return NULL;
}

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
