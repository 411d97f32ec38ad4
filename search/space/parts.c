/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/parts.c - where a DAG is cut, and the DAGs that come of it. */
#include "search/space/parts.h"

#include <math.h>

#include "search/space/sketch.h"

/* A run of a DAG's computations on its way to be a part. */
struct part_maker {
	const struct dag *whole;
	struct dag *dag;	/* the part */
	int first, last;	/* ops of the whole: those that compute between these are inside */
	bool *read;		/* by op of the whole: inside */
	bool *passed_on;	/* the same: outside, or it is an output */
	struct op **made;	/* the same: its op in the part */
};

static bool is_inside(const struct part_maker *c, int i)
{
	return i >= c->first && i <= c->last && c->whole->ops.at[i]->kind == OP_COMPUTE;
}

/* The ops that a body loads. */
struct load_marker {
	const struct dag *dag;
	bool *mark;	/* by op */
};

static bool mark_load(const struct expr *e, void *user)
{
	const struct load_marker *m = user;

	if (e->kind == EXPR_LOAD)
		m->mark[dag_position(m->dag, e->tensor)] = true;
	return true;
}

static const struct expr *load_made(struct arena *a, const struct expr *e, void *user)
{
	const struct part_maker *c = user;
	const struct expr *index[TENSOR_MAX_DIMS];

	if (e->kind != EXPR_LOAD)
		return NULL;
	for (int i = 0; i < e->tensor->ndim; i++)
		index[i] = expr_rewrite(a, e->index[i], load_made, user);
	return expr_load(a, &c->made[dag_position(c->whole, e->tensor)]->tensor, index);
}

static struct op *add_input(struct part_maker *c, const struct op *op)
{
	const struct tensor *t = &op->tensor;

	return dag_input(c->dag, t->name, t->dtype, t->ndim, t->shape, op->kind == OP_CONST);
}

static struct op *add_compute(struct part_maker *c, const struct op *op)
{
	struct op *made = dag_reduce(c->dag, op->tensor.name, op->space, op->tensor.ndim, op->reducer, op->reduce,
				     op->nreduce, expr_rewrite(c->dag->arena, op->body, load_made, c));

	return made;
}

static void find_uses(struct part_maker *c)
{
	for (int i = 0; i < c->whole->ops.n; i++) {
		const struct op *op = c->whole->ops.at[i];
		struct load_marker m = { c->whole, is_inside(c, i) ? c->read : c->passed_on };

		c->passed_on[i] |= op->output;
		if (op->kind == OP_COMPUTE)
			expr_visit(op->body, mark_load, &m);
	}
}

/* Where the ops of a part stand: as in the whole, or with what other parts give it before its constants, as an operator alone has them
 * wherever the whole names those. */
enum part_order { ORDER_OF_WHOLE, COMPUTED_FIRST, PART_ORDERS };

static bool is_given_first(const struct part_maker *c, int i, enum part_order order)
{
	return order == COMPUTED_FIRST && c->read[i] && !is_inside(c, i) && c->whole->ops.at[i]->kind == OP_COMPUTE;
}

/* Do ops stand in ORDER as they do in none before it? */
static bool is_another_order(const struct part_maker *c, enum part_order order)
{
	bool others = false, another = false;

	for (int i = 0; i <= c->last; i++)
		if (is_given_first(c, i, order))
			another |= others;
		else
			others |= is_inside(c, i) || c->read[i];
	return order == ORDER_OF_WHOLE || another;
}

/* Op I; OP gets its number. */
static void add(struct part_maker *c, int i, int *op)
{
	const struct op *from = c->whole->ops.at[i];

	op[c->dag->ops.n] = i;
	c->made[i] = is_inside(c, i) ? add_compute(c, from) : add_input(c, from);
	c->made[i]->output = is_inside(c, i) && c->passed_on[i];
}

/* The part that computes FIRST to LAST, in ORDER; false where that is no DAG, or none that another order does not give. */
static bool cut(struct arena *a, const struct dag *whole, int first, int last, enum part_order order, struct dag_part *out)
{
	int n = whole->ops.n;
	int *op = arena_many(a, int, n);
	struct part_maker c = { whole, dag_new(a, whole->name), first, last, arena_many(a, bool, n),
				arena_many(a, bool, n), arena_many(a, struct op *, n) };

	find_uses(&c);
	if (!is_another_order(&c, order))
		return false;
	for (int i = 0; i <= last; i++)
		if (is_given_first(&c, i, order))
			add(&c, i, op);
	for (int i = 0; i <= last; i++)
		if (is_inside(&c, i) || (c.read[i] && !is_given_first(&c, i, order)))
			add(&c, i, op);
	*out = (struct dag_part){ c.dag, op };
	return dag_freeze(c.dag) == 0;
}

/* Where a run of computations may end, by op: outputs, what a reduction gives with the functions behind it, and
 * what it reads. */
static bool *find_ends(struct arena *a, const struct dag *dag)
{
	const struct state *s = state_new(a, dag);
	bool *is_end = arena_many(a, bool, dag->ops.n);
	struct load_marker m = { dag, is_end };

	for (int i = 0; i < dag->ops.n; i++) {
		is_end[i] |= dag->ops.at[i]->output;
		if (!op_is_reduction(dag->ops.at[i]))
			continue;
		is_end[fusible_end(s, i)] = true;
		expr_visit(dag->ops.at[i]->body, mark_load, &m);
	}
	for (int i = 0; i < dag->ops.n; i++)
		is_end[i] &= dag->ops.at[i]->kind == OP_COMPUTE;
	return is_end;
}

