/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/test_contestants.c - every contestant that is there, driven as the referee does it:
 * each of its entries computes what the DAG does, or says why it cannot. One that was not built,
 * or whose engine is not installed, is skipped by name. */
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "tests/fixture/contestant_fixture.h"
#include "tests/te_run.h"

#include "bench/contest/referee/folder.h"
#include "target/intrinsic.h"
#include "target/target.h"

static void write_model(const struct run *r, const char *spec, const char *dir)
{
	const char *why = NULL;
	size_t size = 0;
	const unsigned char *data = folder_model(r->a, spec, r->d, r->args, &size, &why);

	if (data)
		write_file(dir, "model.onnx", data, size);
	else
		write_file(dir, "model.why", why, strlen(why));
}

/* The folder that a referee makes of R, which SPEC says; the reference stays in R's arguments. */
static const char *write_task(const struct run *r, const char *spec)
{
	const char *dir = dir_temp(r->a);
	struct text t = { 0 };
	char name[32];

	assert_non_null(dir);
	dag_print(&t, r->d);
	write_file(dir, "task.te", text_str(&t), t.n);
	text_free(&t);
	for (int i = 0; i < r->n - 1; i++) {
		snprintf(name, sizeof(name), "arg%d.bin", i);
		write_file(dir, name, r->args[i], tensor_bytes(&r->op[i]->tensor));
	}
	write_model(r, spec, dir);
	return dir;
}

/* Integers are equal then; of bf16 there are some roundings, of 2^-9 each. */
static double tolerance(enum dtype t)
{
	return t == DTYPE_BF16 ? 0x1p-6 : 1e-4;
}

static void compare(const struct run *r, const char *what, const char *path)
{
	const struct op *op = r->op[r->n - 1];
	size_t size;
	const char *data = file_read(r->a, path, tensor_bytes(&op->tensor), &size);

	if (!data)
		fail_msg("%s: %s", what, err_get());
	assert_int_equal(size, tensor_bytes(&op->tensor));
	for (int64_t i = 0; i < tensor_count(&op->tensor); i++)
		check_close(what, i, dtype_load(op->tensor.dtype, data, i), at(r, r->n - 1, i),
			    tolerance(op->tensor.dtype));
}

/* ENTRY on the task in DIR: right twice over, the second time after runs; or CANNOT is a part of
 * what it says. */
static void drive(struct peer *p, const struct run *r, const char *dir, const char *entry,
		  int threads, const char *cannot)
{
	const char *what = arena_printf(r->a, "%s, %d threads: %s", entry, threads, r->d->name);
	const char *file = arena_printf(r->a, "%s/out.bin", dir);
	const char *line = ask(p, arena_printf(r->a, "prepare %s %s %d", dir, entry, threads));

	if (cannot) {
		if (!begins(line, "cannot ") || !strstr(line, cannot))
			fail_msg("%s: '%s', not 'cannot ...%s'", what, line, cannot);
		return;
	}
	if (!begins(line, "ok"))
		fail_msg("%s: %s", what, line);
	for (int turn = 0; turn < 2; turn++) {
		line = ask(p, arena_printf(r->a, "check %s", file));
		if (strcmp(line, "ok") != 0)
			fail_msg("%s: %s", what, line);
		compare(r, what, file);
		line = ask(p, "run 2");
		if (!begins(line, "ok ") || atoll(line + 3) <= 0)
			fail_msg("%s: %s", what, line);
	}
}


