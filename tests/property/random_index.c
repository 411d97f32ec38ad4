/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/random_index.c - strided, reversed, sums, quotients and remainders of axes. */
#include "tests/property/random_index.h"

#include <stdio.h>

static int64_t between(struct rng *r, int64_t lo, int64_t hi)
{
	return lo + rng_below(r, hi - lo + 1);
}

struct index_form form_of(const struct var *v, int64_t factor)
{
	struct index_form f = {.lo = factor < 0 ? factor * (v->extent - 1) : 0,
			 .hi = factor > 0 ? factor * (v->extent - 1) : 0};

	snprintf(f.text, sizeof(f.text), "%jd * %c", (intmax_t)factor, v->name);
	if (factor == 1)
		snprintf(f.text, sizeof(f.text), "%c", v->name);
	return f;
}

struct index_form form_number(int64_t v)
{
	struct index_form f = {.lo = v, .hi = v};

	snprintf(f.text, sizeof(f.text), "%jd", (intmax_t)v);
	return f;
}

struct index_form form_sum(struct index_form x, struct index_form y)
{
	struct index_form f = {.lo = x.lo + y.lo, .hi = x.hi + y.hi};

	snprintf(f.text, sizeof(f.text), "%.35s + %.35s", x.text, y.text);
	return f;
}

struct index_form form_quotient(struct index_form x, int64_t d, bool remainder)
{
	struct index_form f = {.lo = x.lo / d, .hi = x.hi / d};

	if (remainder)
		f.lo = 0, f.hi = x.hi < d - 1 ? x.hi : d - 1;
	snprintf(f.text, sizeof(f.text), "(%.60s) %c %jd", x.text, remainder ? '%' : '/',
		 (intmax_t)d);
	return f;
}

struct index_form random_form(struct rng *r, const struct axes *axes)
{
	const struct var *v = &axes->at[rng_below(r, axes->n)];
	const struct var *w = &axes->at[rng_below(r, axes->n)];

	switch (rng_below(r, 12)) {
	case 0:
		return form_number(between(r, 0, 2));
	case 1:
		return form_of(v, between(r, 2, 3));
	case 2:
		return form_of(v, -1);
	case 3:
	case 4:
		if (v != w)
			return form_sum(form_of(v, between(r, 1, 2)), form_of(w, between(r, 1, 2)));
		return form_of(v, 1);
	case 5:
		return form_quotient(form_of(v, 1), between(r, 2, 5), rng_chance(r, 0.5));
	case 6:
		if (v != w)
			return form_quotient(form_sum(form_of(v, w->extent), form_of(w, 1)),
					     between(r, 2, 5), rng_chance(r, 0.5));
		return form_of(v, 1);
	default:
		return form_of(v, 1);
	}
}

static void print_index(struct text *t, const struct index_form *f, int64_t offset)
{
	if (offset == 0)
		text_puts(t, f->text);
	else
		text_printf(t, "%s %c %jd", f->text, offset < 0 ? '-' : '+',
			    (intmax_t)(offset < 0 ? -offset : offset));
}

void print_load(struct rng *r, struct text *t, int number, const int64_t *shape, int ndim,
		const struct index_form *forms)
{
	struct text guard = {0};
	struct text load = {0};

	text_printf(&load, "T%d[", number);
	for (int d = 0; d < ndim; d++) {
		const struct index_form *f = &forms[d];
		int64_t room = shape[d] - 1 - (f->hi - f->lo);
		int64_t offset = -f->lo + (room > 0 ? between(r, 0, room) : 0);

		text_puts(&load, d ? ", " : "");
		if (room < 0) {
			offset = -f->lo - between(r, 0, -room);
			text_puts(&guard, guard.n ? " && " : "");
			print_index(&guard, f, offset);
			text_puts(&guard, " >= 0 && ");
			print_index(&guard, f, offset);
			text_printf(&guard, " < %jd", (intmax_t)shape[d]);
		}
		print_index(&load, f, offset);
	}
	text_puts(&load, "]");
	if (guard.n)
		text_printf(t, "select(%s, %s, %d)", text_str(&guard), text_str(&load),
			    (int)between(r, 0, 1));
	else
		text_puts(t, text_str(&load));
	text_free(&guard);
	text_free(&load);
}
