/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/apply/dags.c - the first steps: another DAG that computes the same from the same memory is scheduled. */
#include "schedule/apply/stages.h"
#include "te/dims/collapse.h"
#include "te/dims/widen.h"

/* DAG is what S schedules, of which nothing is scheduled yet. */
static void schedule_instead(struct state *s, const struct dag *dag)
{
	struct state before = *s;

	*s = *state_new(s->arena, dag);
	s->given = before.given, s->steps = before.steps;
}

bool apply_collapse(struct state *s, const struct step *step, const char **why)
{
	const struct dag *dag = s->steps.n == 0 ? dag_collapse(s->arena, s->given) : NULL;

	(void)step;
	if (!dag)
		REFUSE(s->steps.n > 0 ? "steps were taken before" : "no dims are walked together");
	schedule_instead(s, dag);
	return true;
}

bool apply_widen(struct state *s, const struct step *step, const char **why)
{
	bool first = s->steps.n == 0 || (s->steps.n == 1 && s->steps.at[0].kind == STEP_COLLAPSE);
	const struct dag *dag = first && step->size > 1 ? dag_widen(s->arena, s->dag, step->size) : NULL;

	if (!dag)
		REFUSE(first ? "no reduction has blocks of fewer elements, and neighbours to fill them" : "steps were taken before");
	schedule_instead(s, dag);
	return true;
}
