/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task.c - from groups to distinct tasks. */
#include "graph/task.h"

#include "base/err.h"
#include "graph/cut.h"
#include "graph/names.h"
#include "graph/op.h"
#include "te/operator.h"

const struct binding *cut_at(const struct cut *c, int value)
{
	return &c->f->bindings.at[value];
}

void cut_define(struct cut *c, int value, struct op *op)
{
	vec_push(c->graph->arena, &c->known, (struct cut_value_op){ value, op });
}

struct op *cut_input(struct cut *c, int value, const char *hint, enum dtype t, int rank,
		     const int64_t *shape)
{
	const char *name = hint;

	for (int i = 2; dag_find(c->dag, name); i++)
		name = arena_printf(c->dag->arena, "%s%d", hint, i);
	for (int i = 0; i < rank; i++)
		if (shape[i] == 0) {
			err_set("a tensor without elements");
			return NULL;
		}
	vec_push(c->graph->arena, &c->inputs, value);
	return build_input(c->dag, name, t, rank, shape,
			   value == VALUE_NONE || c->grouping->constant[value]);
}

struct op *cut_value(struct cut *c, int value, const char *hint)
{
	const struct type *t = &cut_at(c, value)->type;
	int64_t shape[GRAPH_MAX_RANK];

	for (int i = 0; i < c->known.n; i++)
		if (c->known.at[i].value == value)
			return c->known.at[i].op;
	for (int i = 0; i < t->rank; i++)
		shape[i] = t->dim[i].n;
	if (t->rank == 0) {
		err_set("an operand without dims that is not constant");
		return NULL;
	}
	struct op *op = cut_input(c, value, hint, t->dtype, t->rank, shape);

	if (op)
		cut_define(c, value, op);
	return op;
}

bool cut_scalar(const struct cut *c, int value, double *v)
{
	const struct binding *b = cut_at(c, value);

	if (b->kind != BIND_CONST || type_count(&b->type) != 1)
		return false;
	*v = dtype_load(b->type.dtype, b->data, 0);
	/* Integers that a double cannot hold stay tensors. */
	return dtype_is_float(b->type.dtype) || (*v < 0x1p53 && *v > -0x1p53);
}

void cut_note(struct cut *c, const char *key, int n, const int64_t *v)
{
	bool same = true;

	for (int i = 1; i < n; i++)
		same &= v[i] == v[0];
	if (strcmp(key, "n") == 0)
		same = n == 1;	/* a list of extents, not of parameters */
	text_printf(&c->shape, "%s%s=", c->shape.n ? "," : "", key);
	for (int i = 0; i < (same ? 1 : n); i++)
		text_printf(&c->shape, "%s%lld", i ? "x" : "", (long long)v[i]);
}

static bool is_known(const struct cut *c, int value)
{
	for (int i = 0; i < c->known.n; i++)
		if (c->known.at[i].value == value)
			return true;
	return false;
}

/* The frozen DAG of C's group; NULL and a message. */
static struct dag *cut_group(struct cut *c)
{
	const struct group *g = c->group;

	for (int i = 0; i < g->members.n; i++) {
		int value = g->members.at[i];
		enum oper op = cut_at(c, value)->call.op;

		if (is_known(c, value) || (op == OPER_PAD && value != g->heavy))
			continue;	/* part of the heavy member */
		struct op *y = oper_role(op) == ROLE_HEAVY ? cut_heavy(c, value)
							   : cut_pointwise(c, value);

		if (!y)
			return NULL;
		cut_define(c, value, y);
	}
	return dag_freeze(c->dag) < 0 ? NULL : c->dag;
}

/* A group that has no DAG: what the model calls it, and the shape of its result. */
static void describe(const struct cut *c, struct text *op, struct text *shape)
{
	for (int i = 0; i < c->group->members.n; i++) {
		const struct binding *b = cut_at(c, c->group->members.at[i]);

		if (b->kind != BIND_CALL)
			continue;
		text_puts(op, op->n ? "+" : "");
		name_print(op, b->call.op_name);
	}
	type_print(shape, &cut_at(c, c->group->output)->type);
}

static struct model_task make_task(struct arena *a, struct graph *g, const struct grouping *groups,
				   int index, struct model_use *use)
{
	struct cut c = {
		.graph = g,
		.f = g->main,
		.grouping = groups,
		.group = &groups->groups.at[index],
		.dag = dag_new(a, "task"),
	};
	struct model_task t = { .reason = c.group->reason };
	struct text op = { 0 };
	struct text shape = { 0 };
	struct dag *dag = NULL;

	if (!t.reason) {
		t.dag = dag = cut_group(&c);
		t.reason = dag ? NULL : arena_strdup(a, err_get());
		*use = (struct model_use){ index, c.inputs };
	}
	if (dag) {
		/* A group of pointwise members only begins with the first. */
		t.op = arena_strdup(a, text_str(&c.op) + (*text_str(&c.op) == '+'));
		dag->name = t.op;
		t.key = dag_key(dag);
		t.flop = dag_flop(dag);
		type_print(&shape, &cut_at(&c, c.group->output)->type);
		t.shape = arena_strdup(a, c.shape.n ? text_str(&c.shape) : text_str(&shape));
	} else {
		describe(&c, &op, &shape);
		t.op = arena_strdup(a, text_str(&op));
		t.shape = arena_strdup(a, text_str(&shape));
	}
	text_free(&c.op);
	text_free(&c.shape);
	text_free(&op);
	text_free(&shape);
	return t;
}

struct model_task_vec graph_tasks(struct arena *a, struct graph *g, const struct grouping *groups)
{
	struct model_task_vec tasks = { 0 };
	struct names seen = { 0 };

	for (int i = 0; i < groups->groups.n; i++) {
		if (groups->groups.at[i].kind == GROUP_FREE)
			continue;
		struct model_use use = { .group = i };
		struct model_task t = make_task(a, g, groups, i, &use);
		char hex[HASH_TEXT];
		char *name = t.dag ? arena_strdup(a, hash_text(t.key, hex))
				   : arena_printf(a, "%s %s %s", t.op, t.shape, t.reason);

		if (names_add(a, &seen, name, tasks.n))
			vec_push(a, &tasks, t);
		struct model_task *of = &tasks.at[names_get(&seen, name, 0)];

		of->weight++;
		vec_push(a, &of->uses, use);
	}
	return tasks;
}
