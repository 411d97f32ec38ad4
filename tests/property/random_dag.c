/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/random_dag.c - writes random equations whose accesses are in bounds by design.
 *
 * An op starts from a primary source: each of its dims is indexed by a space axis, a reduce axis, a
 * window of both, or a number, and that fixes the axes of the op. Further operands index other
 * tensors by whatever axes there are; what does not fit is guarded by a select, which gives
 * paddings and concatenations. */
#include "tests/property/random_dag.h"

#include <stdlib.h>

#include "base/err.h"
#include "te/text/text.h"
#include "tests/property/random_index.h"

enum { MAX_TENSORS = 24 };
/* Points of one op, all axes together: what the interpreters do in a millisecond or two. */
enum { MAX_POINTS = 2000 };
/* The greatest value of the inputs of a float type. */
enum { INPUT_LIMIT = 3 };

struct known {
	enum dtype dtype;
	int ndim;
	int64_t shape[MAX_DIMS];
	double limit; /* of its absolute values */
	bool computed;
};

struct maker {
	struct rng *r;
	struct text out;
	struct known tensors[MAX_TENSORS];
	int ntensors;
	struct axes axes; /* of the op being written */
	int64_t points;	  /* product of their extents */
};

static bool chance(struct maker *m, double p)
{
	return rng_chance(m->r, p);
}

static int64_t between(struct maker *m, int64_t lo, int64_t hi)
{
	return lo + rng_below(m->r, hi - lo + 1);
}

/* The greatest whole number up to which T holds all, or a bound on the values of an integer. */
static double exact_limit(enum dtype t)
{
	switch (t) {
	case DTYPE_F32:
		return 0x1p24;
	case DTYPE_F16:
		return 0x1p11;
	case DTYPE_BF16:
		return 0x1p8;
	case DTYPE_I8:
		return 128;
	case DTYPE_U8:
		return 255;
	case DTYPE_I32:
		return 0x1p31;
	default:
		return 0x1p53;
	}
}

static enum dtype random_dtype(struct maker *m)
{
	static const enum dtype table[] = {
		DTYPE_F32, DTYPE_F32, DTYPE_F32, DTYPE_F32,  DTYPE_F32, DTYPE_F32,
		DTYPE_F32, DTYPE_F32, DTYPE_I32, DTYPE_I32,  DTYPE_I8,	DTYPE_U8,
		DTYPE_F64, DTYPE_F64, DTYPE_F16, DTYPE_BF16, DTYPE_I64,
	};

	return table[rng_below(m->r, (int64_t)(sizeof(table) / sizeof(*table)))];
}

static int64_t random_extent(struct maker *m)
{
	static const int64_t table[] = {1, 2, 3, 3, 5, 5, 7, 7, 8, 9, 11, 13, 16, 17};

	return table[rng_below(m->r, (int64_t)(sizeof(table) / sizeof(*table)))];
}

/* A new axis of at most EXTENT values, fewer where the op would have too many points. */
static struct var *add_axis(struct maker *m, int64_t extent, bool reduce)
{
	struct var *v = &m->axes.at[m->axes.n];

	if (m->axes.n == MAX_AXES)
		return NULL;
	if (extent > MAX_POINTS / m->points)
		extent = MAX_POINTS / m->points;
	*v = (struct var){(char)((reduce ? 'p' : 'a') + m->axes.n), extent, reduce};
	m->axes.n++;
	m->points *= extent;
	return v;
}

/* A new input that FORMS fit into, now and then with room to spare. */
static int new_input(struct maker *m, enum dtype t, const struct index_form *forms, int ndim)
{
	struct known *k = &m->tensors[m->ntensors];

	*k = (struct known){.dtype = t, .ndim = ndim};
	k->limit = t == DTYPE_I8 || t == DTYPE_U8 ? exact_limit(t) : INPUT_LIMIT;
	text_printf(&m->out, "%s T%d: %s[", chance(m, 0.4) ? "const" : "input", m->ntensors,
		    dtype_name(t));
	for (int d = 0; d < ndim; d++) {
		k->shape[d] = forms[d].hi - forms[d].lo + 1 + (chance(m, 0.15) ? 2 : 0);
		text_printf(&m->out, "%s%jd", d ? ", " : "", (intmax_t)k->shape[d]);
	}
	text_puts(&m->out, "]\n");
	return m->ntensors++;
}

/* The part of dim extent SIZE of the primary source that one axis or a window of two covers. */
static struct index_form cover_dim(struct maker *m, int64_t size)
{
	double dice = rng_unit(m->r);
	struct var *v;

