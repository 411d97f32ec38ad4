/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/onnx_operator.c - a table of operators and their nodes, and the attributes of these. */
#include "bench/contest/libraries/onnx_operator.h"

#include "base/err.h"
#include "base/hash.h"
#include "bench/contest/libraries/onnx_build.h"
#include "te/eval.h"
#include "te/operator.h"

enum { SPATIAL = 2 };

/* An operator and the node that computes it. */
struct node_form {
	const char *name, *node;
	/* Gives the last node of M its attributes; NULL where it has none. What has no form in ONNX is refused in *WHY. */
	void (*tell)(struct draft *m, const struct args *args, const char **why);
};

static void tell_window(struct draft *m, const struct args *args, const char **why)
{
	int64_t kernel[SPATIAL], pads[2 * SPATIAL];
	struct conv c;

	if (args_spatial(args, "k", SPATIAL, kernel) < 0 || args_conv(args, SPATIAL, &c) < 0) {
		*why = arena_strdup(m->a, err_get());
		return;
	}
	if (c.layout != LAYOUT_NCHW)
		*why = "engines take images of this operator in NCHW";
	memcpy(pads, c.pad_begin, sizeof(pads) / 2);
	memcpy(pads + SPATIAL, c.pad_end, sizeof(pads) / 2);
	draft_ints(m, "kernel_shape", kernel, SPATIAL);
	draft_ints(m, "strides", c.stride, SPATIAL);
	draft_ints(m, "pads", pads, 2 * SPATIAL);
	for (int i = 0; i < SPATIAL; i++)
		if (c.dilation[i] != 1) {
			draft_ints(m, "dilations", c.dilation, SPATIAL);
			return;
		}
}

static void tell_conv_transpose(struct draft *m, const struct args *args, const char **why)
{
	int64_t more[SPATIAL];

	tell_window(m, args, why);
	if (args_spatial(args, "op", SPATIAL, more) == 0)
		draft_ints(m, "output_padding", more, SPATIAL);
	if (args_int(args, "bias") || strcmp(args_word(args, "act"), "none") != 0)
		*why = "models of this operator are written without what follows it";
}

static void tell_avg_pool(struct draft *m, const struct args *args, const char **why)
{
	tell_window(m, args, why);
	draft_int(m, "count_include_pad", args_int(args, "count_pad"));
}

static void tell_image(struct draft *m, const struct args *args, const char **why)
{
	int64_t block;

	(void)m;
	if (args_layout(args, &block) != LAYOUT_NCHW)
		*why = "engines take images of this operator in NCHW";
}

static void tell_rows(struct draft *m, const struct args *args, const char **why)
{
	(void)args;
	(void)why;
	draft_int(m, "axis", -1);
}

static void tell_layer_norm(struct draft *m, const struct args *args, const char **why)
{
	tell_rows(m, args, why);
	draft_float(m, "epsilon", 1e-5);
}

static void tell_matrix_norm(struct draft *m, const struct args *args, const char **why)
{
	const int64_t axes[] = { 1, 2 };

	(void)args;
	(void)why;
	draft_ints(m, "axes", axes, 2);
	draft_int(m, "keepdims", 0);
}

static const struct node_form forms[] = {
	{ "conv2d_transpose", "ConvTranspose", tell_conv_transpose },
	{ "max_pool", "MaxPool", tell_window },
	{ "avg_pool", "AveragePool", tell_avg_pool },
	{ "global_avg_pool", "GlobalAveragePool", tell_image },
	{ "softmax", "Softmax", tell_rows },
	{ "layer_norm", "LayerNormalization", tell_layer_norm },
	{ "matrix_norm", "ReduceL2", tell_matrix_norm },
	{ "add", "Add", NULL },
	{ "mul", "Mul", NULL },
	{ "relu", "Relu", NULL },
	{ "sigmoid", "Sigmoid", NULL },
	{ "tanh", "Tanh", NULL },
	{ "hard_swish", "HardSwish", NULL },
};

static const struct node_form *form_of(const struct args *args)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (strcmp(forms[i].name, args_operator(args)) == 0)
			return &forms[i];
	return NULL;
}

/* Does SPEC, which may be any name, build D? */
static bool is_name_of(struct arena *a, const char *spec, const struct dag *d)
{
	const struct dag *built = operator_build(a, spec);

	return built && hash_equal(dag_key(built), dag_key(d));
}

/* The inputs of D, and the node of FORM behind them. */
static void fill(struct draft *m, const struct dag *d, const struct node_form *form, void *const *args)
{
	const int type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
	int n = dag_arg_count(d);
	const char **name = arena_many(m->a, const char *, n);

	for (int i = 0; i < n; i++)
		name[i] = arena_printf(m->a, "arg%d", i);
	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];
		const struct tensor *t = &op->tensor;
		int arg = dag_arg(d, op);

		if (arg < 0)
			continue;
		if (op->kind == OP_CONST)
			draft_constant(m, name[arg], type, t->ndim, t->shape, args[arg], tensor_bytes(t));
		else
			draft_value(m, op->kind == OP_INPUT ? &m->inputs : &m->outputs, name[arg], type, t->ndim, t->shape);
	}
	draft_node(m, form->node, n - 1, name, name[n - 1]);
}

static bool all_f32(const struct dag *d)
{
	for (int i = 0; i < d->ops.n; i++)
		if (d->ops.at[i]->tensor.dtype != DTYPE_F32)
			return false;
	return true;
}

unsigned char *onnx_write_operator(struct arena *a, const char *spec, const struct dag *d, void *const *args,
				   size_t *size, const char **why)
{
	const struct args *given = args_read(a, spec);
	const struct node_form *form = given ? form_of(given) : NULL;
	const char *refused = NULL;

	if (!form || !is_name_of(a, spec, d))
		return NULL;
	struct draft m = draft_begin(a);

	fill(&m, d, form, args);
	if (form->tell)
		form->tell(&m, given, &refused);
	if (!all_f32(d))
		refused = "models are written for f32 alone";
	if (refused) {
		*why = refused;
		return NULL;
	}
	return onnx_pack(a, draft_model(&m, ONNX_IR_VERSION, ONNX_OPSET), size, why);
}
