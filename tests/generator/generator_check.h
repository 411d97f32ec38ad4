/* SPDX-License-Identifier: Apache-2.0 */
/* tests/generator/generator_check.h - a graph computed by a code generator as one region, and by the interpreter. */
#ifndef HONE_TESTS_GENERATOR_GENERATOR_CHECK_H
#define HONE_TESTS_GENERATOR_GENERATOR_CHECK_H

#include "tests/fixture/run_fixture.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "partition/claim.h"
#include "partition/view.h"

/* How far a result may be off, of the greatest one: sums of some hundred terms in another order, or of
 * transforms as Winograd's. */
#define GENERATOR_BOUND 1e-4

/* All calls of M's main that are needed, as one region, whose images lie as CHANNELS says, by value (NULL:
 * row-major). */
static inline const struct region_view *stored_view(struct graph_maker *m, const int *channels)
{
	const struct function *f = graph_main(m->g);
	struct flow flow = flow_new(m->a, f);
	struct value_vec members = { 0 };

	for (int v = f->nparams; v < f->bindings.n; v++)
		if (flow.needed[v] && function_at(f, v)->kind == BIND_CALL)
			vec_push(m->a, &members, v);
	return region_view_new(m->a, &flow, region_view_room(m->a, f), &members, channels);
}

static inline const struct region_view *whole_view(struct graph_maker *m)
{
	return stored_view(m, NULL);
}

/* Does B claim all calls of M's main, pattern by pattern? Else why not. */
static inline const char *unclaimed(struct graph_maker *m, const struct backend *b)
{
	const struct function *f = graph_main(m->g);
	struct flow flow = flow_new(m->a, f);
	bool *claimed = arena_many(m->a, bool, f->bindings.n);
	struct claims c = claims_find(m->a, b, &flow, arena_many(m->a, bool, f->bindings.n));

	for (int i = 0; i < c.at.n; i++)
		for (int k = 0; k < c.at.at[i].members.n; k++)
			claimed[c.at.at[i].members.at[k]] = true;
	for (int v = f->nparams; v < f->bindings.n; v++)
		if (flow.needed[v] && function_at(f, v)->kind == BIND_CALL && !claimed[v])
			return c.why[v] ? c.why[v] : "no pattern matches";
	return NULL;
}

/* What compile is given to write to a struct text. */
static inline void generator_write(void *sink, const void *bytes, size_t n)
{
	text_putn(sink, bytes, n);
}

/* What B compiles of VIEW, to be freed. */
static inline struct text generator_artifact(const struct backend *b, const struct region_view *view)
{
	struct text out = { 0 };
	char why[HONE_WHY_BYTES] = "";

	if (b->generator->compile(&view->region, generator_write, &out, why) != 0)
		fail_msg("%s", why);
	return out;
}

/* Arguments of main that depend on SEED, in the order of its parameters. */
static inline struct value *generator_args(struct graph_maker *m, uint64_t seed)
{
	const struct function *f = graph_main(m->g);
	struct value *args = arena_many(m->a, struct value, f->nparams);
	struct rng rng = rng_seed(seed);

	for (int i = 0; i < f->nparams; i++)
		args[i] = value_of_array(random_input(f->bindings.at[i].type, &rng));
	return args;
}

static inline void assert_close(const char *name, const float *got, const struct array *want)
{
	const float *w = want->data;
	double most = 0;

	for (int64_t i = 0; i < want->count; i++)
		most = fabs((double)w[i]) > most ? fabs((double)w[i]) : most;
	for (int64_t i = 0; i < want->count; i++)
		if (!(fabs((double)got[i] - (double)w[i]) <= GENERATOR_BOUND * (most > 1 ? most : 1)))
			fail_msg("%s: element %lld of %lld is %g instead of %g", name, (long long)i,
				 (long long)want->count, (double)got[i], (double)w[i]);
}

static inline float *generator_room(const struct hone_region_tensor *t, int64_t *count)
{
	float *out;

	*count = 1;
	for (int i = 0; i < t->rank; i++)
		*count *= t->dim[i];
	out = aligned_alloc(64, ((size_t)*count * sizeof(float) + 63) / 64 * 64);
	assert_non_null(out);
	for (int64_t i = 0; i < *count; i++)
		out[i] = NAN;
	return out;
}

