/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_sketch.c - what sketches are made of tensors in one order of dims or another. */
#include "schedule/nest.h"
#include "schedule/text/step_text.h"
#include "search/space/genes/genes.h"
#include "search/space/sampling/sample.h"
#include "te/arrange/arrange.h"
#include "te/dims/collapse.h"
#include "tests/te_run.h"

static const struct aim aim = { .target = &target_x86_64_avx2, .threads = 1,
				.l2_bytes = 1 << 19, .peak = 100, .mem_gbs = 13 };

static const struct arrangement nhwc = { 4, { { 0, 0 }, { 2, 0 }, { 3, 0 }, { 1, 0 } } };
static const struct arrangement nchw16c = {
	5, { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 1, 16 } }
};

/* SPEC with its image and its result stored as HOW, and all else as it is, has the sketches of the
 * operator that is written for LAYOUT. */
static void check_alike(const char *spec, struct arrangement how, const char *layout)
{
	struct run r = run_new(spec);
	struct arrangement *all = arena_many(r.a, struct arrangement, r.n);

	all[0] = all[r.n - 1] = how;
	struct dag *stored = dag_arrange(r.a, r.d, all);
	struct dag *written = operator_build(r.a, arena_printf(r.a, "%s,layout=%s", spec, layout));

	if (!stored || !written)
		fail_msg("%s: %s", spec, err_get());
	struct sketch_vec got = sketches_of(r.a, stored, &aim), want = sketches_of(r.a, written, &aim);

	assert_int_equal(got.n, want.n);
	for (int i = 0; i < got.n; i++)
		assert_string_equal(steps_text(r.a, &got.at[i]->state->steps),
				    steps_text(r.a, &want.at[i]->state->steps));
	arena_free(r.a);
}

static void test_arranged(void **state)
{
	static const char *const specs[] = {
		"conv2d:ic=16,h=14,w=14,oc=64,k=3,p=1,bias=1,act=relu",
		"conv2d:ic=64,h=14,w=14,oc=32,k=1,s=2",
		"conv2d:ic=32,h=14,w=14,oc=64,k=3,p=1,g=2",
		"depthwise:c=32,h=14,w=14,k=3,p=1,bias=1,act=relu6",
		"max_pool:c=32,h=14,w=14,k=3,s=2,p=1",
		"avg_pool:c=32,h=14,w=14,k=3,p=1",
		"global_avg_pool:c=32,h=7,w=7",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		check_alike(specs[i], nhwc, "nhwc");
		check_alike(specs[i], nchw16c, "nchw16c");
	}
}

/* The first sketch of SOURCE has STEPS, each size 1; there is another where dims collapse. */
static void check_steps(const char *source, const char *steps)
{
	struct run r = run_new(source);
	struct sketch_vec sketches = sketches_of(r.a, r.d, &aim);
	struct text t = { 0 };

	assert_int_equal(sketches.n, 1 + (dag_collapse(r.a, r.d) != NULL));
	state_print(&t, sketches.at[0]->state);
	assert_string_equal(text_str(&t), steps);
	text_free(&t);
	arena_free(r.a);
}

/* An axis that walks two dims of a load at once is no pair of axes that are walked together. */
static void test_diagonal(void **state)
{
	struct run r = run_new("input A: f32[5, 5]\nconst B: f32[3, 4]\n"
			       "Y[i, j] = max(k < 5) A[k, k] + B[i, j]\n");

	(void)state;
	const struct dag *d = dag_collapse(r.a, r.d);

	assert_non_null(d);	/* i and j */
	assert_int_equal(d->ops.at[2]->nreduce, 1);
	assert_int_equal(d->ops.at[2]->tensor.ndim, 1);
	arena_free(r.a);
}

static void test_lanes(void **state)
{
	(void)state;
	/* What is read lies along c: turns of it are taken inside those of x. */
	check_steps("input X: f32[1, 4, 14, 14, 16]\n"
		    "Y[n < 1, c < 64, y < 14, x < 14] = X[n, c / 16, y, x, c % 16]\n",
		    "split Y x 1\n"
		    "vectorize Y x.1\n"
		    "split Y x.0 1\n"
		    "unroll Y x.0.1\n"
		    "split Y c 1\n"
		    "reorder Y y x.0.0 c.1\n");
	/* They are neighbours already. */
	check_steps("input X: f32[1, 64, 14, 14]\n"
		    "Y[n < 1, y < 14, x < 14, c < 64] = X[n, c, y, x]\n",
		    "split Y c 1\n"
		    "vectorize Y c.1\n"
		    "split Y c.0 1\n"
		    "unroll Y c.0.1\n");
	/* A dim of one element has no use for lanes. */
	check_steps("input X: f32[1, 64, 1, 1]\n"
		    "Y[n < 1, c < 64, y < 1, x < 1] = X[n, c, y, x] * 2\n",
		    "reorder Y y x c\n"
		    "split Y c 1\n"
		    "vectorize Y c.1\n"
		    "split Y c.0 1\n"
		    "unroll Y c.0.1\n");
}

