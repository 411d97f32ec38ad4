/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/task.c - from fused functions to distinct tasks. */
#include "graph/task/task.h"

#include "graph/ir/known.h"
#include "graph/ir/reach.h"
#include "graph/task/variant.h"

/* An application that was cut. */
struct cut_application {
	int task;			/* index of the list */
	struct value_vec inputs;	/* parameters of the function */
};

struct cut_application_vec VEC(struct cut_application);

struct task_list {
	struct arena *arena;
	const struct graph *graph;
	struct model_task_vec tasks;
	struct names seen;	/* what tells tasks apart, to index of tasks */
	struct known_calls same;	/* equal applications, to index of cut */
	struct cut_application_vec cut;
};

const char *task_name(struct arena *a, const struct graph *g, const struct model_task *t)
{
	char hex[HASH_TEXT];
	const struct demand d = cut_demand(&t->from);

	hash_text(t->key, hex);
	return g->shared && d.kind != DEMAND_NONE
		       ? arena_printf(a, "%s %d %s", hex, d.kind, d.generator ? d.generator : "")
		       : arena_strdup(a, hex);
}

/* Adds C, or nothing where it is there already; its task. */
static int add(struct task_list *l, const struct cut_dag *c)
{
	struct model_task t = { .op = c->op, .shape = c->shape, .dag = c->dag,
				.reason = c->reason, .from = c->from };

	if (c->dag) {
		t.key = dag_key(c->dag);
		t.flop = dag_flop(c->dag);
	}
	const char *name = c->dag ? task_name(l->arena, l->graph, &t)
				  : arena_printf(l->arena, "%s %s %s", t.op, t.shape, t.reason);

	if (names_add(l->arena, &l->seen, name, l->tasks.n))
		vec_push(l->arena, &l->tasks, t);
	return names_get(&l->seen, name, 0);
}

static void add_use(struct task_list *l, int task, struct model_use use)
{
	struct model_task *of = &l->tasks.at[task];

	of->weight++;
	vec_push(l->arena, &of->uses, use);
}

/* All that the DAG of applying FUSED in B of F may depend on: not the elements of weights. */
static struct hash128 hash_application(const struct graph *g, const struct function *f,
				       const struct binding *b)
{
	const int64_t *stored;
	const struct function *fused = variant_plain(g, g->functions.at[b->function], &stored);
	struct hasher *h = hasher_new();

	for (int i = 0; i <= fused->nparams; i++)
		hasher_int(h, stored ? stored[i] : STORE_NCHW);
	for (int i = 0; i < fused->bindings.n; i++) {
		const struct binding *m = function_at(fused, i);
		const struct array *c = i < fused->nparams ? function_const(f, b->args[i])
							   : m->array;

		hasher_int(h, m->kind);
		hash_type(h, m->type);
		hasher_int(h, c != NULL);
		if (c && (c->count == 1 || !element_is_float(c->element)))
			hash_array(h, c);
		if (m->kind != BIND_CALL)
			continue;
		hasher_str(h, m->op->name);
		hash_attrs(h, m);
		if (g->shared)
			hash_demand(h, m->origin->demand);
		hasher_bytes(h, m->args, (size_t)m->nargs * sizeof(*m->args));
	}
	return hasher_end(h);
}

static void add_application(struct task_list *l, int function, int value)
{
	const struct function *f = l->graph->functions.at[function];
	const struct binding *b = function_at(f, value);
	struct model_use use = { .function = function, .value = value };
	int *same = known_at(l->arena, &l->same, hash_application(l->graph, f, b), l->cut.n);

	if (*same == l->cut.n) {
		struct cut_dag c = cut_apply(l->arena, l->graph, f, value);

		vec_push(l->arena, &l->cut, (struct cut_application){ add(l, &c), c.inputs });
	}
	const struct cut_application *of = &l->cut.at[*same];

	for (int i = 0; i < of->inputs.n; i++)
		vec_push(l->arena, &use.inputs, b->args[of->inputs.at[i]]);
	add_use(l, of->task, use);
}

/* A call that no pass put into a function. */
static void add_call(struct task_list *l, int function, int value)
{
	struct cut_group group = { .function = l->graph->functions.at[function],
				   .members = &value, .nmembers = 1 };
	struct cut_dag c = cut_group(l->arena, &group);

	c.reason = c.reason ? c.reason : "it is not fused";
	c.dag = NULL;
	add_use(l, add(l, &c), (struct model_use){ .function = function, .value = value });
}

/* The same in every run: whoever runs the model computes it once. */
static bool is_constant(const struct function *f, const struct binding *b)
{
	for (int i = 0; i < b->nargs; i++)
		if (b->args[i] >= 0 && !function_const(f, b->args[i]))
			return false;
	return !b->op->impure;
}

static void add_function(struct task_list *l, int function)
{
	const struct function *f = l->graph->functions.at[function];

	for (int v = f->nparams; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);
		const struct function *applied = graph_applied(l->graph, b);

		if (applied && function_is_fused(applied))
			add_application(l, function, v);
		else if (applied && function_is_compiled(applied) && !function_is_compiled(f))
			add_function(l, b->function);
		else if (b->kind == BIND_CALL && !binding_is_view(b) && !is_constant(f, b))
			add_call(l, function, v);
	}
}

struct model_task_vec graph_tasks(struct arena *a, const struct graph *g)
{
	struct task_list l = { .arena = a, .graph = g };
	const bool *reached = graph_reached(a, g);

	if (g->main != FUNCTION_NONE)
		add_function(&l, g->main);
	for (int i = 0; i < g->functions.n; i++) {
		const struct function *f = g->functions.at[i];

		if (i != g->main && reached[i] && !function_is_fused(f) && !function_is_compiled(f) &&
		    !function_generator(f))
			add_function(&l, i);
	}
	return l.tasks;
}
