/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/bench/test_bench.c - the contestants of oneDNN and OpenBLAS compute what the DAG says, each
 * entry that can, and say so where they cannot. */
#include "tests/te_run.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "bench/contest/referee/folder.h"
#include "bench/contest/libraries/openblas_core.h"
#include "bench/contest/referee/player.h"
#include "bench/contest/referee/roster.h"
#include "bench/work/recognize.h"
#include "tests/skip.h"

enum { GEMM = 1, CONV = 2, NEITHER = 0 };

static const struct {
	const char *spec;
	int able; /* CONV: convolutions' libraries alone; GEMM: all */
} cases[] = {
	{"matmul:m=19,n=35,k=23", GEMM},
	{"matmul:m=16,n=16,k=16,const=0", GEMM},
	{"matmul:m=1,n=33,k=5", GEMM},
	{"matmul:m=9,n=1,k=5", GEMM},
	{"batch_matmul:b=3,m=4,n=5,k=6", GEMM},
	{"batch_matmul:b=3,m=4,n=5,k=6,const=1", GEMM},
	{"dense:m=3,n=10,k=17,bias=0", GEMM},
	{"dense:m=3,n=10,k=17,act=relu", CONV},
	{"dense:m=3,n=10,k=17,act=gelu", CONV},
	{"conv2d:n=1,ic=16,h=9,w=8,oc=32,k=3,s=1,p=1,layout=nchw16c", CONV},
	{"conv2d:n=2,ic=16,h=8,w=9,oc=32,k=3,s=2,p=1,layout=nchw16c,const=0", CONV},
	{"conv2d:n=1,ic=32,h=6,w=6,oc=32,k=1,layout=nchw16c,bias=1,act=relu", CONV},
	{"conv2d:n=1,ic=32,h=6,w=6,oc=64,k=3,p=1,g=2,layout=nchw16c,act=silu", CONV},
	{"conv2d:n=1,ic=3,h=11,w=11,oc=5,k=3,s=2,p=1,layout=nchw,bias=1,act=relu6", CONV},
	{"conv2d:n=1,ic=4,h=11,w=11,oc=6,k=3,s=1,p=2,dil=2,layout=nhwc,act=hard_swish", CONV},
	{"conv2d:n=1,ic=4,h=8,w=8,oc=8,k=3,s=2,layout=nchw,act=leaky_relu", CONV},
	{"conv2d:n=1,ic=4,h=7,w=7,oc=8,k=7,layout=nchw,act=sigmoid", CONV},
	{"conv1d:n=1,ic=8,w=20,oc=4,k=3,p=1,layout=nhwc", CONV},
	{"conv3d:n=1,ic=8,d=4,h=5,w=6,oc=16,k=3,p=1,layout=nchw8c,act=tanh", CONV},
	{"depthwise:n=1,c=32,h=12,w=11,k=3,s=2,p=1,layout=nchw16c", CONV},
	{"depthwise:n=1,c=5,h=8,w=8,k=3,p=1,layout=nhwc,bias=1,act=hard_sigmoid", CONV},
	{"input A: f32[8, 4]\nconst B: f32[6, 8]\n"
	 "C[i, j] = sum(k < 8) A[k, i] * B[j, k]\n",
	 GEMM},
	{"input A: f32[2, 4, 8]\ninput B: f32[8, 6]\n"
	 "C[i, b, j] = sum(k < 8) A[b, i, k] * B[k, j]\n",
	 GEMM},
	{"input A: f32[4, 8]\nconst B: f32[8, 6]\nconst V: f32[6]\ninput R: f32[4, 6]\n"
	 "input S: f32[4, 1]\nC[i, j] = sum(k < 8) A[i, k] * B[k, j]\n"
	 "D[i, j] = max(R[i, j] + (C[i, j] + V[j]) * S[i, 0], 0)\n",
	 CONV},
	{"input X: f32[1, 2, 6, 16]\nconst W: f32[3, 2, 3, 16, 16]\n"
	 "input R: f32[1, 3, 6, 16]\n"
	 "P[n, c, x < 8, i] = select(1 <= x && x < 7, X[n, c, x - 1, i], 0)\n"
	 "Y[n, o, x < 6, j] = sum(c < 2, k < 3, i < 16) "
	 "P[n, c, x + k, i] * W[o, c, k, i, j]\n"
	 "Z[n, o, x, j] = max(Y[n, o, x, j] + R[n, o, x, j], 0)\n",
	 CONV},
	{"input A: f32[4, 8]\nconst B: f32[8, 6]\nC[i, j] = sum(k < 8) A[i, k] * B[k, j]\n"
	 "D[i, j] = tanh(C[i, j] * 0.5) * 3 + 1\n",
	 NEITHER}, /* see onednn_epilogue.c */
	{"softmax:m=4,n=8", NEITHER},
};

static struct task *task_of(const struct run *r)
{
	return task_new(r->a, r->d, r->d->name, 1);
}

/* Runs ENTRY in P and compares. NULL, or why it cannot. */
static const char *run_entry(struct player *p, const struct run *r, const char *dir,
			     const char *entry, int threads)
{
	const struct op *y = r->op[r->n - 1];
	const char *file = arena_printf(r->a, "%s/out", dir), *text;
	enum answer got = player_prepare(r->a, p, dir, entry, threads, &text);

	if (got == ANSWER_CANNOT)
		return text;
	if (got != ANSWER_OK || player_check(r->a, p, file, &text) != ANSWER_OK)
		fail_msg("%s: %s: %s", r->d->name, entry, text);
	const float *out = (const void *)file_read(r->a, file, 1 << 24, NULL);

	for (int64_t i = 0; i < tensor_count(&y->tensor); i++)
		check_close(arena_printf(r->a, "%s by %s", r->d->name, entry), i, out[i],
			    at(r, r->n - 1, i), 1e-5);
	return NULL;
}

