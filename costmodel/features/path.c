/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/path.c - counts the turns of the axes that conditions are of. */
#include "costmodel/features/path.h"

#include <math.h>

#include "costmodel/features/frequency.h"
#include "te/scalar.h"

/* Turns that are looked at, and axes: a condition of a padded convolution's border is of a tile's two loops and the window's,
 * up to some hundred turns. */
enum { MAX_TURNS = 512, MAX_AXES = 12 };

/* An axis that conditions are of. */
struct crossed_axis {
	const struct axis *axis;
	const struct expr *let;		/* of axes before it; NULL: it takes all of its range */
	int64_t value;
};

/* The conditions that have axes in common with a new one, and their axes. */
struct crossing {
	const struct condition_path *path;
	const struct linear *of[16];
	int n;
	struct crossed_axis axis[MAX_AXES];
	int n_axes;
};

static int place_of(const struct crossing *c, const struct axis *axis)
{
	for (int i = 0; i < c->n_axes; i++)
		if (c->axis[i].axis == axis)
			return i;
	return -1;
}

static const struct expr *let_of(const struct condition_path *p, const struct axis *axis)
{
	for (int i = p->lets.n - 1; i >= 0; i--)
		if (p->lets.at[i].axis == axis)
			return p->lets.at[i].value;
	return NULL;
}

static bool add_axis(struct crossing *c, const struct axis *axis);

/* The axes of E, an index; false where they are too many, take no value, or E is more than arithmetic. */
static bool add_axes(struct crossing *c, const struct expr *e)
{
	if (e->kind == EXPR_AXIS)
		return e->axis->hi > e->axis->lo && add_axis(c, e->axis);
	if (e->kind == EXPR_INT)
		return true;
	if (e->dtype != DTYPE_I64 || expr_kind_arity(e->kind) != 2)
		return false;
	return add_axes(c, e->arg[0]) && add_axes(c, e->arg[1]);
}

static bool add_axis(struct crossing *c, const struct axis *axis)
{
	const struct expr *let = let_of(c->path, axis);

	if (place_of(c, axis) >= 0)
		return true;
	if (let && !add_axes(c, let))
		let = NULL;
	if (c->n_axes == MAX_AXES)
		return false;
	c->axis[c->n_axes++] = (struct crossed_axis){ axis, let, 0 };
	return true;
}

static bool add(struct crossing *c, const struct linear *l)
{
	if (c->n == (int)(sizeof(c->of) / sizeof(*c->of)))
		return false;
	c->of[c->n++] = l;
	for (int i = 0; i < l->n; i++)
		if (!add_axes(c, l->term[i].atom))
			return false;
	return true;
}

/* Is one of C's axes in E, or in what lets say of it? */
static bool is_of(const struct crossing *c, const struct expr *e)
{
	if (e->kind == EXPR_AXIS) {
		const struct expr *let = let_of(c->path, e->axis);

		return place_of(c, e->axis) >= 0 || (let && is_of(c, let));
	}
	for (int i = 0; i < expr_kind_arity(e->kind); i++)
		if (is_of(c, e->arg[i]))
			return true;
	return false;
}

static bool meets(const struct crossing *c, const struct linear *l)
{
	for (int i = 0; i < c->n; i++)
		if (c->of[i] == l)
			return false;
	for (int i = 0; i < l->n; i++)
		if (is_of(c, l->term[i].atom))
			return true;
	return false;
}

/* NEW and all of P that it depends on; false where they are too many. */
static bool cross(const struct condition_path *p, const struct linear *new, struct crossing *c)
{
	*c = (struct crossing){ .path = p };
	if (!add(c, new))
		return false;
	for (int i = 0; i < p->conditions.n; i++)
		if (meets(c, &p->conditions.at[i])) {
			if (!add(c, &p->conditions.at[i]))
				return false;
			i = -1;	/* its axes may be those of others */
		}
	return true;
}

