/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_search.c - decisions told from steps, and what a campaign keeps of its trials. */
#include "tests/fixture/db_fixture.h"

#include "base/err.h"
#include "search/space/genes/kind.h"
#include "search/strategies/kinds.h"
#include "search/strategies/pick.h"
#include "search/strategies/strategy.h"
#include "te/operator.h"

static const char *const specs[] = {
#define S(spec) spec,
#include "tests/unit/te/specs.def"
#undef S
};

enum { SPECS = sizeof(specs) / sizeof(specs[0]), SAMPLES = 20 };

static const struct aim aim = { .target = &target_x86_64_avx2, .threads = 2,
				.l2_bytes = 1 << 19, .peak = 100, .mem_gbs = 13 };

static struct problem problem_of(struct arena *a, const char *spec)
{
	const struct dag *dag = operator_build(a, spec);

	assert_non_null(dag);
	return (struct problem){
		.task = task_new(a, dag, spec, 1),
		.sketches = sketches_of(a, dag, &aim),
		.aim = &aim,
		.history = history_new(),
	};
}

/* A candidate read from its record has genes that make it again. */
static void check_round_trip(struct arena *a, const struct problem *p, struct rng *rng)
{
	struct candidate grown, recalled, again;
	int refused = 0;

	if (!candidate_random(p, a, rng, 50, &refused, &grown))
		return;
	assert_true(candidate_recall(p, a, grown.steps, &recalled));
	candidate_tell_genes(p, a, &recalled);
	if (recalled.genes.n == 0)
		fail_msg("%s: no genes for %s", p->task->name, grown.steps);
	assert_true(candidate_grow(p, a, rng, recalled.genes.sketch, &recalled.genes, &again));
	assert_string_equal(again.steps, grown.steps);
}

static void genes_from_steps(void **state)
{
	struct rng rng = rng_seed(3);

	(void)state;
	for (int i = 0; i < SPECS; i++) {
		struct arena *a = arena_new();
		struct problem p = problem_of(a, specs[i]);

		for (int j = 0; j < SAMPLES; j++)
			check_round_trip(a, &p, &rng);
		history_free(p.history);
		arena_free(a);
	}
}

static void foreign_steps_have_no_genes(void **state)
{
	struct arena *a = arena_new();
	struct problem p = problem_of(a, "matmul:m=16,n=16,k=16");
	struct candidate c;

	(void)state;
	assert_true(candidate_recall(&p, a, "split 2 0 3", &c));
	candidate_tell_genes(&p, a, &c);
	assert_int_equal(c.genes.n, 0);
	history_free(p.history);
	arena_free(a);
}

static struct genes genes_with(struct gene *one, int64_t size)
{
	*one = (struct gene){ .set = true, .step.size = size };
	return (struct genes){ .n = 1, .at = one };
}

static void history_keeps_the_fastest(void **state)
{
	struct history *h = history_new();
	char steps[32];

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct gene one;
		struct genes g = genes_with(&one, i);
		int rank = i * 37 % 1000;	/* each once, in no order */

		snprintf(steps, sizeof(steps), "split 0 0 %d", i);
		assert_true(history_see(h, steps));
		assert_false(history_see(h, steps));
		history_add(h, &g, steps, NULL, rank % 10 == 0 ? 0 : 1 + rank);
	}
	assert_int_equal(h->trials, 1000);
	assert_int_equal(h->n_best, HISTORY_BEST);
	for (int i = 0, rank = 0; i < HISTORY_BEST; i++) {
		rank += rank % 10 == 9 ? 2 : 1;	/* those that failed are not there */
		assert_true(h->best[i].time_us == 1 + rank);
		assert_int_equal(h->best[i].genes.at[0].step.size * 37 % 1000, rank);
	}
	history_free(h);
}

static void history_counts_trials_without_gain(void **state)
{
	static const struct genes none = { 0 };
	struct history *h = history_new();

	(void)state;
	history_add(h, &none, "a", NULL, 100);
	history_add(h, &none, "b", NULL, 99.5);	/* noise */
	history_add(h, &none, "c", NULL, 0);
	assert_int_equal(h->since_gain, 2);
	history_add(h, &none, "d", NULL, 98);
	assert_int_equal(h->since_gain, 0);
	assert_int_equal(h->n_best, 0);	/* without genes none is kept */
	history_free(h);
}

static void history_tells_kinds_apart(void **state)
{
	struct history *h = history_new();
	struct gene one;
	char name[16];

	(void)state;
	for (int i = 0; i < 10; i++) {
		struct genes g = genes_with(&one, i);

		history_add(h, &g, "a", i % 2 ? "odd" : "even", i == 4 ? 0 : 20 - i);
	}
	assert_int_equal(h->n_kinds, 2);
	assert_string_equal(h->kinds[0].name, "even");
	assert_true(h->kinds[0].trials == 5 && h->kinds[0].best_us == 12 && h->kinds[0].best.at[0].step.size == 8);
	assert_true(h->kinds[1].trials == 5 && h->kinds[1].best_us == 11);
	/* A kind of which none ran; and more than are told apart. */
	for (int i = 0; i < 2 * HISTORY_KINDS; i++) {
		snprintf(name, sizeof(name), "kind %d", i);
		history_add(h, &(struct genes){ 0 }, "b", name, 0);
	}
	assert_int_equal(h->n_kinds, HISTORY_KINDS);
	assert_true(h->kinds[2].trials == 1 && h->kinds[2].best_us == 0);
	assert_int_equal(h->trials, 10 + 2 * HISTORY_KINDS);
	history_free(h);
}

