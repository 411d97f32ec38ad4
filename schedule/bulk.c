/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/bulk.c - how much C text a nest makes, and how much stack, without writing it.
 *
 * Requires: a nest whose registers are marked.
 * Provides: what codegen/ would write for registers of 64 bytes (narrower ones make more text).
 *           Constants and names count by their usual length; conditions on loops that are written
 *           out hold in a share of the copies. */
#include <math.h>

#include "schedule/nest.h"
#include "te/index.h"

/* Characters of what codegen/ puts around things, read off its output. */
enum {
	SUFFIX = 4,		/* that makes a name distinct: _123 */
	SLOT = 6,		/* a variable of a register tile: _123_4 */
	ELEMENT = 2,		/* [] */
	POINTER = 18,		/* *(f32x16_u *)( + ) */
	CONST_POINTER = 6,	/* more of it in a load */
	FOR_LINE = 46,		/* a loop's head and end, but for its name, which comes three times */
	IF_LINES = 10,
	LET_LINE = 23,
	DECLARATION = 9,	/* f32x16 ; */
	CHOICE = 8,		/* ( ? : ) */
	BLEND = 40,		/* more of it for vectors: casts and splats */
	CALL = 14,		/* hone_max_f32( , ) */
	WRAP = 30,		/* the casts around integer arithmetic */
	NARROW = 16,		/* hone_f16_load() */
	CAST = 9,		/* (int32_t) */
	CONVERT = 35,		/* __builtin_convertvector(, f32x16) */
	FRACTION = 12,		/* 0.166666672f */
	INFINITE = 20,		/* (-__builtin_inff()) */
	REGISTER_BYTES = 64,
	MAX_OPEN = 64,
};

/* A variable on the way to a store. */
struct open_axis {
	const struct axis *axis;
	bool known;		/* a number in each copy */
};

struct meter {
	struct open_axis open[MAX_OPEN];
	int n;
	const struct axis *vector;	/* of the vector loop around; NULL: none */
	int lanes;
	int indent;
	double copies;		/* of the text at this place */
	double block;		/* of that in the innermost loop that stays one */
	double text, stack;	/* so far: characters; bytes of arrays that are alive */
};

static bool is_known_axis(const struct meter *m, const struct axis *axis)
{
	for (int i = m->n - 1; i >= 0; i--)
		if (m->open[i].axis == axis)
			return m->open[i].known;
	return false;
}

static bool is_known(const struct meter *m, const struct expr *e)
{
	int n = expr_kind_arity(e->kind);

	if (e->kind == EXPR_AXIS)
		return is_known_axis(m, e->axis);
	for (int i = 0; i < n; i++)
		if (!is_known(m, e->arg[i]))
			return false;
	return e->kind != EXPR_LOAD;
}

static bool uses_vector(const struct meter *m, const struct expr *e)
{
	return m->vector && expr_uses_axis(e, m->vector);
}

static int digits(int64_t v)
{
	int n = v < 0 ? 2 : 1;

	while (v >= 10 || v <= -10) {
		v /= 10;
		n++;
	}
	return n;
}

/* --- indices */

/* A sum: what is a number in each copy, from one to the next STEP apart, and what stays a
 * variable. */
struct sum {
	struct range known, open;
	int64_t step;		/* 0: one number */
	double text;		/* of the terms that stay */
};

static double length(const struct meter *m, const struct expr *e);

static struct range scaled(struct range r, int64_t factor)
{
	return factor < 0 ? (struct range){ r.hi * factor, r.lo * factor }
			  : (struct range){ r.lo * factor, r.hi * factor };
}

static int64_t common_divisor(int64_t x, int64_t y)
{
	while (y) {
		int64_t rest = x % y;

		x = y;
		y = rest;
	}
	return x < 0 ? -x : x;
}

static void add_atom(const struct meter *m, struct sum *s, const struct expr *e, int64_t factor)
{
	struct range r = scaled(expr_range(e), factor);
	bool axis = e->kind == EXPR_AXIS;

	if (is_known(m, e)) {
		s->known = range_add(s->known, r);
		s->step = common_divisor(factor, s->step);
		return;
	}
	s->open = range_add(s->open, r);
	if (axis && e->axis == m->vector)
		return;		/* it is in the pointer's type */
	s->text += 3 + (axis ? (double)strlen(e->axis->name) + SUFFIX : length(m, e));
	if (factor != 1)
		s->text += 3 + digits(factor);
}

