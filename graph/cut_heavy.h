/* SPDX-License-Identifier: Apache-2.0 */
/* graph/cut_heavy.h - what the builders of heavy operators share; for graph/cut_*.c only. */
#ifndef HONE_GRAPH_CUT_HEAVY_H
#define HONE_GRAPH_CUT_HEAVY_H

#include "base/err.h"
#include "graph/cut.h"
#include "graph/infer.h"
#include "te/operator.h"

/* Sets the reason and is NULL. */
#define no_task(...) (err_set(__VA_ARGS__), (struct op *)NULL)

/* One heavy member and what its builder asks for again and again. */
struct heavy {
	struct cut *cut;
	struct infer infer;	/* its call */
	const struct type *in, *out;
	int value, data;	/* data: operand 0, or what its padding pads */
	struct slide window;	/* convolutions and pools */
	bool padded;		/* by a Pad of the group */
};

/* Dim I of a static type. */
static inline int64_t size(const struct type *t, int i)
{
	return t->dim[i].n;
}

static inline void note(struct cut *c, const char *key, int64_t v)
{
	cut_note(c, key, 1, &v);
}

/* Y with the bias that operand I is, or that comes from folding a batch norm. */
struct op *heavy_bias(struct heavy *h, struct op *y, int i, int64_t channels);

struct op *cut_conv(struct heavy *h);
struct op *cut_conv_transpose(struct heavy *h);
struct op *cut_pool(struct heavy *h);
struct op *cut_global_pool(struct heavy *h);

#endif
