/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/motion.c - how indices move with loops, and what that makes an access touch.
 *
 * Indices come simplified from lower(), so that a walk of the expression gives their linear form;
 * quotients, remainders and choices get the counts and steps that they have on average. Nothing
 * is allocated but the results: this runs for every candidate of a search. */
#include "base/integer.h"
#include "costmodel/site.h"

enum { LINE_BYTES = 64 };

static int64_t distance(int64_t x)
{
	return x < 0 ? -x : x;
}

static void add_term(struct motion *m, struct motion_term t)
{
	if (t.step == 0 || t.count <= 1)
		return;
	for (int i = 0; i < m->n; i++) {
		if (m->at[i].loop != t.loop)
			continue;
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
		add_term(m, (struct motion_term){x->at[i].loop, x->at[i].step * factor,
						 x->at[i].count});
}

static void add_axis(const struct variables *v, struct motion *m, const struct axis *axis,
		     int64_t factor)
{
	for (int i = v->n - 1; i >= 0; i--) {
		const struct variable *x = &v->at[i];

		if (x->axis != axis)
			continue;
		if (x->loop >= 0)
			add_term(m, (struct motion_term){ x->loop, factor, axis->hi - axis->lo });
		else if (x->let)
			add_motion(m, x->let, factor);
		return;
	}
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
		add_term(m, t);
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
		add_term(m, t);
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
			add_term(m, (struct motion_term){ x->at[i].loop, x->at[i].step * factor,
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

/* --- footprints */

/* The values of an index in one execution of a level: `blocks` runs of `run` values, `gap` from
 * one run to the next. */
struct index_spread {
	int64_t run, blocks, gap;
};

static struct index_spread spread_of(const struct motion *m, int level, int64_t extent)
{
	struct index_spread s = { 1, 1, 0 };
	int64_t reach = 0;

	for (int i = 0; i < m->n; i++) {
		const struct motion_term *t = &m->at[i];

		if (t->loop < level)
			continue;
		reach += t->step * (t->count - 1);
		if (s.blocks == 1 && t->step <= s.run) {
			s.run += t->step * (t->count - 1);
			continue;
		}
		s.gap = s.blocks == 1 ? t->step : s.gap;
		s.blocks = least(s.blocks * t->count, reach / s.gap + 1);
	}
	s.run = least(s.run, extent);
	if (s.blocks > 1)
		s.blocks = least(s.blocks, (extent + s.run - 1) / s.run);
	return s;
}

/* Lines that ELEMENTS fill, SHIFT the logarithm of those in a line: a division takes longer than all
 * else here. */
static double lines_of(int64_t elements, int shift)
{
	return (double)((elements + (INT64_C(1) << shift) - 1) >> shift);
}

/* What X touches where its dims spread like SPREAD. From the last dim outwards as long as what is
 * touched is one piece of memory, that piece's lines are counted; all pieces are alike. */
static struct footprint footprint_of(const struct access *x, const struct index_spread *spread)
{
	const struct tensor *t = &x->buffer->tensor;
	int64_t piece = 1, pieces = 1;	/* elements of one; number of them */
	int64_t gap = 0;		/* elements from one piece to the next */
	int64_t row = 1;		/* elements of a step in this dim */
	bool open = true;

	for (int d = t->ndim - 1; d >= 0; d--) {
		struct index_spread s = spread[d];

		if (gap == 0 && (s.blocks > 1 || !open))
			gap = s.run > 1 && !open ? row : s.gap * row;
		if (open)
			piece *= s.run;
		pieces *= open ? s.blocks : s.run * s.blocks;
		open = open && s.run == t->shape[d];
		row *= t->shape[d];
	}
	int line = __builtin_ctz(LINE_BYTES / (unsigned)dtype_bytes(t->dtype));
	double lines = (double)pieces * lines_of(piece, line);

	if (gap > 0 && gap < INT64_C(1) << line)	/* neighbours share lines */
		lines = lines_of(gap * (pieces - 1) + piece, line);
	return (struct footprint){ (double)piece * (double)pieces, lines, 0 };
}

/* One execution of a level cannot touch more than it has turns. */
static struct footprint bounded(const struct access *x, const struct index_spread *spread,
				double turns)
{
	struct footprint f = footprint_of(x, spread);
	double most = turns * x->n;

	f.elements = f.elements < most ? f.elements : most;
	f.lines = f.lines < most ? f.lines : most;
	f.bytes = x->buffer->registers ? 0 : f.lines * LINE_BYTES;
	return f;
}

/* Several places of one access: as if a loop inside all others went from one to the next. */
static void add_places(struct motion *m, int64_t reach, int n, int loop)
{
	if (reach <= 0)
		return;
	int64_t step = n > 1 && reach / (n - 1) > 1 ? reach / (n - 1) : 1;

	add_term(m, (struct motion_term){ loop, step, reach / step + 1 });
}

static uint64_t loops_of(const struct motion *m)
{
	uint64_t loops = 0;

	for (int i = 0; i < m->n; i++)
		loops |= UINT64_C(1) << m->at[i].loop;
	return loops;
}

void access_finish(struct arena *a, struct access *x, int n_loops, const double *inside)
{
	const struct tensor *t = &x->buffer->tensor;
	uint64_t moves[TENSOR_MAX_DIMS];	/* which loops move a dim */
	struct index_spread spread[TENSOR_MAX_DIMS];

	for (int d = 0; d < t->ndim; d++) {
		struct motion *m = &x->dim[d];

		moves[d] = loops_of(m);
		x->moves |= moves[d];
		add_places(m, x->top[d] - m->constant, x->n, n_loops);
		motion_sort(m);
		spread[d] = spread_of(m, n_loops, t->shape[d]);
	}
	x->at = arena_raw(a, ((size_t)n_loops + 1) * sizeof(*x->at));
	x->at[n_loops] = bounded(x, spread, 1);
	for (int l = n_loops - 1; l >= 0; l--) {
		for (int d = 0; d < t->ndim; d++)
			if (moves[d] >> l & 1)
				spread[d] = spread_of(&x->dim[d], l, t->shape[d]);
		x->at[l] = access_moves(x, l) ? bounded(x, spread, inside[l]) : x->at[l + 1];
	}
}

int64_t access_stride(const struct access *x, int loop)
{
	const struct tensor *t = &x->buffer->tensor;
	int64_t row = 1, sum = 0;

	for (int d = t->ndim - 1; d >= 0; d--) {
		for (int i = 0; i < x->dim[d].n; i++)
			if (x->dim[d].at[i].loop == loop)
				sum += x->dim[d].at[i].step * row;
		row *= t->shape[d];
	}
	return sum;
}
