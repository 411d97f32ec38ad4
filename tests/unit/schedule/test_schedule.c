/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/schedule/test_schedule.c - what steps refuse and why, and what regions attached stages get.
 *
 * What programs compute is the subject of tests/property. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/err.h"
#include "schedule/pass/pass.h"
#include "schedule/text/step_text.h"
#include "te/text/text.h"

static struct state *make(struct arena *a, const char *dag, const char *steps)
{
	struct dag *d = dag_parse(a, "dag", dag);
	struct state *s = d ? state_parse(a, d, "steps", steps) : NULL;

	if (!s)
		fail_msg("%s", err_get());
	return s;
}

/* A producer, a reduction, its consumer. */
static const char chain[] = "input A: f32[6, 8]\n"
			    "const B: f32[8, 10]\n"
			    "P[i, k] = A[i, k] + 1\n"
			    "C[i, j] = sum(k < 8) P[i, k] * B[k, j]\n"
			    "D[i, j] = max(C[i, j], 0)\n";

/* One producer, two readers. */
static const char twice[] = "input A: f32[6, 100]\n"
			   "const B: f32[6]\n"
			   "P[i, j] = A[i, j] * B[i]\n"
			   "Q[i, j] = P[i, j] + B[i]\n"
			   "R[i] = sum(k < 100) P[i, k]\n";

/* V is computed from W alone, in two stages; Z from two constants, O from none. */
static const char weights[] = "input A: f32[6, 8]\n"
			     "const W: f32[12, 8]\n"
			     "const X: f32[12]\n"
			     "const Y: f32[12]\n"
			     "M[n] = max(k < 8) abs(W[n, k])\n"
			     "V[n, k] = W[n, k] / M[n]\n"
			     "Z[n] = X[n] + Y[n]\n"
			     "O[n < 12] = f32(1)\n"
			     "C[i, n] = sum(k < 8) A[i, k] * V[n, k] + Z[n] * O[n]\n"
			     "U[n] = X[n] * 2\n";