/* How many of the sketches of SOURCE with THREADS have all of WORDS, in this order, in their steps. */
static int sketches_with(const char *source, int threads, const char *const *words)
{
	struct aim with = aim;
	struct run r = run_new(source);
	int found = 0;

	with.threads = threads;
	struct sketch_vec sketches = sketches_of(r.a, r.d, &with);

	for (int i = 0; i < sketches.n; i++) {
		struct text t = { 0 };

		state_print(&t, sketches.at[i]->state);
		const char *at = text_str(&t);

		for (int j = 0; at && words[j]; j++)
			at = strstr(at, words[j]);
		found += at != NULL;
		text_free(&t);
	}
	arena_free(r.a);
	return found;
}

/* Rows whose elements are read once have lanes along them, whose partial results are combined, and nothing else. */
static void test_rows(void **state)
{
	(void)state;
	check_steps("input A: f32[64, 256]\nS[i] = sum(k < 256) A[i, k] * A[i, k]\n",
		    "split S k 2\n"
		    "rfactor S k.1\n"
		    "split S.rf k.1 1\n"
		    "split S.rf k.0 1\n"
		    "reorder S.rf k.0.0 k.0.1 k.1.0 k.1.1\n"
		    "unroll S.rf k.0.1\n"
		    "unroll S.rf k.1.0\n"
		    "vectorize S.rf k.1.1\n"
		    "compute_at S.rf S i\n"
		    "vectorize S k.1\n");
}

/* A vector times a matrix in rows: also a few rows at a time, added to sums that lie in a cache. */
static void test_sweep(void **state)
{
	static const char *const rows_around_vectors[] = { "compute_at S.local S j.0.0",
							   "reorder S.local k.0 j.0 k.1 j.1", NULL };

	(void)state;
	assert_int_equal(sketches_with("input X: f32[256]\ninput W: f32[256, 64]\n"
				       "S[j] = sum(k < 256) X[k] * W[k, j]\n", 1, rows_around_vectors), 1);
	/* Each element of B has many uses. */
	assert_int_equal(sketches_with("input A: f32[64, 256]\ninput B: f32[256, 64]\n"
				       "S[i, j] = sum(k < 256) A[i, k] * B[k, j]\n", 1, rows_around_vectors), 0);
}

/* Two threads cannot share one element, but what is summed up in it: in four shares each, once. */
static void test_shares(void **state)
{
	static const char *const shares[] = { "split S m 32", "rfactor S m.0", "split S.rf n 2", "rfactor S.rf n.1", NULL };
	static const char source[] = "input A: f32[256, 64]\nS[] = sum(m < 256, n < 64) A[m, n]\n";

	(void)state;
	assert_int_equal(sketches_with(source, 2, shares), 1);
	assert_int_equal(sketches_with(source, 1, shares), 0);
}

/* However many stages there are, and choices for each: none is left as it was written, and an early choice is tried
 * about as often as its others. */
static void test_many_reductions(void **state)
{
	struct run r = run_new("input A: f32[128, 64]\n"
			       "input B: f32[64, 128]\n"
			       "input C: f32[128, 64]\n"
			       "S[i, j] = sum(k < 64) A[i, k] * B[k, j]\n"
			       "T[i, j] = sum(k < 128) S[i, k] * C[k, j]\n"
			       "M[i] = max(k < 64) T[i, k]\n"
			       "E[i, j] = exp(T[i, j] - M[i])\n"
			       "D[i] = sum(k < 64) E[i, k]\n"
			       "P[i, j] = E[i, j] / D[i]\n"
			       "input F: f32[64, 128]\n"
			       "Q[i, j] = sum(k < 64) P[i, k] * F[k, j]\n"
			       "input G: f32[128, 64]\n"
			       "R[i, j] = sum(k < 128) Q[i, k] * G[k, j]\n");
	struct sketch_vec sketches = sketches_of(r.a, r.d, &aim);
	struct sketch_vec again = sketches_of(r.a, r.d, &aim);
	int inlined = 0;

	(void)state;
	assert_true(sketches.n >= 48 && sketches.n < 60);
	assert_int_equal(again.n, sketches.n);
	for (int i = 0; i < sketches.n; i++) {
		const struct state *s = sketches.at[i]->state;

		inlined += s->stages.at[state_find_stage(s, "P")]->place == PLACE_INLINE;
		assert_int_equal(again.at[i]->steps.n, sketches.at[i]->steps.n);
		for (int j = 0; j < s->stages.n; j++) {
			const struct stage *g = s->stages.at[j];

			if (op_is_reduction(&g->op) && op_has_reuse(&g->op) &&
			    g->relations.n == 0)
				fail_msg("sketch %d leaves %s as it was written", i,
					 g->op.tensor.name);
		}
	}
	assert_in_range(inlined, sketches.n / 6, sketches.n * 5 / 6);
	arena_free(r.a);
}

/* --- panels */

/* Stages of S in panels, whose widths must be those of the tile that reads them: rows of what is on the left of a
 * product (A, S), columns of what is on its right. */
static int check_panels(const struct state *s)
{
	int panels = 0;

	for (int i = 0; i < s->steps.n; i++) {
		if (s->steps.at[i].kind != STEP_LAYOUT)
			continue;
		const struct stage *g = s->stages.at[s->steps.at[i].stage];
		int reader, n = state_consumers(s, s->steps.at[i].stage, &reader, 1);
		int dim = strchr("AS", g->op.tensor.name[0]) ? 0 : 1;
		const struct stored_dim *inside = &g->stored.at[2];

		assert_int_equal(n, 1);
		assert_int_equal(g->stored.n, 3);
		assert_int_equal(g->stored.at[0].dim, dim);
		assert_int_equal(g->stored.at[1].dim, 1 - dim);
		assert_int_equal(inside->dim, dim);
		assert_int_equal(inside->block, s->stages.at[reader]->part[dim]);
		panels++;
	}
	return panels;
}

