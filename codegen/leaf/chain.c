/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/leaf/chain.c - sums, limits, shifts and products with numbers, as instructions have them. */
#include "codegen/leaf/chain.h"

bool vector_has_number(const struct leaf_limits *limits, enum leaf_operation op, int64_t number)
{
	return limits->computes[op] && number >= limits->number_least && number <= limits->number_most;
}

static bool add(struct vector_chain *c, enum leaf_operation op, int destination, int source, int64_t number)
{
	if (c->n == LEAF_VECTOR_OPS || !(source == VECTOR_NUMBER ? vector_has_number(c->limits, op, number) : c->limits->computes[op]))
		return false;
	c->at[c->n++] = (struct leaf_vector){ op, destination, source, (int32_t)number };
	c->written[destination] = true;
	return true;
}

/* The place of LOAD among C's; -1: it is none of sums, there are too many, or it was loaded before: whoever writes in the
 * place of one of two would change the other. */
static int follow_load(struct vector_chain *c, const struct expr *load)
{
	for (int i = 0; i < c->loads; i++)
		if (expr_equal(c->load[i], load))
			return -1;
	if (load->dtype != DTYPE_I32 || c->loads == LEAF_VECTOR_LOADS)
		return -1;
	c->load[c->loads] = load;
	return c->loads++;
}

static bool is_power_of_two(int64_t v, int *exponent)
{
	for (*exponent = 0; *exponent < 31; ++*exponent)
		if (v == INT64_C(1) << *exponent)
			return true;
	return false;
}

static int follow(struct vector_chain *c, const struct expr *e);

/* x / 2^s, rounded down, is a shift; (x + half) / 2^s one that rounds, where there is one. */
static int follow_quotient(struct vector_chain *c, const struct expr *e)
{
	const struct expr *sum = e->arg[0];
	int64_t by, half;
	int shift;

	if (!expr_is_int(e->arg[1], &by) || !is_power_of_two(by, &shift) || shift == 0)
		return -1;
	bool rounds = sum->kind == EXPR_ADD && expr_is_int(sum->arg[1], &half) && half == by / 2 && c->limits->computes[LEAF_SHIFT];
	int x = follow(c, rounds ? sum->arg[0] : sum);

	return x >= 0 && add(c, rounds ? LEAF_SHIFT : LEAF_SHIFT_DOWN, x, VECTOR_NUMBER, shift) ? x : -1;
}

/* Which of two that were loaded takes the result: what was written, else that of which there is more: what is read for
 * many elements of the other stays as it is. */
static bool takes(const struct vector_chain *c, int x, int y)
{
	if (c->written[x] || c->written[y])
		return c->written[x];
	return tensor_count(c->load[x]->tensor) >= tensor_count(c->load[y]->tensor);
}

/* OP, which does not care about the order of its operands. */
static int follow_pair(struct vector_chain *c, const struct expr *e, enum leaf_operation op)
{
	int64_t number;
	bool first = expr_is_int(e->arg[0], &number), any = first || expr_is_int(e->arg[1], &number);
	int x = follow(c, e->arg[first]);

	if (x < 0 || any)
		return x >= 0 && add(c, op, x, VECTOR_NUMBER, number) ? x : -1;
	int y = follow(c, e->arg[1]);

	if (y < 0)
		return -1;
	if (!takes(c, x, y)) {
		int other = x;

		x = y;
		y = other;
	}
	return add(c, op, x, y, 0) ? x : -1;
}

static int follow(struct vector_chain *c, const struct expr *e)
{
	int64_t number;

	switch (e->kind) {
	case EXPR_LOAD:
		return follow_load(c, e);
	case EXPR_ADD:
		return follow_pair(c, e, LEAF_ADD);
	case EXPR_SUB: {
		int x = expr_is_int(e->arg[1], &number) ? follow(c, e->arg[0]) : -1;

		return x >= 0 && add(c, LEAF_ADD, x, VECTOR_NUMBER, -number) ? x : -1;
	}
	case EXPR_MUL:
		return follow_pair(c, e, LEAF_MUL);
	case EXPR_MAX:
		return follow_pair(c, e, LEAF_MAX);
	case EXPR_MIN:
		return follow_pair(c, e, LEAF_MIN);
	case EXPR_DIV:
		return follow_quotient(c, e);
	default:
		return -1;
	}
}

/* Loads I and J of C change places. */
static void exchange(struct vector_chain *c, int i, int j)
{
	const struct expr *load = c->load[i];
	bool written = c->written[i];

	c->load[i] = c->load[j];
	c->written[i] = c->written[j];
	c->load[j] = load;
	c->written[j] = written;
	for (int k = 0; k < c->n; k++) {
		struct leaf_vector *v = &c->at[k];

		v->destination = v->destination == i ? j : v->destination == j ? i : v->destination;
		v->source = v->source == i ? j : v->source == j ? i : v->source;
	}
}

bool vector_chain_of(const struct leaf_limits *limits, const struct expr *e, struct vector_chain *out)
{
	*out = (struct vector_chain){ .limits = limits };
	int root = follow(out, e);

	if (root > 0)
		exchange(out, root, 0);
	return root >= 0;
}

bool vector_reduces(const struct leaf_limits *limits, enum reducer r, enum leaf_operation *out)
{
	switch (r) {
	case REDUCE_SUM:
		*out = LEAF_ADD;
		break;
	case REDUCE_MAX:
		*out = LEAF_MAX;
		break;
	case REDUCE_MIN:
		*out = LEAF_MIN;
		break;
	case REDUCE_NONE:
	case REDUCE_PROD:
		return false;
	}
	return limits->computes[*out];
}