static const struct {
	const char *dag, *steps, *step, *why;
} refusals[] = {
	{ chain, "split C i 4", "split C i 2", "the iter is not a loop" },
	{ chain, "", "split C i 0", "the size is open or not positive" },
	{ chain, "", "split C i -3", "the size is open or not positive" },
	{ chain, "unroll C i", "split C i 2", "the loop is annotated already" },
	{ chain, "compute_at C D i", "split D i 2", "another stage is attached to the loop" },
	{ chain, "split C k 3", "border C k.1 shift",
	  "a shifted tile would add reduced elements twice" },
	{ chain, "split C i 3", "border C i.0 shift",
	  "only the inner loop of a split is a tile" },
	{ chain, "split C i 3", "border C k even", "only the inner loop of a split is a tile" },
	{ chain, "split C i 3; border C i.1 even", "border C i.1 shift", "the border is settled already" },
	{ chain, "split C i 3; border C i.1 shift", "border C i.1 guard",
	  "the border is settled already" },
	{ chain, "split C i 3", "border C i guard", "the iter is not a loop" },
	{ chain, "split C i 3", "border C i.1 mask", "only lanes of a vector loop can be masked" },
	{ chain, "", "border D i pad",
	  "only a dim of a stage that is no output can have room for whole tiles" },
	{ chain, "", "split A 0 2", NULL },
	{ chain, "inline P", "split P i 2", "the stage has no loops" },

	{ chain, "split C i 2", "reorder C i j", "an iter is not a loop" },
	{ chain, "", "reorder C i j i", "an iter is named twice" },
	{ chain, "vectorize D j", "reorder D j i", "a vector loop would not be the innermost" },
	{ chain, "compute_at C D i; compute_at P C i", "split D i 2",
	  "another stage is attached to the loop" },
	{ chain, "compute_at C D j; compute_at P D i", "reorder D j i",
	  "a reader of an attached stage would be outside its loop" },

	{ chain, "", "fuse C i", "fewer than two loops" },
	{ chain, "", "fuse C j i", "the loops are not neighbours in this order" },
	{ chain, "", "fuse C i k", "the loops are not neighbours in this order" },
	{ chain, "", "fuse C j k", "space and reduce loops do not fuse" },
	{ chain, "unroll C i", "fuse C i j", "a loop is annotated already" },
	{ chain, "compute_at C D i", "fuse D i j",
	  "another stage is attached to one of the loops" },

	{ chain, "", "inline C", "a reduction has no expression to inline" },
	{ chain, "", "inline D", "an output has to be stored" },
	{ chain, "", "inline A", "the stage has no loops" },
	{ chain, "split P i 2", "inline P", "it has been scheduled already" },
	{ chain, "compute_at P C i", "inline P", "it has been scheduled already" },
	{ chain, "cache_read A P 0 1; compute_at A.cache P i", "inline P",
	  "another stage is attached to it" },

	{ chain, "", "compute_at D C i", "an output is computed at the root" },
	{ chain, "", "compute_at C C i", "the target is not a loop of another stage" },
	{ chain, "split D i 2", "compute_at C D i", "the target is not a loop of another stage" },
	{ chain, "inline P", "compute_at C P i", "the target is not a loop of another stage" },
	{ chain, "compute_at P C i", "compute_at C P i",
	  "the target is inside the stage itself" },
	{ chain, "vectorize D j", "compute_at C D j", "the target is inside a vector loop" },
	{ twice, "", "compute_at P Q i", "a reader of the stage is outside the loop" },
	{ chain, "", "compute_at P D i", "a reader of the stage is outside the loop" },
	{ chain, "compute_at C D j; compute_at P D j", "compute_at C D i",
	  "a reader of an attached stage would be outside its loop" },

	{ chain, "", "cache_write A", "the stage has no loops" },
	{ chain, "split C i 2", "cache_write C", "it has been scheduled already" },
	{ chain, "compute_at C D i", "cache_write C", "it has been scheduled already" },
	{ chain, "compute_at P C i", "cache_write C",
	  "a reader of an attached stage would be outside its loop" },

	{ chain, "", "cache_read A C", "the reader does not read it" },
	{ chain, "", "cache_read B B", "the reader does not read it" },
	{ chain, "layout B", "cache_read B C", "its layout has been chosen already" },
	{ chain, "", "cache_read B C 0", "the dims are no permutation" },
	{ chain, "", "cache_read B C 1 1", "the dims are no permutation" },
	{ chain, "", "cache_read B C 0 2", "the dims are no permutation" },
	{ chain, "compute_at C D i", "cache_read C D",
	  "a reader of an attached stage would be outside its loop" },

	{ chain, "", "rfactor C i", "the iter is not a reduce loop" },
	{ chain, "split C k 2", "rfactor C k", "the iter is not a reduce loop" },
	{ chain, "compute_at C D i", "rfactor C k", "it has been placed already" },
	{ chain, "fuse C i j", "rfactor C k", "a reduction with fused loops is not factored" },
	{ chain, "split C i 2", "rfactor C k", "a space axis has been split already" },
	{ chain, "compute_at P C i", "rfactor C k", "another stage is attached to it" },

	{ chain, "", "parallel C k",
	  "turns of a reduce loop write the same element; rfactor first" },
	{ chain, "parallel C i", "parallel C i", "the loop is annotated already" },
	{ chain, "split C i 2", "parallel C i", "the iter is not a loop" },

	{ chain, "", "vectorize D i", "only the innermost loop is vectorized" },
	{ twice, "", "vectorize Q j", "more lanes than a vector may have" },
	{ chain, "compute_at C D j", "vectorize D j", "another stage is attached to the loop" },
	{ chain, "unroll D j", "vectorize D j", "the loop is annotated already" },

	{ chain, "split C i 2", "unroll C i", "the iter is not a loop" },
	{ chain, "vectorize D j", "unroll D j", "the loop is annotated already" },

	{ chain, "", "layout A", "only a constant can be packed offline" },
	{ chain, "layout B", "layout B", "it is packed already" },
	{ twice, "", "layout B", "it has more than one reader" },
	{ chain, "", "layout C", "only a constant can be packed offline" },
	{ weights, "place V offline; layout V", "layout V", "it is packed already" },
	{ weights, "place V offline", "layout W", "it has more than one reader" },
	{ weights, "place V offline", "layout M", "its reader is computed offline" },

	{ chain, "", "layout A order=1,0",
	  "only what is computed on the way is stored in another order" },
	{ chain, "", "layout B order=1,0",
	  "only what is computed on the way is stored in another order" },
	{ chain, "", "layout D order=1,0",
	  "only what is computed on the way is stored in another order" },
	{ chain, "layout C order=1,0", "layout C order=0,1", "its layout has been chosen already" },
	{ chain, "", "layout C order=0", "not every dim is stored once, whole or in two parts" },
	{ chain, "", "layout C order=0,1,0", "not every dim is stored once, whole or in two parts" },
	{ chain, "", "layout C order=0,1%4", "not every dim is stored once, whole or in two parts" },
	{ chain, "", "layout C order=0,1,0%4,0%2",
	  "not every dim is stored once, whole or in two parts" },
	{ chain, "", "layout C order=0,1,2%4", "not every dim is stored once, whole or in two parts" },
	{ chain, "", "layout C order=0,1,0%7", "a block is longer than its dim" },
	{ chain, "", "layout C order=0,1,1%0", NULL },
	{ chain, "", "layout C order=0,1,1%9999", NULL },
	{ chain, "", "layout C order=0,12", NULL },
	{ chain, "", "layout C order=0,,1", NULL },
	{ chain, "", "layout C order 0,1", NULL },
	{ chain, "", "layout C order=0,1,0%1,1%1,0,0,0,0,0,0,0,0,0,0", NULL },

	{ chain, "", "place P offline", "it depends on an input" },
	{ chain, "", "place C offline", "it depends on an input" },
	{ chain, "", "place B offline", "the stage has no loops" },
	{ chain, "", "place P", NULL },
	{ twice, "", "place P offline", "it depends on an input" },
	{ weights, "", "place M offline", "what it is computed from is read in each run, too" },
	{ weights, "", "place U offline", "an output is computed in each run" },
	{ weights, "split V n 4", "place V offline", "it has been scheduled already" },
	{ weights, "parallel M n", "place V offline", "it has been scheduled already" },
	{ weights, "compute_at M V n", "place V offline", "it has been scheduled already" },
	{ weights, "cache_read X Z", "place Z offline", "it depends on more than one constant" },
	{ chain, "", "stream C", "what is computed on the way is read from the caches" },
	{ "input A: f32[6, 8]\nC[i] = sum(k < 8) A[i, k]\n", "", "stream C",
	  "a reduction reads what it has stored; cache_write first" },
	{ "input A: f32[8]\nC[i] = A[i] + 1\nD[i] = C[i] * 2\noutput C\n", "", "stream C", NULL },
	{ chain, "stream D", "stream D", "it is streamed already" },
	{ chain, "", "prefetch C A i 2", "it is not read in the loop" },
	{ chain, "", "prefetch C B m 2", NULL },
	{ chain, "", "prefetch B B i 2", NULL },
	{ chain, "", "prefetch C B k 0", "so many turns ahead nothing is prefetched" },
	{ chain, "", "prefetch C B k 257", "so many turns ahead nothing is prefetched" },
	{ chain, "compute_at C D i", "prefetch D B j 1", "it is not read in the loop" },
	{ chain, "split C k 2", "prefetch C B k 2", "the iter is not a loop" },
	{ chain, "prefetch C B k 2", "prefetch C B k 4", "it is prefetched in the loop already" },
	{ chain, "", "pipeline C i", "the iter is not a reduce loop" },
	{ chain, "pipeline C k", "split C k 2", "the loop is annotated already" },
	{ chain, "pipeline C k", "unroll C k", "the loop is annotated already" },
	{ chain, "unroll C k", "pipeline C k", "the loop is annotated already" },
	{ chain, "pipeline C k", "pipeline C k", "the loop is annotated already" },
	{ weights, "", "place O offline", "it is computed from no constant" },
	{ weights, "place V offline", "split V n 4", "the stage is computed offline" },
	{ weights, "place V offline", "vectorize M n", "the stage is computed offline" },
	{ weights, "place V offline", "compute_at V C i", "the stage is computed offline" },
	{ weights, "place V offline", "compute_at O V n", "the target is computed offline" },
	{ weights, "place V offline", "cache_read W M", "the reader is computed offline" },
	{ weights, "place V offline", "place V offline", "it is computed offline already" },
	{ weights, "place V offline", "place M offline", "it is computed offline already" },
};

