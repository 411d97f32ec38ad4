/* SPDX-License-Identifier: Apache-2.0 */
/* tests/generator/generator_kernels.h - a graph computed by a code generator of HONE_KERNELS, match by match, with images
 * in each storage that it claims, and by the interpreter. */
#ifndef HONE_TESTS_GENERATOR_GENERATOR_KERNELS_H
#define HONE_TESTS_GENERATOR_GENERATOR_KERNELS_H

#include "tests/generator/generator_check.h"

/* How images that are read are stored, and the one that is made, where their channels can be. */
static const struct generator_storage {
	int in, out;
} generator_storages[] = {
	{ 0, 0 }, { 1, 1 }, { 8, 8 }, { 16, 16 }, { 0, 1 }, { 0, 8 }, { 0, 16 }, { 1, 0 }, { 8, 0 }, { 16, 0 },
};

enum { GENERATOR_STORAGES = sizeof(generator_storages) / sizeof(generator_storages[0]) };

/* A graph, and what each call of it gives. */
struct generator_kernels {
	struct graph_maker *m;
	const struct backend *b;
	const char *name;
	const struct function *f;
	const struct array **want;	/* by value */
	int claimed[GENERATOR_STORAGES];	/* matches */
};

/* Where element I of T, counted as row-major, is in its storage. */
static inline int64_t generator_place(const struct hone_region_tensor *t, int64_t i)
{
	int64_t places = 1, c, n, block = t->channels, place;

	if (block == 0)
		return i;
	for (int d = 2; d < t->rank; d++)
		places *= t->dim[d];
	if (block == 1)
		block = t->dim[1];	/* all of them in one block */
	place = i % places;
	c = i / places % t->dim[1];
	n = i / places / t->dim[1];
	return ((n * (t->dim[1] / block) + c / block) * places + place) * block + c % block;
}

/* CHANNELS where V of F is an image that can be stored so, else 0. */
static inline int stored_channels(const struct function *f, int v, int channels)
{
	const struct type *t = function_at(f, v)->type;
	int64_t dim[GRAPH_MAX_RANK];

	if (t->rank < 3 || t->rank > 5 || channels == 0)
		return 0;
	type_shape(t, dim);
	return dim[1] % channels == 0 ? channels : 0;
}

/* One run of HANDLE, by VIEW, on what the interpreter computed before. */
static inline void check_kernel_run(struct generator_kernels *k, const struct region_view *view, void *handle)
{
	const struct hone_region *r = &view->region;
	const struct hone_region_tensor *y = &r->tensors[r->outputs[0]];
	const void **inputs = arena_many(k->m->a, const void *, r->ninputs);
	int64_t count;

	for (int i = 0; i < r->ninputs; i++) {
		const struct hone_region_tensor *t = &r->tensors[r->inputs[i]];
		float *room = generator_room(t, &count);

		for (int64_t e = 0; e < count; e++)
			room[generator_place(t, e)] =
				((const float *)k->want[view->inputs.at[i]]->data)[e];
		inputs[i] = room;
	}
	float *made = generator_room(y, &count), *got = malloc((size_t)count * sizeof(float));

	assert_non_null(got);
	generator_run(k->b, handle, k->name, inputs, made);
	for (int64_t e = 0; e < count; e++)
		got[e] = made[generator_place(y, e)];
	assert_close(k->name, got, k->want[view->outputs.at[0]]);
	for (int i = 0; i < r->ninputs; i++)
		free((void *)inputs[i]);
	free(made);
	free(got);
}

/* The match C by one thread and by two, twice each, in storage S of generator_storages, where that is claimed:
 * row-major must be. */
