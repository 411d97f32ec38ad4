/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/costs.c - sums of times by binding. */
#include "runtime/costs.h"

#include "base/clock.h"
#include "graph/ir/op.h"

struct costs {
	struct arena *arena;
	const struct model_code *code;
	struct session_cost_vec all;
	int **place;	/* by function and value: place in ALL, and one more; 0: none yet */
	bool tracing;
	struct session_event_vec events;
};

struct costs *costs_new(struct arena *a, const struct model_code *code, bool events)
{
	struct costs *c = arena_one(a, struct costs);

	*c = (struct costs){ .arena = a, .code = code, .tracing = events,
			     .place = arena_many(a, int *, code->graph->functions.n) };
	return c;
}

static void add_event(struct costs *c, struct session_event e)
{
	if (c->tracing && c->events.n < SESSION_EVENTS)
		vec_push(c->arena, &c->events, e);
}

void costs_of_run(struct costs *c, int64_t begin, int64_t end)
{
	add_event(c, (struct session_event){ "run", "session", "", 0, begin, end });
}

/* What COST is of; its own runs and seconds are to be added. */
static void add(struct costs *c, const struct session_cost *cost)
{
	const struct function *f = c->code->graph->functions.at[cost->function];
	int **places = &c->place[cost->function];

	if (!*places)
		*places = arena_many(c->arena, int, f->bindings.n);
	int *place = &(*places)[cost->binding - f->bindings.at];

	if (!*place) {
		vec_push(c->arena, &c->all, *cost);
		*place = c->all.n;
		return;
	}
	c->all.at[*place - 1].runs += cost->runs;
	c->all.at[*place - 1].seconds += cost->seconds;
}

/* What the interpreter runs B as; NULL where that takes no time of its own. */
static const char *name_of(const struct costs *c, const struct binding *b)
{
	const struct function *applied = graph_applied(c->code->graph, b);

	switch (b->kind) {
	case BIND_CALL:
		return b->op->name;
	case BIND_APPLY:
		return !applied ? "apply" : c->code->flats[b->function] ? NULL : applied->name;
	case BIND_IF:
		return "if";
	case BIND_LOOP:
		return "loop";
	case BIND_PARAM:
	case BIND_CONST:
	case BIND_TUPLE:
	case BIND_FIELD:
	case BIND_CLOSURE:
		break;
	}
	return NULL;
}

/* Who runs B, which is none of a list. */
static const char *runs_it(const struct costs *c, const struct binding *b)
{
	const struct function *applied = graph_applied(c->code->graph, b);
	const char *generator = applied && c->code->foreign ? function_generator(applied) : NULL;

	return generator ? generator : choice_origin_name(CHOICE_NONE);
}

void costs_of_binding(struct costs *c, int function, const struct binding *b, double seconds)
{
	const char *what = name_of(c, b);
	const char *by = runs_it(c, b);
	int64_t now = c->tracing ? clock_ns() : 0;

	if (!what)
		return;
	add(c, &(struct session_cost){ function, b, what, by, 1, seconds });
	add_event(c, (struct session_event){ what, by, b->origin->label, 0, now - (int64_t)(seconds * 1e9),
					     now });
}

const char *flat_step_name(const struct flat *f, const struct flat_step *step)
{
	const struct binding *b = function_at(f->graph->functions.at[f->function], step->value);
	const struct function *applied = graph_applied(f->graph, b);

	return step->kind == FLAT_COPY ? "result" : applied->name;
}

const char *flat_step_by(const struct flat_step *step)
{
	switch (step->kind) {
	case FLAT_KERNEL:
		return choice_origin_name(step->site->choice->origin);
	case FLAT_FOREIGN:
		return foreign_backend(step->foreign)->generator->name;
	case FLAT_COPY:
		return "copy";
	case FLAT_INTERPRET:
		break;
	}
	return choice_origin_name(CHOICE_NONE);
}

void costs_of_steps(struct costs *c, const struct flat_instance *x)
{
	const struct flat *flat = flat_of(x);
	const struct function *f = c->code->graph->functions.at[flat->function];

	for (int i = 0; i < flat->steps.n; i++) {
		const struct flat_step *step = &flat->steps.at[i];
		const struct binding *b = function_at(f, step->value);
		const char *what = flat_step_name(flat, step);
		struct flat_time t = flat_time(x, 0, i);

		add(c, &(struct session_cost){ flat->function, b, what, flat_step_by(step), 1,
					       (double)(t.end - t.begin) * 1e-9 });
		for (int thread = 0; c->tracing && thread < flat->threads; thread++) {
			t = flat_time(x, thread, i);
			if (t.end == 0)		/* it had no part in a generator's kernel */
				continue;
			add_event(c, (struct session_event){ what, flat_step_by(step), b->origin->label, thread,
							     t.begin, t.done });
		}
	}
}

const struct session_cost_vec *costs_all(const struct costs *c)
{
	return &c->all;
}

const struct session_event_vec *costs_events(const struct costs *c)
{
	return &c->events;
}