/* Each step of the table is refused with its reason (NULL: with any, or not even read), and leaves
 * the state as it was. */
static void test_refusals(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		struct arena *a = arena_new();
		struct state *s = make(a, refusals[i].dag, refusals[i].steps);
		struct scan in = scan_text("step", refusals[i].step);
		const char *before = steps_text(a, &s->steps);
		int stages = s->stages.n;
		const char *why = "";
		struct step step;

		if (step_scan(&in, s, &step) < 0) {
			if (refusals[i].why)
				fail_msg("%s", err_get());
			arena_free(a);
			continue;
		}
		if (state_apply(s, step, &why))
			fail_msg("%s; %s is taken", refusals[i].steps, refusals[i].step);
		if (refusals[i].why)
			assert_string_equal(why, refusals[i].why);
		assert_string_equal(steps_text(a, &s->steps), before);
		assert_int_equal(s->stages.n, stages);
		arena_free(a);
	}
}

/* Numbers from outside that name nothing. */
static void test_no_such_stage(void **unused)
{
	struct arena *a = arena_new();
	struct state *s = make(a, chain, "");
	const char *why = "";

	(void)unused;
	assert_false(state_apply(s, step_split(5, 0, 2), &why));
	assert_string_equal(why, "there is no such stage");
	assert_false(state_apply(s, step_split(-1, 0, 2), NULL));
	assert_false(state_apply(s, step_compute_at(3, 9, 0), NULL));
	assert_false(state_apply(s, step_split(3, 77, 2), &why));
	assert_string_equal(why, "the iter is not a loop");
	assert_false(state_apply(s, step_split(3, -1, 2), NULL));
	assert_false(state_apply(s, step_fuse(3, (int[]){ 2, 3 }, 2), NULL));
	assert_int_equal(s->steps.n, 0);
	arena_free(a);
}