/* Which of the two kinds ENTRY is for: matrices, convolutions. */
static bool is_for(const char *entry, const struct work *w)
{
	bool matrix = strstr(entry, "gemm") || strstr(entry, "matmul");

	return w && matrix == (w->kind == WORK_MATMUL);
}

static void check_case(struct player *p, const struct competitor *c, const char *spec, int able,
		       int threads)
{
	struct run r = run_spec(spec);
	const char *dir = dir_temp(r.a), *why = "";
	const struct work *w = recognize(r.a, r.d, &why);
	bool blas = strstr(c->name, "openblas") != NULL;

	assert_true((w != NULL) == (able != NEITHER) || strstr(spec, "tanh"));
	assert_int_equal(folder_write(dir, task_of(&r), r.args), 0);
	why = run_entry(p, &r, dir, c->entry, threads);
	/* which forms Winograd takes is the library's own business */
	if (able != NEITHER && is_for(c->entry, w) && (able == GEMM || !blas) &&
	    !strstr(c->entry, "winograd") && why)
		fail_msg("%s: %s: %s", spec, c->name, why);
	if (able == NEITHER || !is_for(c->entry, w) || (able == CONV && blas))
		assert_true(why && *why);
	dir_remove(dir);
	arena_free(r.a);
}

/* All entries of NAME; skipped where it is absent. */
static void check_contestant(const char *name)
{
	static const char *const env[] = {NULL};
	struct arena *a = arena_new();
	const char *dir = dir_temp(a);
	const char *log = arena_printf(a, "%s/log", dir);
	struct roster roster;

	if (roster_open(a, ROSTER_KERNELS, &name, 1, log, &roster) < 0)
		fail_msg("%s", err_get());
	assert_string_equal(roster.competitors.at[0].name, "hone");
	bool absent = roster.absent.n > 0;

	if (absent)
		skip_part(name, roster.absent.at[0].install);
	for (int i = 1; i < roster.competitors.n; i++) {
		const struct competitor *c = &roster.competitors.at[i];
		struct player p;

		player_start(a, &p, c->argv, env, log, 60);
		for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++)
			check_case(&p, c, cases[k].spec, cases[k].able, 1 + (int)k % 2);
		player_end(&p);
	}
	dir_remove(dir);
	arena_free(a);
	if (absent)
		skip();
}

static void test_onednn(void **state)
{
	(void)state;
	check_contestant("onednn");
}

static void test_openblas(void **state)
{
	(void)state;
	check_contestant("openblas");
}

static void test_names(void **state)
{
	struct arena *a = arena_new();
	const char *const peers[] = {"openblas/strassen"};
	struct roster roster;

	(void)state;
	assert_true(roster_knows(ROSTER_KERNELS, "onednn"));
	assert_true(roster_knows(ROSTER_KERNELS, "onednn/auto"));
	assert_false(roster_knows(ROSTER_KERNELS, "mkl"));
	assert_false(roster_knows(ROSTER_KERNELS, "onednnx"));
	assert_false(roster_knows(ROSTER_KERNELS, ""));
	assert_true(roster_knows(ROSTER_MODELS, "openvino"));
	assert_false(roster_knows(ROSTER_MODELS, "onednn")); /* runs no models */
	assert_non_null(strstr(roster_names(a, ROSTER_KERNELS), "onednn, openblas"));
	if (roster_open(a, ROSTER_KERNELS, peers, 1, "/dev/null", &roster) == 0)
		assert_int_equal(roster.absent.n, 1);
	else
		assert_non_null(strstr(err_get(), "no such entry"));
	arena_free(a);
}

static void test_absent(void **state)
{
	struct arena *a = arena_new();
	const char *dir = dir_temp(a), *home = getenv("HONE_CONTESTANTS");
	const char *const peers[] = {"onednn"};
	struct roster roster;

	(void)state;
	assert_int_equal(symlink(arena_printf(a, "%s/hone-contestant-hone", home),
				 arena_printf(a, "%s/hone-contestant-hone", dir)),
			 0);
	setenv("HONE_CONTESTANTS", dir, 1);
	assert_int_equal(roster_open(a, ROSTER_KERNELS, peers, 1, "/dev/null", &roster), 0);
	setenv("HONE_CONTESTANTS", home, 1);
	assert_int_equal(roster.competitors.n, 1);
	if (roster.absent.n == 1) /* else hone is installed on this machine */
		assert_non_null(strstr(roster.absent.at[0].install, "libdnnl-dev"));
	dir_remove(dir);
	arena_free(a);
}

/* OpenBLAS 0.3.21 takes what it does not know for a Prescott or a Nehalem. */
static void test_core(void **state)
{
	(void)state;
	assert_string_equal(openblas_better_core("Prescott", VECTORS_AVX512), "SkylakeX");
	assert_string_equal(openblas_better_core("Nehalem", VECTORS_AVX2), "Haswell");
	assert_string_equal(openblas_better_core("Haswell", VECTORS_AVX512), "SkylakeX");
	assert_string_equal(openblas_better_core("generic", VECTORS_AVX), "Sandybridge");
	assert_null(openblas_better_core("Zen", VECTORS_AVX2));
	assert_null(openblas_better_core("Cooperlake", VECTORS_AVX512));
	assert_null(openblas_better_core("SkylakeX", VECTORS_AVX2));
	assert_null(openblas_better_core("Neoversen1", VECTORS_OTHER));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_onednn), cmocka_unit_test(test_openblas),
		cmocka_unit_test(test_names),  cmocka_unit_test(test_absent),
		cmocka_unit_test(test_core),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
