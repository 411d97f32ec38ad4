/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_parts.c - what a chain is cut into, and schedules of its parts put together. */
#include <math.h>

#include "schedule/text/step_text.h"
#include "search/space/genes/genes.h"
#include "search/space/parts.h"
#include "search/space/sampling/sample.h"
#include "tests/te_run.h"

static const struct aim aims[] = {
	{ .target = &target_x86_64_avx2, .threads = 1, .l2_bytes = 1 << 19 },
	{ .target = &target_x86_64_avx2, .threads = 2, .l2_bytes = 1 << 19 },
	{ .target = &target_x86_64_avx2, .threads = 2, .l2_bytes = 1 << 10 },	/* holds no part: results are streamed */
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
#define BEFORE_WINDOW \
	"input Z: f32[14, 24]\nconst V: f32[24, 16]\n" \
	"S[y < 14, k < 16] = sum(c < 24) Z[y, c] * V[c, k]\n" \
	"T[y < 14, k < 16] = S[y, k] * 2\n" \
	"X[y < 14, k < 16] = max(T[y, k], 0)\n"
static const char before_window[] = BEFORE_WINDOW;

static const char scores[] = "input A: f32[8, 6]\ninput B: f32[9, 6]\n"
			     "S[i < 8, j < 9] = sum(k < 6) A[i, k] * B[j, k]\nT[i, j] = S[i, j] * 0.5\n";
#define SOFTMAX \
	"M[i < 8] = max(j < 9) T[i, j]\nE[i < 8, j < 9] = exp(T[i, j] - M[i])\n" \
	"Z[i < 8] = sum(j < 9) E[i, j]\nP[i < 8, j < 9] = E[i, j] / Z[i]\n"
static const char softmax[] = "input T: f32[8, 9]\n" SOFTMAX;
#define WEIGHED "input V: f32[9, 6]\n" \
		"Y[i < 8, k < 6] = sum(j < 9) P[i, j] * V[j, k]\n"
static const char weighed[] = "input P: f32[8, 9]\n" WEIGHED;
static const char attention[] = "input A: f32[8, 6]\ninput B: f32[9, 6]\n"
				"S[i < 8, j < 9] = sum(k < 6) A[i, k] * B[j, k]\nT[i, j] = S[i, j] * 0.5\n" SOFTMAX
				WEIGHED;

static const char *const chains[] = {
	chain,
	BEFORE_WINDOW WINDOW("X"),	/* over padding, behind the product and its activation */
	attention,
};

/* What is known of operators: their keys and times. */
struct price_list {
	int n;
	struct priced {
		const char *text;
		double us;
		struct hash128 key;
	} at[8];
};

static void list_price(struct price_list *list, const char *text, double us)
{
	struct run r = run_new(text);

	list->at[list->n++] = (struct priced){ text, us, dag_key(r.d) };
	arena_free(r.a);
}

static double known_price(void *ctx, const struct dag_part *part)
{
	const struct price_list *list = ctx;

	for (int i = 0; i < list->n; i++)
		if (hash_equal(dag_key(part->dag), list->at[i].key))
			return list->at[i].us;
	return INFINITY;
}

static double any_price(void *ctx, const struct dag_part *part)
{
	(void)ctx;
	(void)part;
	return 1;
}

static void check_parts(const char *whole, struct price_list *prices, int n, const char *const *expected)
{
	struct run r = run_new(whole);
	struct dag_part_vec parts = parts_of(r.a, r.d, known_price, prices);

	assert_int_equal(parts.n, n);
	for (int i = 0; i < n; i++) {
		struct run alone = run_new(expected[i]);

		assert_true(hash_equal(dag_key(parts.at[i].dag), dag_key(alone.d)));
		arena_free(alone.a);
	}
	arena_free(r.a);
}

/* Each part has the key of the same operator alone. */
static void test_cut(void **state)
{
	struct price_list prices = { 0 };
	struct run r = run_new(chain);

	(void)state;
	list_price(&prices, window, 2);
	list_price(&prices, product, 3);
	check_parts(chain, &prices, 2, (const char *[]){ window, product });
	struct dag_part_vec parts = parts_of(r.a, r.d, known_price, &prices);

	assert_string_equal(r.d->ops.at[parts.at[1].op[0]]->tensor.name, "R");
	arena_free(r.a);
}

/* A part may be of several reductions; of ways to cut that are known that which takes least is taken. */
static void test_cheapest(void **state)
{
	static const char start[] = "input A: f32[8, 6]\ninput B: f32[9, 6]\n"
				    "S[i < 8, j < 9] = sum(k < 6) A[i, k] * B[j, k]\nT[i, j] = S[i, j] * 0.5\n"
				    SOFTMAX;
	struct price_list prices = { 0 };

	(void)state;
	list_price(&prices, scores, 4);
	list_price(&prices, weighed, 4);
	check_parts(attention, &prices, 0, NULL);
	list_price(&prices, softmax, 3);
	check_parts(attention, &prices, 3, (const char *[]){ scores, softmax, weighed });
	list_price(&prices, start, 8);
	check_parts(attention, &prices, 3, (const char *[]){ scores, softmax, weighed });
	prices.at[3].us = 6;
	check_parts(attention, &prices, 2, (const char *[]){ start, weighed });
	list_price(&prices, attention, 1);	/* which is no part */
	check_parts(attention, &prices, 2, (const char *[]){ start, weighed });
}

/* What is one reduction, or none, has no parts. */
static void test_uncut(void **state)
{
	static const char *const cases[] = {
		window,
		product,
		"input X: f32[14]\nY[i] = X[i] * 2\n",
		"input X: f32[14]\nZ[i] = exp(X[i])\noutput Z\nY[i] = Z[i] * 2\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run r = run_new(cases[i]);

		assert_int_equal(parts_of(r.a, r.d, any_price, NULL).n, 0);
		arena_free(r.a);
	}
}

/* What a part computes that others read, or that is an output, it gives. */
static void test_several_results(void **state)
{
	struct run r = run_new("input A: f32[4, 5]\ninput B: f32[5, 6]\ninput V: f32[6, 7]\n"
			       "S[i, j] = sum(k < 5) A[i, k] * B[k, j]\noutput S\n"
			       "O[i, j] = sum(k < 6) S[i, k] * V[k, j]\n");
	struct dag_part_vec parts = parts_of(r.a, r.d, any_price, NULL);

	(void)state;
	assert_int_equal(parts.n, 2);
	for (int i = 0; i < 2; i++)
		assert_true(parts.at[i].dag->ops.at[parts.at[i].dag->ops.n - 1]->output);
	arena_free(r.a);
}

/* One with the dims of WHOLE. */
static const struct state *drawn(struct arena *a, const struct dag_part *part, const struct aim *aim, struct rng *rng, const struct state *whole)
{
	struct sketch_vec sketches = sketches_of(a, part->dag, aim);
	struct state *s = NULL;

	while (!s || !part_has_dims(part, s, whole))
		s = sample(a, part->dag, sketches.at[rng_below(rng, sketches.n)], aim, rng, NULL, NULL);
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

static int count(const struct state *s, enum step_kind kind)
{
	int n = 0;

	for (int i = 0; i < s->steps.n; i++)
		n += s->steps.at[i].kind == kind;
	return n;
}

/* Steps that a whole has, too: it has dims of its own. */
static int kept(const struct state *s)
{
	return s->steps.n - count(s, STEP_STREAM) - count(s, STEP_PREFETCH) - count(s, STEP_COLLAPSE) - count(s, STEP_WIDEN);
}

/* Any schedules of the parts with DIMS make one of the whole, which a sketch gives, too. How many results of it are streamed: what parts
 * give each other is not, nor is it prefetched. */
static int check_composed(const char *whole, struct price_list *prices, const struct aim *aim, struct rng *rng, int dims)
{
	struct run r = run_new(whole);
	struct dag_part_vec parts = parts_of(r.a, r.d, known_price, prices);
	const struct state **of_parts = arena_many(r.a, const struct state *, parts.n);
	struct state *s = sketch_dims(r.a, r.d, aim->target, dims);
	int steps = 0;

	assert_true(parts.n > 1);
	assert_non_null(s);
	for (int j = 0; j < parts.n; j++) {
		of_parts[j] = drawn(r.a, &parts.at[j], aim, rng, s);
		steps += kept(of_parts[j]);
	}
	assert_true(parts_compose(r.a, s, &parts, of_parts));
	int streams = count(s, STEP_STREAM);

	assert_int_equal(kept(s), steps);
	assert_int_equal(streams, count(of_parts[parts.n - 1], STEP_STREAM));
	assert_true(is_told(r.a, r.d, aim, s));
	arena_free(r.a);
	return streams;
}

static void test_composed(void **state)
{
	enum { CASES = 60 };
	struct rng rng = rng_seed(3);
	struct price_list prices = { 0 };
	int streams = 0;

	(void)state;
	list_price(&prices, window, 1);
	list_price(&prices, product, 1);
	list_price(&prices, before_window, 1);
	list_price(&prices, scores, 1);
	list_price(&prices, softmax, 1);
	list_price(&prices, weighed, 1);
	for (int i = 0; i < CASES; i++)
		streams += check_composed(chains[i / 3 % 3], &prices, &aims[i % 3], &rng, 0);
	assert_true(streams > 0);
}

/* FIRST of DATA, and SECOND of what that gives, which is BETWEEN them, with DIMS (search/space/sketch.h). */
static void check_pair(const char *data, const char *first, const char *between, const char *second, int dims)
{
	struct rng rng = rng_seed(4);
	struct price_list prices = { 0 };
	struct arena *a = arena_new();

	list_price(&prices, arena_printf(a, "%s%s", data, first), 1);
	list_price(&prices, arena_printf(a, "%s%s", between, second), 1);
	for (int i = 0; i < 20; i++)
		check_composed(arena_printf(a, "%s%s%s", data, first, second), &prices, &aims[i % 3], &rng, dims);
	arena_free(a);
}

/* Two products of blocks of four. */
static void test_widened(void **state)
{
	(void)state;
	check_pair("input X: f32[14, 4]\n",
		   "const W: f32[4, 4]\nA[y < 14, k < 4] = sum(c < 4) X[y, c] * W[c, k]\nB[y < 14, k < 4] = max(A[y, k], 0)\n", "input B: f32[14, 4]\n",
		   "const V: f32[4, 4]\nY[y < 14, k < 4] = sum(c < 4) B[y, c] * V[c, k]\n", 2);
}

/* A window that stays as it is before a product of pixels. */
static void test_collapsed(void **state)
{
	(void)state;
	check_pair("input X: f32[2, 4, 8]\n", "const K: f32[2, 3]\nA[c < 2, y < 4, x < 6] = sum(k < 3) X[c, y, x + k] * K[c, k]\n",
		   "input A: f32[2, 4, 6]\n", "const V: f32[3, 2]\nY[o < 3, y < 4, x < 6] = sum(c < 2) A[c, y, x] * V[o, c]\n", 1);
}

static void assert_fewest(const char *text, int n)
{
	struct run r = run_new(text);

	assert_int_equal(parts_fewest(r.a, r.d).n, n);
	arena_free(r.a);
}

/* The image with a border that the window reads is the window's. */
static void assert_padded_with_reader(void)
{
	struct run r = run_new(chains[1]);
	struct dag_part_vec parts = parts_fewest(r.a, r.d);
	struct run alone = run_new(before_window);

	assert_int_equal(parts.n, 2);
	assert_true(hash_equal(dag_key(parts.at[0].dag), dag_key(alone.d)));
	arena_free(alone.a);
	arena_free(r.a);
}

/* Sums of products are parts by themselves, a softmax between them is one; what is one already has none. */
static void test_fewest(void **state)
{
	(void)state;
	assert_fewest(window, 0);
	assert_fewest(softmax, 0);
	assert_fewest("input X: f32[8, 9]\nS[i < 8] = sum(j < 9) X[i, j]\nD[i < 8, j < 9] = X[i, j] - S[i] / 9\n"
		      "V[i < 8] = sum(j < 9) D[i, j] * D[i, j]\nN[i < 8, j < 9] = D[i, j] / V[i]\n", 0);
	assert_fewest(chains[0], 2);
	assert_padded_with_reader();
	assert_fewest(chains[2], 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_cheapest),
		cmocka_unit_test(test_uncut),
		cmocka_unit_test(test_several_results),
		cmocka_unit_test(test_composed), cmocka_unit_test(test_widened), cmocka_unit_test(test_collapsed), cmocka_unit_test(test_fewest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
