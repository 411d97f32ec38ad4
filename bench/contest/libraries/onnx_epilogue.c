/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/onnx_epilogue.c - what follows a sum, as ONNX's nodes, written as exporters write
 * it, for engines look for those patterns to fuse them. */
#include <math.h>

#include "bench/contest/libraries/onnx_build.h"

static const char *unary(struct onnx_model *m, const char *op, const char *x)
{
	return draft_step(&m->draft, op, x, NULL, NULL);
}

static const char *binary(struct onnx_model *m, const char *op, const char *x, const char *y)
{
	return draft_step(&m->draft, op, x, y, NULL);
}

static const char *linear(struct onnx_model *m, const struct epilogue *e, const char *x)
{
	if (e->alpha != 1)
		x = binary(m, "Mul", x, onnx_scalar(m, e->alpha));
	if (e->beta != 0)
		x = binary(m, "Add", x, onnx_scalar(m, e->beta));
	return x;
}

static const char *clip(struct onnx_model *m, const struct epilogue *e, const char *x)
{
	const char *in[] = { x, isinf(e->alpha) ? "" : onnx_scalar(m, e->alpha),
			     isinf(e->beta) ? "" : onnx_scalar(m, e->beta) };

	return onnx_node(m, "Clip", in, isinf(e->beta) ? 2 : 3);
}

static const char *relu(struct onnx_model *m, const struct epilogue *e, const char *x)
{
	if (e->alpha == 0)
		return unary(m, "Relu", x);
	x = unary(m, "LeakyRelu", x);
	draft_float(&m->draft, "alpha", e->alpha);
	return x;
}

/* x (1 + erf(x / sqrt 2)) / 2 */
static const char *gelu(struct onnx_model *m, const char *x)
{
	const char *erf = unary(m, "Erf", binary(m, "Div", x, onnx_scalar(m, M_SQRT2)));
	const char *both = binary(m, "Mul", x, binary(m, "Add", erf, onnx_scalar(m, 1)));

	return binary(m, "Mul", both, onnx_scalar(m, 0.5));
}

const char *onnx_epilogue(struct onnx_model *m, const struct epilogue *e, const char *x)
{
	switch (e->kind) {
	case EPILOGUE_ADD:
		return binary(m, "Add", x, onnx_operand(m, &e->operand));
	case EPILOGUE_MUL:
		return binary(m, "Mul", x, onnx_operand(m, &e->operand));
	case EPILOGUE_LINEAR:
		return linear(m, e, x);
	case EPILOGUE_CLIP:
		return clip(m, e, x);
	case EPILOGUE_RELU:
		return relu(m, e, x);
	case EPILOGUE_SIGMOID:
		return unary(m, "Sigmoid", x);
	case EPILOGUE_SILU:
		return binary(m, "Mul", x, unary(m, "Sigmoid", x));
	case EPILOGUE_GELU:
		return gelu(m, x);
	case EPILOGUE_TANH:
		return unary(m, "Tanh", x);
	case EPILOGUE_HARD_SWISH:
		return unary(m, "HardSwish", x);
	case EPILOGUE_ROUND:	/* not of f32 alone */
	case EPILOGUE_CAST:
		break;
	}
	return x;
}