static int64_t value_of(const struct crossing *c, const struct expr *e)
{
	if (e->kind == EXPR_AXIS)
		return c->axis[place_of(c, e->axis)].value;
	if (e->kind == EXPR_INT)
		return e->i;
	union scalar x = { .i = value_of(c, e->arg[0]) }, y = { .i = value_of(c, e->arg[1]) };

	return scalar_binary(e->kind, DTYPE_I64, x, y).i;
}

static bool holds(const struct crossing *c, const struct linear *l)
{
	int64_t sum = l->constant;

	for (int i = 0; i < l->n; i++)
		sum += l->term[i].coef * value_of(c, l->term[i].atom);
	return sum >= 0;
}

static double extent_of(const struct crossed_axis *x)
{
	return x->let ? 1 : (double)(x->axis->hi - x->axis->lo);
}

/* Sets the values of turn I of all there are. */
static void set_turn(struct crossing *c, int64_t i)
{
	for (int j = 0; j < c->n_axes; j++) {
		struct crossed_axis *x = &c->axis[j];
		int64_t extent = (int64_t)extent_of(x);

		x->value = x->let ? value_of(c, x->let) : x->axis->lo + i % extent;
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
		struct crossed_axis *x = &c->axis[j];

		if (x->let) {
			x->value = value_of(c, x->let);
			continue;
		}
		step /= root;
		double at = 0.5 + step * (i + 1);

		x->value = x->axis->lo + (int64_t)((at - floor(at)) * extent_of(x));
	}
}

/* The share of turns in which the first condition of C holds, of those in which all others do; -1: there are none. */
static double count(struct crossing *c)
{
	double turns = 1, before = 0, behind = 0;
	int free_axes = 0;

	for (int j = 0; j < c->n_axes; j++) {
		turns *= extent_of(&c->axis[j]);
		free_axes += !c->axis[j].let;
	}
	bool all = turns <= MAX_TURNS;
	double root = all ? 0 : root_of(free_axes);

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

/* E, a comparison of indices, or its opposite, as a sum that is at least 0; false where it is none. */
static bool sum_of(struct arena *a, const struct expr *e, bool not, struct linear *out)
{
	if ((e->kind != EXPR_LT && e->kind != EXPR_LE) || e->arg[0]->dtype != DTYPE_I64 ||
	    !linear_from(a, e->arg[not ? 0 : 1], out) || !linear_add_expr(a, out, e->arg[not ? 1 : 0], -1))
		return false;
	out->constant -= (e->kind == EXPR_LT) != not;
	return true;
}

static double enter_one(struct arena *a, struct condition_path *p, const struct expr *e, bool not)
{
	double share = -1;
	struct crossing c, alone = { .path = p };
	struct linear l;

	if (sum_of(a, e, not, &l) && add(&alone, &l)) {
		if (cross(p, &l, &c))
			share = count(&c);
		vec_push(a, &p->conditions, l);
	}
	if (share < 0)
		share = not ? 1 - share_of(e) : share_of(e);
	return share;
}

void path_let(struct arena *a, struct condition_path *p, const struct axis *axis, const struct expr *value)
{
	vec_push(a, &p->lets, (struct path_let){ axis, value });
}

double path_enter(struct arena *a, struct condition_path *p, const struct expr *condition, bool not)
{
	int n = p->conditions.n;

	if (condition->kind == EXPR_NOT)
		return path_enter(a, p, condition->arg[0], !not);
	if (condition->kind == (not ? EXPR_OR : EXPR_AND)) {
		double first = path_enter(a, p, condition->arg[0], not);

		return first * path_enter(a, p, condition->arg[1], not);
	}
	if (condition->kind == (not ? EXPR_AND : EXPR_OR)) {
		double other = path_enter(a, p, condition, !not);

		p->conditions.n = n;
		return 1 - other;
	}
	return enter_one(a, p, condition, not);
}