/* Stage 2 of a matmul is i, j and k: a row of vectors, a column of them, one alone, a row with what is reduced beside it, and one with all of that
 * beside it. */
static void kinds_are_told_by_tiles(void **state)
{
	static const struct {
		const char *steps, *kind;
	} cases[] = {
		{ "split 2 1 8; split 2 3 4; reorder 2 0 5 2 6 4; unroll 2 6; vectorize 2 4", "lanes j, tile j" },
		{ "split 2 1 8; split 2 0 4; reorder 2 5 3 2 6 4; unroll 2 6; vectorize 2 4", "lanes j, tile i" },
		{ "split 2 1 8; reorder 2 0 3 2 4; vectorize 2 4", "lanes j" },
		{ "split 2 1 8; split 2 0 4; split 2 2 8; reorder 2 5 3 7 8 6 4; unroll 2 8; unroll 2 6; vectorize 2 4",
		  "lanes j, tile i" },
		{ "split 2 1 8; split 2 0 4; reorder 2 5 3 2 6 4; unroll 2 2; unroll 2 6; vectorize 2 4",
		  "lanes j, tile i, at once" },
	};
	struct arena *a = arena_new();
	struct problem p = problem_of(a, "matmul:m=16,n=64,k=16");
	struct candidate c;

	(void)state;
	p.describes = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (!candidate_recall(&p, a, cases[i].steps, &c))
			fail_msg("%s: %s", cases[i].steps, err_get());
		assert_string_equal(c.kind, cases[i].kind);
	}
	history_free(p.history);
	arena_free(a);
}

/* One of another kind than OTHER, NULL where any will do, scored. */
static struct candidate one_unlike(const struct problem *p, struct arena *a, struct rng *rng, const struct candidate *other)
{
	struct candidate c;
	int refused = 0;

	do
		assert_true(candidate_random(p, a, rng, 50, &refused, &c));
	while (!c.kind || (other && kind_is_akin(c.kind, other->kind)));
	pick_score(p, a, &c, 1);
	return c;
}

/* The best of a kind may be what the model thinks best of it: the kind gets its trials all the same, for changes to that one. */
static void kind_goes_on_behind_its_best(void **state)
{
	enum { CLIMBS = 20, BATCH = 8 };
	struct arena *a = arena_new();
	struct rng rng = rng_seed(5);
	struct problem p = problem_of(a, "depthwise:c=32,h=14,w=14,k=3,s=2,p=1");
	struct candidate all[3];	/* the last is new, for places by score */
	struct batch b = batch_new(a, BATCH);
	int n = 0;

	(void)state;
	p.describes = true;
	all[0] = one_unlike(&p, a, &rng, NULL);
	all[1] = one_unlike(&p, a, &rng, &all[0]);
	all[2] = one_unlike(&p, a, &rng, &all[1]);
	for (int i = 0; i < CLIMBS; i++)
		kinds_improve(&p, a, &rng, &all[1]);
	for (int i = 0; i < 2; i++) {
		history_see(p.history, all[i].steps);
		history_add(p.history, &all[i].genes, all[i].steps, all[i].kind, 10 + 2 * i);
	}
	kinds_share(&p, a, &rng, all, 3, BATCH, &b);
	for (int i = 0; i < b.n; i++) {
		assert_string_not_equal(b.at[i].steps, all[1].steps);
		n += kind_equal(b.at[i].kind, all[1].kind);
	}
	assert_in_range(n, 1, BATCH);
	history_free(p.history);
	arena_free(a);
}

/* Of three places behind the first, those of a kind whose 24 trials of 424 took US at best, when another one had 10. */
static int places_of_one_behind(double us)
{
	enum { BATCH = 4 };
	struct arena *a = arena_new();
	struct rng rng = rng_seed(9);
	struct problem p = problem_of(a, "depthwise:c=32,h=14,w=14,k=3,s=2,p=1");
	struct candidate all[2];
	struct batch b = batch_new(a, BATCH);
	int n = 0;

	p.describes = true;
	all[0] = one_unlike(&p, a, &rng, NULL);
	all[1] = one_unlike(&p, a, &rng, &all[0]);
	for (int i = 0; i < 400; i++)
		history_add(p.history, &all[0].genes, all[0].steps, all[0].kind, 10);
	for (int i = 0; i < 24; i++)
		history_add(p.history, &all[1].genes, all[1].steps, all[1].kind, us);
	history_see(p.history, all[0].steps);
	b.at[b.n++] = all[0];
	kinds_share(&p, a, &rng, all, 2, BATCH, &b);
	for (int i = 1; i < b.n; i++)
		n += kind_is_akin(b.at[i].kind, all[1].kind);
	history_free(p.history);
	arena_free(a);
	return n;
}

/* A kind that lets hope for nothing has one of 16 trials all the same, unless it is far behind. */
static void kind_behind_has_a_share(void **state)
{
	(void)state;
	assert_int_equal(places_of_one_behind(15), 2);
	assert_int_equal(places_of_one_behind(17), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(genes_from_steps),
		cmocka_unit_test(foreign_steps_have_no_genes),
		cmocka_unit_test(history_keeps_the_fastest),
		cmocka_unit_test(history_counts_trials_without_gain),
		cmocka_unit_test(history_tells_kinds_apart),
		cmocka_unit_test(kinds_are_told_by_tiles),
		cmocka_unit_test(kind_goes_on_behind_its_best),
		cmocka_unit_test(kind_behind_has_a_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
