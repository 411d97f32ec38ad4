/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/candidate.c - the steps of one candidate's way. */
#include "search/space/genes/candidate.h"

#include "base/err.h"
#include "schedule/text/step_text.h"
#include "search/kernel_text.h"
#include "search/space/genes/kind.h"

struct batch batch_new(struct arena *a, int cap)
{
	return (struct batch){ .at = arena_many(a, struct candidate, cap), .cap = cap };
}

/* Lowers S in SCRATCH, and tells of it in A; the features where they are wanted. */
static void describe(const struct problem *p, struct arena *a, struct arena *scratch, const struct state *s, struct told *t)
{
	const struct program *program = lower(scratch, s, p->aim->target, &t->refused);
	struct feature_matrix m;

	t->known = true;
	if (!program || !p->describes)
		return;
	if (!features_of(scratch, program, p->aim, &m)) {
		t->refused = "its features cannot be told";
		return;
	}
	t->features = (struct feature_matrix){
		.rows = arena_memdup(a, m.rows, (size_t)m.n_rows * FEATURE_COUNT * sizeof(*m.rows)),
		.n_rows = m.n_rows,
	};
	t->kind = kind_of(a, s, program, &m);
}

bool candidate_grow(const struct problem *p, struct arena *a, struct rng *rng, int sketch,
		    const struct genes *genes, struct candidate *out)
{
	struct arena *scratch = arena_new();
	struct genes found;

	*out = (struct candidate){ 0 };
	const struct state *s = sample(scratch, p->task->dag, p->sketches.at[sketch], p->aim, rng, genes,
				       &found);
	struct told *t = s ? told_of(p->told, a, steps_text(scratch, &s->steps)) : NULL;

	if (t && !t->known)
		describe(p, a, scratch, s, t);
	bool grown = t && !t->refused;

	if (grown) {
		*out = (struct candidate){ .steps = t->steps, .genes = genes_copy(a, &found), .features = t->features,
					   .kind = t->kind };
		out->genes.sketch = sketch;
	} else {
		refusals_note(p->refusals, t ? t->refused : "its choices do not fit together");
	}
	arena_free(scratch);
	return grown;
}

bool candidate_random(const struct problem *p, struct arena *a, struct rng *rng, int max,
		      int *refused, struct candidate *out)
{
	for (int i = 0; i < max; i++) {
		if (candidate_grow(p, a, rng, (int)rng_below(rng, p->sketches.n), NULL, out))
			return true;
		*refused += 1;
	}
	return false;
}

void candidate_tell_genes(const struct problem *p, struct arena *a, struct candidate *c)
{
	struct arena *scratch = arena_new();
	const struct state *s = state_parse(scratch, p->task->dag, "its steps", c->steps);
	bool found = false;

	c->genes = (struct genes){ 0 };
	for (int i = 0; s && i < p->sketches.n && !found; i++) {
		struct genes g;

		found = genes_of(scratch, p->sketches.at[i], &s->steps, &g);
		if (!found)
			continue;
		g.sketch = i;
		c->genes = genes_copy(a, &g);
	}
	arena_free(scratch);
}

bool candidate_recall(const struct problem *p, struct arena *a, const char *steps,
		      struct candidate *out)
{
	struct arena *scratch = arena_new();
	const struct state *s = state_parse(scratch, p->task->dag, "its steps", steps);
	struct told t = { .steps = steps };

	if (s)
		describe(p, a, scratch, s, &t);
	if (t.refused)
		err_set("its steps give no kernel: %s", t.refused);
	*out = (struct candidate){ .steps = steps, .features = t.features, .kind = t.kind };
	arena_free(scratch);
	return t.known && !t.refused;
}

struct program *candidate_program(const struct problem *p, struct arena *a, const char *steps,
				  const char **why)
{
	const struct state *s = state_parse(a, p->task->dag, "its steps", steps);

	*why = "its steps cannot be replayed";
	return s ? lower(a, s, p->aim->target, why) : NULL;
}

bool candidate_emit(const struct problem *p, struct arena *a, struct candidate *c)
{
	const char *why = "its C cannot be written";
	struct arena *scratch = arena_new();
	const struct program *program = candidate_program(p, scratch, c->steps, &why);

	c->trial.source = program ? program_source(a, program, &why) : NULL;
	if (!c->trial.source)
		refusals_note(p->refusals, why);
	arena_free(scratch);
	return c->trial.source != NULL;
}

bool batch_add(const struct problem *p, struct arena *a, struct batch *b,
	       const struct candidate *c)
{
	struct candidate *added = &b->at[b->n];

	if (b->n == b->cap || !history_see(p->history, c->steps))
		return false;
	*added = *c;
	if (!candidate_emit(p, a, added)) {
		b->refused++;
		return false;
	}
	b->n++;
	return true;
}