static const struct {
	const char *contestant;	/* or contestant/entry */
	const char *spec;
	const char *cannot;	/* a part of the reason; NULL: it can */
} cases[] = {
#define CONV "conv2d:n=2,ic=6,h=9,w=7,oc=5,k=3,s=2,p=1"
#define CONV_BLOCKS "conv2d:ic=32,h=7,w=6,oc=48,k=3,p=1,bias=1,act=relu"
#define CONV_REST "conv2d:ic=16,h=8,w=8,oc=16,k=3,s=2"
#define CONV_GROUPS "conv2d:ic=6,h=9,w=8,oc=4,k=3x1,dil=2,p=2x0,g=2,bias=1,act=relu6"
#define CONV_NHWC "conv2d:ic=4,h=8,w=9,oc=6,k=3,p=1,layout=nhwc,bias=1,act=relu"
#define CONV_BLOCKED "conv2d:n=2,ic=32,h=6,w=5,oc=16,k=3,p=1,layout=nchw16c,bias=1"
#define CONV_FREE "conv2d:ic=3,h=6,w=5,oc=2,k=3,p=1,const=0"
/* a bias, another image, a factor for each channel, and clamps */
#define RESIDUAL                                                                                   \
	"input X: f32[1, 3, 7, 6]\nconst W: f32[4, 3, 1, 1]\nconst B: f32[4]\n"                  \
	"input R: f32[1, 4, 7, 6]\ninput F: f32[1, 4]\n"                                          \
	"S[n, o, y < 7, x < 6] = sum(c < 3, i < 1, j < 1) X[n, c, y + i, x + j] * W[o, c, i, j]\n"        \
	"A[n, o, y, x] = min(max(S[n, o, y, x] + B[o], -0.5), 0.5)\n"                             \
	"Y[n, o, y, x] = max((A[n, o, y, x] + R[n, o, y, x]) * F[n, o], 0)\n"
#define CONV_1D "conv1d:ic=4,w=20,oc=3,k=3,p=1"
#define DEPTHWISE "depthwise:c=19,h=9,w=9,k=3,s=2,p=1,bias=1,act=relu6"
#define MATMUL "matmul:m=67,n=45,k=91"
#define MATMUL_LARGE "matmul:m=130,n=150,k=140"
#define MATMUL_FREE "matmul:m=7,n=5,k=11,const=0"
#define MATMUL_T "input A: f32[8, 14]\nconst B: f32[8, 6]\nC[i, j] = sum(k < 8) A[k, i] * B[k, j]\n"
#define DENSE "dense:m=3,n=10,k=17,act=relu"
#define BATCHES "batch_matmul:b=3,m=14,n=15,k=16"
#define SOFTMAX "softmax:m=3,n=4"
#define BYTES ",dtype=u8,wdtype=i8"
#define MATMUL_BYTES "matmul:m=67,n=45,k=91" BYTES
/* a sum of bytes made bytes again, one factor for all or one for each channel; the shift is even, so that what is half
 * way goes to the same side before and behind it */
#define REQUANTIZED(factor)                                                                        \
	"input X: u8[5, 36]\nconst W: i8[36, 24]\nconst B: i32[24]\nconst F: f32[24]\n"           \
	"S[i, j] = sum(k < 36) i32(X[i, k]) * i32(W[k, j])\n"                                     \
	"Y[i, j] = u8(min(max(round(f32(S[i, j] + B[j]) * " factor ") + 4, 0), 255))\n"
#define REQUANTIZED_CONV                                                                           \
	"input X: u8[1, 8, 9, 16]\nconst W: i8[3, 3, 16, 24]\nconst B: i32[24]\n"                 \
	"P[n, y < 10, x < 11, c] = select(1 <= y && y < 9 && 1 <= x && x < 10, X[n, y - 1, x - 1, c], 0)\n" \
	"S[n, y < 8, x < 9, o] = sum(i < 3, j < 3, c < 16) i32(P[n, y + i, x + j, c]) * i32(W[i, j, c, o])\n" \
	"Y[n, y, x, o] = i8(min(max(round(max(f32(S[n, y, x, o] + B[o]) * 0.0625, 0)), -128), 127))\n"
/* what a library's conversion does not do */
#define TRUNCATED                                                                                  \
	"input X: u8[5, 36]\nconst W: i8[36, 24]\nS[i, j] = sum(k < 36) i32(X[i, k]) * i32(W[k, j])\n" \
	"Y[i, j] = u8(min(max(f32(S[i, j]) * 0.25, 0), 255))\n"
#define WRAPPED                                                                                    \
	"input X: u8[5, 36]\nconst W: i8[36, 24]\nS[i, j] = sum(k < 36) i32(X[i, k]) * i32(W[k, j])\n" \
	"Y[i, j] = u8(round(f32(S[i, j]) * 0.25))\n"
#define ENGINE(name)                                                                               \
	{ name, CONV, NULL }, { name, CONV_BLOCKS, NULL }, { name, CONV_REST, NULL },              \
	{ name, CONV_GROUPS, NULL }, { name, CONV_NHWC, NULL }, { name, CONV_BLOCKED, NULL },      \
	{ name, CONV_FREE, NULL }, { name, CONV_1D, NULL }, { name, DEPTHWISE, NULL },             \
	{ name, MATMUL, NULL }, { name, MATMUL_FREE, NULL }, { name, MATMUL_T, NULL },             \
	{ name, DENSE, NULL }, { name, BATCHES, NULL }, { name, SOFTMAX, NULL },                    \
	{ name, "layer_norm:m=3,n=20", NULL }, { name, "matrix_norm:b=2,m=5,n=9", NULL },          \
	{ name, "max_pool:c=3,h=9,w=8,k=3,s=2,p=1", NULL },                                        \
	{ name, "avg_pool:n=2,c=3,h=9,w=8,k=3x2,s=2x1,p=1x0", NULL },                              \
	{ name, "avg_pool:c=3,h=8,w=8,k=3,p=1,count_pad=1", NULL },                                \
	{ name, "max_pool:c=16,h=9,w=8,k=2,layout=nchw16c", "NCHW" },                              \
	{ name, "global_avg_pool:c=5,h=4,w=3", NULL },                                             \
	{ name, "conv2d_transpose:ic=5,h=6,w=7,oc=4,k=4,s=2,p=1", NULL },                          \
	{ name, "conv2d_transpose:ic=5,h=6,w=7,oc=4,k=3x2,s=2,p=1x0,op=1x0", NULL },               \
	{ name, "conv2d_transpose:ic=5,h=6,w=7,oc=4,k=3,dil=2,const=0", NULL },                    \
	{ name, "conv2d_transpose:ic=5,h=6,w=7,oc=4,k=3,bias=1", "what follows" },                 \
	{ name, "capsule_conv2d:h=5,w=5,ic=2,oc=2,k=3,p=1", "" },                                  \
	{ name, "add:n=3x5", NULL }, { name, "mul:n=35", NULL }, { name, "relu:n=35", NULL },      \
	{ name, "sigmoid:n=35", NULL }, { name, "tanh:n=35", NULL }, { name, "hard_swish:n=35", NULL }, \
	{ name, "softmax:m=3,n=4,dtype=f64", "f32 alone" }
	ENGINE("onnxruntime"),
	{ "onnxruntime", RESIDUAL, NULL },
	{ "openvino", RESIDUAL, NULL },
	ENGINE("openvino/model"),
	{ "openvino/nhwc", CONV_GROUPS, NULL },
	{ "openvino/nhwc", CONV_NHWC, NULL },
	{ "openvino/nhwc", CONV_BLOCKED, NULL },
	{ "openvino/nhwc", CONV_FREE, NULL },
	{ "openvino/nhwc", CONV_1D, NULL },
	{ "openvino/nhwc", "conv3d:ic=2,d=4,h=5,w=6,oc=3,k=3,p=1", NULL },
	{ "openvino/nhwc", MATMUL, "no convolution" },
	{ "openvino/nhwc", SOFTMAX, "no convolution" },
#define BLAS(name)                                                                                 \
	{ name, CONV, "no convolutions" }, { name, MATMUL, NULL }, { name, MATMUL_LARGE, NULL },   \
	{ name, MATMUL_FREE, NULL }, { name, MATMUL_T, NULL },                                     \
	{ name, "dense:m=3,n=10,k=17,bias=0", NULL }, { name, "matmul:m=1,n=70,k=3", NULL },       \
	{ name, DENSE, "no add after a product" }, { name, BATCHES, NULL },                        \
	{ name, SOFTMAX, "sum of products" }
	BLAS("blis"),
	BLAS("openblas"),
	{ "onednn/direct", CONV, NULL },
	{ "onednn/direct", CONV_GROUPS, NULL },
	{ "onednn/direct-plain", CONV_NHWC, NULL },
	{ "onednn/direct", "conv2d:n=2,ic=32,h=6,w=5,oc=48,k=3,p=1,layout=nchw16c", NULL },
	{ "onednn/direct-plain", "conv2d:n=2,ic=32,h=6,w=5,oc=48,k=3,layout=nchw16c", NULL },
	{ "onednn/auto", CONV_BLOCKS, NULL },
	{ "onednn/auto-plain", CONV_REST, NULL },
	{ "onednn/auto-plain", CONV_FREE, NULL },
	{ "onednn/direct", DEPTHWISE, NULL },
	{ "onednn/matmul", MATMUL, NULL },
	{ "onednn/matmul-unpacked", MATMUL_T, NULL },
	{ "onednn/matmul", DENSE, NULL },
	{ "onednn/matmul", BATCHES, NULL },
	{ "onednn", SOFTMAX, "sum of products" },
	{ "onednn/matmul", MATMUL_BYTES, NULL },
	{ "onednn/matmul-unpacked", MATMUL_BYTES, NULL },
	{ "onednn/matmul", "matmul:m=67,n=45,k=91,dtype=i8", NULL },
	{ "onednn/matmul", MATMUL_FREE BYTES, NULL },
	{ "onednn/matmul", DENSE BYTES, NULL },
	{ "onednn/matmul", "matmul:m=6,n=4,k=8,dtype=u8", "u8 weights" },
	{ "onednn/matmul", "matmul:m=67,n=45,k=91,dtype=bf16", NULL },
	{ "onednn/matmul", "dense:m=3,n=10,k=17,act=gelu,dtype=bf16", NULL },
	{ "onednn/matmul", BATCHES ",dtype=bf16", NULL },
	{ "onednn/matmul", REQUANTIZED("0.05"), NULL },
	{ "onednn/matmul", REQUANTIZED("F[j]"), NULL },
	{ "onednn/matmul", TRUNCATED, "rounds where it converts to u8" },
	{ "onednn/matmul", WRAPPED, "saturates where it converts to u8" },
	{ "onednn/direct", CONV_BLOCKS BYTES, NULL },
	{ "onednn/direct", CONV_NHWC ",dtype=i8", NULL },
	{ "onednn/direct-plain", CONV_NHWC BYTES, NULL },
	{ "onednn/auto", CONV_GROUPS BYTES, NULL },
	{ "onednn/direct", DEPTHWISE BYTES, NULL },
	{ "onednn/direct", "conv2d:ic=32,h=7,w=6,oc=48,k=3,p=1,dtype=bf16,bias=1,act=relu", NULL },
	{ "onednn/direct", "depthwise:c=19,h=9,w=9,k=3,s=2,p=1,dtype=bf16", NULL },
	{ "onednn/direct", REQUANTIZED_CONV, NULL },
	{ "onednn/direct-plain", REQUANTIZED_CONV, NULL },
	{ "libxsmm", MATMUL_BYTES, "f32 alone" },
	{ "openblas", MATMUL_BYTES, "f32 alone" },
	{ "xnnpack", MATMUL_BYTES, "f32 alone" },
	{ "onnxruntime", MATMUL_BYTES, "f32 alone" },
	{ "libxsmm", CONV, NULL },
	{ "libxsmm", CONV_BLOCKS, "fuses no add" },
	{ "libxsmm", CONV_REST, NULL },
	{ "libxsmm", CONV_GROUPS, "fuses no add" },
	{ "libxsmm", "conv2d:ic=4,h=8,w=9,oc=6,k=3,p=1,layout=nhwc", NULL },
	{ "libxsmm", "conv2d:n=2,ic=96,h=6,w=5,oc=80,k=3,p=1,layout=nchw16c", NULL },
	{ "libxsmm", CONV_FREE, NULL },
	{ "libxsmm", CONV_1D, NULL },
	{ "libxsmm", "depthwise:c=19,h=9,w=9,k=3,s=2,p=1", "no groups" },
	{ "libxsmm", MATMUL, NULL },
	{ "libxsmm", MATMUL_LARGE, NULL },
	{ "libxsmm", "matmul:m=50,n=70,k=300", NULL },
	{ "libxsmm", "matmul:m=1,n=70,k=3", NULL },
	{ "libxsmm", "matmul:m=70,n=1,k=3", NULL },
	{ "libxsmm/plain", MATMUL_FREE, NULL },
	{ "libxsmm/blocked", MATMUL_FREE, "nothing can be packed" },
	{ "libxsmm", MATMUL_T, "rows are contiguous" },
	{ "libxsmm/blocked", "dense:m=3,n=10,k=17,bias=0", NULL },
	{ "libxsmm/plain", "dense:m=3,n=10,k=17,bias=0", "rows are contiguous" },
	{ "libxsmm/plain", BATCHES, NULL },
	{ "libxsmm/blocked", BATCHES, "nothing can be packed" },
	{ "libxsmm", SOFTMAX, "sum of products" },
	{ "xnnpack", CONV, NULL },
	{ "xnnpack", CONV_BLOCKS, NULL },
	{ "xnnpack", CONV_REST, NULL },
	{ "xnnpack", CONV_GROUPS, NULL },
	{ "xnnpack/nhwc", CONV_NHWC, NULL },
	{ "xnnpack/plain", CONV_NHWC, "its layout is the library's own" },
	{ "xnnpack", CONV_BLOCKED, NULL },
	{ "xnnpack", CONV_FREE, NULL },
	{ "xnnpack", CONV_1D, NULL },
	{ "xnnpack", "conv3d:ic=2,d=4,h=5,w=6,oc=3,k=3,p=1", "three dimensions" },
	{ "xnnpack", "conv2d:ic=2,h=5,w=5,oc=2,k=3,act=gelu", "has no gelu" },
	{ "xnnpack", "conv2d:ic=2,h=5,w=5,oc=3,k=3,act=silu", NULL },
	{ "xnnpack", "conv2d:ic=2,h=5,w=5,oc=3,k=3,act=sigmoid,layout=nchw,bias=1", NULL },
	{ "xnnpack", "conv2d:ic=2,h=5,w=5,oc=3,k=3,act=hard_swish,bias=1", NULL },
	{ "xnnpack", "conv2d:ic=2,h=5,w=5,oc=3,k=3,act=leaky_relu", NULL },
	{ "xnnpack", RESIDUAL, NULL },
	{ "xnnpack", DEPTHWISE, NULL },
	{ "xnnpack/nhwc", MATMUL, NULL },
	{ "xnnpack/nhwc", MATMUL_FREE, NULL },
	{ "xnnpack", MATMUL_T, NULL },
	{ "xnnpack/nhwc", DENSE, NULL },
	{ "xnnpack", BATCHES, "no batches" },
	{ "xnnpack", SOFTMAX, "sum of products" },
};

