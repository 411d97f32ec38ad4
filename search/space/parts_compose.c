/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/parts_compose.c - schedules of parts as one of the whole, step by step in the order of a sketch's, so
 * that it tells its decisions. */
#include "search/space/parts.h"
#include "search/space/sampling/prefetch.h"

/* A part whose steps are repeated in the whole. */
struct repeated {
	const struct step_vec *steps;
	struct state *state;	/* of the part, behind the first `next` of its steps */
	int *stage;		/* of the whole, by stage of the part */
	int next;
};

/* The step that stands next, with the whole's numbers. */
static struct step renamed(const struct repeated *r)
{
	return step_renamed(&r->steps->at[r->next], r->stage);
}

static bool repeat(struct state *s, struct repeated *r)
{
	int stages = s->stages.n, own = r->state->stages.n;

	if (!state_apply(s, renamed(r), NULL) || !state_apply(r->state, r->steps->at[r->next++], NULL))
		return false;
	for (int i = own; i < r->state->stages.n; i++)
		r->stage[i] = stages + i - own;
	return true;
}

static bool is_next(const struct repeated *r, bool (*is_of)(const struct step *))
{
	return r->next < r->steps->n && is_of(&r->steps->at[r->next]);
}

static bool is_fold(const struct step *step)
{
	return step->kind == STEP_INLINE;
}

static bool is_sharing(const struct step *step)
{
	return step->kind == STEP_FUSE || step->kind == STEP_PARALLEL;
}

static bool is_streaming(const struct step *step)
{
	return step->kind == STEP_STREAM;
}

static bool is_pipelining(const struct step *step)
{
	return step->kind == STEP_PIPELINE;
}

static bool is_prefetching(const struct step *step)
{
	return step->kind == STEP_PREFETCH;
}

static bool is_other(const struct step *step)
{
	return !is_sharing(step) && !is_streaming(step) && !is_pipelining(step) && !is_prefetching(step);
}

/* What steps come by: the stage; what is prefetched. */
static int place_of(const struct repeated *r)
{
	struct step step = renamed(r);

	return step.kind == STEP_PREFETCH ? step.target : step.stage;
}

/* The part whose next step IS_OF a kind, of the first stage; -1 where none is left. */
static int first_of(const struct repeated *r, int n, bool (*is_of)(const struct step *))
{
	int first = -1;

	for (int i = 0; i < n; i++)
		if (is_next(&r[i], is_of) &&
		    (first < 0 || place_of(&r[i]) < place_of(&r[first])))
			first = i;
	return first;
}

/* What of a part's steps makes its DAG another one the whole has behind a step of its own. */
static void skip_of_dag(struct repeated *r)
{
	while (r->next < r->steps->n && step_is_of_dag(r->steps->at[r->next].kind))
		state_apply(r->state, r->steps->at[r->next++], NULL);
}

/* As the rules do (search/space/sketch.c): functions are folded, then stages are looked at, both from the outputs to
 * the inputs; what is streamed, what threads share, what is pipelined and prefetched come last, by stage. */
static bool repeat_all(struct state *s, struct repeated *r, int n)
{
	for (int i = n - 1; i >= 0; i--)
		while (is_next(&r[i], is_fold))
			if (!repeat(s, &r[i]))
				return false;
	for (int i = n - 1; i >= 0; i--)
		while (is_next(&r[i], is_other))
			if (!repeat(s, &r[i]))
				return false;
	for (int i; (i = first_of(r, n, is_streaming)) >= 0; r[i].next++)
		state_apply(s, renamed(&r[i]), NULL);	/* refused of what is no result of the whole: left out */
	for (int i; (i = first_of(r, n, is_sharing)) >= 0;)
		if (!repeat(s, &r[i]))
			return false;
	for (int i; (i = first_of(r, n, is_pipelining)) >= 0;)
		if (!repeat(s, &r[i]))
			return false;
	for (int i, last = -1; (i = first_of(r, n, is_prefetching)) >= 0; r[i].next++) {
		struct step step = renamed(&r[i]);

		/* Once; and what was an input of the part may be computed in a loop. */
		if (step.target != last && prefetch_is_given(s, step.target) && state_apply(s, step, NULL))
			last = step.target;
	}
	return true;
}

bool parts_compose(struct arena *a, struct state *whole, const struct dag_part_vec *parts, const struct state *const *steps)
{
	struct repeated *r = arena_many(a, struct repeated, parts->n);

	for (int i = 0; i < parts->n; i++) {
		const struct dag_part *part = &parts->at[i];

		r[i] = (struct repeated){ &steps[i]->steps, state_new(a, part->dag),
					  arena_many(a, int, steps[i]->stages.n), 0 };
		memcpy(r[i].stage, part->op, sizeof(int) * (size_t)part->dag->ops.n);
		skip_of_dag(&r[i]);
	}
	return repeat_all(whole, r, parts->n);
}