/* Calls CHECK with samples of each sketch of SOURCE; the genes of a state give its panels again. */
static void for_samples(const char *source, void (*check)(const struct state *s, void *user),
			void *user)
{
	enum { TRIES = 20 };
	struct run r = run_new(source);
	struct sketch_vec sketches = sketches_of(r.a, r.d, &aim);
	struct rng rng = rng_seed(7);

	for (int i = 0; i < sketches.n * TRIES; i++) {
		const struct sketch *sketch = sketches.at[i % sketches.n];
		struct state *s = sample(r.a, r.d, sketch, &aim, &rng, NULL, NULL);
		struct genes genes;

		if (!s)
			continue;
		check(s, user);
		assert_true(genes_of(r.a, sketch, &s->steps, &genes));
		struct state *again = sample(r.a, r.d, sketch, &aim, &rng, &genes, NULL);

		assert_non_null(again);
		assert_int_equal(check_panels(again), check_panels(s));
	}
	arena_free(r.a);
}

/* Do the sums of S have other terms than those as written? */
static bool derives(const struct sketch *s)
{
	for (int i = 0; i < s->steps.n; i++) {
		const struct step *step = &s->steps.at[i].step;

		if (step->kind == STEP_DERIVE && !derivation_is_exact(step->derivation))
			return true;
	}
	return false;
}

/* Sketches of SOURCE for AIM that derive another algorithm, or that do not. */
static int count(const char *source, const struct aim *aim_of_it, bool deriving)
{
	struct run r = run_new(source);
	struct sketch_vec sketches = sketches_of(r.a, r.d, aim_of_it);
	int n = 0;

	assert_true(sketches.n > 0);
	for (int i = 0; i < sketches.n; i++)
		n += derives(sketches.at[i]) == deriving;
	arena_free(r.a);
	return n;
}

/* Windows that overlap, over floats, have other algorithms, unless sums are wanted as written. */
static void test_derived(void **state)
{
	static const char *const none[] = {
		"conv2d:ic=16,h=14,w=14,oc=16,k=3,p=1,s=3",
		"conv2d:ic=16,h=14,w=14,oc=16,k=3,p=1,dtype=bf16",
		"conv2d:ic=16,h=14,w=14,oc=16,k=1",
		"depthwise:c=16,h=14,w=14,k=3,p=1",
		"max_pool:c=16,h=14,w=14,k=3,p=1",
		"matmul:m=16,n=16,k=16",
	};
	static const char *const some[] = {
		"conv2d:ic=16,h=14,w=14,oc=16,k=3,p=1",
		"conv2d:ic=512,h=7,w=7,oc=512,k=3,p=1",
		"conv2d:ic=256,h=14,w=14,oc=256,k=3,p=1,g=4",
		"conv2d:ic=16,h=14,w=14,oc=16,k=3,p=1,layout=nchw16c",
		"conv1d:ic=16,w=30,oc=16,k=5",
		"conv2d:ic=16,h=14,w=14,oc=16,k=3,p=1,s=2",
	};
	struct aim exact = aim;

	(void)state;
	exact.exact = true;
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++) {
		assert_true(count(some[i], &aim, true) > 0);
		assert_int_equal(count(some[i], &exact, true), 0);
		/* They take no sketch of the sums as written away. */
		assert_true(count(some[i], &exact, false) > 0);
		assert_int_equal(count(some[i], &aim, false), count(some[i], &exact, false));
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		assert_int_equal(count(none[i], &aim, true), 0);
}

/* Of SOURCE, those whose steps have DERIVATION. */
static int count_by(const char *source, enum derivation derivation)
{
	struct run r = run_new(source);
	struct sketch_vec sketches = sketches_of(r.a, r.d, &aim);
	int n = 0;

	for (int i = 0; i < sketches.n; i++)
		for (int k = 0; k < sketches.at[i]->steps.n; k++) {
			const struct step *step = &sketches.at[i]->steps.at[k].step;

			n += step->kind == STEP_DERIVE && step->derivation == derivation;
		}
	arena_free(r.a);
	return n;
}

/* A smaller last tile is for extents that have one, beside tiles that are all alike. */
static void test_ragged(void **state)
{
	(void)state;
	assert_true(count_by("conv2d:ic=16,h=13,w=13,oc=16,k=3,p=1", DERIVATION_RAGGED) > 0);
	assert_true(count_by("conv2d:ic=16,h=13,w=13,oc=16,k=3,p=1", DERIVATION_WINOGRAD) > 0);
	assert_true(count_by("conv1d:ic=16,w=19,oc=16,k=3,p=1,layout=nhwc", DERIVATION_RAGGED) > 0);
	assert_int_equal(count_by("conv2d:ic=16,h=12,w=24,oc=16,k=3,p=1", DERIVATION_RAGGED), 0);
}

