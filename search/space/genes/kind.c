/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/kind.c - derivations, lanes and tiles as the name of a kind. */
#include "search/space/genes/kind.h"

#include <string.h>

#include "base/text.h"

/* Before the axis of a tile in the name of a kind, or before what stands in its place. */
#define TILE ", tile "
#define INSIDE ", inside "

/* Of the loops around a statement, those that are written at once, by the axes as the operator has them. */
struct written_axes {
	const struct axis *lanes;
	struct {
		const char *name;
		int64_t turns;
	} at[8];
	int n;
	bool sums_in_turns; /* some of what is summed is in a loop that is none of these */
};

static size_t length_of_name(const char *axis)
{
	return strcspn(axis, ".");
}

/* Turns of AXIS that W has beside each other. */
static void add_turns(struct written_axes *w, const struct axis *axis)
{
	size_t n = length_of_name(axis->name);
	int i = 0;

	while (i < w->n && (strncmp(w->at[i].name, axis->name, n) != 0 || length_of_name(w->at[i].name) != n))
		i++;
	if (i == (int)(sizeof(w->at) / sizeof(w->at[0])))
		return;
	if (i == w->n) {
		w->at[w->n++].name = axis->name;
		w->at[i].turns = 1;
	}
	w->at[i].turns *= axis->hi - axis->lo;
}

/* OUT: what is around store *I of LIST, of which it is taken off, as of all that stand before it. False: LIST has no
 * store of that number. W is around LIST. */
static bool find_written(const struct nest *list, const struct written_axes *w, int *i, struct written_axes *out)
{
	for (const struct nest *n = list; n; n = n->next) {
		struct written_axes in = *w;

		if (n->kind == NEST_LOOP && n->annotation == ANNOTATION_VECTOR)
			in.lanes = n->axis;
		if (n->kind == NEST_LOOP && n->annotation == ANNOTATION_UNROLL && !n->axis->reduce)
			add_turns(&in, n->axis);
		in.sums_in_turns |= n->kind == NEST_LOOP && n->annotation != ANNOTATION_UNROLL && n->axis->reduce;
		if (n->kind == NEST_STORE && (*i)-- == 0) {
			*out = *w;
			return true;
		}
		if (find_written(n->body, &in, i, out) || find_written(n->other, w, i, out))
			return true;
	}
	return false;
}

/* ", inside M Z": the stages of S that are computed in loops of others. */
static void tell_inside(struct text *t, const struct state *s)
{
	const char *before = INSIDE;

	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *g = s->stages.at[i];

		if (!stage_computes(g) || g->place != PLACE_AT)
			continue;
		text_printf(t, "%s%s", before, g->op.tensor.name);
		before = " ";
	}
}

/* ", C_M at 9": in which loops of others the sums of S are computed. Campaigns of one seed that began with others ended 4 and 6% apart
 * (docs/performance.md). */
static void tell_strips(struct text *t, const struct state *s)
{
	for (int i = 0; i < s->stages.n; i++) {
		const struct stage *g = s->stages.at[i];

		if (stage_computes(g) && g->place == PLACE_AT && !g->is_cache && !g->is_partial && op_is_reduction(&g->op))
			text_printf(t, ", %s at %d", g->op.tensor.name, g->at_iter);
	}
}

/* "lanes c, tile x, at once": the axis that vectors run along in the statement of P that takes most operations, and the one that
 * most of them are side by side along; whether no loop is left of its sum; and what of S is computed inside of others. */
static void tell_tile(struct text *t, const struct state *s, const struct program *p, const struct feature_matrix *m)
{
	struct written_axes none = { 0 }, w = { 0 };
	int busiest = 0, longest = -1;

	for (int i = 1; i < m->n_rows; i++)
		if (m->rows[(ptrdiff_t)i * FEATURE_COUNT + FEATURE_FLOP] >
		    m->rows[(ptrdiff_t)busiest * FEATURE_COUNT + FEATURE_FLOP])
			busiest = i;
	find_written(p->body, &none, &busiest, &w);
	text_printf(t, "lanes %.*s", w.lanes ? (int)length_of_name(w.lanes->name) : 0, w.lanes ? w.lanes->name : "");
	for (int i = 0; i < w.n; i++)
		if (w.at[i].turns > (longest < 0 ? 1 : w.at[longest].turns))
			longest = i;
	if (longest < 0) {
		tell_inside(t, s);
		return;
	}
	text_printf(t, TILE "%.*s", (int)length_of_name(w.at[longest].name), w.at[longest].name);
	if (!w.sums_in_turns)
		text_printf(t, ", at once");
	tell_strips(t, s);
}

const char *kind_of(struct arena *a, const struct state *s, const struct program *p, const struct feature_matrix *m)
{
	struct text t = { 0 };

	for (int i = 0; i < s->steps.n; i++) {
		const struct step *step = &s->steps.at[i];

		if (step->kind == STEP_WIDEN)
			text_printf(&t, "%s %jd, ", step_name(step->kind), (intmax_t)step->size);
		if (step->kind == STEP_DERIVE)
			text_printf(&t, "%s %jd of %d, ", derivation_name(step->derivation), (intmax_t)step->size,
				    step->stage);
	}
	tell_tile(&t, s, p, m);
	const char *kind = arena_strdup(a, text_str(&t));

	text_free(&t);
	return kind;
}

bool kind_equal(const char *x, const char *y)
{
	return strcmp(x, y) == 0;
}

static size_t length_without_tile(const char *kind)
{
	const char *tile = strstr(kind, TILE), *inside = strstr(kind, INSIDE);
	const char *end = tile ? tile : inside;

	return end ? (size_t)(end - kind) : strlen(kind);
}

bool kind_is_akin(const char *x, const char *y)
{
	size_t n = length_without_tile(x);

	return n == length_without_tile(y) && memcmp(x, y, n) == 0;
}
