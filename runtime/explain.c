/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/explain.c - lists of steps beside the tasks that they come from. */
#include "runtime/explain.h"

#include "graph/ir/op.h"
#include "graph/task/uses.h"
#include "runtime/costs.h"

struct explainer {
	struct arena *arena;
	const struct model_code *code;
	const struct model_task_vec *tasks;
	const struct choice *choices;
	const struct task_uses *uses;
	struct explanation out;
};

bool explain_moves(const struct function *f)
{
	for (int v = f->nparams; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);
		bool moves = b->kind == BIND_CALL && b->op->fusion == FUSION_INJECTIVE &&
			     !b->op->pointwise;

		if (!b->array && !moves)
			return false;
	}
	return true;
}

static struct explained_call explain_step(const struct explainer *x, const struct flat *flat,
					  const struct flat_step *step)
{
	const struct graph *g = x->code->graph;
	const struct binding *b = function_at(g->functions.at[flat->function], step->value);
	const struct function *applied = graph_applied(g, b);
	int task = task_used(x->uses, flat->function, step->value);
	struct explained_call c = { .what = flat_step_name(flat, step), .by = flat_step_by(step),
				    .result = b->type, .label = b->origin->label, .moves = true };

	if (step->kind == FLAT_COPY || task < 0)
		return c;
	c.task = &x->tasks->at[task];
	c.why = x->choices[task].why;
	if (step->kind == FLAT_INTERPRET && !c.why)
		c.why = "its function stands for different tasks at different places";
	c.moves = explain_moves(applied);
	if (step->kind == FLAT_FOREIGN) {
		c.time_us = x->choices[task].foreign_us;
		c.in_model = x->choices[task].foreign_in_model;
	}
	if (step->kind == FLAT_KERNEL) {
		c.time_us = x->choices[task].time_us;
		c.in_model = x->choices[task].in_model;
		c.expected_us = x->choices[task].expected_us;
	}
	return c;
}

/* Adds a time to the sum that it belongs to. */
static void count(struct explanation *e, double time_us, bool in_model, double expected_us)
{
	double us = time_us > 0 ? time_us : expected_us;
	struct explained_sum *sum = time_us <= 0 ? &e->expected : in_model ? &e->in_model : &e->alone;

	if (us <= 0) {
		e->unknown++;
		return;
	}
	sum->calls++;
	sum->us += us;
	e->predicted_us += us;
}

static void explain_stretch(struct explainer *x, const struct flat *flat)
{
	const struct function *f = x->code->graph->functions.at[flat->function];
	struct explained_stretch s = { .name = f->name, .memory = &flat->memory };

	for (int v = 0; v < f->bindings.n; v++)
		s.idle += function_at(f, v)->kind == BIND_APPLY;
	for (int i = 0; i < flat->steps.n; i++) {
		const struct flat_step *step = &flat->steps.at[i];
		struct explained_call c = explain_step(x, flat, step);

		s.idle -= step->kind != FLAT_COPY;
		count(&x->out, c.time_us, c.in_model, c.expected_us);
		vec_push(x->arena, &s.calls, c);
	}
	vec_push(x->arena, &x->out.stretches, s);
}

static void explain_rest(struct explainer *x)
{
	const struct graph *g = x->code->graph;

	for (int i = 0; i < x->tasks->n; i++) {
		const struct model_task *t = &x->tasks->at[i];

		for (int j = 0; j < t->uses.n; j++) {
			const struct model_use *use = &t->uses.at[j];
			const struct function *f = g->functions.at[use->function];

			if (!x->code->flats[use->function])
				vec_push(x->arena, &x->out.rest,
					 (struct explained_rest){
						 t->op, t->reason ? t->reason : x->choices[i].why,
						 function_at(f, use->value)->origin->label });
		}
	}
}

struct explanation explain(struct arena *a, const struct model_code *code,
			   const struct model_task_vec *tasks, const struct choice *choices)
{
	struct explainer x = { .arena = a, .code = code, .tasks = tasks, .choices = choices,
			       .uses = task_uses_new(a, code->graph, tasks) };

	for (int i = 0; i < code->graph->functions.n; i++)
		if (code->flats[i])
			explain_stretch(&x, code->flats[i]);
	explain_rest(&x);
	return x.out;
}

void explain_regions(struct arena *a, const struct offloaded *o, struct explanation *e)
{
	for (int i = 0; i < o->cut.regions.n; i++) {
		const struct offer *time = &o->times[i];

		count(e, time->us, time->in_model, 0);
		vec_push(a, &e->regions, (struct explained_region){
			.name = o->cut.regions.at[i].function,
			.by = foreign_backend(o->ready[i])->generator->name,
			.calls = foreign_region(o->ready[i])->ncalls,
			.time_us = time->us, .in_model = time->in_model });
	}
}
