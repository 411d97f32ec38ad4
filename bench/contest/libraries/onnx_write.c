/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/onnx_write.c - the operator itself, and the model around it. */
#include "bench/contest/libraries/onnx_write.h"

#include "bench/contest/libraries/onnx_build.h"

/* The first step of the epilogue where the operator itself adds it; else NULL. */
static const struct operand *bias_of(const struct work *w)
{
	const struct epilogue *e = w->epilogue.at;

	if (w->epilogue.n == 0 || e->kind != EPILOGUE_ADD ||
	    (w->kind == WORK_MATMUL && w->nbatch > 0))
		return NULL;
	for (int i = 0; i < e->operand.view.ndim; i++)
		if (e->operand.view.dim[i].extent !=
		    (i == work_channel_dim(w) ? w->y.view.dim[i].extent : 1))
			return NULL;
	return &e->operand;
}

/* A bias has one dimension, whatever view the epilogue has of it. */
static const char *bias_name(struct onnx_model *m, const struct operand *bias)
{
	struct operand flat = { .op = bias->op, .view = { .tensor = bias->view.tensor, .ndim = 1 } };

	flat.view.dim[0] = bias->view.dim[work_channel_dim(m->work)];
	return onnx_operand(m, &flat);
}

static const char *convolution(struct onnx_model *m, const struct operand *bias)
{
	const struct work *w = m->work;
	int64_t pads[2 * WORK_MAX_SPATIAL], kernel[WORK_MAX_SPATIAL];
	const char *in[3] = { onnx_operand(m, &w->a), onnx_operand(m, &w->b) };

	if (bias)
		in[2] = bias_name(m, bias);
	for (int i = 0; i < w->spatial; i++) {
		kernel[i] = w->b.view.dim[2 + i].extent;
		pads[i] = w->pad_begin[i];
		pads[w->spatial + i] = work_pad_end(w, i);
		if (pads[w->spatial + i] < 0)
			m->why = "its last windows are left out";
	}
	const char *out = onnx_node(m, "Conv", in, bias ? 3 : 2);

	draft_ints(&m->draft, "kernel_shape", kernel, w->spatial);
	draft_ints(&m->draft, "strides", w->stride, w->spatial);
	draft_ints(&m->draft, "dilations", w->dilation, w->spatial);
	draft_ints(&m->draft, "pads", pads, 2 * w->spatial);
	draft_int(&m->draft, "group", w->groups);
	return out;
}

/* The matrix lies in memory column by column, and only Gemm can be told so. */
static bool is_transposed(const struct operand *o)
{
	int64_t row, column;

	return o->op->kind != OP_CONST && view_dim_stride(&o->view.dim[0], &row) &&
	       view_dim_stride(&o->view.dim[1], &column) && row == 1 && column > 1;
}

static const char *factor(struct onnx_model *m, const struct operand *o, bool transposed)
{
	struct operand turned = *o;

	if (!transposed)
		return onnx_operand(m, o);
	turned.view.dim[0] = o->view.dim[1];
	turned.view.dim[1] = o->view.dim[0];
	return onnx_operand(m, &turned);
}

static const char *product(struct onnx_model *m, const struct operand *bias)
{
	const struct work *w = m->work;

	if (w->nbatch > 0) {
		const char *both[] = { onnx_operand(m, &w->a), onnx_operand(m, &w->b) };

		return onnx_node(m, "MatMul", both, 2);
	}
	bool ta = is_transposed(&w->a), tb = is_transposed(&w->b);
	const char *in[3] = { factor(m, &w->a, ta), factor(m, &w->b, tb) };

	if (bias)
		in[2] = bias_name(m, bias);
	const char *out = onnx_node(m, "Gemm", in, bias ? 3 : 2);

	draft_int(&m->draft, "transA", ta);
	draft_int(&m->draft, "transB", tb);
	return out;
}

static void fill_graph(struct onnx_model *m)
{
	const struct work *w = m->work;
	const struct operand *bias = bias_of(w);
	const char *value = w->kind == WORK_CONV ? convolution(m, bias) : product(m, bias);

	for (int i = bias ? 1 : 0; i < w->epilogue.n; i++)
		value = onnx_epilogue(m, &w->epilogue.at[i], value);
	onnx_result(m, &w->y);
}

unsigned char *onnx_write(struct arena *a, const struct dag *d, const struct work *w,
			  void *const *args, size_t *size, const char **why)
{
	struct onnx_model m;

	*why = "models are written for f32 alone";
	if (!work_is_f32(w))
		return NULL;
	onnx_model_init(&m, a, d, w, args);
	fill_graph(&m);
	*why = m.why;
	if (m.why)
		return NULL;
	return onnx_pack(a, onnx_model_proto(&m), size, why);
}
