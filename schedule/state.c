/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/state.c - making, copying, asking, reading and printing states. */
#include "schedule/stage.h"

#include <assert.h>

#include "base/err.h"

static void add_iter(struct arena *a, struct stage *g, const struct axis *axis)
{
	struct iter it = { .name = axis->name, .extent = axis->hi, .reduce = axis->reduce };

	vec_push(a, &g->leaves, g->iters.n);
	vec_push(a, &g->iters, it);
}

struct read_search {
	struct arena *arena;
	struct stage *stage;
};

static bool collect_read(const struct expr *e, void *user)
{
	struct read_search *s = user;
	const struct stage *g = s->stage;

	if (e->kind != EXPR_LOAD)
		return true;
	for (int i = 0; i < g->reads.n; i++)
		if (g->reads.at[i] == e->tensor)
			return true;
	vec_push(s->arena, &s->stage->reads, e->tensor);
	return true;
}

void stage_set_body(struct arena *a, struct stage *g, const struct expr *body)
{
	struct read_search s = { a, g };

	g->op.body = body;
	g->reads = (struct tensor_vec){ 0 };	/* the old one may be shared with a copy */
	expr_visit(body, collect_read, &s);
}

struct stage *stage_new(struct arena *a, const struct op *op, const struct tensor *identity)
{
	struct stage *g = arena_one(a, struct stage);

	g->op = *op;
	g->tensor = identity;
	g->at_stage = g->at_iter = -1;
	g->stale = STALE_REGION;
	if (op->kind != OP_COMPUTE)
		return g;
	for (int i = 0; i < op->tensor.ndim; i++)
		add_iter(a, g, op->space[i]);
	for (int i = 0; i < op->nreduce; i++)
		add_iter(a, g, op->reduce[i]);
	stage_set_body(a, g, op->body);
	return g;
}

struct state *state_new(struct arena *a, const struct dag *dag)
{
	struct state *s = arena_one(a, struct state);

	assert(dag->frozen);
	s->arena = a;
	s->dag = dag;
	for (int i = 0; i < dag->ops.n; i++) {
		const struct op *op = dag->ops.at[i];

		vec_push(a, &s->order, i);
		vec_push(a, &s->stages, stage_new(a, op, &op->tensor));
	}
	if (!state_refresh(s))
		die("%s: a state without steps has no regions", dag->name);
	return s;
}

#define COPY_VEC(a, v)                                                                             \
	do {                                                                                       \
		(v)->at = arena_memdup((a), (v)->at, (size_t)(v)->n * sizeof(*(v)->at));           \
		(v)->cap = (v)->n;                                                                 \
	} while (0)

struct state *state_copy(struct arena *a, const struct state *s)
{
	struct state *c = arena_memdup(a, s, sizeof(*s));

	c->arena = a;
	COPY_VEC(a, &c->steps);
	COPY_VEC(a, &c->order);
	COPY_VEC(a, &c->stages);
	for (int i = 0; i < c->stages.n; i++) {
		struct stage *g = arena_memdup(a, c->stages.at[i], sizeof(*g));

		COPY_VEC(a, &g->iters);
		COPY_VEC(a, &g->leaves);
		COPY_VEC(a, &g->relations);
		COPY_VEC(a, &g->lets);
		c->stages.at[i] = g;
	}
	return c;
}

int state_stage_of(const struct state *s, const struct tensor *t)
{
	for (int i = 0; i < s->stages.n; i++)
		if (s->stages.at[i]->tensor == t)
			return i;
	return -1;
}

int state_find_stage(const struct state *s, const char *name)
{
	for (int i = 0; i < s->stages.n; i++)
		if (strcmp(s->stages.at[i]->op.tensor.name, name) == 0)
			return i;
	return -1;
}

int stage_find_iter(const struct stage *g, const char *name)
{
	for (int i = 0; i < g->iters.n; i++)
		if (strcmp(g->iters.at[i].name, name) == 0)
			return i;
	return -1;
}

int stage_leaf(const struct stage *g, int iter)
{
	for (int i = 0; i < g->leaves.n; i++)
		if (g->leaves.at[i] == iter)
			return i;
	return -1;
}

bool stage_computes(const struct stage *g)
{
	return g->op.kind == OP_COMPUTE && g->place != PLACE_INLINE;
}

static bool stage_reads(const struct stage *g, const struct tensor *t)
{
	for (int i = 0; i < g->reads.n; i++)
		if (g->reads.at[i] == t)
			return true;
	return false;
}

int state_consumers(const struct state *s, int stage, int *out, int max)
{
	int n = 0;

	for (int i = 0; i < s->order.n; i++) {
		const struct stage *g = s->stages.at[s->order.at[i]];

		if (stage_computes(g) && stage_reads(g, s->stages.at[stage]->tensor) && n++ < max)
			out[n - 1] = s->order.at[i];
	}
	return n;
}

bool state_encloses(const struct state *s, int target, int at, int stage)
{
	const struct stage *g = s->stages.at[stage];
	int limit = stage_leaf(s->stages.at[target], at);

	if (stage == target)
		return true;	/* its own statement is inside all its loops */
	while (g->place == PLACE_AT) {
		const struct stage *outer = s->stages.at[g->at_stage];

		if (g->at_stage == target)
			return stage_leaf(outer, g->at_iter) >= limit;
		g = outer;
	}
	return false;
}

/* Each step looks at all stages and loops that those before it made; a sampled schedule of the
 * largest tasks of models has about a hundred. */
enum { STEPS_MAX = 1024 };

struct state *state_parse(struct arena *a, const struct dag *dag, const char *file,
			  const char *text)
{
	struct state *s = state_new(a, dag);
	struct scan in = scan_text(file, text);

	scan_line_end(&in);
	while (!scan_at_end(&in)) {
		struct step step;
		const char *why = "";

		if (s->steps.n == STEPS_MAX) {
			scan_error(&in, "more than %d steps", STEPS_MAX);
			return NULL;
		}
		if (step_scan(&in, s, &step) < 0)
			return NULL;
		if (!state_apply(s, step, &why)) {
			scan_error(&in, "%s is not legal here: %s", step_name(step.kind), why);
			return NULL;
		}
		if (!scan_token(&in, ";") && !scan_line_end(&in)) {
			scan_error(&in, "expected the end of the step");
			return NULL;
		}
		scan_line_end(&in);
	}
	return s;
}

void state_print(struct text *t, const struct state *s)
{
	struct arena *a = arena_new();
	struct state *replay = state_new(a, s->dag);

	for (int i = 0; i < s->steps.n; i++) {
		step_print(t, s->steps.at[i], replay);
		text_puts(t, "\n");
		if (!state_apply(replay, s->steps.at[i], NULL))
			die("a step of a state does not replay");
	}
	arena_free(a);
}
