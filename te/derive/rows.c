/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/rows.c - sums of elements times constants, without the products and terms that are none. */
#include "te/derive/rows.h"

/* A row of numbers, and what they are multiplied by. */
struct weighted {
	int n;
	struct rational by[TRANSFORM_MOST];
	const struct expr *x[TRANSFORM_MOST];
};

static bool is_same(struct rational x, struct rational y)
{
	return x.num == y.num && x.den == y.den;
}

static bool is_opposite(struct rational x, struct rational y)
{
	return x.num == -y.num && x.den == y.den;
}

/* X times what is not 0. */
static const struct expr *scaled(struct arena *a, const struct expr *x, double by)
{
	if (by == 1)
		return x;
	if (by == -1)
		return expr_unary(a, EXPR_NEG, x);
	return expr_binary(a, EXPR_MUL, expr_const(a, x->dtype, by), x);
}

/* X + by * Y, or with the sign before the product. */
static const struct expr *plus(struct arena *a, const struct expr *x, const struct expr *y,
			       double by)
{
	return expr_binary(a, by < 0 ? EXPR_SUB : EXPR_ADD, x, scaled(a, y, by < 0 ? -by : by));
}

/* A sum begins with what is no product, so that each product joins an addition; or with no sign at least. */
static int rank(double by)
{
	return by == 1 ? 2 : by > 0;
}

/* The sum of W divided by DIVISOR, where W has terms. */
static const struct expr *sum_of(struct arena *a, const struct weighted *w, double divisor)
{
	int first = -1;

	for (int i = 0; i < w->n; i++)
		if (w->by[i].num &&
		    (first < 0 || rank(rational_value(w->by[i]) / divisor) >
					  rank(rational_value(w->by[first]) / divisor)))
			first = i;
	const struct expr *sum = scaled(a, w->x[first], rational_value(w->by[first]) / divisor);

	for (int i = 0; i < w->n; i++)
		if (i != first && w->by[i].num)
			sum = plus(a, sum, w->x[i], rational_value(w->by[i]) / divisor);
	return sum;
}

/* Columns J and J + 1 of all rows of T: as large as each other, and not alike in all of them? */
static bool are_paired_columns(const struct transform *t, int j)
{
	bool same = false, opposite = false;

	for (int i = 0; i < t->rows; i++) {
		struct rational x = t->at[i][j], y = t->at[i][j + 1];

		if (!is_same(x, y) && !is_opposite(x, y))
			return false;
		same |= x.num && is_same(x, y);
		opposite |= x.num && is_opposite(x, y);
	}
	return same && opposite;
}

/* The same of rows I and I + 1: those parts of them that are alike, and those that have opposite signs. */
static bool split_rows(const struct transform *t, int i, const struct expr *const *x,
		       struct weighted *even, struct weighted *odd)
{
	even->n = odd->n = 0;
	for (int j = 0; i + 1 < t->rows && j < t->cols; j++) {
		struct rational v = t->at[i][j];
		struct weighted *part = is_same(v, t->at[i + 1][j]) ? even : odd;

		if (part == odd && !is_opposite(v, t->at[i + 1][j]))
			return false;
		if (v.num == 0)
			continue;
		part->by[part->n] = v;
		part->x[part->n++] = x[j];
	}
	return even->n > 0 && odd->n > 0;
}

/* EVEN + ODD where FIRST holds, else EVEN - ODD. */
static const struct expr *either_sign(struct arena *a, const struct weighted *even, const struct weighted *odd,
				      const struct expr *first)
{
	/* Divided, so that the product joins the addition: a fused one is free. */
	double factor = rational_value(odd->by[odd->n - 1]);
	const struct expr *e = sum_of(a, even, 1), *o = sum_of(a, odd, factor);
	const struct expr *by = expr_select(a, first, expr_const(a, o->dtype, factor), expr_const(a, o->dtype, -factor));

	return expr_binary(a, EXPR_ADD, e, expr_binary(a, EXPR_MUL, by, o));
}

/* X and T without pairs of columns. */
static void fold_columns(struct arena *a, struct transform *t, const struct expr **x)
{
	for (int j = 0; j + 1 < t->cols; j++) {
		if (!are_paired_columns(t, j))
			continue;
		const struct expr *sum = expr_binary(a, EXPR_ADD, x[j], x[j + 1]);

		x[j + 1] = expr_binary(a, EXPR_SUB, x[j], x[j + 1]);
		x[j] = sum;
		for (int i = 0; i < t->rows; i++) {
			bool same = is_same(t->at[i][j], t->at[i][j + 1]);

			t->at[i][j + 1] = t->at[i][j];	/* of the difference */
			t->at[i][same ? j + 1 : j] = (struct rational){ 0, 1 };
		}
		j++;
	}
}

const struct expr *transform_row(struct arena *a, const struct transform *t, const struct expr *const *x,
				 const struct expr *row)
{
	struct transform folded = *t;
	struct weighted even, odd, all = { .n = t->cols };
	const struct expr *chosen = NULL;

	memcpy(all.x, x, (size_t)t->cols * sizeof(*x));
	fold_columns(a, &folded, all.x);
	for (int i = t->rows - 1; i >= 0; i--) {
		const struct expr *value;
		int last = i;

		if (i > 0 && split_rows(&folded, i - 1, all.x, &even, &odd)) {
			i--;
			value = either_sign(a, &even, &odd, expr_binary(a, EXPR_LT, row, expr_int(a, last)));
		} else {
			memcpy(all.by, folded.at[i], sizeof(all.by));
			value = sum_of(a, &all, 1);
		}
		chosen = chosen ? expr_select(a, expr_binary(a, EXPR_LT, row, expr_int(a, last + 1)), value, chosen)
				: value;
	}
	return chosen;
}