/* WHO is the contestant, or this entry of it. */
static bool means(const char *who, const char *contestant, const char *entry)
{
	size_t n = strlen(contestant);

	return strncmp(who, contestant, n) == 0 &&
	       (!who[n] || (who[n] == '/' && (!entry || strcmp(who + n + 1, entry) == 0)));
}

static bool has_bf16(const struct run *r)
{
	for (int i = 0; i < r->n; i++)
		if (r->op[i]->tensor.dtype == DTYPE_BF16)
			return true;
	return false;
}

/* A part of why case I, which is R, cannot be here; NULL: it can. oneDNN multiplies bf16 on machines with AVX-512
 * alone. */
static const char *cannot(int i, const struct run *r)
{
	return has_bf16(r) && !target_x86_64_avx512.runs() ? "of this form" : cases[i].cannot;
}

/* Without VNNI oneDNN's convolutions add pairs of products of bytes in 16 bits, which saturates where data of i8 was made
 * u8 by adding 128 (its documentation, "Nuances of int8 computations"): no referee takes that for right. */
static bool saturates(int i, const struct run *r)
{
	return strcmp(cases[i].contestant, "onednn/direct") == 0 && r->op[0]->tensor.dtype == DTYPE_I8 &&
	       !intrinsic_is_there(intrinsic_at(INTRINSIC_AVX512_VPDPBUSD), target_here()) &&
	       !intrinsic_is_there(intrinsic_at(INTRINSIC_AVX_VPDPBUSD), target_here());
}

