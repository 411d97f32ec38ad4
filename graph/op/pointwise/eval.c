/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/eval.c - evaluates a formula over all elements, block by block. */
#include "graph/eval/eval.h"
#include "graph/op/pointwise/block.h"
#include "graph/op/pointwise/operand.h"
#include "graph/op/pointwise/pointwise.h"

/* A node of a formula with the block that it computes. */
struct cell {
	const struct formula *formula;
	struct cell *arg[PRIMITIVE_ARITY];
	void *block;
};

struct evaluation {
	enum compute compute;
	struct broadcast operand[PRIMITIVE_ARITY];
	const void *read[PRIMITIVE_ARITY];	/* of the block at hand */
};

static struct cell *cell_new(struct eval *x, enum compute c, const struct formula *f)
{
	struct cell *cell = eval_scratch(x, sizeof(*cell));

	cell->formula = f;
	if (f->kind == FORMULA_OPERAND)
		return cell;
	cell->block = eval_scratch(x, BLOCK * compute_bytes(c));
	if (f->kind == FORMULA_NUMBER)
		compute_fill(c, f->number, BLOCK, cell->block);
	for (int i = 0; i < PRIMITIVE_ARITY && f->arg[i]; i++)
		cell->arg[i] = cell_new(x, c, f->arg[i]);
	return cell;
}

/* The block of CELL, in OUT where it is computed and OUT is not NULL. */
static const void *compute(struct evaluation *m, const struct cell *cell, void *out)
{
	const void *arg[PRIMITIVE_ARITY];

	switch (cell->formula->kind) {
	case FORMULA_OPERAND:
		return m->read[cell->formula->operand];
	case FORMULA_NUMBER:
		return cell->block;
	case FORMULA_CALL:
		break;
	}
	for (int i = 0; i < PRIMITIVE_ARITY; i++)	/* those that there are not stay unused */
		arg[i] = cell->arg[i] ? compute(m, cell->arg[i], NULL) : arg[0];
	out = out ? out : cell->block;
	block_apply(m->compute, cell->formula->primitive, arg[0], arg[1], arg[2], out);
	return out;
}

/* What all operands fit: numbers of different types meet in f64. */
static enum compute common_compute(const struct eval *x)
{
	enum compute common = COMPUTE_COUNT;

	for (int i = 0; i < x->call->nargs; i++) {
		const struct array *v = eval_array(x, i);

		if (!v || v->element == ELEMENT_BOOL)
			continue;
		enum compute c = compute_of(v->element);

		common = common == COMPUTE_COUNT || common == c ? c : COMPUTE_F64;
	}
	return common == COMPUTE_COUNT ? COMPUTE_I64 : common;
}

static void run(struct evaluation *m, const struct cell *root, int operands, struct array *y)
{
	bool direct = compute_holds(m->compute, y->element);
	size_t bytes = compute_bytes(m->compute);

	for (int64_t first = 0; first < y->count; first += BLOCK) {
		int n = y->count - first < BLOCK ? (int)(y->count - first) : BLOCK;
		char *to = direct && n == BLOCK ? (char *)y->data + (size_t)first * bytes : NULL;

		for (int i = 0; i < operands; i++)
			if (m->operand[i].from)
				m->read[i] = broadcast_read(&m->operand[i], first, n);
		const void *result = compute(m, root, to);

		if (result != to)
			compute_put(m->compute, y->element, y->data, first, n, result);
	}
}

/* The element type of the result: bool, or that of the operands with the result's letter. */
static enum element result_element(const struct eval *x)
{
	const char *letter = pointwise_of(x->call->op)->signature;
	char wanted = strchr(letter, '>')[1];
	int i = 0;

	while (letter[i] != '>' && letter[i] != wanted)
		i++;
	return wanted == 'b' ? ELEMENT_BOOL : eval_array(x, i)->element;
}

/* Strings are compared by what they point to. */
static void equal_strings(struct evaluation *m, struct array *y)
{
	for (int64_t first = 0; first < y->count; first += BLOCK) {
		int n = y->count - first < BLOCK ? (int)(y->count - first) : BLOCK;
		const char *const *s = broadcast_read(&m->operand[0], first, n);
		const char *const *t = broadcast_read(&m->operand[1], first, n);

		for (int i = 0; i < n; i++)
			((uint8_t *)y->data)[first + i] = strcmp(s[i], t[i]) == 0;
	}
}

int pointwise_eval(struct eval *x)
{
	struct evaluation m = { .compute = common_compute(x) };
	struct arena *a = eval_arena(x);
	int64_t dim[GRAPH_MAX_RANK];
	int rank;

	if (eval_broadcast(x, &rank, dim) < 0)
		return -1;
	struct array *y = eval_result(x, 0, result_element(x), rank, dim);

	if (!y)
		return -1;
	for (int i = 0; i < x->call->nargs; i++)
		if (eval_has(x, i))
			m.operand[i] = broadcast_of(a, eval_array(x, i), m.compute, rank, dim);
	if (x->call->op == &core_equal && eval_array(x, 0)->element == ELEMENT_STRING)
		equal_strings(&m, y);
	else
		run(&m, cell_new(x, m.compute, formula_of_call(a, x->call)), x->call->nargs, y);
	return 0;
}
