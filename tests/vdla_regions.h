/* SPDX-License-Identifier: Apache-2.0 */
/* tests/vdla_regions.h - graphs of integers as `hone quantize --integers-only` writes them, and what the generator vdla
 * computes of them against the interpreter, to the bit. */
#ifndef HONE_TESTS_VDLA_REGIONS_H
#define HONE_TESTS_VDLA_REGIONS_H

#include "tests/generator/generator_check.h"

#include "base/integer.h"

/* --- graphs */

#define image(m, ...) build_param(&(m)->b, "", type_shaped((m)->a, ELEMENT_I8, DIMS(__VA_ARGS__)))
#define sums(m, ...) build_param(&(m)->b, "", type_shaped((m)->a, ELEMENT_I32, DIMS(__VA_ARGS__)))

/* A constant of integers in [LOW, HIGH]. */
static inline int integers(struct graph_maker *m, enum element e, int64_t low, int64_t high, int rank, const int64_t *dim)
{
	struct array *x = array_in(m->a, e, rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(e, x->data, i, (double)(low + rng_below(&m->rng, high - low + 1)));
	return build_const(&m->b, x);
}

static inline int number(struct graph_maker *m, int64_t v)
{
	return build_scalar(&m->b, ELEMENT_I32, (double)v);
}

static inline int64_t extent(const struct graph_maker *m, int x, int i)
{
	return build_type(&m->b, x)->dim[i].n;
}

static inline int cast_to(struct graph_maker *m, int x, enum element e)
{
	struct attr_vec attrs = { 0 };

	attrs_element(m->a, &attrs, "to", e);
	return build_with(&m->b, &core_cast, &attrs, x);
}

/* Windows of two dims; what is 0 is left out. */
struct windows {
	int64_t kernel[2], pads[4], strides[2], dilations[2], groups;
};

static inline struct attr_vec window_attrs(struct graph_maker *m, const struct windows *w)
{
	struct attr_vec attrs = { 0 };

	attrs_ints(m->a, &attrs, "pads", 4, w->pads);
	if (w->strides[0])
		attrs_ints(m->a, &attrs, "strides", 2, w->strides);
	if (w->dilations[0])
		attrs_ints(m->a, &attrs, "dilations", 2, w->dilations);
	if (w->groups)
		attrs_int(m->a, &attrs, "groups", w->groups);
	return attrs;
}

/* Sums of 32 bits for OC channels. */
static inline int conv_sums(struct graph_maker *m, int x, int64_t oc, struct windows w)
{
	struct attr_vec attrs = window_attrs(m, &w);
	int64_t ic = extent(m, x, 1) / (w.groups ? w.groups : 1);

	return build_with(&m->b, &core_conv, &attrs, x,
			  integers(m, ELEMENT_I8, -127, 127, DIMS(oc, ic, w.kernel[0], w.kernel[1])));
}

static inline int max_pool_of(struct graph_maker *m, int x, struct windows w)
{
	struct attr_vec attrs = window_attrs(m, &w);

	attrs_ints(m->a, &attrs, "kernel", 2, w.kernel);
	return build_with(&m->b, &core_max_pool, &attrs, x);
}

/* N zeros, or what VALUE is, around the pixels of X. */
static inline int padded(struct graph_maker *m, int x, int64_t n, int value)
{
	return build(&m->b, &core_pad, x, build_ints(&m->b, 8, (int64_t[]){ 0, 0, n, n, 0, 0, n, n }), value);
}

/* A constant for each channel of X. */
static inline int channels(struct graph_maker *m, int x, int64_t low, int64_t high)
{
	bool rows = build_type(&m->b, x)->rank == 2;

	return integers(m, ELEMENT_I32, low, high, rows ? 1 : 3, (int64_t[]){ extent(m, x, 1), 1, 1 });
}

/* Z times 1 to 7, and a bias. */
static inline int scaled(struct graph_maker *m, int z)
{
	z = build(&m->b, &core_mul, z, channels(m, z, 1, 7));
	return build(&m->b, &core_add, z, channels(m, z, -100000, 100000));
}

/* Z / 2^SHIFT within [LOW, HIGH]. */
static inline int to_bytes(struct graph_maker *m, int z, int shift, int64_t low, int64_t high)
{
	z = build(&m->b, &core_shift_right, z, number(m, shift));
	return cast_to(m, build(&m->b, &core_clip, z, number(m, low), number(m, high)), ELEMENT_I8);
}

/* The shift that makes bytes of sums of so many products, times 4: products are some 2^12. */
static inline int shift_for(int64_t products)
{
	int shift = 8;

	for (; products > 3; products /= 4)
		shift++;
	return shift;
}

/* Bytes of a convolution. */
static inline int conv_bytes(struct graph_maker *m, int x, int64_t oc, struct windows w)
{
	int64_t products = extent(m, x, 1) / (w.groups ? w.groups : 1) * w.kernel[0] * w.kernel[1];

	return to_bytes(m, scaled(m, conv_sums(m, x, oc, w)), shift_for(products), -128, 127);
}

/* Bytes as sums, times FACTOR. */
static inline int widened(struct graph_maker *m, int x, int64_t factor)
{
	return build(&m->b, &core_mul, cast_to(m, x, ELEMENT_I32), number(m, factor));
}

static inline int add_of(struct graph_maker *m, int x, int y)
{
	return build(&m->b, &core_add, x, y);
}

/* X's pixels summed. */
static inline int pixel_sums(struct graph_maker *m, int x)
{
	return build(&m->b, &core_reduce_sum, cast_to(m, x, ELEMENT_I32), build_ints(&m->b, 2, (int64_t[]){ 2, 3 }));
}

static inline int flattened(struct graph_maker *m, int x)
{
	int64_t n = extent(m, x, 1) * extent(m, x, 2) * extent(m, x, 3);

	return build(&m->b, &core_reshape, x, build_ints(&m->b, 2, (int64_t[]){ extent(m, x, 0), n }));
}

static inline int dense_sums(struct graph_maker *m, int x, int64_t classes)
{
	int z = build(&m->b, &core_matmul, x, integers(m, ELEMENT_I8, -127, 127, DIMS(extent(m, x, 1), classes)));

	return add_of(m, z, channels(m, z, -1000, 1000));
}

static inline int joined_along(struct graph_maker *m, int64_t axis, int n, const int *x)
{
	struct attr_vec attrs = { 0 };

	attrs_int(m->a, &attrs, "axis", axis);
	return build_call(&m->b, &core_concat, n, x, &attrs);
}

#define joined(m, ...) joined_along(m, 1, (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })

static inline void finish_with(struct graph_maker *m, int n, const int *results)
{
	if (builder_end(&m->b, n, results) == FUNCTION_NONE)
		fail_msg("%s", err_get());
}

/* --- runs */

/* Integers of the whole range. */
static inline struct value random_integers(struct arena *a, const struct type *t, struct rng *rng)
{
	int64_t dim[GRAPH_MAX_RANK], half = t->element == ELEMENT_I8 ? 128 : INT64_C(1) << 31;

	type_shape(t, dim);
	struct array *x = array_in(a, t->element, t->rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(t->element, x->data, i, (double)(rng_below(rng, 2 * half) - half));
	return value_of_array(x);
}

/* Bytes of T in a row, with nothing behind them. */
static inline void *room_of(const struct hone_region_tensor *t, size_t *bytes)
{
	*bytes = t->type == HONE_I8 ? 1 : 4;
	for (int i = 0; i < t->rank; i++)
		*bytes *= (size_t)t->dim[i];
	void *p = malloc(*bytes);

	assert_non_null(p);
	return memset(p, 0x5a, *bytes);
}

/* Result V of main, of which WANT is what main gives. */
static inline const struct array *result_of(const struct function *f, int v, const struct value *want)
{
	for (int i = 0; i < f->nresults; i++)
		if (f->results[i] == v)
			return f->nresults > 1 ? want->items->at[i].array : want->array;
	fail_msg("value %d is no result", v);
	return NULL;
}

/* One run of HANDLE on inputs that depend on SEED. */
static inline void check_bits(struct graph_maker *m, const struct backend *b, const struct region_view *view, void *handle,
			      const char *name, uint64_t seed)
{
	const struct hone_region *r = &view->region;
	const struct function *f = graph_main(m->g);
	struct interp interp = interp_begin(m->a, m->g, interp_usual_limits);
	struct value *args = arena_many(m->a, struct value, f->nparams + 1), want;
	void **in = arena_many(m->a, void *, r->ninputs + 1), **out = arena_many(m->a, void *, r->noutputs);
	char why[HONE_WHY_BYTES] = "";
	struct rng rng = rng_seed(seed);
	size_t bytes;

	for (int i = 0; i < f->nparams; i++)
		args[i] = random_integers(m->a, f->bindings.at[i].type, &rng);
	for (int i = 0; i < r->ninputs; i++) {
		in[i] = room_of(&r->tensors[r->inputs[i]], &bytes);
		memcpy(in[i], args[view->inputs.at[i]].array->data, bytes);
	}
	for (int i = 0; i < r->noutputs; i++)
		out[i] = room_of(&r->tensors[r->outputs[i]], &bytes);
	if (b->generator->run(handle, (const void *const *)in, out, why) != 0)
		fail_msg("%s: %s", name, why);
	if (interp_run(&interp, m->g->main, args, f->nparams, &want) < 0)
		fail_msg("%s", err_get());
	interp_end(&interp);
	for (int i = 0; i < r->noutputs; i++) {
		const struct array *w = result_of(f, view->outputs.at[i], &want);

		if (memcmp(out[i], w->data, array_bytes(w)) != 0)
			fail_msg("%s: result %d is not the interpreter's", name, i);
		free(out[i]);
	}
	for (int i = 0; i < r->ninputs; i++)
		free(in[i]);
	value_release(want);
}

/* M's main, finished, is claimed by B, and as one region computed as the interpreter does, twice. */
static inline void check_vdla_region(struct graph_maker *m, const struct backend *b, const char *name)
{
	const struct region_view *view = whole_view(m);
	const char *not = unclaimed(m, b);
	char why[HONE_WHY_BYTES] = "";
	void *handle = NULL;

	if (!view || not)
		fail_msg("%s: %s", name, not);
	if (generator_prepare(b, view, 1, &handle, why) != 0)
		fail_msg("%s: %s", name, why);
	check_bits(m, b, view, handle, name, 1);
	check_bits(m, b, view, handle, name, 2);
	b->generator->release(handle);
}

#endif
