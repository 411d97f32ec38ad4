/* SPDX-License-Identifier: Apache-2.0 */
/* tests/graph_fixture.h - graphs built by hand, a call a binding. */
#ifndef HONE_TESTS_GRAPH_FIXTURE_H
#define HONE_TESTS_GRAPH_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/err.h"
#include "graph/infer.h"
#include "graph/op.h"

/* A graph under construction; every helper adds one binding and returns its value. */
struct maker {
	struct arena *a;
	struct graph *g;
};

static inline struct maker maker_new(int opset)
{
	struct arena *a = arena_new();

	return (struct maker){ .a = a, .g = graph_new(a, "test", opset) };
}

static inline int image(struct maker *m, int64_t n, int64_t c, int64_t h, int64_t w)
{
	return function_param(m->a, m->g->main, "x",
			      type_tensor(DTYPE_F32, 4, (int64_t[]){ n, c, h, w }));
}

static inline int weight(struct maker *m, int rank, const int64_t *shape)
{
	struct type t = type_tensor(DTYPE_F32, rank, shape);

	return function_const(m->a, m->g->main, "w", t, arena_alloc(m->a, type_bytes(&t)));
}

static inline int ints(struct maker *m, int n, const int64_t *v)
{
	struct type t = type_tensor(DTYPE_I64, 1, (int64_t[]){ n });

	return function_const(m->a, m->g->main, "i", t, arena_memdup(m->a, v, 8 * (size_t)n));
}

static inline struct attr attr_ints(struct maker *m, const char *name, int n, const int64_t *v)
{
	return (struct attr){ .name = name,
			      .kind = ATTR_INTS,
			      .n = n,
			      .ints = arena_memdup(m->a, v, 8 * (size_t)n) };
}

static inline struct attr attr_int(struct maker *m, const char *name, int64_t v)
{
	struct attr attr = attr_ints(m, name, 1, &v);

	attr.kind = ATTR_INT;
	return attr;
}

static inline int call_with(struct maker *m, const char *op, int nargs, const int *args, int nattrs,
		     const struct attr *attrs)
{
	struct call c = {
		.op = oper_find(op),
		.op_name = op,
		.label = "",
		.args = arena_memdup(m->a, args, sizeof(int) * (size_t)nargs),
		.nargs = nargs,
		.noutputs = 1,
		.attrs = arena_memdup(m->a, attrs, sizeof(*attrs) * (size_t)nattrs),
		.nattrs = nattrs,
	};

	return function_call(m->a, m->g->main, op, c);
}

static inline int call(struct maker *m, const char *op, int nargs, const int *args)
{
	return call_with(m, op, nargs, args, 0, NULL);
}

static inline int unary(struct maker *m, const char *op, int x)
{
	return call(m, op, 1, &x);
}

static inline int binary(struct maker *m, const char *op, int x, int y)
{
	return call(m, op, 2, (int[]){ x, y });
}

static inline int conv(struct maker *m, int x, int64_t outputs, int64_t inputs, int64_t kernel,
		int64_t stride)
{
	int64_t p = kernel / 2;
	int w = weight(m, 4, (int64_t[]){ outputs, inputs, kernel, kernel });
	struct attr attrs[] = {
		attr_ints(m, "pads", 4, (int64_t[]){ p, p, p, p }),
		attr_ints(m, "strides", 2, (int64_t[]){ stride, stride }),
	};

	return call_with(m, "Conv", 2, (int[]){ x, w }, 2, attrs);
}

static inline void finish(struct maker *m, int result)
{
	m->g->main->results = arena_memdup(m->a, &result, sizeof(int));
	m->g->main->nresults = 1;
	if (graph_infer(m->g) < 0)
		fail_msg("%s", err_get());
}

#endif