/* As many dims as a tensor may have that is factored, and as many reduce loops as its partial stage
 * may have axes besides; with one more it is refused. */
static void test_rfactor_of_many(void **unused)
{
	static const char dag[] = "input A: f32[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 8192]\n"
				  "S[a, b, c, d, e, f, g, h, i, j, k] ="
				  " sum(r < 8192) A[a, b, c, d, e, f, g, h, i, j, k, r]\n";
	struct arena *a = arena_new();
	struct state *s = make(a, dag, "");
	float *x = arena_many(a, float, 8192), sum, expected = 0;
	const char *why = "";
	int iter = 11;	/* r, then the outer of its parts */

	(void)unused;
	for (int i = 0; i < TENSOR_MAX_DIMS; i++) {
		int outer = s->stages.at[1]->iters.n;

		assert_true(state_apply(s, step_split(1, iter, 2), NULL));
		iter = outer;
	}
	struct state *more = state_copy(a, s);

	assert_true(state_apply(more, step_split(1, iter, 2), NULL));
	assert_false(state_apply(more, step_rfactor(1, iter + 1), &why));
	assert_string_equal(why, "the partial stage would reduce over more axes than an op may have");
	assert_true(state_apply(s, step_rfactor(1, iter), NULL));
	struct program *p = lower(a, s, &target_x86_64_avx512, &why);

	if (!p)
		fail_msg("%s", why);
	for (int i = 0; i < 8192; i++)
		expected += x[i] = (float)(i % 7);
	program_interpret(p, (void *[]){ x, &sum });
	assert_true(sum == expected);
	arena_free(a);
}

/* --- regions */

static const char pool[] = "input X: f32[4, 19, 19]\n"
			   "Y[c, y, x] = X[c, y, x] + 1\n"
			   "P[c, y < 9, x < 9] = max(r < 3, s < 3) Y[c, 2 * y + r, 2 * x + s]\n";

static const char pad[] = "input X: f32[8]\n"
			  "Y[x] = X[x] + 1\n"
			  "Z[x < 10] = sum(r < 3) select(x + r >= 2 && x + r < 10, Y[x + r - 2], 0)\n";

static const char row[] = "input X: f32[23]\n"
			  "Y[x] = X[x] + 1\n"
			  "Z[x < 21] = Y[x] + Y[x + 2]\n";

static const char two[] = "input X: f32[12]\n"
			  "Y[x] = X[x] + 1\n"
			  "Z[x < 8] = Y[x] + Y[x + 4]\n"
			  "V[x < 8] = Z[x] + Y[x + 2]\n";

