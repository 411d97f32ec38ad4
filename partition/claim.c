/* SPDX-License-Identifier: Apache-2.0 */
/* partition/claim.c - patterns are tried at each call, in order; a call that is taken is not offered
 * again. */
#include "partition/claim.h"

#include "partition/piece.h"
#include "partition/view.h"

struct claimer {
	struct arena *a;
	const struct backend *backend;
	const struct flow *flow;
	const bool *held;
	bool *taken;		/* by value */
	int *room;
	struct piece_meter meter;
	struct claims out;
};

static bool is_any(const bool *of, const struct value_vec *members)
{
	for (int i = 0; i < members->n; i++)
		if (of[members->at[i]])
			return true;
	return false;
}

/* Why MEMBERS alone are beyond the generator's limits, in x->a; NULL: they are not. */
static const char *excess(struct claimer *x, const struct value_vec *members)
{
	piece_begin(&x->meter);
	for (int i = 0; i < members->n; i++)
		piece_add(&x->meter, members->at[i]);
	return piece_excess(x->a, &x->meter, piece_limit_of(x->backend->generator));
}

/* Why the generator does not take MEMBERS, in x->a; NULL: it does. */
static const char *refusal(struct claimer *x, struct arena *scratch, const struct value_vec *members)
{
	const struct hone_generator *g = x->backend->generator;
	const struct region_view *view = region_view_new(scratch, x->flow, x->room, members, NULL);
	char why[HONE_WHY_BYTES] = "";

	if (!view)
		return "its shapes are not known";
	if (!g->claims || g->claims(&view->region, why) == 0)
		return excess(x, members);
	why[HONE_WHY_BYTES - 1] = 0;
	return arena_strdup(x->a, *why ? why : "the generator does not say why");
}

static void try_value(struct claimer *x, struct arena *scratch, int value)
{
	const struct hone_pattern *patterns = x->backend->generator->patterns;
	struct claim best = { 0 };
	const char *why = NULL;

	for (int i = 0; i < x->backend->npatterns; i++) {
		struct value_vec members;

		if (!pattern_match(scratch, x->backend->patterns[i], x->flow, value, &members) ||
		    is_any(x->taken, &members) || members.n <= best.members.n)
			continue;
		const char *no = is_any(x->held, &members) ? "a call that its pattern takes with it is not offered"
							   : refusal(x, scratch, &members);

		why = no ? no : why;
		if (!no)
			best = (struct claim){ patterns[i].name, members };
	}
	if (best.members.n) {
		best.members.at = arena_memdup(x->a, best.members.at,
					       (size_t)best.members.n * sizeof(int));
		vec_push(x->a, &x->out.at, best);
		for (int i = 0; i < best.members.n; i++)
			x->taken[best.members.at[i]] = true;
	} else {
		x->out.why[value] = why;
	}
}

struct claims claims_find(struct arena *a, const struct backend *backend, const struct flow *flow,
			  const bool *held)
{
	int n = flow->function->bindings.n;
	struct arena *scratch = arena_new();
	struct claimer x = {
		.a = a, .backend = backend, .flow = flow, .held = held,
		.meter = piece_meter_new(a, flow->function),
		.taken = arena_many(a, bool, n), .room = region_view_room(a, flow->function),
		.out.why = arena_many(a, const char *, n),
	};

	for (int v = flow->function->nparams; v < n; v++) {
		if (flow->needed[v] && !x.taken[v] && !held[v] &&
		    function_at(flow->function, v)->kind == BIND_CALL)
			try_value(&x, scratch, v);
		arena_reset(scratch);
	}
	arena_free(scratch);
	return x.out;
}