	if (size >= 3 && dice < 0.22 && m->axes.n + 2 <= MAX_AXES) { /* a window */
		int64_t stride = between(m, 1, 2);
		int64_t dilation = between(m, 1, 2);
		int64_t taps = between(m, 2, 3);
		int64_t pad = chance(m, 0.4) ? between(m, 1, 2) : 0;
		int64_t outs = (size + 2 * pad - 1 - dilation * (taps - 1)) / stride + 1;

		if (size + 2 * pad - 1 >= dilation * (taps - 1)) {
			struct var *outer = add_axis(m, outs, false);

			v = add_axis(m, taps, true);
			return form_sum(form_of(outer, stride), form_of(v, dilation));
		}
	}
	if (dice > 0.95)
		return form_number(0);
	v = add_axis(m, dice > 0.9 ? (size + 1) / 2 : size, dice > 0.72);
	return v ? form_of(v, 1) : form_number(0);
}

static void shuffle_axes(struct maker *m)
{
	for (int i = m->axes.n - 1; i > 0; i--) {
		int j = (int)rng_below(m->r, i + 1);
		struct var v = m->axes.at[i];

		m->axes.at[i] = m->axes.at[j];
		m->axes.at[j] = v;
	}
}

/* Chooses the axes of an op and its primary operand; returns the tensor. */
static int choose_axes(struct maker *m, enum dtype t, struct index_form *forms)
{
	int primary = -1;

	m->axes.n = 0;
	m->points = 1;
	if (m->ntensors > 0 && chance(m, 0.85))
		primary = m->tensors[m->ntensors - 1].computed || chance(m, 0.7)
				  ? m->ntensors - 1
				  : (int)rng_below(m->r, m->ntensors);
	if (primary >= 0) {
		for (int d = 0; d < m->tensors[primary].ndim; d++)
			forms[d] = cover_dim(m, m->tensors[primary].shape[d]);
		if (m->axes.n == 0 || (m->axes.n < 4 && chance(m, m->axes.n < 2 ? 0.8 : 0.25)))
			add_axis(m, random_extent(m), false);
	} else {
		int ndim = (int)between(m, 1, 3);

		for (int d = 0; d < ndim; d++)
			forms[d] = cover_dim(m, random_extent(m));
		if (m->axes.n < 2 || chance(m, 0.3))
			add_axis(m, random_extent(m), false);
		primary = new_input(m, t, forms, ndim);
	}
	if (chance(m, 0.4))
		shuffle_axes(m);
	return primary;
}

/* Tensor I at FORMS as a value of type T with whole numbers up to the answer. */
static double print_operand(struct maker *m, struct text *out, int i,
			    const struct index_form *forms, enum dtype t)
{
	const struct known *k = &m->tensors[i];
	bool floats = dtype_is_float(t) || dtype_is_float(k->dtype);
	bool narrow = k->limit > (dtype_is_float(t) ? 64 : exact_limit(t) / 2) &&
		      (floats || (k->dtype != t && chance(m, 0.5)));

	if (k->dtype != t)
		text_printf(out, "%s(", dtype_name(t));
	if (narrow)
		text_puts(out, "min(max(");
	print_load(m->r, out, i, k->shape, k->ndim, forms);
	if (narrow)
		text_puts(out, t == DTYPE_U8 || k->dtype == DTYPE_U8 ? ", 0), 5)" : ", -5), 5)");
	if (k->dtype != t)
		text_puts(out, ")");
	return narrow ? 5 : k->limit;
}

static double print_other(struct maker *m, struct text *out, enum dtype t)
{
	struct index_form forms[MAX_DIMS];
	int i = m->ntensors > 1 && chance(m, 0.4) ? (int)rng_below(m->r, m->ntensors) : -1;
	int ndim = i < 0 ? (int)between(m, 1, 3) : m->tensors[i].ndim;

	if (chance(m, 0.05)) {
		struct index_form f = random_form(m->r, &m->axes);

		text_printf(out, chance(m, 0.5) ? "%s(%s)" : "%s(min(max(%s, 1), 5))", dtype_name(t), f.text);
		return t == DTYPE_U8 || t == DTYPE_I8 ? 255 : 64;
	}
	for (int d = 0; d < ndim; d++)
		forms[d] = random_form(m->r, &m->axes);
	int64_t count = 1;

	for (int d = 0; i < 0 && d < ndim; d++) {
		count *= forms[d].hi - forms[d].lo + 1;
		if (count > 4 * MAX_POINTS)
			ndim = d;
	}
	if (i < 0)
		i = new_input(m, chance(m, 0.9) ? t : random_dtype(m), forms, ndim);
	return print_operand(m, out, i, forms, t);
}

/* A condition on axes: a triangle, a checkerboard, a border. */
static void print_condition(struct maker *m, struct text *out)
{
	static const char *const compare[] = {"<", "<=", "==", ">"};
	struct index_form x = random_form(m->r, &m->axes);
	struct index_form y = random_form(m->r, &m->axes);

	if (chance(m, 0.3))
		y = form_number(between(m, 0, 5));
	text_printf(out, "%s %s %s", x.text, compare[rng_below(m->r, 4)], y.text);
	if (chance(m, 0.3)) {
		x = random_form(m->r, &m->axes);
		text_printf(out, " %s %s < %jd", chance(m, 0.7) ? "&&" : "||", x.text,
			    (intmax_t)between(m, x.lo, x.hi + 1));
	}
}

