/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/matmul.c - matmul(a, b): numpy's product of matrices and vectors. */
#include "graph/op/dense/product.h"
#include "graph/op/express.h"
#include "graph/op/gradient.h"

/* Where rows, columns and what is summed over are among an operand's dims; -1: there is none. */
struct matmul_side {
	int lead;	/* dims before the matrix */
	int outer;	/* that stays */
	int inner;	/* that is summed over */
};

static struct matmul_side side_of(const struct binding *call, int i, int rank)
{
	bool trans = rank > 1 && call_flag(call, i == 0 ? "trans_a" : "trans_b");
	bool inner_last = (i == 0) != trans;

	if (rank < 2)
		return (struct matmul_side){ 0, -1, 0 };
	return (struct matmul_side){ rank - 2, inner_last ? rank - 2 : rank - 1,
				     inner_last ? rank - 1 : rank - 2 };
}

static int matmul_type(struct infer *x)
{
	const struct type *a = infer_type(x, 0), *b = infer_type(x, 1);
	struct dim out[GRAPH_MAX_RANK], inner;
	enum element e;
	int n = 0;

	if (infer_product_element(x, &e) < 0)
		return -1;
	if (!type_is_ranked(a) || !type_is_ranked(b))
		return infer_unranked(x, e);
	if (a->rank == 0 || b->rank == 0)
		return infer_error(x, "an operand without dims");
	struct matmul_side p = side_of(x->call, 0, a->rank), q = side_of(x->call, 1, b->rank);

	if (infer_agree(x, a->dim[p.inner], b->dim[q.inner], false, &inner) < 0)
		return -1;
	for (n = 0; n < p.lead || n < q.lead; n++) {
		int lead = p.lead > q.lead ? p.lead : q.lead;
		int i = n - (lead - p.lead), j = n - (lead - q.lead);

		if (infer_agree(x, i < 0 ? dim_number(1) : a->dim[i],
				j < 0 ? dim_number(1) : b->dim[j], true, &out[n]) < 0)
			return -1;
	}
	if (p.outer >= 0)
		out[n++] = a->dim[p.outer];
	if (q.outer >= 0)
		out[n++] = b->dim[q.outer];
	return infer_tensor(x, e, n, out);
}

/* An operand as a stack of matrices. */
struct matmul_stack {
	const char *data;
	int64_t size;			/* of an element */
	int64_t outer, inner;		/* extents */
	int64_t outer_step, inner_step;	/* in elements */
	int lead;
	int64_t dim[GRAPH_MAX_RANK];	/* of the stack, lead of them */
};

static struct matmul_stack stack_of(struct eval *x, int i, enum element e)
{
	const struct array *v = eval_array(x, i);
	struct matmul_side side = side_of(x->call, i, v->rank);
	struct matmul_stack s = { .data = product_operand(x, v, e), .lead = side.lead,
				  .size = (int64_t)element_bytes(e), .outer = 1,
				  .inner = v->dim[side.inner], .inner_step = 1, .outer_step = 1 };

	if (side.outer >= 0)
		s.outer = v->dim[side.outer];
	if (side.outer > side.inner)
		s.inner_step = s.outer;
	else
		s.outer_step = s.inner;
	memcpy(s.dim, v->dim, sizeof(*s.dim) * (size_t)side.lead);
	return s;
}

/* Columns of B, whose inner dim are the product's rows. */
static void fill_matrix(const void *user, int64_t p, int64_t j, int64_t n, void *out)
{
	const struct matmul_stack *b = user;
	int64_t first = p * b->inner_step + j * b->outer_step;

	copy_strided(out, b->data + first * b->size, n, b->outer_step, b->size);
}

/* Where matrix AT of the result's stack lies in the stack S, broadcast, in elements. */
static int64_t offset_of(const struct matmul_stack *s, int lead, const int64_t *at)
{
	int64_t matrix = 0;

	for (int i = 0; i < s->lead; i++)
		matrix = matrix * s->dim[i] + (s->dim[i] == 1 ? 0 : at[lead - s->lead + i]);
	return matrix * s->outer * s->inner;
}

/* The products of all matrices of the stacks; LEAD dims DIM of the result. */
static int multiply(struct eval *x, enum element e, struct matmul_stack a,
		    struct matmul_stack b, int lead, const int64_t *dim, char *c)
{
	int64_t at[GRAPH_MAX_RANK] = { 0 };

	if (b.lead == 0 && a.inner_step == 1) {	/* one matrix of more rows */
		a.outer *= shape_count(lead, dim);
		a.lead = lead = 0;
	}
	if (a.outer == 1 && b.inner_step == 1) {	/* C' = B' A' reads B as it lies */
		struct matmul_stack row = a;

		a = b;
		b = row;
	}
	struct matmul_stack part = b;
	struct dense_product g = { .element = e, .m = a.outer, .n = b.outer, .k = a.inner,
				   .a_row = a.outer_step, .a_column = a.inner_step,
				   .fill = fill_matrix, .user = &part };

	product_room(x, &g);
	for (int64_t i = shape_count(lead, dim); i > 0; i--, c += g.m * g.n * a.size) {
		g.a = a.data + offset_of(&a, lead, at) * a.size;
		part.data = b.data + offset_of(&b, lead, at) * b.size;
		g.c = c;
		if (product_run(x, &g) < 0)
			return -1;
		for (int d = lead - 1; d >= 0 && ++at[d] == dim[d]; d--)
			at[d] = 0;
	}
	return 0;
}