static const struct {
	const char *dag, *steps, *stage;
	const char *region;	/* base + part of each dim */
} regions[] = {
	{ pool, "", "Y", "0 + 4, 0 + 19, 0 + 19" },
	{ pool, "compute_at Y P c", "Y", "c + 1, 0 + 19, 0 + 19" },
	{ pool, "compute_at Y P y", "Y", "c + 1, y * 2 + 3, 0 + 19" },
	{ pool, "compute_at Y P x", "Y", "c + 1, y * 2 + 3, x * 2 + 3" },
	{ pool, "compute_at Y P r", "Y", "c + 1, y * 2 + r + 1, x * 2 + 3" },
	{ pool, "compute_at Y P s", "Y", "c + 1, y * 2 + r + 1, x * 2 + s + 1" },
	{ pool, "split P y 4; compute_at Y P y.0", "Y", "c + 1, y.0 * 8 + 9, 0 + 19" },
	{ pool, "split P y 4; border P y.1 shift; compute_at Y P y.0", "Y", "c + 1, y * 2 + 9, 0 + 19" },
	/* Nine rows are tiles of five and four: the second reads two rows less. In columns of a tile of four none is shorter. */
	{ pool, "split P y 5; border P y.1 even; compute_at Y P y.0", "Y",
	  "c + 1, y.0 * 10 + 11 less 2 unless y.0 < 1, 0 + 19" },
	{ pool, "split P y 4; border P y.1 even; compute_at Y P y.0", "Y", "c + 1, y.0 * 6 + 7, 0 + 19" },
	{ pool, "split P y 5; border P y.1 even; compute_at Y P y.1", "Y",
	  "c + 1, y.0 * 10 + y.1 * 2 + 3, 0 + 19" },
	/* Of twenty-one a tile of six and three of five, one and two at a time. */
	{ row, "split Z x 6; border Z x.1 even; compute_at Y Z x.0", "Y",
	  "x.0 * 5 + min(x.0, 1) + 8 less 1 unless x.0 < 1" },
	{ row, "split Z x 6; border Z x.1 even; split Z x.0 2; compute_at Y Z x.0.0", "Y",
	  "x.0.0 * 10 + min(x.0.0 * 2, 1) + 14" },
	{ pool, "cache_write P; split P y 5; border P y.1 even; compute_at P.local P y.0; compute_at Y P.local r", "Y",
	  "c + 1, y * 2 + y.0 * 10 + r + 1, x * 2 + 3" },
	{ pool, "cache_write P; split P y 5; border P y.1 even; compute_at P.local P y.0; compute_at Y P y.0", "Y",
	  "c + 1, y.0 * 10 + 11 less 2 unless y.0 < 1, 0 + 19" },
	{ pool, "split P x 3; reorder P x.0 y x.1; compute_at Y P x.0", "Y",
	  "c + 1, 0 + 19, x.0 * 6 + 7" },
	{ pool, "reorder P r c y x; compute_at Y P r", "Y", "0 + 4, r + 17, 0 + 19" },
	{ pool, "fuse P c y; compute_at Y P c_y", "Y", "c + 1, y * 2 + 3, 0 + 19" },
	/* A region of a region: P.local at a tile of P, Y at a loop of P.local. */
	{ pool, "cache_write P; split P y 2; compute_at P.local P y.0; compute_at Y P.local y", "Y",
	  "c + 1, y * 2 + y.0 * 4 + 3, 0 + 19" },
	/* The part may begin before the first element; the loops are guarded. */
	{ pad, "compute_at Y Z x", "Y", "x + -2 + 3" },
	{ pad, "split Z x 4; compute_at Y Z x.0", "Y", "x.0 * 4 + -2 + 6" },
	/* Two loads, and two readers: what lies between is computed too. */
	{ two, "compute_at Z V x", "Z", "x + 1" },
	{ two, "compute_at Z V x; compute_at Y V x", "Y", "x + 5" },
	{ two, "split V x 4; compute_at Z V x.0; compute_at Y V x.0", "Y", "x.0 * 4 + 8" },
};

