/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/bench/test_recognize.c - DAGs in the words of a library, and that others are left alone. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/text.h"
#include "bench/work/recognize.h"
#include "te/operator.h"
#include "te/text/text.h"

/* SPEC is an operator, or a .te text where it has a line end. */
static const struct dag *dag_of(struct arena *a, const char *spec)
{
	const struct dag *d = strchr(spec, '\n') ? dag_parse(a, "test", spec)
						 : operator_build(a, spec);

	if (!d)
		fail_msg("%s: %s", spec, err_get());
	return d;
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

/* "conv2d 1x64x56x56 by 64x64x3x3, pad 1; add, relu", and the types in front where they are not all f32. */
static const char *text_of(struct arena *a, const struct work *w)
{
	struct text t = { 0 };

	if (!work_is_f32(w))
		text_printf(&t, "%s %s %s %s: ", dtype_name(w->a.op->tensor.dtype),
			    dtype_name(w->b.op->tensor.dtype), dtype_name(w->sum),
			    dtype_name(w->y.op->tensor.dtype));
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

static const struct {
	const char *spec, *text;
} known[] = {
	{ "matmul:m=512,n=256,k=128", "matmul 512x128 by 128x256" },
	{ "matmul:m=1,n=256,k=128", "matmul 1x128 by 128x256" },
	{ "matmul:m=7,n=1,k=1", "matmul 7x1 by 1x1" },
	{ "dense:m=3,n=10,k=64,act=relu", "matmul 3x64 by 64x10; add, relu" },
	{ "dense:m=3,n=10,k=64,trans=0,bias=0", "matmul 3x64 by 64x10" },
	{ "batch_matmul:b=12,m=8,n=9,k=10", "matmul 12x8x10 by 12x10x9" },
	{ "batch_matmul:b=1,m=8,n=9,k=10", "matmul 8x10 by 10x9" },
	{ "conv2d:n=1,ic=64,h=56,w=56,oc=64,k=3,s=1,p=1,layout=nchw16c",
	  "conv2d 1x64x56x56 by 64x64x3x3, pad 1" },
	{ "conv2d:n=2,ic=32,h=9,w=8,oc=16,k=1,s=1,p=0,layout=nchw16c",
	  "conv2d 2x32x9x8 by 16x32x1x1" },
	{ "conv2d:n=1,ic=3,h=9,w=9,oc=4,k=3,s=2,p=1,layout=nchw",
	  "conv2d 1x3x9x9 by 4x3x3x3, stride 2, pad 1" },
	{ "conv2d:n=1,ic=3,h=9,w=9,oc=4,k=3x1,s=2,p=1x0,layout=nhwc",
	  "conv2d 1x3x9x9 by 4x3x3x1, stride 2, pad 1x0" },
	{ "conv2d:n=1,ic=6,h=9,w=9,oc=4,k=3,dil=2,p=2,g=2,layout=nchw",
	  "conv2d 1x6x9x9 by 4x3x3x3, pad 2, dilation 2, groups 2" },
	{ "conv2d:n=1,ic=32,h=9,w=9,oc=64,k=3,p=1,g=2,layout=nchw16c,bias=1,act=relu6",
	  "conv2d 1x32x9x9 by 64x16x3x3, pad 1, groups 2; add, clip" },
	{ "conv1d:n=1,ic=8,w=20,oc=4,k=3,p=1,layout=nhwc", "conv1d 1x8x20 by 4x8x3, pad 1" },
	{ "conv3d:n=1,ic=8,d=4,h=5,w=6,oc=16,k=3,p=1,layout=nchw8c,act=silu",
	  "conv3d 1x8x4x5x6 by 16x8x3x3x3, pad 1; silu" },
	{ "depthwise:n=1,c=96,h=12,w=12,k=3,s=2,p=1,layout=nchw16c",
	  "conv2d 1x96x12x12 by 96x1x3x3, stride 2, pad 1, groups 96" },
	{ "depthwise:n=1,c=5,h=12,w=12,k=3,p=1,layout=nhwc,act=hard_swish",
	  "conv2d 1x5x12x12 by 5x1x3x3, pad 1, groups 5; hard_swish" },
	{ "depthwise:n=1,c=5,h=12,w=12,k=5,p=2,layout=nchw,act=leaky_relu",
	  "conv2d 1x5x12x12 by 5x1x5x5, pad 2, groups 5; relu" },
	{ "conv2d:n=1,ic=2,h=5,w=5,oc=2,k=3,act=gelu", "conv2d 1x2x5x5 by 2x2x3x3; gelu" },
	{ "conv2d:n=1,ic=2,h=5,w=5,oc=2,k=3,act=hard_sigmoid",
	  "conv2d 1x2x5x5 by 2x2x3x3; linear, clip" },
	/* a transposed A, a result that is transposed, three batch dimensions that join */
	{ "input A: f32[8, 4]\ninput B: f32[8, 6]\nC[i, j] = sum(k < 8) A[k, i] * B[k, j]\n",
	  "matmul 4x8 by 8x6" },
	{ "input A: f32[4, 8]\ninput B: f32[8, 6]\nC[j, i] = sum(k < 8) A[i, k] * B[k, j]\n",
	  "matmul 6x8 by 8x4" },
	{ "input A: f32[2, 3, 4, 8]\ninput B: f32[8, 6]\n"
	  "C[a, b, i, j] = sum(k < 8) A[a, b, i, k] * B[k, j]\n", "matmul 24x8 by 8x6" },
	{ "input A: f32[2, 4, 8]\ninput B: f32[8, 6]\n"
	  "C[i, b, j] = sum(k < 8) A[b, i, k] * B[k, j]\n", "matmul 4x2x8 by 1x8x6" },
	/* everything in one equation after the sum; a residual */
	{ "input A: f32[4, 8]\nconst B: f32[8, 6]\nconst V: f32[6]\ninput R: f32[4, 6]\n"
	  "C[i, j] = sum(k < 8) A[i, k] * B[k, j]\nD[i, j] = max(R[i, j] + (C[i, j] + V[j]), 0)\n",
	  "matmul 4x8 by 8x6; add, add, relu" },
	{ "input A: f32[4, 8]\nconst B: f32[8, 6]\nC[i, j] = sum(k < 8) A[i, k] * B[k, j]\n"
	  "D[i, j] = min(max(2 - C[i, j] * 3, -1), 1) / 4\n",
	  "matmul 4x8 by 8x6; linear, clip, linear" },
	/* bytes and bf16; a padding of integers; a requantized sum, where factors change places */
	{ "matmul:m=8,n=9,k=10,dtype=u8,wdtype=i8", "u8 i8 i32 i32: matmul 8x10 by 10x9" },
	{ "matmul:m=8,n=9,k=10,dtype=i8", "i8 i8 i32 i32: matmul 8x10 by 10x9" },
	{ "dense:m=8,n=9,k=10,dtype=u8,wdtype=i8,act=relu6",
	  "u8 i8 i32 i32: matmul 8x10 by 10x9; add, clip" },
	{ "conv2d:ic=4,h=5,w=5,oc=3,k=3,p=1,dtype=u8,wdtype=i8,layout=nhwc,bias=1,act=relu",
	  "u8 i8 i32 i32: conv2d 1x4x5x5 by 3x4x3x3, pad 1; add, relu" },
	{ "depthwise:c=4,h=5,w=5,k=3,p=1,dtype=i8",
	  "i8 i8 i32 i32: conv2d 1x4x5x5 by 4x1x3x3, pad 1, groups 4" },
	{ "dense:m=8,n=9,k=10,dtype=bf16,act=gelu",
	  "bf16 bf16 bf16 bf16: matmul 8x10 by 10x9; add, gelu" },
	{ "conv2d:ic=4,h=5,w=5,oc=3,k=3,p=1,dtype=bf16,act=hard_swish",
	  "bf16 bf16 bf16 bf16: conv2d 1x4x5x5 by 3x4x3x3, pad 1; hard_swish" },
	{ "input A: bf16[4, 8]\nconst B: bf16[8, 6]\nconst V: bf16[6]\n"
	  "C[i, j] = sum(k < 8) f32(A[i, k]) * f32(B[k, j])\nD[i, j] = bf16(max(C[i, j] + f32(V[j]), 0))\n",
	  "bf16 bf16 f32 bf16: matmul 4x8 by 8x6; add, relu, cast" },
	{ "input A: u8[4, 8]\nconst B: i8[8, 6]\nconst V: i32[6]\nconst F: f32[6]\n"
	  "C[i, j] = sum(k < 8) i32(B[k, j]) * i32(A[i, k])\n"
	  "D[i, j] = u8(min(max(round(f32(C[i, j] + V[j]) * F[j]) + 3, 0), 255))\n",
	  "u8 i8 i32 u8: matmul 4x8 by 8x6; add, cast, mul, round, linear, clip, cast" },
};

static void test_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct arena *a = arena_new();
		const char *why;
		const struct work *w = recognize(a, dag_of(a, known[i].spec), &why);

		if (!w)
			fail_msg("%s: %s", known[i].spec, why);
		assert_string_equal(text_of(a, w), known[i].text);
		arena_free(a);
	}
}

