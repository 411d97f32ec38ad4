/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/path.c - counts the turns of the axes that conditions are of. */
#include "costmodel/features/path.h"

#include <math.h>

#include "costmodel/features/frequency.h"

/* Turns that are looked at, and axes: a condition of a padded convolution's border is of a tile's two loops and the window's,
 * up to some hundred turns. */
enum { MAX_TURNS = 512, MAX_AXES = 8 };

/* The conditions that have axes in common with a new one, and their axes. */
struct crossing {
	const struct linear *of[16];
	int n;
	const struct axis *axis[MAX_AXES];
	int64_t value[MAX_AXES];
	int n_axes;
};

static int place_of(const struct crossing *c, const struct axis *axis)
{
	for (int i = 0; i < c->n_axes; i++)
		if (c->axis[i] == axis)
			return i;
	return -1;
}

static bool add(struct crossing *c, const struct linear *l)
{
	if (c->n == (int)(sizeof(c->of) / sizeof(*c->of)))
		return false;
	c->of[c->n++] = l;
	for (int i = 0; i < l->n; i++) {
		if (place_of(c, l->term[i].atom->axis) >= 0)
			continue;
		if (c->n_axes == MAX_AXES)
			return false;
		c->axis[c->n_axes++] = l->term[i].atom->axis;
	}
	return true;
}

static bool meets(const struct crossing *c, const struct linear *l)
{
	for (int i = 0; i < c->n; i++)
		if (c->of[i] == l)
			return false;
	for (int i = 0; i < l->n; i++)
		if (place_of(c, l->term[i].atom->axis) >= 0)
			return true;
	return false;
}

/* NEW and all of P that it depends on; false where they are too many. */
static bool cross(const struct condition_path *p, const struct linear *new, struct crossing *c)
{
	*c = (struct crossing){ .n = 0 };
	if (!add(c, new))
		return false;
	for (int i = 0; i < p->n; i++)
		if (meets(c, &p->at[i])) {
			if (!add(c, &p->at[i]))
				return false;
			i = -1;	/* its axes may be those of others */
		}
	return true;
}

static bool holds(const struct crossing *c, const struct linear *l)
{
	int64_t sum = l->constant;

	for (int i = 0; i < l->n; i++)
		sum += l->term[i].coef * c->value[place_of(c, l->term[i].atom->axis)];
	return sum >= 0;
}

/* Sets the values of turn I of all there are. */
static void set_turn(struct crossing *c, int64_t i)
{
	for (int j = 0; j < c->n_axes; j++) {
		int64_t extent = c->axis[j]->hi - c->axis[j]->lo;

		c->value[j] = c->axis[j]->lo + i % extent;
		i /= extent;
	}
}

/* What the steps of a lattice of N axes are powers of, inverse: the generalized golden ratio (Roberts, The Unreasonable
 * Effectiveness of Quasirandom Sequences, 2018). */
static double root_of(int n)
{
	double root = 1.0 + 1.0 / (n + 1);

	for (int k = 0; k < 8; k++)
		root = pow(1 + root, 1.0 / (n + 1));
	return root;
}

/* Sets the values of point I of the lattice of ROOT. */
static void set_point(struct crossing *c, int i, double root)
{
	double step = 1;

	for (int j = 0; j < c->n_axes; j++) {
		step /= root;
		double at = 0.5 + step * (i + 1);

		c->value[j] = c->axis[j]->lo + (int64_t)((at - floor(at)) * (double)(c->axis[j]->hi - c->axis[j]->lo));
	}
}

/* The share of turns in which the first condition of C holds, of those in which all others do; -1: there are none. */
static double count(struct crossing *c)
{
	double turns = 1, before = 0, behind = 0;

	for (int j = 0; j < c->n_axes; j++)
		turns *= (double)(c->axis[j]->hi - c->axis[j]->lo);
	bool all = turns <= MAX_TURNS;
	double root = all ? 0 : root_of(c->n_axes);

	for (int i = 0; i < (all ? (int)turns : MAX_TURNS); i++) {
		bool reached = true;

		if (all)
			set_turn(c, i);
		else
			set_point(c, i, root);
		for (int k = 1; k < c->n && reached; k++)
			reached = holds(c, c->of[k]);
		before += reached;
		behind += reached && holds(c, c->of[0]);
	}
	return before > 0 ? behind / before : -1;
}

/* E, a comparison, or its opposite, as a sum of axes that is at least 0; false where it is none. */
static bool sum_of(struct arena *a, const struct expr *e, bool not, struct linear *out)
{
	if ((e->kind != EXPR_LT && e->kind != EXPR_LE) || e->arg[0]->dtype != DTYPE_I64 ||
	    !linear_from(a, e->arg[not ? 0 : 1], out) || !linear_add_expr(a, out, e->arg[not ? 1 : 0], -1))
		return false;
	out->constant -= (e->kind == EXPR_LT) != not;
	for (int i = 0; i < out->n; i++)
		if (out->term[i].atom->kind != EXPR_AXIS || out->term[i].atom->axis->hi <= out->term[i].atom->axis->lo)
			return false;
	return true;
}

static double enter_one(struct arena *a, struct condition_path *p, const struct expr *e, bool not)
{
	double share = -1;
	struct crossing c;
	struct linear l;

	if (sum_of(a, e, not, &l)) {
		if (cross(p, &l, &c))
			share = count(&c);
		vec_push(a, p, l);
	}
	if (share < 0)
		share = not ? 1 - share_of(e) : share_of(e);
	return share;
}

double path_enter(struct arena *a, struct condition_path *p, const struct expr *condition, bool not)
{
	int n = p->n;

	if (condition->kind == EXPR_NOT)
		return path_enter(a, p, condition->arg[0], !not);
	if (condition->kind == (not ? EXPR_OR : EXPR_AND)) {
		double first = path_enter(a, p, condition->arg[0], not);

		return first * path_enter(a, p, condition->arg[1], not);
	}
	if (condition->kind == (not ? EXPR_AND : EXPR_OR)) {
		double other = path_enter(a, p, condition, !not);

		p->n = n;
		return 1 - other;
	}
	return enter_one(a, p, condition, not);
}
