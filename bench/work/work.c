/* SPDX-License-Identifier: Apache-2.0 */
/* bench/work/work.c - names of epilogues, and what libraries ask of windows. */
#include "bench/work/work.h"

int64_t work_pad_end(const struct work *w, int i)
{
	int64_t end = w->pad_end[i] > 0 ? w->pad_end[i] : 0;
	int64_t reach = w->dilation[i] * (w->b.view.dim[2 + i].extent - 1) + 1;
	int64_t room = w->a.view.dim[2 + i].extent + w->pad_begin[i] + end - reach;

	return room / w->stride[i] + 1 == w->y.view.dim[2 + i].extent ? end : -1;
}

int work_channel_dim(const struct work *w)
{
	return w->kind == WORK_CONV ? 1 : w->nbatch + 1;
}

bool work_is_f32(const struct work *w)
{
	bool all = w->sum == DTYPE_F32 && w->a.op->tensor.dtype == DTYPE_F32 &&
		   w->b.op->tensor.dtype == DTYPE_F32;

	for (int i = 0; i < w->epilogue.n; i++) {
		const struct epilogue *e = &w->epilogue.at[i];

		all &= e->kind != EPILOGUE_CAST && e->kind != EPILOGUE_ROUND;
	}
	return all;
}

const char *epilogue_name(enum epilogue_kind k)
{
	static const char *const names[] = {
		[EPILOGUE_ADD] = "add", [EPILOGUE_MUL] = "mul", [EPILOGUE_LINEAR] = "linear",
		[EPILOGUE_CLIP] = "clip", [EPILOGUE_RELU] = "relu",
		[EPILOGUE_SIGMOID] = "sigmoid", [EPILOGUE_SILU] = "silu",
		[EPILOGUE_GELU] = "gelu", [EPILOGUE_TANH] = "tanh",
		[EPILOGUE_HARD_SWISH] = "hard_swish", [EPILOGUE_ROUND] = "round",
		[EPILOGUE_CAST] = "cast",
	};

	return names[k];
}