static const struct {
	const char *spec, *why;
} others[] = {
	{ "softmax:m=8,n=8", "sum of products" },
	{ "max_pool:n=1,c=8,h=8,w=8,k=2,s=2", "sum of products" },
	{ "matmul:m=8,n=8,k=8,dtype=f64", "neither f32 nor bf16 nor bytes" },
	{ "matmul:m=8,n=8,k=8,dtype=f16", "neither f32 nor bf16 nor bytes" },
	{ "matmul:m=8,n=8,k=8,dtype=i32", "neither f32 nor bf16 nor bytes" },
	/* integers divide by rounding down */
	{ "input A: u8[8, 8]\ninput B: i8[8, 8]\nC[i, j] = sum(k < 8) i32(A[i, k]) * i32(B[k, j])\n"
	  "D[i, j] = C[i, j] / 2\n", "D, after the sum" },
	/* two outputs; a half of the input; a diagonal; padding with another value than 0, too
	 * narrow padding; something unknown before and behind */
	{ "input A: f32[8, 8]\ninput B: f32[8, 8]\nC[i, j] = sum(k < 8) A[i, k] * B[k, j]\n"
	  "D[i, j] = A[i, j]\n", "output" },
	{ "input A: f32[8, 16]\ninput B: f32[16, 8]\nC[i, j] = sum(k < 8) A[i, k] * B[k, j]\n",
	  "indices" },
	{ "input A: f32[8, 8]\ninput B: f32[8, 8]\nC[i, j] = sum(k < 8) A[k, k] * B[i, j]\n",
	  "indices" },
	{ "input A: f32[8, 8]\ninput B: f32[8, 8]\nC[i, j] = sum(k < 8) A[i, k] * B[7 - k, j]\n",
	  "indices" },
	{ "input X: f32[1, 2, 6]\nconst W: f32[3, 2, 3]\n"
	  "P[n, c, x < 8] = select(1 <= x && x < 7, X[n, c, x - 1], 1)\n"
	  "Y[n, o, x < 6] = sum(c < 2, k < 3) P[n, c, x + k] * W[o, c, k]\n", "indices" },
	{ "input X: f32[1, 2, 6]\nconst W: f32[3, 2, 3]\n"
	  "P[n, c, x < 8] = select(2 <= x && x < 7, X[n, c, x - 1], 0)\n"
	  "Y[n, o, x < 6] = sum(c < 2, k < 3) P[n, c, x + k] * W[o, c, k]\n", "indices" },
	{ "input X: f32[1, 2, 6]\nconst W: f32[3, 2, 3]\n"
	  "Y[n, o, x < 4] = sum(c < 2, k < 3) X[n, c, x + k] * W[o, c, 2 - k]\n", "indices" },
	{ "input A: f32[8, 8]\ninput B: f32[8, 8]\nS[i, j] = A[i, j] + 1\n"
	  "C[i, j] = sum(k < 8) S[i, k] * B[k, j]\n", "indices" },
	{ "input A: f32[8, 8]\ninput B: f32[8, 8]\nC[i, j] = sum(k < 8) A[i, k] * B[k, j]\n"
	  "D[i, j] = C[j, i]\n", "D, after the sum" },
	{ "input A: f32[8, 8]\ninput B: f32[8, 8]\nC[i, j] = sum(k < 8) A[i, k] * B[k, j]\n"
	  "D[i, j] = C[i, j] * C[i, j]\n", "D, after the sum" },
	{ "input A: f32[8, 8]\ninput B: f32[8, 8]\nS[i, j] = A[i, j] + 1\n"
	  "C[i, j] = sum(k < 8) A[i, k] * B[k, j]\nD[i, j] = C[i, j] + S[i, j]\n",
	  "D, after the sum" },
};