static inline void check_kernel(struct generator_kernels *k, const struct flow *flow, const struct claim *c, int s)
{
	int *channels = arena_many(k->m->a, int, k->f->bindings.n), last = c->members.at[c->members.n - 1];
	const struct region_view *view;
	char why[HONE_WHY_BYTES] = "";
	bool other = false;

	for (int v = 0; v < k->f->bindings.n; v++) {
		if (function_at(k->f, v)->kind != BIND_CONST)
			channels[v] = stored_channels(k->f, v, v == last ? generator_storages[s].out
								       : generator_storages[s].in);
	}
	view = region_view_new(k->m->a, flow, region_view_room(k->m->a, k->f), &c->members, channels);
	assert_non_null(view);
	assert_int_equal(view->region.noutputs, 1);
	for (int i = 0; i < view->inputs.n; i++)
		other |= channels[view->inputs.at[i]] != 0;
	if (s > 0 && !other && channels[last] == 0)
		return;			/* no image of it can be stored so */
	if (k->b->generator->claims(&view->region, why) != 0) {
		if (s == 0)
			fail_msg("%s: %s", k->name, why);
		return;
	}
	k->claimed[s]++;
	for (int threads = 1; threads <= 2; threads++) {
		void *handle = NULL;

		if (k->b->generator->init(&view->region, NULL, 0, threads, &handle, why) != 0)
			fail_msg("%s: %s", k->name, why);
		check_kernel_run(k, view, handle);
		check_kernel_run(k, view, handle);
		k->b->generator->release(handle);
	}
}

/* What each value of K's graph is, for some inputs: of a graph made once more, with all calls as results. */
static inline struct value interpret_calls(struct generator_kernels *k, struct graph_maker *m)
{
	struct interp interp = interp_begin(m->a, m->g, interp_usual_limits);
	struct value *args = generator_args(m, 1), out;
	int n = 0;

	k->f = graph_main(m->g);
	k->want = arena_many(m->a, const struct array *, k->f->bindings.n);
	for (int i = 0; i < k->f->nparams; i++)
		k->want[i] = array_hold(args[i].array);
	if (interp_run(&interp, m->g->main, args, k->f->nparams, &out) < 0)
		fail_msg("%s", err_get());
	interp_end(&interp);
	for (int v = 0; v < k->f->bindings.n; v++)
		if (function_at(k->f, v)->kind == BIND_CALL)
			k->want[v] = out.kind == VALUE_ARRAY ? out.array : out.items->at[n++].array;
	return out;
}

static inline void finish_with_calls(struct graph_maker *m)
{
	const struct function *f = graph_main(m->g);
	struct value_vec results = { 0 };

	for (int v = 0; v < f->bindings.n; v++)
		if (function_at(f, v)->kind == BIND_CALL)
			vec_push(m->a, &results, v);
	if (builder_end(&m->b, results.n, results.at) == FUNCTION_NONE)
		fail_msg("%s", err_get());
}

/* All calls of the graph that MAKE makes are claimed by B, match by match, and computed as the interpreter
 * does. How many matches were claimed in each storage. */
static inline struct generator_kernels check_kernels(int (*make)(struct graph_maker *m), const struct backend *b,
						     const char *name)
{
	struct graph_maker m = graph_maker_new(), whole = graph_maker_new();
	struct generator_kernels k = { .m = &m, .b = b, .name = name };

	finish(&m, make(&m));
	make(&whole);
	finish_with_calls(&whole);
	struct value all = interpret_calls(&k, &whole);
	const char *not = unclaimed(&m, b);

	if (not)
		fail_msg("%s: %s", name, not);
	struct flow flow = flow_new(m.a, graph_main(m.g));
	struct claims c = claims_find(m.a, b, &flow, arena_many(m.a, bool, k.f->bindings.n));

	for (int i = 0; i < c.at.n; i++)
		for (int s = 0; s < GENERATOR_STORAGES; s++)
			check_kernel(&k, &flow, &c.at.at[i], s);
	for (int i = 0; i < k.f->nparams; i++)
		array_release(k.want[i]);
	value_release(all);
	arena_free(whole.a);
	arena_free(m.a);
	return k;
}

#endif