/* Of the sketches of SOURCE with its sums as written those in which the copy of what lanes read is kept, or computed wherever it is
 * read. */
static int count_copies(const char *source, bool kept)
{
	struct run r = run_new(source);
	struct sketch_vec sketches = sketches_of(r.a, r.d, &aim);
	int n = 0;

	for (int i = 0; i < sketches.n; i++) {
		const struct state *s = sketches.at[i]->state;
		int copy = state_find_stage(s, "conv_X");

		n += copy >= 0 && !derives(sketches.at[i]) && (s->stages.at[copy]->place != PLACE_INLINE) == kept;
	}
	arena_free(r.a);
	return n;
}

/* Lanes that would read at a stride have a copy in which they do not, which is kept; others have none. */
static void test_deinterleaved(void **state)
{
	(void)state;
	assert_true(count_by("conv2d:ic=3,h=30,w=30,oc=16,k=7,s=2,p=3", DERIVATION_DEINTERLEAVED) > 0);
	assert_true(count_by("conv1d:ic=32,w=32,oc=32,k=1,s=2", DERIVATION_DEINTERLEAVED) > 0);
	assert_true(count_by("max_pool:c=16,h=14,w=14,k=3,s=2,p=1", DERIVATION_DEINTERLEAVED) > 0);
	assert_int_equal(count_by("conv2d:ic=16,h=14,w=14,oc=16,k=3,p=1", DERIVATION_DEINTERLEAVED), 0);
	assert_int_equal(count_by("conv2d:ic=16,h=14,w=14,oc=16,k=3,p=1,s=2,layout=nhwc", DERIVATION_DEINTERLEAVED), 0);
	assert_true(count_copies("conv2d:ic=3,h=30,w=30,oc=16,k=7,s=2,p=3", true) > 0);
	assert_int_equal(count_copies("conv2d:ic=3,h=30,w=30,oc=16,k=7,s=2,p=3", false), 0);
}

/* Short rows of results pick theirs from sums at every place; not where they are longer than vectors, nor over channels. */
static void test_decimated(void **state)
{
	(void)state;
	assert_true(count_by("depthwise:c=32,h=14,w=14,k=3,s=2,p=1", DERIVATION_DECIMATED) > 0);
	assert_int_equal(count_by("depthwise:c=32,h=112,w=112,k=3,s=2,p=1", DERIVATION_DECIMATED), 0);
	assert_int_equal(count_by("depthwise:c=32,h=14,w=14,k=3,p=1", DERIVATION_DECIMATED), 0);
	assert_int_equal(count_by("conv2d:ic=16,h=14,w=14,oc=16,k=3,s=2,p=1", DERIVATION_DECIMATED), 0);
}

static void test_polyphase(void **state)
{
	(void)state;
	assert_true(count_by("depthwise:c=32,h=14,w=14,k=5,s=2,p=2", DERIVATION_POLYPHASE) > 0);
	assert_int_equal(count_by("depthwise:c=32,h=112,w=112,k=5,s=2,p=2", DERIVATION_POLYPHASE), 0);
	assert_int_equal(count_by("depthwise:c=32,h=14,w=14,k=5,p=2", DERIVATION_POLYPHASE), 0);
	assert_int_equal(count_by("conv2d:ic=16,h=14,w=14,oc=16,k=5,s=2,p=2", DERIVATION_POLYPHASE), 0);
}

/* Windows of two dims are reduced one after the other. */
static void test_separable(void **state)
{
	(void)state;
	assert_true(count_by("max_pool:c=16,h=14,w=14,k=3,s=2,p=1", DERIVATION_SEPARABLE) > 0);
	assert_true(count_by("avg_pool:c=16,h=14,w=14,k=5,p=2", DERIVATION_SEPARABLE) > 0);
	assert_int_equal(count_by("avg_pool:c=16,h=14,w=14,k=2,s=2", DERIVATION_SEPARABLE), 0);
	assert_int_equal(count_by("softmax:m=16,n=32", DERIVATION_SEPARABLE), 0);
	assert_int_equal(count_by("depthwise:c=32,h=14,w=14,k=3,p=1", DERIVATION_SEPARABLE), 0);
}

/* Windows with a stride of which some taps are left have their phases as channels, unless sums are wanted as written. */
static void test_space_to_depth(void **state)
{
	struct aim exact = aim;

	(void)state;
	exact.exact = true;
	assert_true(count_by("conv2d:ic=3,h=30,w=30,oc=16,k=7,s=2,p=3", DERIVATION_SPACE_TO_DEPTH) > 0);
	assert_true(count_by("conv2d:ic=3,h=30,w=30,oc=16,k=11,s=4,p=2,layout=nhwc", DERIVATION_SPACE_TO_DEPTH) > 0);
	assert_int_equal(count_by("conv2d:ic=16,h=14,w=14,oc=16,k=3,p=1,s=2", DERIVATION_SPACE_TO_DEPTH), 0);
	assert_int_equal(count_by("conv2d:ic=16,h=14,w=14,oc=16,k=5,p=2", DERIVATION_SPACE_TO_DEPTH), 0);
	assert_int_equal(count("conv2d:ic=3,h=30,w=30,oc=16,k=7,s=2,p=3", &exact, true), 0);
}

