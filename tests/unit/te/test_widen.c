/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/te/test_widen.c - DAGs with wider blocks against those as they were, by the naive evaluation of both, and which have none. */
#include "te/dims/widen.h"

#include "tests/te_run.h"

enum { LANES = 16 };

/* SOURCE widened says TEXT, unless that is NULL, and computes the same to the same places. */
static void check(const char *source, const char *text)
{
	struct run r = run_spec(source);
	const struct dag *wide = dag_widen(r.a, r.d, LANES);
	void *args[ARGS_MAX];
	struct text t = { 0 };

	if (!wide)
		fail_msg("%s: is not widened", source);
	dag_print(&t, wide);
	if (text)
		assert_string_equal(text_str(&t), text);
	text_free(&t);
	memcpy(args, r.args, sizeof(args));
	for (int i = 0; i < r.n; i++)
		if (r.op[i]->kind == OP_COMPUTE)
			args[i] = arena_alloc(r.a, tensor_bytes(&r.op[i]->tensor));
	dag_eval(wide, args);
	for (int i = 0; i < r.n; i++)
		assert_memory_equal(args[i], r.args[i], tensor_bytes(&r.op[i]->tensor));
	arena_free(r.a);
}

static void test_text(void **state)
{
	(void)state;
	check("input X: f32[3, 6, 8]\nconst K: f32[3, 3, 8]\nconst W: f32[2, 3, 8, 8]\n"
	      "D[c < 3, x < 4, l < 8] = sum(k < 3) X[c, x + k, l] * K[c, k, l]\n"
	      "R[c < 3, x < 4, l < 8] = max(D[c, x, l], 0)\n"
	      "Y[o < 2, x < 4, l < 8] = sum(c < 3, k < 8) R[c, x, k] * W[o, c, k, l]\n",
	      "input X: f32[3, 6, 8]\n"
	      "const K: f32[3, 3, 8]\n"
	      "const W: f32[2, 3, 8, 8]\n"
	      "D[c < 3, x < 2, l < 16] = sum(k < 3) X[c, x * 2 + l / 8 + k, l % 8] * K[c, k, l % 8]\n"
	      "R[c < 3, x < 2, l < 16] = max(D[c, x, l], 0)\n"
	      "Y[o < 2, x < 2, l < 16] = sum(c < 3, k < 8) R[c, x, l / 8 * 8 + k] * W[o, c, k, l % 8]\n");
}

static void test_same(void **state)
{
	static const char *const sources[] = {
		"conv2d:ic=16,h=5,w=6,oc=24,k=3,p=1,bias=1,act=relu,layout=nchw8c",
		"conv2d:ic=16,h=8,w=8,oc=24,k=3,s=2,p=1,layout=nchw4c",
		"depthwise:c=24,h=8,w=8,k=3,s=2,p=1,layout=nchw8c",
		"max_pool:c=24,h=8,w=8,k=3,s=2,p=1,layout=nchw4c",
		"batch_matmul:b=3,m=6,n=8,k=5",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		check(sources[i], NULL);
}

static void test_none(void **state)
{
	static const char *const sources[] = {
		/* vectors are full, blocks do not fill them, places do not fill blocks */
		"conv2d:ic=16,h=5,w=6,oc=32,k=1,layout=nchw16c",
		"matmul:m=6,n=24,k=5",
		"matmul:m=5,n=8,k=5",
		/* bytes have other lanes; nothing is reduced */
		"matmul:m=6,n=8,k=5,dtype=u8,wdtype=i8",
		"input X: f32[6, 8]\nY[i < 6, j < 8] = X[i, j] + 1\n",
		/* nothing would read S any more */
		"input X: f32[2, 8, 9]\ninput Z: f32[2, 7]\nS[c < 2] = sum(q < 7) Z[c, q]\n"
		"Y[i < 2, j < 8] = sum(r < 9) select(j / 8 == 0, X[i, j, r], S[j / 8])\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		struct run r = run_new(sources[i]);

		if (dag_widen(r.a, r.d, LANES))
			fail_msg("%s: is widened", sources[i]);
		arena_free(r.a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text), cmocka_unit_test(test_same), cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