static void test_regions(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(regions) / sizeof(*regions); i++) {
		struct arena *a = arena_new();
		struct state *s = make(a, regions[i].dag, regions[i].steps);
		const struct stage *g = s->stages.at[state_find_stage(s, regions[i].stage)];
		struct text t = { 0 };
		int64_t base;

		for (int d = 0; d < g->op.tensor.ndim; d++) {
			text_puts(&t, d ? ", " : "");
			if (expr_is_int(g->base[d], &base))
				text_printf(&t, "%jd", (intmax_t)base);
			else
				expr_print(&t, g->base[d]);
			text_printf(&t, " + %jd", (intmax_t)g->part[d]);
			if (g->surplus[d].n > 0) {
				text_printf(&t, " less %jd unless ", (intmax_t)g->surplus[d].n);
				expr_print(&t, g->surplus[d].unless);
			}
		}
		if (strcmp(text_str(&t), regions[i].region) != 0)
			fail_msg("%s: %s, not %s", regions[i].steps, text_str(&t),
				 regions[i].region);
		text_free(&t);
		arena_free(a);
	}
}

/* --- programs */

static const struct {
	const char *dag, *steps;
	const char *why;	/* NULL: it lowers */
} lowered[] = {
	{ chain, "parallel D i", NULL },
	{ chain, "split D i 4; parallel D i.0", NULL },
	{ chain, "fuse D i j; parallel D i_j", NULL },
	{ chain, "compute_at C D i; parallel D i", NULL },
	{ chain, "split D i 4; border D i.1 shift; parallel D i.0",
	  "turns of a parallel loop may write the same element" },
	{ chain, "split D i 4; border D i.1 shift; parallel D j", NULL },
	{ chain, "split C i 4; border C i.1 shift", NULL },
	{ chain, "split C i 4; border C i.1 shift; reorder C k i.0",
	  "a shifted tile inside a reduce loop would add elements twice" },
	{ chain, "split C i 3; border C i.1 shift; reorder C k i.0", NULL },
	{ chain, "split C j 4; border C j.1 even; reorder C k j.0", NULL },
	{ chain, "split C k 3; border C k.1 even; unroll C k.1", NULL },
	{ chain, "split D j 4; border D j.1 even; parallel D j.0", NULL },
	{ chain, "split D j 4; border D j.1 even; fuse D i j.0; parallel D i_j.0", NULL },
	{ chain, "split D j 3; border D j.1 even; split D j.0 2; parallel D j.0.0", NULL },
	{ chain, "split D j 4; border D j.1 even; reorder D j.1 j.0; parallel D j.1",
	  "turns of a parallel loop may write the same element" },
	{ chain, "layout B", NULL },
	{ chain, "cache_write C; split C i 4; compute_at C.local C i.0; layout B", NULL },
};

static void test_lowered(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(lowered) / sizeof(*lowered); i++) {
		struct arena *a = arena_new();
		const char *why = NULL;
		struct program *p = lower(a, make(a, lowered[i].dag, lowered[i].steps), &target_x86_64_avx512, &why);

		if ((p != NULL) != (lowered[i].why == NULL))
			fail_msg("%s: %s", lowered[i].steps, p ? "it lowers" : why);
		if (lowered[i].why)
			assert_string_equal(why, lowered[i].why);
		arena_free(a);
	}
}

static const struct buffer *find_local(const struct nest *n)
{
	for (; n; n = n->next) {
		const struct buffer *b = n->kind == NEST_ALLOC ? n->buffer : find_local(n->body);

		if (b && b->kind == BUFFER_LOCAL)
			return b;
		if (n->other && (b = find_local(n->other)))
			return b;
	}
	return NULL;
}

/* A local buffer lives in registers where every index is a number once loops are written out. */
static void test_registers(void **unused)
{
	static const char tile[] = "cache_write C; split C i 2; split C j 8;"
				   "reorder C i.0 j.0 i.1 j.1;"
				   "compute_at C.local C j.0; reorder C.local k i j;";
	static const char all[] = "unroll C.local i; vectorize C.local j; unroll C i.1;"
				  "vectorize C j.1";
	static const struct {
		const char *tile, *rest;
		bool registers;
	} cases[] = {
		{ tile, all, true },
		{ tile, "unroll C.local i; unroll C.local j; unroll C i.1; unroll C j.1", true },
		{ tile, "unroll C.local i; vectorize C.local j; unroll C i.1", false },
		{ tile, "vectorize C.local j; unroll C i.1; vectorize C j.1", false },
		{ "split D i 1; compute_at C D i.0;", "vectorize D j; unroll D i.1", false },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct arena *a = arena_new();
		const char *steps = arena_printf(a, "%s%s", cases[i].tile, cases[i].rest);
		struct program *p = lower(a, make(a, chain, steps), &target_x86_64_avx512, NULL);

		assert_non_null(p);
		if (find_local(p->body)->registers != cases[i].registers)
			fail_msg("%s: %d", steps, !cases[i].registers);
		arena_free(a);
	}
}