/* Channels in blocks that leave lanes idle are summed side by side, if the weight is there before the kernel runs. */
static void test_unblocked(void **state)
{
	(void)state;
	assert_true(count_by("conv2d:ic=16,h=14,w=14,oc=24,k=1,layout=nchw4c", DERIVATION_UNBLOCKED) > 0);
	assert_true(count_by("conv2d:ic=16,h=14,w=14,oc=24,k=3,p=1,layout=nchw4c", DERIVATION_UNBLOCKED) > 0);
	assert_int_equal(count_by("conv2d:ic=16,h=14,w=14,oc=32,k=1,layout=nchw8c", DERIVATION_UNBLOCKED), 0);
	assert_int_equal(count_by("input R: f32[14, 14, 16]\ninput W: f32[6, 16, 4]\n"
				  "Y[o < 6, y < 14, x < 14, l < 4] = sum(k < 16) R[y, x, k] * W[o, k, l]\n", DERIVATION_UNBLOCKED), 0);
}

/* Of the sketches of SOURCE those that copy something with its dims in another order. */
static int count_permuted(const char *source)
{
	struct run r = run_new(source);
	struct sketch_vec sketches = sketches_of(r.a, r.d, &aim);
	int n = 0;

	for (int i = 0; i < sketches.n; i++)
		for (int k = 0; k < sketches.at[i]->steps.n; k++) {
			const struct step *step = &sketches.at[i]->steps.at[k].step;

			n += step->kind == STEP_CACHE_READ && step->n > 0;
		}
	arena_free(r.a);
	return n;
}

/* Channels are lanes where rows leave many of them empty for long: not of few terms, nor of rows that are vectors, nor where channels are last
 * as it is, nor of sums over channels. */
static void test_channels_last(void **state)
{
	(void)state;
	assert_true(count_permuted("depthwise:c=32,h=4,w=4,k=5,p=2") > 0);
	assert_true(count_permuted("input X: f32[32, 4, 4]\nconst W: f32[32, 5, 5]\n"
				   "P[c < 32, y < 8, x < 8] = select(2 <= y && y < 6 && 2 <= x && x < 6, X[c, y - 2, x - 2], 0)\n"
				   "D[c < 32, y < 4, x < 4] = sum(i < 5, j < 5) P[c, y + i, x + j] * W[c, i, j]\n"
				   "R[c < 32, y < 4, x < 4] = max(D[c, y, x], 0)\n") > 0);
	assert_int_equal(count_permuted("depthwise:c=32,h=4,w=4,k=3,p=1"), 0);
	assert_int_equal(count_permuted("depthwise:c=32,h=14,w=14,k=5,p=2"), 0);
	assert_int_equal(count_permuted("depthwise:c=32,h=4,w=4,k=5,p=2,layout=nhwc"), 0);
	assert_int_equal(count_permuted("conv2d:ic=32,h=4,w=4,oc=32,k=5,p=2"), 0);
}

static void count_panels(const struct state *s, void *user)
{
	int *found = user;

	found[check_panels(s)]++;
}

/* Both operands of a product are copied in panels, or not. */
static void test_panels(void **state)
{
	int found[3] = { 0 };

	(void)state;
	for_samples("input A: f32[96, 64]\ninput B: f32[64, 96]\n"
		    "C[i, j] = sum(k < 64) A[i, k] * B[k, j]\n", count_panels, found);
	assert_true(found[0] > 0 && found[1] > 0 && found[2] > 0);
}

/* How often stage S of a state is as written, and in panels; how many copies of it there are, at most, and whether
 * one of them is in panels. */
struct storages {
	int plain, own;
	int copies;
	bool copied_in_panels;
};

static void count_operand(const struct state *s, void *user)
{
	const struct stage *g = s->stages.at[state_find_stage(s, "S")];
	struct storages *o = user;
	int copies = 0;

	*(g->stored.n > 0 ? &o->own : &o->plain) += 1;
	check_panels(s);
	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *c = s->stages.at[i];

		if (strncmp(c->op.tensor.name, "S.cache", 7) != 0)
			continue;
		copies++;
		o->copied_in_panels |= c->stored.n > 0;
	}
	o->copies = copies > o->copies ? copies : o->copies;
}

#define ANOTHER_READER "T[i, j] = sum(k < 64) S[i, k] * W[k, j] + 1\n"

