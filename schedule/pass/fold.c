/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/fold.c - arithmetic of numbers is done here, and roundings are put where they cost nothing.
 *
 * Requires: split loops: behind them parts of a value are zeros of padding.
 * Provides: no sum, difference or product of two numbers of a float type, none with a zero that adds nothing, and
 *           no product with 1 or, where it is added, with a negative number. What is rounded to become an integer is so
 *           last, behind limits that are whole numbers: then a conversion that rounds is both.
 * Keeps:    results, but for the sign of a zero.
 *
 * A derived convolution reads the padding in each of its transforms: at the border of an image nine terms of ten are
 * products of zeros, which a compiler would have to read, fold and check line by line. */
#include <math.h>

#include "schedule/pass/pass.h"

static bool is_zero(const struct expr *e)
{
	return e->kind == EXPR_FLOAT && e->f >= 0 && e->f <= 0;
}

/* X and Y, numbers, as one. Rounded once more to f32 a sum or product of doubles is that of f32. */
static const struct expr *of_numbers(struct arena *a, enum expr_kind k, const struct expr *x, const struct expr *y)
{
	double value = k == EXPR_ADD ? x->f + y->f : k == EXPR_SUB ? x->f - y->f : x->f * y->f;

	return expr_const(a, x->dtype, value);
}

static bool is_one(const struct expr *e)
{
	return e->kind == EXPR_FLOAT && e->f >= 1 && e->f <= 1;
}

/* X + Y, neither of which is 0: a difference where Y is a product with a negative number. */
static const struct expr *sum(struct arena *a, const struct expr *x, const struct expr *y)
{
	if (y->kind != EXPR_MUL || y->arg[0]->kind != EXPR_FLOAT || y->arg[0]->f >= 0)
		return expr_binary(a, EXPR_ADD, x, y);
	const struct expr *factor = expr_const(a, x->dtype, -y->arg[0]->f);

	return expr_binary(a, EXPR_SUB, x, is_one(factor) ? y->arg[1] : expr_binary(a, EXPR_MUL, factor, y->arg[1]));
}

static bool is_whole(const struct expr *e)
{
	return e->kind == EXPR_FLOAT && isfinite(e->f) && rint(e->f) == e->f;
}

/* E, which is rounded and then held within whole numbers, without the rounding, for which of both is first does not
 * matter: it grows with what is rounded, and leaves whole numbers as they are. NULL where E is nothing like that. */
static const struct expr *unrounded(struct arena *a, const struct expr *e)
{
	if (e->kind == EXPR_ROUND)
		return e->arg[0];
	if (e->kind != EXPR_MIN && e->kind != EXPR_MAX)
		return NULL;
	const struct expr *x = is_whole(e->arg[0]) ? e->arg[0] : unrounded(a, e->arg[0]);
	const struct expr *y = is_whole(e->arg[1]) ? e->arg[1] : unrounded(a, e->arg[1]);

	return x && y ? expr_binary(a, e->kind, x, y) : NULL;
}

/* E, a float that becomes an integer of type T. The sign of a zero, which may be another, is lost. */
static const struct expr *integer(struct arena *a, enum dtype t, const struct expr *e)
{
	const struct expr *inner = e->kind == EXPR_ROUND ? NULL : unrounded(a, e);

	return expr_cast(a, t, inner ? expr_unary(a, EXPR_ROUND, inner) : e);
}

static const struct expr *fold(struct arena *a, const struct expr *e, void *user)
{
	bool adds = e->kind == EXPR_ADD || e->kind == EXPR_SUB;

	if (e->kind == EXPR_LOAD)	/* indices are integers */
		return e;
	if (e->kind == EXPR_CAST && !dtype_is_float(e->dtype) && e->dtype != DTYPE_BOOL && dtype_is_float(e->arg[0]->dtype))
		return integer(a, e->dtype, expr_rewrite(a, e->arg[0], fold, user));
	if ((!adds && e->kind != EXPR_MUL) || (e->dtype != DTYPE_F32 && e->dtype != DTYPE_F64))
		return NULL;
	const struct expr *x = expr_rewrite(a, e->arg[0], fold, user), *y = expr_rewrite(a, e->arg[1], fold, user);

	if (x->kind == EXPR_FLOAT && y->kind == EXPR_FLOAT)
		return of_numbers(a, e->kind, x, y);
	if (adds && is_zero(y))
		return x;
	if (e->kind == EXPR_ADD && is_zero(x))
		return y;
	if (e->kind == EXPR_MUL && is_one(x))
		return y;
	if (e->kind == EXPR_ADD)
		return sum(a, x, y);
	return x == e->arg[0] && y == e->arg[1] ? e : expr_binary(a, e->kind, x, y);
}

static void fold_list(struct arena *a, struct nest *n)
{
	for (; n; n = n->next) {
		if (n->kind == NEST_STORE)
			n->value = expr_rewrite(a, n->value, fold, NULL);
		fold_list(a, n->body);
		fold_list(a, n->other);
	}
}

bool nest_pass_fold(struct program *p, const char **why)
{
	(void)why;
	fold_list(p->arena, p->body);
	return true;
}