static int count_reductions(const struct dag *dag)
{
	int n = 0;

	for (int i = 0; i < dag->ops.n; i++)
		n += op_is_reduction(dag->ops.at[i]);
	return n;
}

/* The least that all up to an op takes. */
struct covered {
	double us;
	struct dag_part part;	/* the last one */
	int from;		/* what is before that ends there; -1: nothing is */
};

/* The parts that end at op LAST, the best of them with what is before it; INFINITY where there is none. All of DAG, to
 * its END, is none. */
static struct covered cover_up_to(struct arena *a, const struct dag *dag, const struct covered *before, int last,
				  int end, part_price *price, void *ctx)
{
	struct covered best = { .us = INFINITY };

	for (int k = 0; k < PART_ORDERS * (last + 1); k++) {
		int from = last - 1 - k / PART_ORDERS;
		double us = from < 0 ? 0 : before[from].us;
		struct dag_part part;

		if (us >= best.us || (from < 0 && last == end) || !cut(a, dag, from + 1, last, (enum part_order)(k % PART_ORDERS), &part))
			continue;
		us += price(ctx, &part);
		if (us < best.us)
			best = (struct covered){ us, part, from };
	}
	return best;
}

static void list(struct arena *a, const struct covered *up_to, int last, struct dag_part_vec *out)
{
	if (last < 0)
		return;
	list(a, up_to, up_to[last].from, out);
	vec_push(a, out, up_to[last].part);
}

struct dag_part_vec parts_of(struct arena *a, const struct dag *dag, part_price *price, void *ctx)
{
	struct covered *up_to = arena_many(a, struct covered, dag->ops.n);
	struct dag_part_vec parts = { 0 };
	const bool *is_end = find_ends(a, dag);
	int end = dag->ops.n - 1;

	if (count_reductions(dag) < 2)
		return parts;
	while (!is_end[end])
		end--;
	for (int i = 0; i <= end; i++)
		up_to[i] = is_end[i] ? cover_up_to(a, dag, up_to, i, end, price, ctx)
				     : (struct covered){ .us = INFINITY };
	if (up_to[end].us < INFINITY)
		list(a, up_to, end, &parts);
	return parts;
}

/* Squares are none: those of a norm are summed beside its mean. */
static bool sums_products(const struct op *op)
{
	const struct expr *e = op->body;

	return op_is_reduction(op) && op->reducer == REDUCE_SUM && e->kind == EXPR_MUL && e->arg[0]->loads && e->arg[1]->loads &&
	       !expr_equal(e->arg[0], e->arg[1]);
}

/* A sum of products alone, or reductions of other kinds, with their functions. */
static bool is_one(const struct dag *dag)
{
	int n = count_reductions(dag), products = 0;

	for (int i = 0; i < dag->ops.n; i++)
		products += sums_products(dag->ops.at[i]);
	return n > 0 && (products == 0 || n == 1);
}

/* What a reduction reads, an image with a border, is computed with it rather than behind what is before, as in an operator alone. */
#define WITH_READER 0.9

static double price_alike(void *ctx, const struct dag_part *part)
{
	int first = 0;

	(void)ctx;
	while (part->dag->ops.at[first]->kind != OP_COMPUTE)
		first++;
	return !is_one(part->dag) ? INFINITY : op_is_reduction(part->dag->ops.at[first]) ? 1 : WITH_READER;
}

struct dag_part_vec parts_fewest(struct arena *a, const struct dag *dag)
{
	return is_one(dag) ? (struct dag_part_vec){ 0 } : parts_of(a, dag, price_alike, NULL);
}

static bool axes_equal(const struct op *x, const struct op *y)
{
	bool equal = x->tensor.ndim == y->tensor.ndim && (x->kind != OP_COMPUTE || x->nreduce == y->nreduce);

	for (int i = 0; equal && i < x->tensor.ndim; i++)
		equal = x->tensor.shape[i] == y->tensor.shape[i];
	for (int i = 0; equal && x->kind == OP_COMPUTE && i < x->nreduce; i++)
		equal = x->reduce[i]->hi == y->reduce[i]->hi;
	return equal;
}

/* Does S copy STAGE, with its dims? */
static bool is_copied(const struct state *s, int stage)
{
	bool copied = false;

	for (int i = 0; i < s->steps.n; i++)
		copied |= s->steps.at[i].kind == STEP_CACHE_READ && s->steps.at[i].stage == stage;
	return copied;
}

bool part_has_dims(const struct dag_part *part, const struct state *own, const struct state *whole)
{
	bool equal = true;

	for (int i = 0; i < part->dag->ops.n; i++)
		equal &= (part->dag->ops.at[i]->kind != OP_COMPUTE && !is_copied(own, i)) ||
			 axes_equal(own->dag->ops.at[i], whole->dag->ops.at[part->op[i]]);
	return equal;
}

bool part_core(struct arena *a, const struct dag *dag, struct dag_part *out)
{
	int last = dag->ops.n - 1;

	while (last >= 0 && !op_is_reduction(dag->ops.at[last]))
		last--;
	return last >= 0 && cut(a, dag, 0, last, ORDER_OF_WHOLE, out);
}