/* The body over the primary operand X (up to LIMIT); returns the limit of its values. */
static double print_body(struct maker *m, struct text *out, const char *x, double limit,
			 enum dtype t)
{
	struct text other = {0};
	double y = print_other(m, &other, t);
	double result = limit + y;
	const char *o = text_str(&other);

	switch (rng_below(m->r, 12)) {
	case 0:
		text_printf(out, "%s + %s", x, o);
		break;
	case 1:
		text_printf(out, "%s - %s", o, x);
		break;
	case 2:
		text_printf(out, "max(%s, %s)", x, o);
		break;
	case 3:
		text_printf(out, "select(%s < %s, %s, %s)", x, o, o, x);
		break;
	case 4:
		text_puts(out, "select(");
		print_condition(m, out);
		text_printf(out, ", %s, %s)", x, o);
		break;
	case 5:
		text_printf(out, "max(%s, 0)", x);
		break;
	case 6:
		text_printf(out, t == DTYPE_U8 ? "%s + 1" : "-abs(%s) + 1", x);
		result = limit + 1;
		break;
	case 7:
		text_puts(out, x);
		break;
	case 8:
		text_printf(out, "min(%s, %s) * 2 + 1", x, o);
		result = 2 * result + 1;
		break;
	default:
		text_printf(out, "%s * %s", x, o);
		result = limit * y;
		break;
	}
	text_free(&other);
	return result;
}

static void print_axes(struct maker *m, struct text *out, bool reduce)
{
	int n = 0;

	for (int i = 0; i < m->axes.n; i++)
		if (m->axes.at[i].reduce == reduce)
			text_printf(out, "%s%c < %jd", n++ ? ", " : "", m->axes.at[i].name,
				    (intmax_t)m->axes.at[i].extent);
}

static void add_op(struct maker *m)
{
	static const char *const reducers[] = {"sum", "sum", "sum", "max", "min"};
	enum dtype t = random_dtype(m);
	struct index_form forms[MAX_DIMS];
	struct text x = {0}, body = {0};
	struct known op = {.computed = true};
	int primary = choose_axes(m, t, forms);

	if (chance(m, 0.8))
		t = m->tensors[primary].dtype;
	double limit = print_operand(m, &x, primary, forms, t);
	double turns = 1;
	int reducer = (int)rng_below(m->r, 5);

	limit = print_body(m, &body, text_str(&x), limit, t);
	for (int i = 0; i < m->axes.n; i++)
		if (m->axes.at[i].reduce)
			turns *= (double)m->axes.at[i].extent;
	if (dtype_is_float(t) && 2 * turns > exact_limit(t))
		reducer = 3; /* even ones would not add up exactly */
	if (dtype_is_float(t) && limit * turns > exact_limit(t)) {
		char *long_body = body.s;

		body = (struct text){0};
		text_printf(&body, "min(max(%s, -2), 1)", long_body);
		free(long_body);
		limit = 2;
	}
	op.dtype = t;
	op.limit = dtype_is_float(t) ? limit * (reducer < 3 ? turns : 1) : exact_limit(t);
	for (int i = 0; i < m->axes.n; i++)
		if (!m->axes.at[i].reduce)
			op.shape[op.ndim++] = m->axes.at[i].extent;
	text_printf(&m->out, "T%d[", m->ntensors);
	print_axes(m, &m->out, false);
	text_puts(&m->out, "] = ");
	if (op.ndim < m->axes.n) {
		text_printf(&m->out, "%s(", reducers[reducer]);
		print_axes(m, &m->out, true);
		text_puts(&m->out, ") ");
	}
	text_printf(&m->out, "%s\n", text_str(&body));
	if (chance(m, 0.12))
		text_printf(&m->out, "output T%d\n", m->ntensors);
	m->tensors[m->ntensors++] = op;
	text_free(&x);
	text_free(&body);
}

struct dag *random_dag(struct arena *a, struct rng *r, const char **text)
{
	struct maker m = {.r = r};
	int ops = (int)between(&m, 1, 4);

	for (int i = 0; i < ops; i++)
		add_op(&m);
	*text = arena_strdup(a, text_str(&m.out));
	text_free(&m.out);
	struct dag *d = dag_parse(a, "random.te", *text);

	if (!d)
		die("a random DAG is none: %s\n%s", err_get(), *text);
	return d;
}

void random_fill(struct rng *r, enum dtype t, void *data, int64_t count)
{
	for (int64_t i = 0; i < count; i++) {
		int64_t v = rng_below(r, 2 * INPUT_LIMIT + 1) - INPUT_LIMIT;

		if (t == DTYPE_I8 || t == DTYPE_U8)
			v = rng_below(r, 256) - (t == DTYPE_I8 ? 128 : 0);
		if (t == DTYPE_BOOL)
			v = rng_below(r, 2);
		dtype_store(t, data, i, (double)v);
	}
}
