/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_share.c - which loops threads share, and that this is a decision like all others. */
#include "schedule/text/step_text.h"
#include "search/space/sampling/share.h"
#include "search/space/genes/vary.h"
#include "tests/te_run.h"

/* What it is computed of; two stages, of which the first may be attached to the second. */
#define THREE_LOOPS "input A: f32[6, 5, 32]\nC[i, j, k] = A[i, j, k] * 2\n"
#define ROW "input A: f32[1, 64]\nB[i < 1, j < 64] = A[i, j] * 2\nC[i < 1, j < 64] = B[i, j] + 1\n"
#define CHAIN "input A: f32[6, 5, 32]\nB[i, j, k] = exp(A[i, j, k])\nC[i, j, k] = B[i, j, k] * 2\n"
#define TWO_OUTPUTS THREE_LOOPS "D[i, j, k] = A[i, j, k] + 1\n"

static const struct aim two_threads = { .target = &target_x86_64_avx2, .threads = 2,
				.l2_bytes = 1 << 19, .peak = 100, .mem_gbs = 13 };

static const struct {
	const char *source, *steps, *stage;
	int threads, loops;
	const char *want;	/* the steps that share */
} cases[] = {
	{ THREE_LOOPS, "", "C", 2, 0, "parallel C i\n" },
	{ THREE_LOOPS, "", "C", 2, 1, "parallel C i\n" },
	{ THREE_LOOPS, "", "C", 2, 2, "fuse C i j\nparallel C i_j\n" },
	{ THREE_LOOPS, "", "C", 7, 1, "fuse C i j\nparallel C i_j\n" },	/* one more, for each thread to have a turn */
	{ THREE_LOOPS, "", "C", 2, 9, "fuse C i j k\nparallel C i_j_k\n" },
	{ THREE_LOOPS, "vectorize C k\n", "C", 2, 9, "fuse C i j\nparallel C i_j\n" },
	{ "input A: f32[3, 64]\nC[i] = sum(k < 64) A[i, k]\n", "", "C", 8, 9, "parallel C i\n" },
	{ "input A: f32[1, 64]\nC[i < 1] = sum(k < 64) A[i, k]\n", "", "C", 2, 1, "" },
	{ CHAIN, "compute_at B C j\n", "C", 8, 2, "parallel C i\n" },
	{ CHAIN, "compute_at B C i\n", "C", 8, 2, "parallel C i\n" },
	{ CHAIN, "compute_at B C j\n", "B", 2, 1, "" },
	{ ROW, "compute_at B C j\n", "C", 2, 1, "parallel C j\n" },	/* i has one turn */
};

static void check_case(size_t i)
{
	struct run r = run_new(cases[i].source);
	struct state *s = state_parse(r.a, r.d, "steps", cases[i].steps);
	struct text t = { 0 };

	assert_non_null(s);
	int stage = state_find_stage(s, cases[i].stage);
	int loops = share_fit(s, stage, cases[i].threads, cases[i].loops);

	assert_int_equal(loops > 0, *cases[i].want != '\0');
	assert_true(loops == 0 || share_out(s, stage, loops));
	state_print(&t, s);
	assert_string_equal(text_str(&t), arena_printf(r.a, "%s%s", cases[i].steps, cases[i].want));
	text_free(&t);
	arena_free(r.a);
}

static void test_outer_loops(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_case(i);
}

/* One loop or two are enough turns, by what is drawn; of one loop nothing is. */
static void test_draws(void **state)
{
	struct run r = run_new(THREE_LOOPS), flat = run_new("input A: f32[64]\nC[i] = A[i] * 2\n");
	const struct state *s = state_new(r.a, r.d), *one = state_new(flat.a, flat.d);
	struct rng rng = rng_seed(1);
	int drawn[3] = { 0 };

	(void)state;
	for (int i = 0; i < 64; i++) {
		int loops = share_draw(s, state_find_stage(s, "C"), 2, &rng);

		assert_in_range(loops, 1, 2);
		drawn[loops]++;
	}
	assert_true(drawn[1] > 0 && drawn[2] > 0);

	struct rng before = rng;

	assert_int_equal(share_draw(one, state_find_stage(one, "C"), 2, &rng), 1);
	assert_memory_equal(&before, &rng, sizeof(rng));
	arena_free(flat.a);
	arena_free(r.a);
}

/* --- as steps of sketches */

static int count_open(const struct sketch *sketch)
{
	int n = 0;

	for (int i = 0; i < sketch->steps.n; i++)
		n += sketch->steps.at[i].role == ROLE_PARALLEL;
	return n;
}