/* s += factor * e. */
static void add_sum(const struct meter *m, struct sum *s, const struct expr *e, int64_t factor)
{
	int64_t v;

	if (e->kind == EXPR_INT) {
		s->known = range_add(s->known, scaled((struct range){ e->i, e->i }, factor));
	} else if (e->kind == EXPR_ADD || e->kind == EXPR_SUB) {
		add_sum(m, s, e->arg[0], factor);
		add_sum(m, s, e->arg[1], e->kind == EXPR_SUB ? -factor : factor);
	} else if (e->kind == EXPR_MUL && expr_is_int(e->arg[1], &v)) {
		add_sum(m, s, e->arg[0], factor * v);
	} else {
		add_atom(m, s, e, factor);
	}
}

static double sum_length(const struct sum *s)
{
	return s->text + digits(s->known.hi);
}

static double index_length(const struct meter *m, const struct expr *e)
{
	struct sum s = { 0 };

	add_sum(m, &s, e, 1);
	return sum_length(&s);
}

static bool is_narrow(enum dtype t)
{
	return t == DTYPE_F16 || t == DTYPE_BF16;
}

/* An element, or a vector of them where VECTOR. */
static double cell_length(const struct meter *m, const struct tensor *t,
			  const struct expr *const *index, bool vector)
{
	double name = (double)strlen(t->name);
	struct sum s = { 0 };
	int64_t row = 1;

	if (buffer_of(t)->registers)
		return name + SLOT;
	for (int d = t->ndim - 1; d >= 0; d--) {
		add_sum(m, &s, index[d], row);
		row *= t->shape[d];
	}
	double narrow = is_narrow(t->dtype) ? NARROW : 0;

	return name + SUFFIX + sum_length(&s) + narrow + (vector ? POINTER : ELEMENT);
}

/* --- conditions */

static bool compares(const struct expr *e, enum dtype t)
{
	return e->kind >= EXPR_LT && e->kind <= EXPR_NE && e->arg[0]->dtype == t;
}

/* In what share of the copies a condition is certain. */
struct share {
	double holds, fails;
};

/* Of the numbers that S's known part takes. */
static double share_at_least(const struct sum *s, int64_t bound)
{
	struct range r = s->known;

	if (bound <= r.lo)
		return 1;
	if (bound > r.hi)
		return 0;
	return (double)((r.hi - bound) / s->step + 1) / (double)((r.hi - r.lo) / s->step + 1);
}

/* Of left <= right, or left < right where STRICT. */
static struct share share_of_order(const struct meter *m, const struct expr *e, bool strict)
{
	struct sum s = { 0 };

	add_sum(m, &s, e->arg[1], 1);
	add_sum(m, &s, e->arg[0], -1);
	return (struct share){ share_at_least(&s, strict - s.open.lo),
			       1 - share_at_least(&s, strict - s.open.hi) };
}

static struct share share_of_equality(const struct meter *m, const struct expr *e)
{
	struct sum s = { 0 };

	add_sum(m, &s, e->arg[1], 1);
	add_sum(m, &s, e->arg[0], -1);
	if (s.open.lo != s.open.hi)
		return (struct share){ 0, 0 };
	double equal = share_at_least(&s, -s.open.lo) - share_at_least(&s, 1 - s.open.lo);

	return e->kind == EXPR_EQ ? (struct share){ equal, 1 - equal }
				  : (struct share){ 1 - equal, equal };
}

static struct share share_of(const struct meter *m, const struct expr *e)
{
	struct share x, y;

	if (compares(e, DTYPE_I64))
		return e->kind <= EXPR_LE ? share_of_order(m, e, e->kind == EXPR_LT)
					  : share_of_equality(m, e);
	switch (e->kind) {
	case EXPR_NOT:
		x = share_of(m, e->arg[0]);
		return (struct share){ x.fails, x.holds };
	case EXPR_AND:
		x = share_of(m, e->arg[0]);
		y = share_of(m, e->arg[1]);
		return (struct share){ x.holds * y.holds,
				       1 - (1 - x.fails) * (1 - y.fails) };
	case EXPR_OR:
		x = share_of(m, e->arg[0]);
		y = share_of(m, e->arg[1]);
		return (struct share){ 1 - (1 - x.holds) * (1 - y.holds), x.fails * y.fails };
	default:
		return (struct share){ 0, 0 };
	}
}

/* --- values */

/* The lanes one by one. */
static double by_lane(const struct meter *m, const struct expr *e)
{
	struct meter one = *m;

	one.vector = NULL;
	one.open[one.n++] = (struct open_axis){ m->vector, true };
	return m->lanes * (2 + length(&one, e)) + CALL;
}