/* VIEW compiled, where B compiles anything, and made ready. */
static inline int generator_prepare(const struct backend *b, const struct region_view *view, int threads,
				    void **handle, char *why)
{
	const struct hone_generator *g = b->generator;
	struct text artifact = { 0 };
	int rc = g->compile ? g->compile(&view->region, generator_write, &artifact, why) : 0;

	if (rc == 0)
		rc = g->init(&view->region, artifact.s, artifact.n, threads, handle, why);
	text_free(&artifact);
	return rc;
}

struct generator_turn {
	const struct hone_generator *g;
	void *handle;
	const void *const *inputs;
	void *output;
	char why[HONE_WHY_BYTES];
	int rc;
};

static inline void *generator_take_turn(void *turn)
{
	struct generator_turn *t = turn;

	t->rc = t->g->run(t->handle, t->inputs, &t->output, t->why);
	return NULL;
}

/* HANDLE of B computes OUTPUT, in a thread that did not make it. Under ASan in this one: at its end LeakSanitizer
 * stops at what a thread leaves that had OpenMP's threads. */
static inline void generator_run(const struct backend *b, void *handle, const char *name,
				 const void *const *inputs, void *output)
{
	struct generator_turn turn = { b->generator, handle, inputs, output, "", 0 };
#ifdef __SANITIZE_ADDRESS__
	generator_take_turn(&turn);
#else
	pthread_t other;

	assert_int_equal(pthread_create(&other, NULL, generator_take_turn, &turn), 0);
	pthread_join(other, NULL);
#endif
	if (turn.rc != 0)
		fail_msg("%s: %s", name, turn.why);
}

/* One run of HANDLE, on inputs that depend on SEED. */
static inline void check_run(struct graph_maker *m, const struct backend *b, const struct region_view *view,
			     void *handle, const char *name, uint64_t seed)
{
	const struct hone_region *r = &view->region;
	struct interp interp = interp_begin(m->a, m->g, interp_usual_limits);
	struct value *args = generator_args(m, seed), want;
	const void **inputs = arena_many(m->a, const void *, r->ninputs);
	int64_t count;
	float *got = generator_room(&r->tensors[r->outputs[0]], &count);

	for (int i = 0; i < r->ninputs; i++) {
		const struct array *x = args[view->inputs.at[i]].array;
		float *room = generator_room(&r->tensors[r->inputs[i]], &count);

		inputs[i] = memcpy(room, x->data, (size_t)count * sizeof(float));
	}
	generator_run(b, handle, name, inputs, got);
	if (interp_run(&interp, m->g->main, args, graph_main(m->g)->nparams, &want) < 0)
		fail_msg("%s", err_get());
	interp_end(&interp);
	assert_close(name, got, want.array);
	array_release(want.array);
	for (int i = 0; i < r->ninputs; i++)
		free((void *)inputs[i]);
	free(got);
}

/* M's main, finished, is claimed by B, and as one region computed as the interpreter does: by one thread and
 * by two, twice each. */
static inline void check_generator(struct graph_maker *m, const struct backend *b, const char *name)
{
	const struct region_view *view = whole_view(m);
	const char *not = unclaimed(m, b);
	char why[HONE_WHY_BYTES] = "";

	assert_non_null(view);
	if (not)
		fail_msg("%s: %s", name, not);
	assert_int_equal(view->region.noutputs, 1);
	for (int threads = 1; threads <= 2; threads++) {
		void *handle = NULL;

		if (generator_prepare(b, view, threads, &handle, why) != 0)
			fail_msg("%s: %s", name, why);
		check_run(m, b, view, handle, name, 1);
		check_run(m, b, view, handle, name, 2);
		b->generator->release(handle);
	}
}

/* B refuses M's main, finished, as a claim and when it is to be made ready, with a reason that has SAYS; where
 * that is NULL, no pattern of it matches. */
static inline void check_refusal(struct graph_maker *m, const struct backend *b, const char *name, const char *says)
{
	const struct region_view *view = whole_view(m);
	char why[HONE_WHY_BYTES] = "";
	void *handle = NULL;

	assert_non_null(view);
	if (!says) {
		assert_string_equal(unclaimed(m, b), "no pattern matches");
		return;
	}
	assert_int_not_equal(b->generator->claims(&view->region, why), 0);
	if (!strstr(why, says))
		fail_msg("%s: '%s' says nothing of '%s'", name, why, says);
	assert_int_not_equal(b->generator->init(&view->region, NULL, 0, 1, &handle, why), 0);
}

#endif