/* More than all registers of any machine stays an array. */
static void test_registers_limit(void **unused)
{
	static const char big[] = "input A: f32[64, 32]\n"
				  "P[i, j] = A[i, j] + 1\n"
				  "Q[i, j] = P[i, j] * 2\n";
	static const char steps[] = "split Q i %d; compute_at P Q i.0; unroll P i; vectorize P j;"
				    "unroll Q i.1; vectorize Q j";

	(void)unused;
	for (int rows = 32; rows <= 64; rows += 32) {	/* of 128 bytes; the limit is 4096 */
		struct arena *a = arena_new();
		struct program *p = lower(a, make(a, big, arena_printf(a, steps, rows)), &target_x86_64_avx512, NULL);

		assert_non_null(p);
		assert_int_equal(find_local(p->body)->registers, rows == 32);
		arena_free(a);
	}
}

/* --- the checks, on nests made by hand */

struct by_hand {
	struct arena *a;
	struct program p;
	struct buffer out;
	struct axis outer, inner, let;
	struct nest loop, store;
};

/* for outer in 0..8: out[INDEX] = 0, with out of 8 elements. */
static void start_by_hand(struct by_hand *h)
{
	memset(h, 0, sizeof(*h));
	h->a = arena_new();
	h->out = (struct buffer){ .tensor = { "out", DTYPE_F32, 1, { 8 } },
				  .kind = BUFFER_OUTPUT };
	h->outer = (struct axis){ "o", 0, 8, false };
	h->inner = (struct axis){ "i", 0, 2, false };
	h->let = (struct axis){ "l", 0, 8, false };
	h->loop = (struct nest){ .kind = NEST_LOOP, .axis = &h->outer, .body = &h->store };
	h->store = (struct nest){ .kind = NEST_STORE, .buffer = &h->out };
	h->store.value = expr_const(h->a, DTYPE_F32, 0);
	h->store.index = arena_many(h->a, const struct expr *, 1);
	h->p = (struct program){ .arena = h->a, .body = &h->loop };
	vec_push(h->a, &h->p.args, &h->out);
}

static const struct expr *plus(struct by_hand *h, const struct axis *axis, int64_t factor,
			       int64_t constant)
{
	return expr_add(h->a, expr_mul(h->a, expr_axis(h->a, axis), factor),
			expr_int(h->a, constant));
}

static void test_bounds(void **unused)
{
	struct by_hand h;
	const char *why = "";

	(void)unused;
	start_by_hand(&h);
	h.store.index[0] = plus(&h, &h.outer, 1, 0);
	assert_true(nest_pass_bounds(&h.p, &why));
	h.store.index[0] = plus(&h, &h.outer, 1, 1);
	assert_false(nest_pass_bounds(&h.p, &why));
	assert_string_equal(why, "an access may be out of bounds");
	h.store.index[0] = plus(&h, &h.outer, 1, -1);
	assert_false(nest_pass_bounds(&h.p, &why));

	/* A condition around the store, and the other branch of its opposite. */
	struct nest guard = { .kind = NEST_IF, .body = &h.store };

	guard.value = expr_binary(h.a, EXPR_LT, expr_axis(h.a, &h.outer), expr_int(h.a, 7));
	h.store.index[0] = plus(&h, &h.outer, 1, 1);
	h.loop.body = &guard;
	assert_true(nest_pass_bounds(&h.p, &why));
	guard.value = expr_binary(h.a, EXPR_LE, expr_int(h.a, 7), expr_axis(h.a, &h.outer));
	assert_false(nest_pass_bounds(&h.p, &why));
	guard.other = guard.body;
	guard.body = NULL;
	assert_true(nest_pass_bounds(&h.p, &why));

	/* A let is believed within its axis, so it has to be there. */
	struct nest let = { .kind = NEST_LET, .axis = &h.let, .body = &h.store };

	let.value = plus(&h, &h.outer, 1, 0);
	h.store.index[0] = expr_axis(h.a, &h.let);
	h.loop.body = &let;
	assert_true(nest_pass_bounds(&h.p, &why));
	let.value = plus(&h, &h.outer, 1, 1);
	assert_false(nest_pass_bounds(&h.p, &why));
	assert_string_equal(why, "a let may be out of its range");
	arena_free(h.a);
}

