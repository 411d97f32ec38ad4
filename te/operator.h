/* SPDX-License-Identifier: Apache-2.0 */
/* te/operator.h - operators by name, as the command line writes them: `matmul:m=512,n=512,k=512`.
 *
 * An operator is one `const struct operator` in a file of te/ops/ and one line in
 * te/operators.def. */
#ifndef HONE_TE_OPERATOR_H
#define HONE_TE_OPERATOR_H

#include "te/ops.h"

enum param_kind {
	PARAM_INT,	/* a whole number in lo..hi */
	PARAM_SHAPE,	/* such numbers with x between: 3, 1x7, 64x56x56 */
	PARAM_WORD,	/* one of words */
	PARAM_LAYOUT,	/* nchw, nhwc, or nchw<B>c for blocks of B channels */
	PARAM_DTYPE,
};

struct param {
	const char *key;
	enum param_kind kind;
	const char *fallback;	/* as it would be written; NULL: must be given */
	const char *help;
	int64_t lo, hi;		/* 0, 0: 1 up to the largest extent */
	const char *words;	/* "none|relu", for PARAM_WORD */
};

/* The values of one spec. */
struct args;

struct operator {
	const char *name;
	const char *summary;
	const struct param *params;	/* ends with a NULL key */
	/* Adds the inputs and ops to D; the last op, or NULL and a message. */
	struct op *(*build)(struct dag *d, const struct args *args);
};

#define X(name) extern const struct operator operator_##name;
#include "te/operators.def"
#undef X

/* The I-th operator; NULL beyond the last. */
const struct operator *operator_at(int i);
/* NULL and a message, which names one that is near, where there is none. */
const struct operator *operator_find(const char *name);

/* The frozen DAG of a spec; NULL and a message. */
struct dag *operator_build(struct arena *a, const char *spec);
/* The frozen DAG of a command line's SOURCE: a spec, or a path that ends in .te. */
struct dag *source_dag(struct arena *a, const char *source);

/* The values of SPEC, in A; NULL and a message. */
const struct args *args_read(struct arena *a, const char *spec);
/* The name of the operator that ARGS are of. */
const char *args_operator(const struct args *args);
/* The value of a parameter that the operator has. */
int64_t args_int(const struct args *args, const char *key);
/* At most TENSOR_MAX_DIMS extents; how many. */
int args_shape(const struct args *args, const char *key, int64_t *extent);
const char *args_word(const struct args *args, const char *key);
enum dtype args_dtype(const struct args *args);
/* That of the second operand: key "wdtype". */
enum dtype args_weight_dtype(const struct args *args);
/* Key "layout"; the block is 1 where it is not blocked. */
enum layout args_layout(const struct args *args, int64_t *block);
/* One number for each of SPATIAL dimensions, or one for all; -1 and a message. */
int args_spatial(const struct args *args, const char *key, int spatial, int64_t *out);
/* The keys s, p, dil, g, layout as far as the operator has them. -1 and a message. */
int args_conv(const struct args *args, int spatial, struct conv *out);

/* --- for the files of te/ops/ */

/* An input tensor; NULL and a message where it is too large. */
struct op *build_input(struct dag *d, const char *name, enum dtype t, int ndim,
		       const int64_t *shape, bool constant);
/* An image with CHANNELS; NULL and a message where blocks do not divide them. */
struct op *build_image(struct dag *d, const char *name, const struct args *args, int64_t batch,
		       int64_t channels, int spatial, const int64_t *extent);
/* X with a bias per channel where key "bias" is 1, the activation of key "act", and, where the operator has "shift" and it is
 * not 0, as bytes: rounded sums over a power of two. */
struct op *build_epilogue(struct dag *d, struct op *x, const struct args *args, int64_t channels,
		    enum layout layout);

#define ACTIVATION_WORDS                                                                           \
	"none|relu|relu6|sigmoid|silu|gelu|hard_sigmoid|hard_swish|tanh|leaky_relu"

/* Parameters that many operators have. */
#define FLAG(key, fallback, help)	{ key, PARAM_INT, fallback, help, 0, 1, NULL }
#define SIZE(key, help)			{ key, PARAM_INT, NULL, help, 0, 0, NULL }
#define SIZE_OR(key, fallback, help)	{ key, PARAM_INT, fallback, help, 0, 0, NULL }
#define PARAM_CONST			FLAG("const", "1", "1: the second operand is a weight")
#define PARAM_BIAS			FLAG("bias", "0", "1: add a bias to each channel")
#define PARAM_ACT                                                                                  \
	{ "act", PARAM_WORD, "none", "activation of the result", 0, 0, ACTIVATION_WORDS }
#define PARAM_OF_LAYOUT \
	{ \
		"layout", PARAM_LAYOUT, "nchw", \
			"nchw, nhwc, or nchw16c for blocks of 16 channels", 0, 0, NULL \
	}
#define PARAM_OF_DTYPE			{ "dtype", PARAM_DTYPE, "f32", "element type", 0, 0, NULL }
/* Products of bytes are gathered in i32, whatever their signs. */
#define PARAM_OF_WEIGHT                                                                            \
	{ "wdtype", PARAM_WORD, "same", "element type of the weight", 0, 0, "same|i8|u8" }
#define PARAM_SHIFT                                                                                \
	{ "shift", PARAM_INT, "0", "of integers: the result as i8, rounded sums over 2^shift; 0: i32", 0, 30, NULL }
#define PARAM_KERNEL \
	{ \
		"k", PARAM_SHAPE, NULL, "kernel, as 3 or 1x7", 0, 0, NULL \
	}
#define PARAM_STRIDE			{ "s", PARAM_SHAPE, "1", "stride, as 2 or 2x1", 0, 0, NULL }
#define PARAM_PAD                                                                                  \
	{ "p", PARAM_SHAPE, "0", "padding of each side, as 1 or 0x3", 0, 1 << 20, NULL }
#define PARAM_DILATION			{ "dil", PARAM_SHAPE, "1", "dilation", 0, 0, NULL }
#define PARAM_END			{ NULL, PARAM_INT, NULL, NULL, 0, 0, NULL }

#endif
