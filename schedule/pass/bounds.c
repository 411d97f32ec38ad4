/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/bounds.c - proves that each access is within its buffer.
 *
 * Requires: a finished nest.
 * Provides: each load and store is within its buffer, each let within its axis. What cannot be proved is
 *           refused: nothing is run on hope.
 * Keeps:    everything. */
#include "schedule/pass/pass.h"
#include "te/index/index.h"

enum { PROVED = 64 };

struct bounds {
	struct arena *scratch;
	const struct expr *proved[PROVED];	/* whatever is known, by address, as far as they are still there */
	struct facts facts;
	const char *why;
};

static void check_value(struct bounds *b, const struct expr *e);

static bool within(struct bounds *b, const struct expr *e, int64_t lo, int64_t hi)
{
	return index_within(b->scratch, e, lo, hi, &b->facts);
}

static void check_index(struct bounds *b, const struct tensor *t, const struct expr *const *index)
{
	for (int i = 0; i < t->ndim && !b->why; i++)
		if (!within(b, index[i], 0, t->shape[i] - 1))
			b->why = "an access may be out of bounds";
}

/* Is LOAD within whatever is known? Then it is so wherever it stands. */
static bool needs_no_facts(const struct expr *load)
{
	for (int i = 0; i < load->tensor->ndim; i++) {
		struct range r = expr_range(load->index[i]);

		if (load->index[i]->loads || r.lo < 0 || r.hi >= load->tensor->shape[i])
			return false;
	}
	return true;
}

/* The rows of a transform are sums of the same elements: a load stands at many places. */
static void check_load(struct bounds *b, const struct expr *e)
{
	const struct expr **proved = &b->proved[expr_slot(e, PROVED)];

	if (*proved == e)
		return;
	if (needs_no_facts(e)) {
		*proved = e;
		return;
	}
	check_index(b, e->tensor, e->index);
	for (int i = 0; i < e->tensor->ndim; i++)
		check_value(b, e->index[i]);
}

static void check_choice(struct bounds *b, const struct expr *e)
{
	int known = b->facts.n;

	check_value(b, e->arg[0]);
	facts_add(b->scratch, &b->facts, e->arg[0], false);
	check_value(b, e->arg[1]);
	b->facts.n = known;
	facts_add(b->scratch, &b->facts, e->arg[0], true);
	check_value(b, e->arg[2]);
	b->facts.n = known;
}

/* An element or padding: its own condition says all that a proof needs, mostly, and then it does so wherever it
 * stands. */
static void check_padded(struct bounds *b, const struct expr *e)
{
	const struct expr **proved = &b->proved[expr_slot(e, PROVED)];
	struct facts all = b->facts;

	if (*proved == e)
		return;
	b->facts = (struct facts){ 0 };
	check_choice(b, e);
	b->facts = all;
	if (!b->why) {
		*proved = e;
		return;
	}
	b->why = NULL;
	check_choice(b, e);
}

static bool is_padded(const struct expr *e)
{
	return e->kind == EXPR_SELECT && (expr_cast_load(e->arg[1]) || expr_cast_load(e->arg[2]));
}

static void check_value(struct bounds *b, const struct expr *e)
{
	if (!e->loads || b->why)
		return;
	if (is_padded(e)) {
		check_padded(b, e);
		return;
	}
	if (e->kind == EXPR_SELECT) {
		check_choice(b, e);
		return;
	}
	if (e->kind == EXPR_LOAD) {
		check_load(b, e);
		return;
	}
	for (int i = 0; i < expr_kind_arity(e->kind); i++)
		check_value(b, e->arg[i]);
}

static void check_nest(struct bounds *b, const struct nest *n)
{
	for (; n && !b->why; n = n->next) {
		int known = b->facts.n;

		if (n->value)
			check_value(b, n->value);
		if (n->kind == NEST_STORE)
			check_index(b, &n->buffer->tensor, n->index);
		if (n->kind == NEST_LET && !within(b, n->value, n->axis->lo, n->axis->hi - 1))
			b->why = "a let may be out of its range";
		if (n->kind == NEST_IF)
			facts_add(b->scratch, &b->facts, n->value, false);
		check_nest(b, n->body);
		b->facts.n = known;
		if (n->kind == NEST_IF) {
			facts_add(b->scratch, &b->facts, n->value, true);
			check_nest(b, n->other);
			b->facts.n = known;
		}
	}
}

bool nest_pass_bounds(struct program *p, const char **why)
{
	struct bounds b = { .scratch = arena_new() };

	check_nest(&b, p->body);
	for (int i = 0; i < p->packs.n; i++)
		check_nest(&b, p->packs.at[i]->body);
	arena_free(b.scratch);
	if (b.why)
		*why = b.why;
	return !b.why;
}