static void all_cases(void **state)
{
	const char *contestant = *state;
	struct peer p = start_or_skip(contestant);
	struct arena *a = arena_new();
	const char *entries[MAX_ENTRIES];
	int n = entries_of(&p, a, entries);

	assert_true(n > 0);
	assert_true(begins(ask(&p, "check /nowhere"), "error "));
	for (int i = 0; i < (int)(sizeof(cases) / sizeof(*cases)); i++) {
		if (!means(cases[i].contestant, contestant, NULL))
			continue;
		struct run r = run_spec(cases[i].spec);
		const char *dir = write_task(&r, cases[i].spec);

		if (saturates(i, &r))
			skip_part(cases[i].spec, "oneDNN's sums saturate on machines without VNNI");
		for (int e = 0; e < n && !saturates(i, &r); e++)
			for (int threads = 1; threads <= 2; threads++)
				if (means(cases[i].contestant, contestant, entries[e]))
					drive(&p, &r, dir, entries[e], threads, cannot(i, &r));
		dir_remove(dir);
		arena_free(r.a);
	}
	stop(&p);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define ALL_CASES(name) { name, all_cases, NULL, NULL, name }
		ALL_CASES("onednn"),  ALL_CASES("openblas"),	ALL_CASES("blis"),
		ALL_CASES("libxsmm"), ALL_CASES("xnnpack"),	ALL_CASES("onnxruntime"),
		ALL_CASES("openvino"),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