/* An operand that is computed is stored for its reader: itself, where nobody else reads it, or else a copy. */
static void test_computed_operands(void **state)
{
	static const char product[] = "input A: f32[96, 5]\ninput B: f32[5, 64]\n"
				      "input V: f32[64, 16]\ninput W: f32[64, 16]\n"
				      "S[i, j] = sum(k < 5) A[i, k] * B[k, j]\n"
				      "O[i, j] = sum(k < 64) S[i, k] * V[k, j]\n";
	static const struct {
		const char *rest;
		bool own;
		int copies;
	} cases[] = {
		{ "", true, 0 },
		{ "output S\n", false, 1 },
		{ ANOTHER_READER, false, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct storages o = { 0 };
		struct arena *a = arena_new();

		for_samples(arena_printf(a, "%s%s", product, cases[i].rest), count_operand, &o);
		assert_true(o.plain > 0);
		assert_int_equal(o.own > 0, cases[i].own);
		assert_int_equal(o.copies, cases[i].copies);
		assert_int_equal(o.copied_in_panels, cases[i].copies > 0);
		arena_free(a);
	}
}

/* A pointwise operand is inlined, stored as written, or in panels; what is in panels is not inlined. */
static void count_pointwise(const struct state *s, void *user)
{
	const struct stage *g = s->stages.at[state_find_stage(s, "S")];
	int *found = user;

	assert_true(g->place != PLACE_INLINE || g->stored.n == 0);
	found[g->place == PLACE_INLINE ? 0 : g->stored.n > 0 ? 1 : 2]++;
	check_panels(s);
}

static void test_pointwise_operand(void **state)
{
	int found[3] = { 0 };

	(void)state;
	for_samples("input A: f32[96, 64]\ninput V: f32[64, 16]\n"
		    "S[i, j] = max(A[i, j], 0)\n"
		    "O[i, j] = sum(k < 64) S[i, k] * V[k, j]\n", count_pointwise, found);
	assert_true(found[0] > 0 && found[1] > 0 && found[2] > 0);
}

/* --- */

/* Vectors of accumulators that stage NAME has. */
static int64_t accumulators(const struct state *s, const char *name)
{
	const struct stage *g = s->stages.at[state_find_stage(s, name)];

	return g->part[0] * g->part[1] / 8;
}

static void most_accumulators(const struct state *s, void *user)
{
	int64_t *most = user;
	int64_t both = accumulators(s, "S.local") * accumulators(s, "O.local");

	*most = both > *most ? both : *most;
}

/* Each of two products, one behind the other, has all registers for its tile. */
static void test_two_tiles(void **state)
{
	int64_t most = 0;

	(void)state;
	for_samples("input A: f32[96, 5]\ninput B: f32[5, 64]\ninput V: f32[64, 16]\n"
		    "S[i, j] = sum(k < 5) A[i, k] * B[k, j]\n"
		    "O[i, j] = sum(k < 64) S[i, k] * V[k, j]\n", most_accumulators, &most);
	assert_true(most > 4 * target_x86_64_avx2.vector_registers);
}

/* --- chains */

/* A window of each channel, a function, and a product over the channels. */
#define CHAIN \
	"input X: f32[58, 56, 16]\nconst K: f32[3, 16]\nconst W: f32[16, 24]\n" \
	"D[y < 56, x < 56, c < 16] = sum(r < 3) X[y + r, x, c] * K[r, c]\n" \
	"R[y < 56, x < 56, c < 16] = max(D[y, x, c], 0)\n" \
	"O[y < 56, x < 56, k < 24] = sum(c < 16) R[y, x, c] * W[c, k]\n"

struct place_counts {
	int root, strips;
	int64_t least;		/* elements of R at a time, inside loops */
};

static void count_places(const struct state *s, struct place_counts *p)
{
	const struct stage *r = s->stages.at[state_find_stage(s, "R")];
	const struct stage *d = s->stages.at[state_find_stage(s, "D")];

	assert_int_equal(d->place, PLACE_AT);	/* its accumulators are R's tile */
	assert_int_equal(d->at_stage, state_find_stage(s, "R"));
	*(r->place == PLACE_ROOT ? &p->root : &p->strips) += 1;
	if (r->place == PLACE_AT && r->part[0] * r->part[1] * r->part[2] < p->least)
		p->least = r->part[0] * r->part[1] * r->part[2];
}

/* The window is tiled with the function behind it, and computed in strips of the product, or whole. */
static void test_strips(void **state)
{
	enum { SAMPLES = 40 };
	struct place_counts p = { .least = INT64_MAX };
	struct run r = run_new(CHAIN);
	struct sketch_vec sketches = sketches_of(r.a, r.d, &aim);
	struct rng rng = rng_seed(7);

	(void)state;
	for (int i = 0; i < SAMPLES; i++) {
		const struct state *s = sample(r.a, r.d, sketches.at[i % sketches.n], &aim, &rng, NULL, NULL);

		if (s)
			count_places(s, &p);
	}
	arena_free(r.a);
	assert_true(p.root > 0 && p.strips > 0);
	assert_true(p.least < 56 * 56 * 16 / 4);
}

/* The sketches of SOURCE that may stream a result, of those for an aim whose caches hold BYTES. */
static int streaming(const char *source, double bytes, const struct target *target)
{
	struct aim small = aim;
	struct run r = run_new(source);
	int found = 0;

	small.target = target;
	small.l2_bytes = bytes / 2;
	small.l3_bytes = bytes;
	struct sketch_vec sketches = sketches_of(r.a, r.d, &small);

	for (int i = 0; i < sketches.n; i++)
		for (int j = 0; j < sketches.at[i]->steps.n; j++)
			found += sketches.at[i]->steps.at[j].step.kind == STEP_STREAM;
	arena_free(r.a);
	return found;
}

/* Only what caches cannot keep, is a good part of the traffic, and lies in whole vectors. */
static void test_streaming(void **state)
{
	static const char add[] = "input A: f32[64, 128]\ninput B: f32[64, 128]\nC[i, j] = A[i, j] + B[i, j]\n";
	static const char sums[] = "input A: f32[64, 128]\nS[i] = sum(j < 128) A[i, j]\n";
	static const char odd[] = "input A: f32[64, 127]\nC[j, i] = A[i, j] + 1\noutput C\nD[i, j] = C[j, i] * 2\n";
	const double bytes = 3 * 64 * 128 * sizeof(float);

	(void)state;
	assert_int_equal(streaming(add, bytes - 1, &target_x86_64_avx2), 2);	/* as it is, and collapsed */
	assert_int_equal(streaming(add, bytes, &target_x86_64_avx2), 0);
	assert_int_equal(streaming(add, 1, &target_aarch64_neon), 0);
	assert_int_equal(streaming(sums, 1, &target_x86_64_avx2), 0);
	assert_int_equal(streaming(odd, 1, &target_x86_64_avx2), 0);	/* C is read, D's rows begin anywhere */
}

/* Most of what is drawn where results may be streamed can be lowered, and streams. */
static void test_streamed_samples(void **state)
{
	enum { SAMPLES = 200 };
	static const char *const sources[] = {
		"input A: f32[64, 128]\ninput B: f32[64, 128]\nC[i, j] = A[i, j] + B[i, j]\n",
		"softmax:m=64,n=128", "max_pool:c=32,h=32,w=32,k=2,s=2",
	};
	struct aim small = aim;
	struct rng rng = rng_seed(5);

	(void)state;
	small.l2_bytes = 1 << 10;
	for (size_t k = 0; k < sizeof(sources) / sizeof(*sources); k++) {
		struct run r = run_new(sources[k]);
		struct sketch_vec sketches = sketches_of(r.a, r.d, &small);
		int drawn = 0, lowered = 0;

		for (int i = 0; i < SAMPLES; i++) {
			const struct sketch *sketch = sketches.at[rng_below(&rng, sketches.n)];
			struct genes genes;
			const struct state *s = sample(r.a, r.d, sketch, &small, &rng, NULL, NULL);

			if (!s || s->steps.at[s->steps.n - 1].kind != STEP_STREAM)
				continue;
			drawn++;
			assert_true(genes_of(r.a, sketch, &s->steps, &genes));
			lowered += lower(r.a, s, small.target, NULL) != NULL;
		}
		assert_true(drawn > SAMPLES / 2 && lowered > drawn * 9 / 10);
		arena_free(r.a);
	}
}

/* The steps of SOURCE's sketches that may prefetch, for caches of BYTES. */
static int prefetching(const char *source, double bytes, const struct target *target)
{
	struct aim small = aim;
	struct run r = run_new(source);
	int found = 0;

	small.target = target;
	small.l1_bytes = bytes;
	struct sketch_vec sketches = sketches_of(r.a, r.d, &small);

	for (int i = 0; i < sketches.n; i++)
		for (int j = 0; j < sketches.at[i]->steps.n; j++)
			found += sketches.at[i]->steps.at[j].role == ROLE_PREFETCH;
	arena_free(r.a);
	return found;
}

/* Operands that are given, and more than a first-level cache has. */
static void test_prefetching(void **state)
{
	static const char add[] = "input A: f32[64, 128]\ninput B: f32[128]\nC[i, j] = A[i, j] + B[j]\n";
	const double bytes = 64 * 128 * sizeof(float);

	(void)state;
	assert_int_equal(prefetching(add, bytes, &target_x86_64_avx2), 0);
	assert_int_equal(prefetching(add, bytes - 1, &target_x86_64_avx2), 1);
	assert_int_equal(prefetching(add, 1, &target_x86_64_avx2), 2);
	assert_int_equal(prefetching(add, 1, &target_vdla), 0);
}

/* What is drawn to be pipelined has registers for it, mostly as lowering counts them. */
static void test_pipelined_samples(void **state)
{
	enum { SAMPLES = 600 };
	static const char *const sources[] = { "dense:m=64,n=512,k=512", "conv2d:ic=64,oc=64,h=28,w=28,k=3,p=1" };
	struct rng rng = rng_seed(9);

	(void)state;
	for (size_t k = 0; k < sizeof(sources) / sizeof(*sources); k++) {
		struct run r = run_new(sources[k]);
		struct sketch_vec sketches = sketches_of(r.a, r.d, &aim);
		int drawn = 0, lowered = 0;

		for (int i = 0; i < SAMPLES; i++) {
			const struct sketch *sketch = sketches.at[rng_below(&rng, sketches.n)];
			struct genes genes;
			const struct state *s = sample(r.a, r.d, sketch, &aim, &rng, NULL, NULL);
			bool pipelined = false;

			for (int j = 0; s && j < s->steps.n; j++)
				pipelined |= s->steps.at[j].kind == STEP_PIPELINE;
			if (!pipelined)
				continue;
			drawn++;
			assert_true(genes_of(r.a, sketch, &s->steps, &genes));
			lowered += lower(r.a, s, aim.target, NULL) != NULL;
		}
		assert_true(drawn > 0 && drawn < SAMPLES / 5 && lowered > drawn / 2);
		arena_free(r.a);
	}
}

/* How many of N samples of R's task prefetch something, AS the aim. */
static int count_prefetching(const struct run *r, const struct aim *as, int n)
{
	struct sketch_vec sketches = sketches_of(r->a, r->d, as);
	struct rng rng = rng_seed(11);
	int drawn = 0;

	for (int i = 0; i < n; i++) {
		const struct state *s = sample(r->a, r->d, sketches.at[rng_below(&rng, sketches.n)], as, &rng, NULL, NULL);

		drawn += s && s->steps.at[s->steps.n - 1].kind == STEP_PREFETCH;
	}
	return drawn;
}

/* Of a second-level cache that holds all constants of the operators here, as they are or transformed. */
#define LARGE_CACHE (1 << 24)

/* Many do where a weight comes from memory each time, or does not stay in the second-level cache. */
static void test_far_weights(void **state)
{
	enum { SAMPLES = 300 };
	struct run r = run_new("conv2d:ic=64,oc=64,h=28,w=28,k=3,p=1");
	struct aim near = aim, cold, small = aim;

	(void)state;
	near.l2_bytes = LARGE_CACHE;
	cold = near;
	cold.cold_weights = true;
	small.l2_bytes = 1 << 16;
	assert_true(count_prefetching(&r, &near, SAMPLES) < SAMPLES / 5);
	assert_true(count_prefetching(&r, &cold, SAMPLES) > SAMPLES / 4);
	assert_true(count_prefetching(&r, &small, SAMPLES) > SAMPLES / 4);
	arena_free(r.a);
}

/* Few samples prefetch what caches hold; most of them can be lowered, and sketches tell their decisions. */
static void test_prefetched_samples(void **state)
{
	enum { SAMPLES = 600 };
	static const char *const sources[] = { "dense:m=64,n=512,k=512", "conv2d:ic=64,oc=64,h=28,w=28,k=3,p=1",
					       "depthwise:c=64,h=28,w=28,k=3,p=1" };
	struct aim one = aim, two;
	struct rng rng = rng_seed(7);

	(void)state;
	one.l2_bytes = LARGE_CACHE;
	two = one;
	two.threads = 2;
	for (size_t k = 0; k < sizeof(sources) / sizeof(*sources); k++) {
		struct run r = run_new(sources[k]);
		const struct aim *as = k ? &two : &one;
		struct sketch_vec sketches = sketches_of(r.a, r.d, as);
		int drawn = 0, lowered = 0;

		for (int i = 0; i < SAMPLES; i++) {
			const struct sketch *sketch = sketches.at[rng_below(&rng, sketches.n)];
			struct genes genes;
			const struct state *s = sample(r.a, r.d, sketch, as, &rng, NULL, NULL);

			if (!s || s->steps.at[s->steps.n - 1].kind != STEP_PREFETCH)
				continue;
			drawn++;
			assert_true(genes_of(r.a, sketch, &s->steps, &genes));
			lowered += lower(r.a, s, aim.target, NULL) != NULL;
		}
		assert_true(drawn > SAMPLES / 50 && drawn < SAMPLES / 5 && lowered > drawn * 3 / 4);
		arena_free(r.a);
	}
}

static bool has_step(const struct step_vec *steps, enum step_kind kind, int stage)
{
	for (int i = 0; i < steps->n; i++)
		if (steps->at[i].kind == kind && (stage < 0 || steps->at[i].stage == stage))
			return true;
	return false;
}

/* Functions behind sums that are derived, which would have been tiled with these, have lanes of their own. */
static void test_functions_behind_derived(void **state)
{
	static const char *const specs[] = {
		"conv2d:ic=16,h=28,w=28,oc=32,k=3,p=1,act=relu",
		"conv2d:ic=16,h=28,w=28,oc=32,k=3,p=1,bias=1,act=relu,layout=nhwc",
		"conv2d:ic=16,h=28,w=28,oc=32,k=3,p=1,bias=1,act=relu,layout=nchw8c",
		"conv2d_transpose:ic=16,h=16,w=16,oc=32,k=4,s=2,p=1,bias=1,act=relu",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct run r = run_new(specs[i]);
		struct sketch_vec sketches = sketches_of(r.a, r.d, &aim);
		int derived = 0;

		for (int j = 0; j < sketches.n; j++) {
			const struct step_vec *steps = &sketches.at[j]->state->steps;

			if (!has_step(steps, STEP_DERIVE, -1))
				continue;
			derived++;
			assert_true(has_step(steps, STEP_VECTORIZE, r.d->ops.n - 1));
		}
		assert_true(derived > 0);
		arena_free(r.a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arranged),
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_diagonal),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_many_reductions),
		cmocka_unit_test(test_panels),
		cmocka_unit_test(test_derived),
		cmocka_unit_test(test_ragged),
		cmocka_unit_test(test_deinterleaved),
		cmocka_unit_test(test_decimated),
		cmocka_unit_test(test_polyphase),
		cmocka_unit_test(test_separable),
		cmocka_unit_test(test_space_to_depth),
		cmocka_unit_test(test_unblocked),
		cmocka_unit_test(test_channels_last),
		cmocka_unit_test(test_functions_behind_derived),
		cmocka_unit_test(test_computed_operands),
		cmocka_unit_test(test_pointwise_operand),
		cmocka_unit_test(test_two_tiles),
		cmocka_unit_test(test_strips),
		cmocka_unit_test(test_streaming),
		cmocka_unit_test(test_streamed_samples),
		cmocka_unit_test(test_pipelined_samples),
		cmocka_unit_test(test_prefetching),
		cmocka_unit_test(test_prefetched_samples),
		cmocka_unit_test(test_far_weights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