static double select_length(const struct meter *m, const struct expr *e)
{
	struct share c = share_of(m, e->arg[0]);
	double open = 1 - c.holds - c.fails;
	double x = length(m, e->arg[1]), y = length(m, e->arg[2]);
	double decided = c.holds * x + c.fails * y;

	if (open <= 0)
		return decided;
	if (uses_vector(m, e->arg[0]) && !compares(e->arg[0], e->dtype))	/* no mask */
		return decided + open * by_lane(m, e);
	return decided + open * (CHOICE + length(m, e->arg[0]) + x + y +
				 (uses_vector(m, e) ? BLEND : 0));
}

static bool has_vector_form(const struct expr *e)
{
	if (e->kind == EXPR_LOAD)
		return !is_narrow(e->dtype);
	if (e->dtype != DTYPE_F32 && e->dtype != DTYPE_F64)
		return false;
	switch (e->kind) {
	case EXPR_SELECT:
	case EXPR_MIN:
	case EXPR_MAX:
	case EXPR_NEG:
	case EXPR_EXP:
	case EXPR_CAST:
		return true;
	default:
		return expr_kind_form(e->kind) == FORM_INFIX;
	}
}

static double call_length(const struct meter *m, const struct expr *e)
{
	double sum = CALL;

	for (int i = 0; i < expr_kind_arity(e->kind); i++)
		sum += 2 + length(m, e->arg[i]);
	return sum;
}

static double float_length(double v)
{
	if (!isfinite(v))
		return INFINITE;
	return v < floor(v) || v > floor(v) ? FRACTION : 4;
}

/* What add_sum takes apart. */
static bool is_sum(const struct expr *e)
{
	return e->dtype == DTYPE_I64 &&
	       (e->kind == EXPR_ADD || e->kind == EXPR_SUB ||
		(e->kind == EXPR_MUL && expr_is_int(e->arg[1], NULL)));
}

static double length(const struct meter *m, const struct expr *e)
{
	bool vector = uses_vector(m, e);

	if (vector && !has_vector_form(e))
		return by_lane(m, e);
	switch (e->kind) {
	case EXPR_INT:
		return digits(e->i);
	case EXPR_FLOAT:
		return float_length(e->f);
	case EXPR_AXIS:
		return index_length(m, e);
	case EXPR_LOAD:
		return cell_length(m, e->tensor, e->index, vector) +
		       (vector ? CONST_POINTER : 0);
	case EXPR_SELECT:
		return select_length(m, e);
	case EXPR_CAST:
		return length(m, e->arg[0]) + (vector		      ? CONVERT
					       : is_narrow(e->dtype) ? 2 * NARROW
								     : CAST);
	default:
		break;
	}
	if (is_sum(e))
		return 2 + index_length(m, e);
	if (expr_kind_form(e->kind) != FORM_INFIX)
		return call_length(m, e);
	bool wraps = e->dtype != DTYPE_BOOL && !dtype_is_float(e->dtype) && e->kind <= EXPR_MUL;

	return 5 + length(m, e->arg[0]) + length(m, e->arg[1]) + (wraps ? WRAP : 0);
}

/* --- nests */

static void add_list(struct meter *m, const struct nest *n);

/* Vector loops are written out where what is inside has no vector form. */
static void add_lanes(struct meter *m, const struct nest *n,
		      void (*add)(struct meter *, const struct nest *))
{
	const struct axis *vector = m->vector;
	double copies = m->copies;

	m->vector = NULL;
	m->open[m->n++] = (struct open_axis){ vector, true };
	m->copies *= m->lanes;
	add(m, n);
	m->copies = copies;
	m->n--;
	m->vector = vector;
}

/* Do the lanes of store N go to neighbouring elements? A register tile is laid out so that they do. */
static bool stores_vector(const struct meter *m, const struct nest *n)
{
	const struct tensor *t = &n->buffer->tensor;
	int last = t->ndim - 1;

	while (last > 0 && t->shape[last] == 1)
		last--;
	return m->vector && (n->buffer->registers || (last >= 0 && uses_vector(m, n->index[last])));
}

static double combine_length(enum reducer r, enum dtype t)
{
	if (r == REDUCE_MAX || r == REDUCE_MIN)
		return CALL;
	return dtype_is_float(t) ? 3 : WRAP;
}