static void test_races(void **unused)
{
	struct by_hand h;
	const char *why = "";

	(void)unused;
	start_by_hand(&h);
	h.loop.annotation = ANNOTATION_PARALLEL;
	h.store.index[0] = plus(&h, &h.outer, 1, 0);
	assert_true(nest_pass_races(&h.p, &why));
	h.store.index[0] = expr_int(h.a, 3);
	assert_false(nest_pass_races(&h.p, &why));
	assert_string_equal(why, "turns of a parallel loop may write the same element");
	h.store.index[0] = expr_binary(h.a, EXPR_DIV, expr_axis(h.a, &h.outer), expr_int(h.a, 2));
	assert_false(nest_pass_races(&h.p, &why));
	h.loop.annotation = ANNOTATION_NONE;
	assert_true(nest_pass_races(&h.p, &why));
	h.loop.annotation = ANNOTATION_PARALLEL;

	/* Pairs of elements are apart where the outer loop moves by two, not by one. */
	struct nest pair = { .kind = NEST_LOOP, .axis = &h.inner, .body = &h.store };

	h.loop.body = &pair;
	h.outer.hi = 4;
	h.store.index[0] = expr_add(h.a, plus(&h, &h.outer, 2, 0), expr_axis(h.a, &h.inner));
	assert_true(nest_pass_races(&h.p, &why));
	h.store.index[0] = expr_add(h.a, plus(&h, &h.outer, 1, 0), expr_axis(h.a, &h.inner));
	assert_false(nest_pass_races(&h.p, &why));

	/* A buffer of the turn's own may be written by all. */
	struct nest alloc = { .kind = NEST_ALLOC, .buffer = &h.out, .next = &pair };

	h.loop.body = &alloc;
	assert_true(nest_pass_races(&h.p, &why));
	arena_free(h.a);
}

/* Steps come from files, too: their number is bounded. */
static void test_too_many_steps(void **state)
{
	struct arena *a = arena_new();
	struct dag *d = dag_parse(a, "dag", chain);
	struct text t = { 0 };

	(void)state;
	for (int i = 0; i < 2000; i++)
		text_puts(&t, "reorder C j i\nreorder C i j\n");
	assert_null(state_parse(a, d, "steps", text_str(&t)));
	assert_string_equal(err_get(), "steps:1025:1: more than 1024 steps");
	text_free(&t);
	arena_free(a);
}

/* By their fields: what lies between and behind them says nothing. */
static void test_equal_steps(void **state)
{
	const int ij[] = { 0, 1 }, ji[] = { 1, 0 };
	struct step x, y;

	(void)state;
	memset(&x, 0, sizeof(x));
	memset(&y, 0xff, sizeof(y));
	x.kind = y.kind = STEP_SPLIT;
	x.stage = y.stage = 2;
	x.iter = y.iter = 1;
	x.target = y.target = 0;
	x.border = y.border = BORDER_SHIFT;
	x.derivation = y.derivation = DERIVATION_WINOGRAD;
	x.intrinsic = y.intrinsic = INTRINSIC_AVX_VPDPBUSD;
	x.size = y.size = 8;
	x.n = y.n = 0;
	assert_true(step_equal(&x, &y));
	y.size = 4;
	assert_false(step_equal(&x, &y));
	x = step_reorder(2, ij, 2);
	y = step_reorder(2, ji, 2);
	assert_false(step_equal(&x, &y));
	assert_true(step_equal(&x, &x));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refusals),      cmocka_unit_test(test_no_such_stage),
		cmocka_unit_test(test_too_many_steps), cmocka_unit_test(test_rfactor_of_many),
		cmocka_unit_test(test_regions),	      cmocka_unit_test(test_lowered),
		cmocka_unit_test(test_registers),     cmocka_unit_test(test_registers_limit),
		cmocka_unit_test(test_bounds),	      cmocka_unit_test(test_races),
		cmocka_unit_test(test_equal_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
