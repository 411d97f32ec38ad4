/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/motion.c - how indices move with loops.
 *
 * Indices come simplified from lower(), so that a walk of the expression gives their linear form;
 * quotients, remainders and choices get the counts and steps that they have on average. Nothing
 * is allocated but the results: this runs for every candidate of a search. */
#include "costmodel/features/motion.h"

#include "base/integer.h"

static int64_t distance(int64_t x)
{
	return x < 0 ? -x : x;
}

/* Is a step of Y the turns of X? */
static bool goes_on(const struct motion_term *x, const struct motion_term *y)
{
	return y->step == x->step * x->count;
}

void motion_add_term(struct motion *m, struct motion_term t)
{
	if (t.step == 0 || t.count <= 1)
		return;
	for (int i = 0; i < m->n; i++) {
		if (m->at[i].loop != t.loop)
			continue;
		if (goes_on(&m->at[i], &t) || goes_on(&t, &m->at[i])) {	/* 8 * (i / 8) + i % 8 is i */
			m->at[i].step = distance(t.step) < distance(m->at[i].step) ? t.step : m->at[i].step;
			m->at[i].count *= t.count;
			return;
		}
		m->at[i].step += t.step;
		m->at[i].count = m->at[i].count > t.count ? m->at[i].count : t.count;
		if (m->at[i].step == 0)
			m->at[i] = m->at[--m->n];
		return;
	}
	if (m->n < MOTION_MAX_TERMS)
		m->at[m->n++] = t;
}

static void add_motion(struct motion *m, const struct motion *x, int64_t factor)
{
	m->constant += x->constant * factor;
	for (int i = 0; i < x->n; i++)
		motion_add_term(m, (struct motion_term){x->at[i].loop, x->at[i].step * factor,
						 x->at[i].count});
}

const struct variable *variable_of(const struct variables *v, const struct axis *axis)
{
	for (int i = v->n - 1; i >= 0; i--)
		if (v->at[i].axis == axis)
			return &v->at[i];
	return NULL;
}

static void add_axis(const struct variables *v, struct motion *m, const struct axis *axis,
		     int64_t factor)
{
	const struct variable *x = variable_of(v, axis);

	if (x && x->loop >= 0)
		motion_add_term(m, (struct motion_term){ x->loop, factor, axis->hi - axis->lo });
	else if (x && x->let)
		add_motion(m, x->let, factor);
}

/* m += factor * (x / d). */
static void add_quotient(struct motion *m, const struct motion *x, int64_t d, int64_t factor)
{
	for (int i = 0; i < x->n; i++) {
		struct motion_term t = x->at[i];
		int64_t step = distance(t.step);

		if (step < d)	/* stays for some turns, then goes on by one */
			t.count = least(t.count, step * (t.count - 1) / d + 1);
		t.step = (step < d ? 1 : step / d) * factor;
		motion_add_term(m, t);
	}
	m->constant += x->constant / d * factor;
}

/* m += factor * (x % d). */
static void add_remainder(struct motion *m, const struct motion *x, int64_t d, int64_t factor)
{
	for (int i = 0; i < x->n; i++) {
		struct motion_term t = x->at[i];
		int64_t step = distance(t.step) % d;

		if (step == 0)
			continue;
		t.count = least(t.count, d / gcd(d, step));
		t.step = step * factor;
		motion_add_term(m, t);
	}
	m->constant += x->constant % d * factor;
}

/* m moves at least as x does: for choices and for what is not linear. */
static void absorb(struct motion *m, const struct motion *x, int64_t factor)
{
	for (int i = 0; i < x->n; i++) {
		bool there = false;

		for (int j = 0; j < m->n; j++)
			there |= m->at[j].loop == x->at[i].loop;
		if (!there)
			motion_add_term(m, (struct motion_term){ x->at[i].loop, x->at[i].step * factor,
						   x->at[i].count });
	}
}

static void add_other(const struct variables *v, struct motion *m, const struct expr *e,
		      int64_t factor)
{
	bool load = e->kind == EXPR_LOAD;
	int first = e->kind == EXPR_SELECT;	/* the condition is none of its values */
	int last = load ? e->tensor->ndim : expr_kind_arity(e->kind);

	for (int i = first; i < last; i++) {
		struct motion x;

		motion_clear(&x);
		motion_add(v, &x, load ? e->index[i] : e->arg[i], 1);
		absorb(m, &x, factor);
	}
}

/* m += factor * e, a quotient or remainder by D. */
static void add_division(const struct variables *v, struct motion *m, const struct expr *e,
			 int64_t d, int64_t factor)
{
	struct motion x;

	motion_clear(&x);
	motion_add(v, &x, e->arg[0], 1);
	if (e->kind == EXPR_DIV)
		add_quotient(m, &x, d, factor);
	else
		add_remainder(m, &x, d, factor);
}

void motion_add(const struct variables *v, struct motion *m, const struct expr *e, int64_t factor)
{
	int64_t c;

	switch (e->kind) {
	case EXPR_INT:
		m->constant += e->i * factor;
		return;
	case EXPR_AXIS:
		add_axis(v, m, e->axis, factor);
		return;
	case EXPR_ADD:
	case EXPR_SUB:
		motion_add(v, m, e->arg[0], factor);
		motion_add(v, m, e->arg[1], e->kind == EXPR_SUB ? -factor : factor);
		return;
	case EXPR_NEG:
		motion_add(v, m, e->arg[0], -factor);
		return;
	case EXPR_MUL:
		if (!expr_is_int(e->arg[1], &c) && !expr_is_int(e->arg[0], &c))
			break;
		motion_add(v, m, e->arg[e->arg[1]->kind == EXPR_INT ? 0 : 1], factor * c);
		return;
	case EXPR_DIV:
	case EXPR_MOD:
		if (!expr_is_int(e->arg[1], &c) || c <= 0)
			break;
		add_division(v, m, e, c, factor);
		return;
	default:
		break;
	}
	add_other(v, m, e, factor);
}

bool motion_equal(const struct motion *x, const struct motion *y)
{
	if (x->n != y->n)
		return false;
	for (int i = 0; i < x->n; i++)
		if (x->at[i].loop != y->at[i].loop || x->at[i].step != y->at[i].step)
			return false;
	return true;
}

void motion_sort(struct motion *m)
{
	for (int i = 0; i < m->n; i++) {
		struct motion_term t = m->at[i];
		int j = i;

		t.step = distance(t.step);
		for (; j > 0 && m->at[j - 1].step > t.step; j--)
			m->at[j] = m->at[j - 1];
		m->at[j] = t;
	}
}
