/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/sequence.c - from tasks back to the applications of main, in order. */
#include "graph/task/cut.h"
#include "graph/task/task.h"
#include "te/eval.h"

/* The task of an application, and the place among its uses. */
struct sequence_use {
	const struct model_task *task;	/* NULL: none */
	int index;			/* of it */
	const struct model_use *use;
};

struct sequencer {
	struct arena *arena;
	const struct graph *graph;
	struct sequence_use **uses;	/* by function and value; NULL: it has none */
	int values;			/* named so far */
	struct occurrence_vec out;
};

static void note_uses(struct sequencer *s, const struct model_task_vec *tasks)
{
	for (int i = 0; i < tasks->n; i++) {
		const struct model_task *t = &tasks->at[i];

		for (int j = 0; t->dag && j < t->uses.n; j++) {
			const struct model_use *use = &t->uses.at[j];
			struct sequence_use **of = &s->uses[use->function];
			int n = s->graph->functions.at[use->function]->bindings.n;

			if (!*of)
				*of = arena_many(s->arena, struct sequence_use, n);
			(*of)[use->value] = (struct sequence_use){ t, i, use };
		}
	}
}

/* NAMES: by value of the function. */
static void add_occurrence(struct sequencer *s, const struct sequence_use *u, const int *names)
{
	struct occurrence o = { .task = u->index };

	for (int i = 0; i < u->use->inputs.n; i++)
		vec_push(s->arena, &o.args, names[u->use->inputs.at[i]]);
	vec_push(s->arena, &o.args, names[u->use->value]);
	while (o.args.n < dag_arg_count(u->task->dag))
		vec_push(s->arena, &o.args, VALUE_NONE);
	vec_push(s->arena, &s->out, o);
}

static const int *add_body(struct sequencer *s, int function, const int *params);

/* The compiled function that B applies; the names of what it gives. */
static const int *add_stretch(struct sequencer *s, const struct binding *b, const int *names)
{
	int *args = arena_many(s->arena, int, b->nargs);

	for (int i = 0; i < b->nargs; i++)
		args[i] = b->args[i] < 0 ? VALUE_NONE : names[b->args[i]];
	return add_body(s, b->function, args);
}

/* Goes through FUNCTION: main, whose PARAMS are NULL, or one that it applies, the names of whose
 * parameters they are. The names of its results. */
static const int *add_body(struct sequencer *s, int function, const int *params)
{
	const struct function *f = s->graph->functions.at[function];
	int *names = arena_many(s->arena, int, f->bindings.n);
	int *results = arena_many(s->arena, int, f->nresults);
	/* by value: what the compiled function gives that it is an application of */
	const int **given = arena_many(s->arena, const int *, f->bindings.n);

	for (int v = 0; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);
		const struct function *applied = graph_applied(s->graph, b);

		names[v] = b->array ? VALUE_NONE : s->values++;
		if (params && v < f->nparams)
			names[v] = params[v];
		else if (binding_is_view(b))
			names[v] = names[b->args[0]];
		else if (b->kind == BIND_FIELD && given[b->args[0]])
			names[v] = given[b->args[0]][b->field];
		if (!params && applied && function_is_compiled(applied)) {
			given[v] = add_stretch(s, b, names);
			names[v] = applied->nresults == 1 ? given[v][0] : names[v];
		}
		if (s->uses[function] && s->uses[function][v].task)
			add_occurrence(s, &s->uses[function][v], names);
	}
	for (int i = 0; i < f->nresults; i++)
		results[i] = names[f->results[i]];
	return results;
}

struct occurrence_vec graph_sequence(struct arena *a, const struct graph *g,
				     const struct model_task_vec *tasks)
{
	struct sequencer s = {
		.arena = a,
		.graph = g,
		.uses = arena_many(a, struct sequence_use *, g->functions.n),
	};

	note_uses(&s, tasks);
	add_body(&s, g->main, NULL);
	return s.out;
}
