/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/vector.c - sums, limits, shifts and products with numbers, as instructions have them. */
#include "codegen/vdla/vector.h"

enum { NUMBER_LEAST = -32768, NUMBER_MOST = 32767 };

struct vector_making {
	struct leaf_vector *out;
	int n, most;
	const struct expr **sources;
	int n_sources, most_sources, first;
};

static bool add(struct vector_making *c, enum vdla_alu op, int source, int64_t number)
{
	if (c->n == c->most || number < NUMBER_LEAST || number > NUMBER_MOST)
		return false;
	c->out[c->n++] = (struct leaf_vector){ op, source, (int32_t)number };
	return true;
}

/* The operand that LOAD, of accumulators, is; -1: there are too many. */
static int source_of(struct vector_making *c, const struct expr *load)
{
	for (int i = 0; i < c->n_sources; i++)
		if (expr_equal(c->sources[i], load))
			return c->first + i;
	if (c->n_sources == c->most_sources)
		return -1;
	c->sources[c->n_sources] = load;
	return c->first + c->n_sources++;
}

static bool is_power_of_two(int64_t v, int *exponent)
{
	for (*exponent = 0; *exponent < 31; ++*exponent)
		if (v == INT64_C(1) << *exponent)
			return true;
	return false;
}

static const struct expr *follow(struct vector_making *c, const struct expr *e);

/* (x + half) / 2^s, rounded down, is a shift that rounds. */
static const struct expr *follow_quotient(struct vector_making *c, const struct expr *e)
{
	const struct expr *sum = e->arg[0], *load;
	int64_t by, half;
	int shift;

	if (!expr_is_int(e->arg[1], &by) || !is_power_of_two(by, &shift) || shift == 0 || sum->kind != EXPR_ADD ||
	    !expr_is_int(sum->arg[1], &half) || half != by / 2)
		return NULL;
	load = follow(c, sum->arg[0]);
	return load && add(c, VDLA_SHIFT, 0, shift) ? load : NULL;
}

static const struct expr *follow_pair(struct vector_making *c, const struct expr *e, enum vdla_alu op)
{
	const struct expr *x = e->arg[0], *y = e->arg[1], *load;
	int64_t number;
	/* What is computed with takes the result; what is read for many of its elements stays as it is. */
	bool turned = x->kind == EXPR_LOAD && y->kind == EXPR_LOAD && tensor_count(x->tensor) < tensor_count(y->tensor);

	if (turned || expr_is_int(x, &number) || (x->kind == EXPR_LOAD && y->kind != EXPR_LOAD && !expr_is_int(y, &number))) {
		x = e->arg[1];
		y = e->arg[0];
	}
	load = follow(c, x);
	if (!load)
		return NULL;
	if (expr_is_int(y, &number))
		return add(c, op, 0, number) ? load : NULL;
	int source = y->kind == EXPR_LOAD && y->dtype == DTYPE_I32 ? source_of(c, y) : -1;

	return source >= 0 && add(c, op, source, 0) ? load : NULL;
}

static const struct expr *follow(struct vector_making *c, const struct expr *e)
{
	int64_t number;

	switch (e->kind) {
	case EXPR_LOAD:
		return e->dtype == DTYPE_I32 ? e : NULL;
	case EXPR_ADD:
		return follow_pair(c, e, VDLA_ADD);
	case EXPR_SUB: {
		const struct expr *load = expr_is_int(e->arg[1], &number) ? follow(c, e->arg[0]) : NULL;

		return load && add(c, VDLA_ADD, 0, -number) ? load : NULL;
	}
	case EXPR_MUL:
		return follow_pair(c, e, VDLA_MUL);
	case EXPR_MAX:
		return follow_pair(c, e, VDLA_MAX);
	case EXPR_MIN:
		return follow_pair(c, e, VDLA_MIN);
	case EXPR_DIV:
		return follow_quotient(c, e);
	default:
		return NULL;
	}
}

const struct expr *vector_chain(const struct expr *e, struct leaf_vector *out, int *n, int most,
				const struct expr **sources, int *source_count, int first)
{
	struct vector_making c = { .out = out, .most = most, .sources = sources, .most_sources = *source_count, .first = first };
	const struct expr *load = follow(&c, e);

	*n = c.n;
	*source_count = c.n_sources;
	return load;
}
