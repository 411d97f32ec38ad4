/* SPDX-License-Identifier: Apache-2.0 */
/* tools/model/graph_summary.c - a graph at a glance, and what of it has no type. */
#include <stdlib.h>

#include "graph/ir/op.h"
#include "tools/model/graph.h"

/* How often an operator, or another kind of binding, occurs. */
struct op_count {
	const char *name;
	int n;
};

struct op_count_vec VEC(struct op_count);

static const char *kind_of(const struct binding *b)
{
	switch (b->kind) {
	case BIND_CALL:
		return b->op->name;
	case BIND_CLOSURE:
		return "(closure)";
	case BIND_APPLY:
		return b->function == FUNCTION_NONE ? "(apply)" : "(call)";
	case BIND_IF:
		return "(if)";
	case BIND_LOOP:
		return "(loop)";
	case BIND_PARAM:
	case BIND_CONST:
	case BIND_TUPLE:
	case BIND_FIELD:
		break;
	}
	return NULL;	/* nothing that is computed */
}

static int by_count(const void *x, const void *y)
{
	const struct op_count *p = x, *q = y;

	return p->n != q->n ? (p->n < q->n) - (p->n > q->n) : strcmp(p->name, q->name);
}

/* The operators of F, the most frequent first. */
static struct op_count_vec count_ops(struct arena *a, const struct function *f)
{
	struct op_count_vec counts = { 0 };
	struct names index = { 0 };

	for (int i = 0; i < f->bindings.n; i++) {
		const char *name = kind_of(&f->bindings.at[i]);

		if (!name)
			continue;
		if (names_add(a, &index, name, counts.n))
			vec_push(a, &counts, (struct op_count){ name, 0 });
		counts.at[names_get(&index, name, 0)].n++;
	}
	if (counts.n)
		qsort(counts.at, (size_t)counts.n, sizeof(*counts.at), by_count);
	return counts;
}

static void print_value(struct text *out, const char *what, const struct function *f, int value)
{
	const struct binding *b = function_at(f, value);

	text_printf(out, "  %-7s ", what);
	if (*b->name)
		text_name(out, b->name);
	else
		text_printf(out, "%%%d", value);
	text_puts(out, ": ");
	type_print(out, b->type);
	text_puts(out, "\n");
}

static void print_constants(struct text *out, const struct function *f)
{
	int64_t bytes = 0;
	int n = 0;

	for (int i = 0; i < f->bindings.n; i++)
		if (f->bindings.at[i].kind == BIND_CONST) {
			bytes += (int64_t)array_bytes(f->bindings.at[i].array);
			n++;
		}
	if (n)
		text_printf(out, "%6d  constants, %.3f MB\n", n, (double)bytes / 1e6);
}

static void print_function(struct text *out, const struct function *f)
{
	struct arena *a = arena_new();
	struct op_count_vec counts = count_ops(a, f);

	text_puts(out, "function ");
	text_name(out, f->name);
	text_puts(out, "\n");
	for (int i = 0; i < f->nparams; i++)
		print_value(out, "input", f, i);
	for (int i = 0; i < f->nresults; i++)
		print_value(out, "output", f, f->results[i]);
	for (int i = 0; i < counts.n; i++)
		text_printf(out, "%6d  %s\n", counts.at[i].n, counts.at[i].name);
	print_constants(out, f);
	arena_free(a);
}

void graph_summary(struct text *out, const struct graph *g)
{
	for (int i = 0; i < g->functions.n; i++)
		print_function(out, g->functions.at[i]);
}

static bool is_typed(const struct type *t)
{
	if (t->kind == TYPE_UNKNOWN)
		return false;
	if (t->kind == TYPE_TENSOR)
		return t->element != ELEMENT_COUNT && t->rank != RANK_UNKNOWN;
	for (int i = 0; i < t->nfields; i++)
		if (!is_typed(t->field[i]))
			return false;
	return !t->result || is_typed(t->result);
}

int graph_untyped(struct text *out, const struct graph *g)
{
	int n = 0;

	for (int i = 0; i < g->functions.n; i++) {
		const struct function *f = g->functions.at[i];

		for (int j = 0; j < f->bindings.n; j++) {
			const struct binding *b = &f->bindings.at[j];

			if (is_typed(b->type))
				continue;
			const char *kind = kind_of(b);

			text_printf(out, "%s: %%%d %s (%s): its type is known as ", f->name, j, b->name,
				    kind ? kind : "value");
			type_print(out, b->type);
			text_puts(out, "\n");
			n++;
		}
	}
	return n;
}