static void add_store(struct meter *m, const struct nest *n)
{
	const struct tensor *t = &n->buffer->tensor;

	if (m->vector && (is_narrow(t->dtype) || t->dtype == DTYPE_BOOL)) {
		add_lanes(m, n, add_store);
		return;
	}
	bool whole = stores_vector(m, n);
	double cell = cell_length(m, t, n->index, whole);
	double lines = m->vector && !whole ? m->lanes : 1;

	m->text += m->copies * (lines * (m->indent + cell + 5) + length(m, n->value));
	if (n->reducer != REDUCE_NONE)
		m->text += m->copies * (cell + combine_length(n->reducer, t->dtype));
}

static void add_alloc(struct meter *m, const struct nest *n)
{
	const struct tensor *t = &n->buffer->tensor;
	double variables = 1;

	if (n->buffer->registers)
		variables = (double)tensor_bytes(t) / REGISTER_BYTES + 1;
	else if (n->buffer->kind == BUFFER_LOCAL)
		m->stack += (double)tensor_bytes(t) * m->copies / m->block;
	m->text += m->copies * variables * (m->indent + SLOT + DECLARATION + (double)strlen(t->name));
}

static void add_body(struct meter *m, const struct nest *n, const struct axis *axis, bool known)
{
	m->open[m->n++] = (struct open_axis){ axis, known };
	add_list(m, n);
	m->n--;
}

static size_t widest(const struct nest *n)
{
	size_t most = 1;

	for (; n; n = n->next) {
		size_t here = n->body ? widest(n->body) : 1;

		if (n->kind == NEST_STORE)
			here = dtype_bytes(n->buffer->tensor.dtype);
		most = here > most ? here : most;
	}
	return most;
}

static void add_loop(struct meter *m, const struct nest *n)
{
	int64_t extent = n->axis->hi - n->axis->lo;
	double copies = m->copies, block = m->block, stack = m->stack;

	if (n->annotation == ANNOTATION_UNROLL) {
		m->copies *= (double)extent;
		add_body(m, n->body, n->axis, true);
	} else if (n->annotation == ANNOTATION_VECTOR && !m->vector) {
		int64_t lanes = REGISTER_BYTES / (int64_t)widest(n->body);
		int64_t pieces = extent / lanes + __builtin_popcountll((uint64_t)(extent % lanes));

		m->vector = n->axis;	/* in pieces of a power of two */
		m->lanes = (int)(extent / pieces);
		m->copies *= (double)pieces;
		add_body(m, n->body, n->axis, false);
		m->vector = NULL;
	} else {
		m->text += copies * (FOR_LINE + 2 * m->indent + 3 * (double)strlen(n->axis->name));
		m->indent++;
		m->block = copies;
		add_body(m, n->body, n->axis, false);
		m->block = block;
		m->indent--;
		if (m->stack <= MAX_STACK)	/* its arrays end with it */
			m->stack = stack;
	}
	m->copies = copies;
}

static void add_let(struct meter *m, const struct nest *n)
{
	if (uses_vector(m, n->value)) {
		add_lanes(m, n, add_let);
		return;
	}
	bool known = is_known(m, n->value);

	if (!known)
		m->text += m->copies * (m->indent + LET_LINE + length(m, n->value));
	add_body(m, n->body, n->axis, known);
}

static void add_if(struct meter *m, const struct nest *n)
{
	struct share c = share_of(m, n->value);
	double copies = m->copies, open = 1 - c.holds - c.fails;

	if (open > 0 && uses_vector(m, n->value)) {
		m->copies = copies * open;
		add_lanes(m, n, add_if);
		open = 0;	/* the lanes are done with it */
	}
	if (open > 0)
		m->text += copies * open * (2 * m->indent + IF_LINES + length(m, n->value));
	m->indent += open > 0;
	m->copies = copies * (c.holds + open);
	add_list(m, n->body);
	m->copies = copies * (c.fails + open);
	add_list(m, n->other);
	m->copies = copies;
	m->indent -= open > 0;
}

static void add_list(struct meter *m, const struct nest *n)
{
	for (; n && m->copies > 0 && m->n + 2 < MAX_OPEN; n = n->next)
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
		}
}

static struct meter measure(const struct nest *n)
{
	struct meter m = { .n = 0, .copies = 1, .block = 1, .indent = 1 };

	add_list(&m, n);
	return m;
}

double nest_text(const struct nest *n)
{
	return measure(n).text;
}

bool check_bulk(const struct program *p, const char **why)
{
	struct meter m = measure(p->body);

	if (m.stack > MAX_STACK)
		*why = "local buffers need too much stack";
	else if (m.text > TEXT_MARGIN * MAX_TEXT)
		*why = "too much text when unrolled";
	else
		return true;
	return false;
}
