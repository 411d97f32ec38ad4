/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/offset.c - indices, and where in a buffer they are, as C text. */
#include <inttypes.h>

#include "base/integer.h"
#include "codegen/emitter.h"

static const struct expr *bind_known(struct arena *a, const struct expr *x, void *user)
{
	struct emitter *e = user;

	if (x->kind != EXPR_AXIS || x->axis == e->vector_axis)
		return NULL;
	const struct bound_axis *b = binding_of(e, x->axis);

	return b->known ? expr_int(a, b->value) : NULL;
}

/* X with the loops that are written out replaced by their numbers. */
static const struct expr *with_known(struct emitter *e, const struct expr *x)
{
	return expr_simplify(e->a, expr_rewrite(e->a, x, bind_known, e));
}

bool index_known(struct emitter *e, const struct expr *x, int64_t *value)
{
	return expr_is_int(with_known(e, x), value);
}

bool uses_vector(const struct emitter *e, const struct expr *x)
{
	return e->vector_axis && expr_uses_axis(x, e->vector_axis);
}

/* An atom of a linear form: a variable, or what is not linear. */
static const char *atom_text(struct emitter *e, const struct expr *x)
{
	if (x->kind == EXPR_AXIS)
		return binding_of(e, x->axis)->name;
	if (x->kind == EXPR_MUL)	/* its linear form is itself: go on with its factors */
		return arena_printf(e->a, "(%s * %s)", index_text(e, x->arg[0]),
				    index_text(e, x->arg[1]));
	return scalar_text(e, x);
}

static void add_terms(struct emitter *e, struct text *t, const struct linear *l)
{
	for (int i = 0; i < l->n; i++) {
		const char *atom = atom_text(e, l->term[i].atom);

		if (t->n)
			text_puts(t, " + ");
		if (l->term[i].coef == 1)
			text_puts(t, atom);
		else
			text_printf(t, "%" PRId64 " * %s", l->term[i].coef, atom);
	}
}

const char *take_text(struct emitter *e, struct text *t)
{
	const char *s = arena_strdup(e->a, text_str(t));

	text_free(t);
	return s;
}

static const char *terms_text(struct emitter *e, const struct linear *l)
{
	struct text t = { 0 };

	add_terms(e, &t, l);
	return take_text(e, &t);
}

/* Moves what is bound to a number from the terms to the constant. */
static void fold_known(struct emitter *e, struct linear *l)
{
	int n = 0;

	for (int i = 0; i < l->n; i++) {
		const struct expr *atom = l->term[i].atom;
		int64_t v;

		if (atom->kind == EXPR_AXIS && atom->axis != e->vector_axis) {
			const struct bound_axis *b = binding_of(e, atom->axis);

			if (b->known) {
				l->constant += b->value * l->term[i].coef;
				continue;
			}
		} else if (atom->kind != EXPR_AXIS && index_known(e, atom, &v)) {
			l->constant += v * l->term[i].coef;
			continue;
		}
		l->term[n++] = l->term[i];
	}
	l->n = n;
}

const char *index_text(struct emitter *e, const struct expr *x)
{
	struct linear l;
	struct text t = { 0 };

	if (!linear_from(e->a, x, &l)) {
		e->why = "an index has too many terms";
		return "0";
	}
	fold_known(e, &l);
	add_terms(e, &t, &l);
	if (l.constant != 0 || !t.n)
		text_printf(&t, "%s%" PRId64, t.n ? " + " : "", l.constant);
	bool atom = l.n == 0 || (l.n == 1 && l.constant == 0 && l.term[0].coef == 1);

	return atom ? take_text(e, &t) : arena_printf(e->a, "(%s)", take_text(e, &t));
}

struct offset offset_of(struct emitter *e, const struct tensor *t, const struct expr *const *index)
{
	const struct expr *flat = expr_int(e->a, 0);
	struct offset out = { .text = "" };
	struct linear l;

	for (int i = 0; i < t->ndim; i++)
		flat = expr_add(e->a, expr_mul(e->a, flat, t->shape[i]), index[i]);
	if (!linear_from(e->a, flat, &l)) {
		e->why = "an index has too many terms";
		return out;
	}
	linear_rejoin(e->a, &l);
	fold_known(e, &l);
	out.last = linear_range(&l).hi;
	for (int i = 0; i < l.n; i++)
		if (uses_vector(e, l.term[i].atom)) {
			if (!offset_add_piece(e, l.term[i].atom, l.term[i].coef, &out)) {
				out.per_lane |= l.term[i].atom->kind != EXPR_AXIS;
				out.stride += l.term[i].coef;
				l.constant += l.term[i].coef * e->vector_start;
			}
			l.term[i--] = l.term[--l.n];
		} else {
			out.unit = gcd(out.unit, l.term[i].coef);
		}
	out.constant += l.constant;
	if (out.per_lane)
		return out;
	if (out.jump == 0)
		out.piece = 0;
	out.per_lane = out.piece > 0;
	out.text = terms_text(e, &l);
	int moved = induction_term(e, &l);

	if (moved >= 0) {
		out.step = l.term[moved].coef;
		l.term[moved] = l.term[--l.n];
		out.rest = terms_text(e, &l);
	}
	return out;
}

/* What O is counted from, and to TERMS what is added to that before its constant. */
static const char *base_text(struct emitter *e, const struct place_name *p, const struct offset *o, const char **terms)
{
	const char *moved = induction_of(e, p, o);

	*terms = moved || !*o->text ? "" : arena_printf(e->a, "%s + ", o->text);
	return moved ? moved : p->name;
}

const char *address_text(struct emitter *e, const struct place_name *p, const struct offset *o)
{
	const char *terms, *base = base_text(e, p, o, &terms);

	return arena_printf(e->a, "%s + %s%" PRId64, base, terms, o->constant);
}

const char *element_text(struct emitter *e, const struct place_name *p, const struct offset *o)
{
	const char *terms, *base = base_text(e, p, o, &terms);

	return arena_printf(e->a, "%s[%s%" PRId64 "]", base, terms, o->constant);
}
