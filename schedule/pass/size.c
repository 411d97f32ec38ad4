/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/size.c - how much is written out, and how much local memory it takes.
 *
 * Requires: a nest with its vectors.
 * Provides: at most as many statements in each nest, and bytes of local arrays, as the target allows; what has more is refused,
 *           for a compiler's time grows with the one and caches do not with the other. Nests one behind the other may have as many
 *           each: parts of a chain are as they are alone.
 * Keeps:    everything.
 *
 * Statements are counted as they are written: loops that are written out turn by turn where a condition is
 * decided by their turns. */
#include <math.h>

#include "schedule/lane_form.h"
#include "schedule/mask.h"
#include "schedule/pass/indices/known.h"
#include "schedule/pass/pass.h"

struct meter {
	const struct target *target;
	struct arena *scratch;
	struct known_axes known;
	const struct axis *vector;	/* of the vector around; NULL: none */
	int lanes;
	double statements;
	size_t local, most_local;	/* bytes of arrays that are alive; the most at any place */
};

/* Has node E of a vector's value no form for all lanes at once? Each lane is written then. */
static bool goes_by_lane(const struct expr *e)
{
	if (e->kind == EXPR_SELECT &&
	    (e->arg[0]->kind < EXPR_LT || e->arg[0]->kind > EXPR_NE || e->arg[0]->arg[0]->dtype != e->dtype))
		return true;
	return !lane_form(e);
}

/* Calls and the like that E, a value of the vector, is written with, beyond the first. */
static double lane_parts(const struct meter *m, const struct expr *e)
{
	struct mask mask;
	double sum = 0;

	if (!expr_uses_axis(e, m->vector) || e->kind == EXPR_LOAD)
		return 0;
	if (e->kind == EXPR_SELECT && known_truth(&m->known, e->arg[0]) != UNKNOWN)
		return lane_parts(m, e->arg[known_truth(&m->known, e->arg[0]) == HOLDS ? 1 : 2]);
	if (e->kind == EXPR_SELECT && mask_of_select(m->scratch, m->target, e, m->vector, &mask))
		return 2 + lane_parts(m, e->arg[1]);
	if (goes_by_lane(e))
		return m->lanes - 1;
	if (e->kind == EXPR_CAST && e->arg[0]->dtype == DTYPE_I64)	/* words (schedule/lane_form.c) */
		return 0;
	for (int i = 0; i < expr_kind_arity(e->kind); i++)
		sum += lane_parts(m, e->arg[i]);
	return sum;
}

static void add_list(struct meter *m, const struct nest *n);

static void add_store(struct meter *m, const struct nest *n)
{
	m->statements += 1 + (m->vector ? lane_parts(m, n->value) : 0);
}

struct comparison_of {
	const struct axis *axis;
	bool found;
};

static bool find_comparison(const struct expr *e, void *user)
{
	struct comparison_of *c = user;

	c->found |= (e->kind == EXPR_LT || e->kind == EXPR_LE) && expr_uses_axis(e, c->axis);
	return e->compares && !c->found;
}

/* Is a condition in LIST one on AXIS, be it by way of lets? */
static bool decides(const struct nest *list, const struct axis *axis)
{
	for (const struct nest *n = list; n; n = n->next) {
		struct comparison_of c = { axis, false };

		if (!n->compared)
			continue;
		if (n->value && n->value->compares)
			expr_visit_once(n->value, find_comparison, &c);
		if (c.found || decides(n->body, axis) || decides(n->other, axis) ||
		    (n->kind == NEST_LET && expr_uses_axis(n->value, axis) && decides(n->body, n->axis)))
			return true;
	}
	return false;
}

static void add_written_out(struct meter *m, const struct nest *n)
{
	int64_t extent = n->axis->hi - n->axis->lo;
	double before = m->statements;

	if (n->intrinsic) {	/* a call for each vector in it */
		for (const struct nest *b = n->body; b; b = b->next)
			m->statements += 1;
		return;
	}
	if (m->known.n == MAX_KNOWN || !decides(n->body, n->axis)) {
		add_list(m, n->body);
		m->statements = before + (m->statements - before) * (double)extent;
		return;
	}
	m->known.n++;
	for (int64_t i = n->axis->lo; i < n->axis->hi && m->statements <= m->target->statements; i++) {
		m->known.at[m->known.n - 1].axis = n->axis;
		m->known.at[m->known.n - 1].value = i;
		add_list(m, n->body);
	}
	m->known.n--;
}

static void add_loop(struct meter *m, const struct nest *n)
{
	size_t local = m->local;

	if (n->annotation == ANNOTATION_UNROLL) {
		add_written_out(m, n);
	} else if (n->annotation == ANNOTATION_VECTOR) {
		m->vector = n->axis;
		m->lanes = n->lanes;
		add_list(m, n->body);
		m->vector = NULL;
	} else {
		m->statements += 1;
		add_list(m, n->body);
		m->local = local;	/* its arrays end with it */
	}
}

static void add_let(struct meter *m, const struct nest *n)
{
	struct range r = known_range(&m->known, n->value);
	bool known = r.lo == r.hi && m->known.n < MAX_KNOWN;

	if (known) {
		m->known.at[m->known.n].axis = n->axis;
		m->known.at[m->known.n++].value = r.lo;
	} else {
		m->statements += 1;
	}
	add_list(m, n->body);
	m->known.n -= known;
}

static void add_if(struct meter *m, const struct nest *n)
{
	enum truth t = known_truth(&m->known, n->value);

	m->statements += t == UNKNOWN;
	if (t != FAILS)
		add_list(m, n->body);
	if (t != HOLDS)
		add_list(m, n->other);
}

static void add_alloc(struct meter *m, const struct nest *n)
{
	if (n->buffer->registers || n->buffer->kind != BUFFER_LOCAL || n->buffer->scratchpad == SCOPE_MATRIX)
		return;
	m->local += tensor_bytes(&n->buffer->tensor);
	m->most_local = m->local > m->most_local ? m->local : m->most_local;
}

static void add_node(struct meter *m, const struct nest *n)
{
	switch (n->kind) {
	case NEST_LOOP:
		add_loop(m, n);
		break;
	case NEST_LET:
		add_let(m, n);
		break;
	case NEST_IF:
		add_if(m, n);
		break;
	case NEST_ALLOC:
		add_alloc(m, n);
		break;
	case NEST_STORE:
		add_store(m, n);
		break;
	case NEST_PREFETCH:
		m->statements += 1;
		break;
	}
}

static void add_list(struct meter *m, const struct nest *n)
{
	for (; n && m->statements <= m->target->statements; n = n->next)
		add_node(m, n);
}

double program_statements(const struct program *p)
{
	double all = 0;

	for (const struct nest *n = p->body; n; n = n->next) {
		struct meter m = { .target = p->target, .scratch = p->arena };

		add_node(&m, n);
		all += m.statements;
	}
	return all;
}

bool nest_pass_size(struct program *p, const char **why)
{
	struct meter m = { .target = p->target, .scratch = p->arena };
	double most = 0;

	for (const struct nest *n = p->body; n; n = n->next) {
		m.statements = 0;
		add_node(&m, n);
		most = fmax(most, m.statements);
	}
	if (m.most_local > p->target->scope_bytes[SCOPE_WORKSPACE])
		*why = "local buffers need too much memory";
	else if (most > p->target->statements)
		*why = "too many statements when unrolled";
	else
		return true;
	return false;
}
