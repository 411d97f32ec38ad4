/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/group_loops.c - features of the loops around a store, and of its buffer's life. */
#include "costmodel/features/site.h"

/* The loops of one kind. */
struct kind_of_loops {
	int n;
	int first, last;	/* outermost and innermost; -1 where there is none */
	double product;		/* of their extents */
	double reduce;		/* of those of a reduction */
};

static struct kind_of_loops loops_of(const struct site *s, enum annotation annotation)
{
	struct kind_of_loops k = { 0, -1, -1, 1, 1 };

	for (int l = 0; l < s->n_loops; l++) {
		if (s->loops[l].annotation != annotation)
			continue;
		k.first = k.n++ ? k.first : l;
		k.last = l;
		k.product *= s->loops[l].extent;
		k.reduce *= s->loops[l].reduce ? s->loops[l].extent : 1;
	}
	return k;
}

static void fill_vector(const struct site *s, float *row)
{
	if (s->vector < 0)
		return;
	row[FEATURE_VECTOR_LANES] = (float)s->vector_lanes;
	for (int i = 0; i < s->n_accesses; i++)
		switch (s->access[i]->lanes) {
		case LANES_SAME:
			row[FEATURE_VECTOR_SAME]++;
			break;
		case LANES_UNIT:
			row[FEATURE_VECTOR_UNIT]++;
			break;
		case LANES_NEAR:
		case LANES_HALVES:
		case LANES_ACROSS:
		case LANES_APART:
			row[FEATURE_VECTOR_APART]++;
			break;
		}
}

static void fill_unroll(const struct site *s, float *row)
{
	struct kind_of_loops k = loops_of(s, ANNOTATION_UNROLL);

	row[FEATURE_UNROLL_LOOPS] = (float)k.n;
	row[FEATURE_UNROLL_PRODUCT] = (float)k.product;
	row[FEATURE_UNROLL_REDUCE] = (float)k.reduce;
	if (k.n) {
		row[FEATURE_UNROLL_INNER] = (float)s->loops[k.last].extent;
		row[FEATURE_UNROLL_INSIDE] = (float)(s->n_loops - 1 - k.first);
	}
}

static bool shares_loop(const struct site *s, const struct site *before, int loop)
{
	return before && before->n_loops > loop &&
	       before->loops[loop].nest == s->loops[loop].nest;
}

static void fill_parallel(const struct site *s, const struct site *before,
			  const struct aim *d, float *row)
{
	struct kind_of_loops k = loops_of(s, ANNOTATION_PARALLEL);

	row[FEATURE_PARALLEL_LOOPS] = (float)k.n;
	row[FEATURE_PARALLEL_PRODUCT] = (float)k.product;
	row[FEATURE_PARALLEL_BALANCE] = 1.0F / (float)d->threads;
	if (k.n) {
		row[FEATURE_PARALLEL_BALANCE] =
			(float)loop_balance(s->loops[k.first].nest, d->threads);
		row[FEATURE_PARALLEL_OUTSIDE] = (float)k.first;
		if (!shares_loop(s, before, k.first))
			row[FEATURE_PARALLEL_STARTS] = (float)(s->inside[0] / s->inside[k.first]);
	}
}

static void fill_scope(const struct site *s, float *row)
{
	double reduce = 1;

	for (int l = 0; l < s->n_loops; l++)
		reduce *= s->loops[l].reduce ? s->loops[l].extent : 1;
	row[FEATURE_TURNS] = (float)s->turns;
	row[FEATURE_LOOPS] = (float)s->n_loops;
	row[FEATURE_OUTER_PRODUCT] = (float)(s->inside[0] / s->inside[s->body]);
	row[FEATURE_OUTER_LOOPS] = (float)s->body;
	row[FEATURE_REDUCE_PRODUCT] = (float)reduce;
	if (s->body > 0 && s->loops[s->body - 1].reduce)
		row[FEATURE_REDUCE_INNER] = (float)s->loops[s->body - 1].extent;
	row[FEATURE_CONDITIONS] = (float)s->conditions;
	row[FEATURE_TAKEN] = (float)s->taken;
}

static void fill_allocation(const struct site *s, float *row)
{
	const struct buffer *b = s->store->buffer;
	const struct access *x = s->access[0];	/* the store itself comes first */
	double bytes = (double)dtype_bytes(b->tensor.dtype);
	bool vector = site_has_vector(s) && x->lanes == LANES_UNIT;

	row[FEATURE_ALLOC_BYTES] = (float)tensor_bytes(&b->tensor);
	row[FEATURE_ALLOC_LOCAL] = b->kind == BUFFER_LOCAL;
	row[FEATURE_ALLOC_REGISTERS] = buffer_is_near(b);
	row[FEATURE_ALLOC_TIMES] = (float)s->alloc_times;
	row[FEATURE_STORE_LENGTH] = (float)(vector ? s->vector_lanes * bytes : bytes);
}

void features_loops(const struct site *s, const struct site *before, const struct aim *d,
		    float *row)
{
	fill_vector(s, row);
	fill_unroll(s, row);
	fill_parallel(s, before, d, row);
	fill_scope(s, row);
	fill_allocation(s, row);
}