/* The dims before the matrices broadcast; -1 and a message. */
static int broadcast_lead(struct eval *x, const struct matmul_stack *a,
			  const struct matmul_stack *b, int64_t *dim)
{
	int lead = a->lead > b->lead ? a->lead : b->lead;

	for (int i = 0; i < lead; i++) {
		int64_t p = i < lead - a->lead ? 1 : a->dim[i - (lead - a->lead)];
		int64_t q = i < lead - b->lead ? 1 : b->dim[i - (lead - b->lead)];

		if (p != q && p != 1 && q != 1)
			return eval_error(x, "extents %lld and %lld do not fit", (long long)p,
					  (long long)q);
		dim[i] = p == 1 ? q : p;
	}
	return lead;
}

static int matmul_eval(struct eval *x)
{
	const struct array *first = eval_array(x, 0), *second = eval_array(x, 1);
	int64_t dim[GRAPH_MAX_RANK + 2];
	enum element result;

	if (eval_product_element(x, &result) < 0)
		return -1;
	if (first->rank == 0 || second->rank == 0)
		return eval_error(x, "an operand without dims");
	enum element e = product_element(result);
	struct matmul_stack a = stack_of(x, 0, e), b = stack_of(x, 1, e);

	if (a.inner != b.inner)
		return eval_error(x, "extents %lld and %lld do not fit", (long long)a.inner,
				  (long long)b.inner);
	int lead = broadcast_lead(x, &a, &b, dim), rank = lead;

	if (lead < 0)
		return -1;
	if (first->rank > 1)
		dim[rank++] = a.outer;
	if (second->rank > 1)
		dim[rank++] = b.outer;
	struct array *y = eval_result(x, 0, result, rank, dim);

	if (!y)
		return -1;
	void *c = product_target(x, y, e);

	if (multiply(x, e, a, b, lead, dim, c) < 0)
		return -1;
	product_store(y, e, c);
	return 0;
}

/* Vectors have no tensor expression: te's products are of matrices. */
static struct op *matmul_express(struct express *x)
{
	bool trans_a = call_flag(x->call, "trans_a"), trans_b = call_flag(x->call, "trans_b");

	if (x->types[0]->rank < 2 || x->types[1]->rank < 2)
		return express_error(x, "a product with a vector");
	if (trans_a || trans_b)
		return op_dense(x->dag, x->ops[0], x->ops[1], trans_a, trans_b);
	return op_matmul(x->dag, x->ops[0], x->ops[1]);
}

/* A product with these transpositions. */
static int product_of(struct builder *b, int left, bool trans_left, int right, bool trans_right)
{
	struct attr_vec attrs = { 0 };

	attrs_int(b->arena, &attrs, "trans_a", trans_left);
	attrs_int(b->arena, &attrs, "trans_b", trans_right);
	return build_with(b, &core_matmul, &attrs, left, right);
}

/* The gradient by an operand from that by its MATRICES; a vector loses AXIS again. */
static int by_operand(struct builder *b, int by, int matrices, bool vector, int64_t axis)
{
	if (by != VALUE_FAILED)
		by = gradient_unbroadcast(b, by, matrices);
	return vector ? build(b, &core_squeeze, by, build_ints(b, 1, &axis)) : by;
}

/* With C = A B: by A it is G B', by B it is A' G; where an operand is stored transposed, both sides
 * are. Vectors are matrices of one row or column. */
static int matmul_gradient(struct gradient *x)
{
	struct builder *b = x->builder;
	int p = x->call->args[0], q = x->call->args[1], g = x->of_result[0];
	bool row = build_type(b, p)->rank == 1, column = build_type(b, q)->rank == 1;
	bool trans_p = !row && call_flag(x->call, "trans_a");
	bool trans_q = !column && call_flag(x->call, "trans_b");

	if (column) {
		q = build(b, &core_unsqueeze, q, build_ints(b, 1, (int64_t[]){ 1 }));
		g = build(b, &core_unsqueeze, g, build_ints(b, 1, (int64_t[]){ -1 }));
	}
	if (row) {
		p = build(b, &core_unsqueeze, p, build_ints(b, 1, (int64_t[]){ 0 }));
		g = build(b, &core_unsqueeze, g, build_ints(b, 1, (int64_t[]){ -2 }));
	}
	if (p == VALUE_FAILED || q == VALUE_FAILED || g == VALUE_FAILED)
		return -1;
	int by_p = trans_p ? product_of(b, q, trans_q, g, true)
			   : product_of(b, g, false, q, !trans_q);
	int by_q = trans_q ? product_of(b, g, true, p, trans_p)
			   : product_of(b, p, !trans_p, g, false);

	x->of_arg[0] = by_operand(b, by_p, p, row, 0);
	x->of_arg[1] = by_operand(b, by_q, q, column, 1);
	return 0;
}

const struct core_op core_matmul = {
	.name = "matmul",
	.summary = "the product of matrices a and b; dims before them broadcast, vectors are a row "
		   "and a column",
	.min_args = 2,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){
		{ "trans_a", ATTR_INT, 0, NULL, "1: the last two dims of a change places" },
		{ "trans_b", ATTR_INT, 0, NULL, "1: those of b" },
		{ 0 } },
	.fusion = FUSION_COMPLEX,
	.type = matmul_type,
	.eval = matmul_eval,
	.express = matmul_express,
	.gradient = matmul_gradient,
};
