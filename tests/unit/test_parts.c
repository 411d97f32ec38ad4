/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_parts.c - what a chain is cut into, and schedules of its parts put together. */
#include "schedule/step_text.h"
#include "search/space/genes.h"
#include "search/space/parts.h"
#include "search/space/sample.h"
#include "tests/te_run.h"

static const struct aim aims[] = {
	{ .target = &target_x86_64_avx2, .threads = 1, .l2_bytes = 1 << 19 },
	{ .target = &target_x86_64_avx2, .threads = 2, .l2_bytes = 1 << 19 },
};

#define WINDOW(x) \
	"const K: f32[3, 16]\nconst B: f32[16]\n" \
	"P[y < 16, c < 16] = select(1 <= y && y < 15, " x "[y - 1, c], 0)\n" \
	"D[y < 14, c < 16] = sum(r < 3) P[y + r, c] * K[r, c]\n" \
	"A[y < 14, c < 16] = D[y, c] + B[c]\n" \
	"R[y < 14, c < 16] = max(A[y, c], 0)\n"
#define PRODUCT(r) \
	"const W: f32[16, 24]\n" \
	"O[y < 14, k < 24] = sum(c < 16) " r "[y, c] * W[c, k]\n"

static const char window[] = "input X: f32[14, 16]\n" WINDOW("X");
static const char product[] = "input R: f32[14, 16]\n" PRODUCT("R");
static const char chain[] = "input X: f32[14, 16]\n" WINDOW("X") PRODUCT("R");
static const char *const chains[] = {
	chain,
	/* the window, over padding, behind the product and its activation */
	"input Z: f32[14, 24]\nconst V: f32[24, 16]\n"
	"S[y < 14, k < 16] = sum(c < 24) Z[y, c] * V[c, k]\n"
	"T[y < 14, k < 16] = S[y, k] * 2\n"
	"X[y < 14, k < 16] = max(T[y, k], 0)\n" WINDOW("X"),
};

static void check_key(const struct dag *part, const char *alone)
{
	struct run r = run_new(alone);

	assert_true(hash_equal(dag_key(part), dag_key(r.d)));
	arena_free(r.a);
}

/* Each part has the key of the same operator alone. */
static void test_cut(void **state)
{
	struct run r = run_new(chain);
	struct dag_part_vec parts = parts_of(r.a, r.d);

	(void)state;
	assert_int_equal(parts.n, 2);
	check_key(parts.at[0].dag, window);
	check_key(parts.at[1].dag, product);
	assert_string_equal(r.d->ops.at[parts.at[1].op[0]]->tensor.name, "R");
	arena_free(r.a);
}

/* What is one reduction, or none, has no parts. */
static void test_uncut(void **state)
{
	static const struct {
		const char *text;
		int parts;
	} cases[] = {
		{ window, 0 },
		{ product, 0 },
		{ "input X: f32[14]\nY[i] = X[i] * 2\n", 0 },
		{ "input A: f32[4, 5]\ninput B: f32[5, 6]\ninput V: f32[6, 7]\n"
		  "S[i, j] = sum(k < 5) A[i, k] * B[k, j]\noutput S\n"
		  "O[i, j] = sum(k < 6) S[i, k] * V[k, j]\n", 2 },
		{ "input S: f32[8, 9]\n"
		  "M[i] = max(k < 9) S[i, k]\n"
		  "E[i, j] = exp(S[i, j] - M[i])\n"
		  "Z[i] = sum(k < 9) E[i, k]\n"
		  "Y[i, j] = E[i, j] / Z[i]\n", 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run r = run_new(cases[i].text);

		assert_int_equal(parts_of(r.a, r.d).n, cases[i].parts);
		arena_free(r.a);
	}
}

static const struct state *drawn(struct arena *a, const struct dag *dag, const struct aim *aim, struct rng *rng)
{
	struct sketch_vec sketches = sketches_of(a, dag, aim);
	struct state *s = NULL;

	while (!s)
		s = sample(a, dag, sketches.at[rng_below(rng, sketches.n)], aim, rng, NULL, NULL);
	return s;
}

static bool is_told(struct arena *a, const struct dag *dag, const struct aim *aim, const struct state *s)
{
	struct sketch_vec sketches = sketches_of(a, dag, aim);
	bool told = false;
	struct genes genes;

	for (int i = 0; i < sketches.n; i++)
		told |= genes_of(a, sketches.at[i], &s->steps, &genes);
	return told;
}

/* Any schedules of the parts make one of the whole, which a sketch gives, too. */
static void test_composed(void **state)
{
	enum { CASES = 40 };
	struct rng rng = rng_seed(3);

	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct run r = run_new(chains[i / 2 % 2]);
		const struct aim *aim = &aims[i % 2];
		struct dag_part_vec parts = parts_of(r.a, r.d);
		const struct state *of_parts[2];

		for (int j = 0; j < 2; j++)
			of_parts[j] = drawn(r.a, parts.at[j].dag, aim, &rng);
		const struct state *s = parts_compose(r.a, r.d, &parts, of_parts);

		assert_non_null(s);
		assert_int_equal(s->steps.n, of_parts[0]->steps.n + of_parts[1]->steps.n);
		assert_true(is_told(r.a, r.d, aim, s));
		arena_free(r.a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_uncut),
		cmocka_unit_test(test_composed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
