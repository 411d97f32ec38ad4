/* SPDX-License-Identifier: Apache-2.0 */
/* tests/graph_fixture.h - graphs made by hand: one main function, binding by binding. */
#ifndef HONE_TESTS_GRAPH_FIXTURE_H
#define HONE_TESTS_GRAPH_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/rng.h"
#include "graph/build/build.h"
#include "graph/pass/pass.h"

struct graph_maker {
	struct arena *a;
	struct graph *g;
	struct builder b;
	struct rng rng;
};

static inline struct graph_maker graph_maker_new(void)
{
	struct graph_maker m = { .a = arena_new(), .rng = rng_seed(1) };

	m.g = graph_new(m.a, "test");
	m.b = builder_begin(m.g, "main");
	m.g->main = m.b.index;
	return m;
}

#define DIMS(...)                                                                                  \
	(int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), (int64_t[]) { __VA_ARGS__ }

/* An input of f32. */
static inline int input_of(struct graph_maker *m, int rank, const int64_t *dim)
{
	return build_param(&m->b, "", type_shaped(m->a, ELEMENT_F32, rank, dim));
}

/* A constant of f32 with elements in [0.5, 1.5). */
static inline int weight_of(struct graph_maker *m, int rank, const int64_t *dim)
{
	struct array *x = array_in(m->a, ELEMENT_F32, rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(ELEMENT_F32, x->data, i, 0.5 + rng_unit(&m->rng));
	return build_const(&m->b, x);
}

#define input(m, ...)  input_of(m, DIMS(__VA_ARGS__))
#define weight(m, ...) weight_of(m, DIMS(__VA_ARGS__))

/* A convolution with K x K taps, padded by P. */
static inline int conv(struct graph_maker *m, int x, int64_t ic, int64_t oc, int64_t k, int64_t p)
{
	struct attr_vec attrs = { 0 };

	attrs_ints(m->a, &attrs, "pads", 4, (int64_t[]){ p, p, p, p });
	return build_with(&m->b, &core_conv, &attrs, x, weight(m, oc, ic, k, k));
}

/* Scale and shift of C channels, as a batch norm comes to. */
static inline int norm(struct graph_maker *m, int x, int64_t c)
{
	return build(&m->b, &core_add, build(&m->b, &core_mul, x, weight(m, 1, c, 1, 1)),
		     weight(m, 1, c, 1, 1));
}

/* Ends main. */
static inline void finish(struct graph_maker *m, int result)
{
	if (builder_end(&m->b, 1, &result) == FUNCTION_NONE)
		fail_msg("%s", err_get());
}

/* The graph after all passes up to and with LAST. */
static inline struct graph *passed(struct graph_maker *m, const char *last)
{
	struct graph *g = graph_passes(m->a, m->g, last);

	if (!g)
		fail_msg("%s", err_get());
	return g;
}

#endif