/* Behind the last step that says how loops are shared stand those of how what is read comes near. */
static int end_of_sharing(const struct sketch *sketch)
{
	int n = sketch->steps.n;

	while (n > 0 && (sketch->steps.at[n - 1].role == ROLE_PIPELINE || sketch->steps.at[n - 1].role == ROLE_PREFETCH))
		n--;
	return n;
}

/* Stages at the root have one each, late, where there are threads to share loops. */
static void test_sketched(void **state)
{
	struct run r = run_new("conv2d:ic=16,h=14,w=14,oc=32,k=3,p=1,bias=1,act=relu");
	struct target serial = target_x86_64_avx2;
	struct aim none[] = { two_threads, two_threads };
	struct sketch_vec sketches = sketches_of(r.a, r.d, &two_threads);

	(void)state;
	serial.bindings[ANNOTATION_PARALLEL] = NULL;
	none[0].threads = 1;
	none[1].target = &serial;
	for (int i = 0; i < sketches.n; i++) {
		const struct sketch *sketch = sketches.at[i];
		int stage = -1, n = count_open(sketch), end = end_of_sharing(sketch);

		assert_true(n > 0);
		for (int j = end - n; j < end; j++) {
			const struct open_step *o = &sketch->steps.at[j];

			assert_int_equal(o->role, ROLE_PARALLEL);
			assert_true(o->step.stage > stage);
			stage = o->step.stage;
			assert_int_equal(sketch->state->stages.at[stage]->place, PLACE_ROOT);
		}
		for (size_t j = 0; j < 2; j++)
			assert_int_equal(count_open(sketches_of(r.a, r.d, &none[j]).at[i]), 0);
	}
	arena_free(r.a);
}

/* How many loops are fused of the stage NAME of S, which is shared. */
static int shared(const struct state *s, const char *name)
{
	int stage = state_find_stage(s, name), n = 1;

	for (int i = 0; i < s->steps.n; i++)
		if (s->steps.at[i].kind == STEP_FUSE && s->steps.at[i].stage == stage)
			n = s->steps.at[i].n;
	return n;
}

/* Each stage has its own, and steps tell it. */
static void test_each_stage(void **state)
{
	struct run r = run_new(TWO_OUTPUTS);
	const struct sketch *sketch = sketches_of(r.a, r.d, &two_threads).at[0];
	struct rng rng = rng_seed(1);
	int found[3][3] = { 0 };

	(void)state;
	for (int i = 0; i < 64; i++) {
		struct genes genes, told;
		struct state *s = sample(r.a, r.d, sketch, &two_threads, &rng, NULL, &genes);

		assert_non_null(s);
		found[shared(s, "C")][shared(s, "D")]++;
		assert_true(genes_of(r.a, sketch, &s->steps, &told));
		assert_int_equal(genes_distance(&genes, &told), 0);
		told.at[told.n - 1].step.size++;
		assert_int_equal(genes_distance(&genes, &told), 1);
	}
	assert_true(found[1][1] > 0 && found[1][2] > 0 && found[2][1] > 0 && found[2][2] > 0);
	arena_free(r.a);
}

static bool is_set_but(const struct genes *g, int i)
{
	for (int j = 0; j < g->n; j++)
		if (g->at[j].set == (j == i))
			return false;
	return true;
}

/* A mutation takes back what one stage shares and nothing else, now and then; what is left is followed. */
static void test_mutates(void **state)
{
	struct run r = run_new(TWO_OUTPUTS);
	const struct sketch *sketch = sketches_of(r.a, r.d, &two_threads).at[0];
	struct rng rng = rng_seed(1);
	struct genes genes;
	struct state *s = sample(r.a, r.d, sketch, &two_threads, &rng, NULL, &genes);
	int other = 0;

	(void)state;
	for (int i = 0; i < 256; i++) {
		struct genes child = mutate(r.a, &genes, sketch, &rng);

		if (!is_set_but(&child, end_of_sharing(sketch) - 1))
			continue;
		struct state *next = sample(r.a, r.d, sketch, &two_threads, &rng, &child, NULL);

		assert_non_null(next);
		assert_int_equal(shared(next, "C"), shared(s, "C"));
		other += shared(next, "D") != shared(s, "D");
	}
	assert_true(other > 0);
	arena_free(r.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outer_loops), cmocka_unit_test(test_draws),
		cmocka_unit_test(test_sketched),    cmocka_unit_test(test_each_stage),
		cmocka_unit_test(test_mutates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