static void test_others(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct arena *a = arena_new();
		const char *why = NULL;

		if (recognize(a, dag_of(a, others[i].spec), &why))
			fail_msg("%s is recognized", others[i].spec);
		if (!why || !strstr(why, others[i].why))
			fail_msg("%s: '%s', not '%s'", others[i].spec, why ? why : "nothing",
				 others[i].why);
		arena_free(a);
	}
}

/* A window that leaves a rest at the end, and a bias through channel blocks. */
static void test_details(void **state)
{
	struct arena *a = arena_new();
	const char *why;
	const struct work *w = recognize(
		a, dag_of(a, "conv2d:n=1,ic=16,h=8,w=8,oc=32,k=3,s=2,layout=nchw16c,bias=1"), &why);

	(void)state;
	assert_non_null(w);
	assert_true(w->pad_begin[0] == 0 && w->pad_end[0] == -1 && w->spatial == 2);
	assert_true(w->a.op->kind == OP_INPUT && w->b.op->kind == OP_CONST && w->y.op->output);
	assert_int_equal(w->epilogue.n, 1);
	const struct view *v = &w->epilogue.at[0].operand.view;
	int64_t stride;

	assert_true(v->ndim == 4 && view_count(v) == 32 && v->dim[1].extent == 32);
	assert_true(view_dim_stride(&v->dim[1], &stride) && stride == 1);
	assert_false(view_dim_stride(&w->b.view.dim[0], &stride));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_details),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
