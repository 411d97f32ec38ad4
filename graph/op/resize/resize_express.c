/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/resize/resize_express.c - nearest and linear resizing as tensor expressions.
 *
 * Coordinates are fractions (factor * j + offset) / divisor of the place j, so that indices stay
 * integer arithmetic. */
#include "graph/op/move/axes.h"
#include "graph/op/resize/resize.h"

struct fraction {
	int64_t factor, offset, divisor;
};

static const struct expr *numerator(struct arena *a, const struct fraction *f, const struct expr *j)
{
	return expr_add(a, expr_mul(a, j, f->factor), expr_int(a, f->offset));
}

static const struct expr *clamped(struct arena *a, const struct expr *index, int64_t extent)
{
	return expr_binary(a, EXPR_MIN, expr_binary(a, EXPR_MAX, index, expr_int(a, 0)),
			   expr_int(a, extent - 1));
}

/* in / out in small numbers, halves of places included. */
static struct fraction steps(const struct resize_axis *axis)
{
	if (axis->out % axis->in == 0)
		return (struct fraction){ 1, 0, axis->out / axis->in };
	if (axis->in % axis->out == 0)
		return (struct fraction){ axis->in / axis->out, 0, 1 };
	return (struct fraction){ 2 * axis->in, 0, 2 * axis->out };
}

/* A fraction that, rounded down and kept within the axis, gives the element of each place; false where
 * there is none. */
static bool fit(const struct resize_axis *axis, const struct taps *t, struct fraction *f)
{
	int64_t low = -GRAPH_MAX_DIM, high = GRAPH_MAX_DIM;	/* the offset is in [low, high) */

	*f = steps(axis);
	for (int64_t j = 0; j < t->n; j++) {
		int64_t index = t->index[j * 2 + (t->weight[j * 2] == 0)];
		int64_t least = index * f->divisor - j * f->factor;

		if (t->outside[j])
			return false;
		if (index > 0 && least > low)
			low = least;
		if (index < axis->in - 1 && least + f->divisor < high)
			high = least + f->divisor;
	}
	f->offset = low > -GRAPH_MAX_DIM ? low : high - 1;
	return low < high;
}

/* The coordinates of linear resizing; false where they are no fractions of small numbers. */
static bool linear_fraction(const struct resize *r, const struct resize_axis *axis,
			    struct fraction *f)
{
	int64_t in = axis->in, out = axis->out;
	bool filters = r->antialias && axis->scale < 1;

	if (filters || r->exclude_outside || axis->scale * (double)in != (double)out)
		return false;
	switch (r->coordinates) {
	case PYTORCH_HALF_PIXEL:
	case HALF_PIXEL:
	case HALF_PIXEL_SYMMETRIC:
		*f = (struct fraction){ 2 * in, in - out, 2 * out };
		return r->coordinates != PYTORCH_HALF_PIXEL || out > 1;
	case ALIGN_CORNERS:
		*f = (struct fraction){ out > 1 ? in - 1 : 0, 0, out > 1 ? out - 1 : 1 };
		return true;
	case ASYMMETRIC:
		*f = (struct fraction){ in, 0, out };
		return true;
	case TF_HALF_PIXEL_FOR_NN:
	case TF_CROP_AND_RESIZE:
	case RESIZE_COORDINATES:
		break;
	}
	return false;
}

/* How the axes are resized. */
struct reading {
	const struct express *express;
	struct resize resize;
	struct resize_axis axis[GRAPH_MAX_RANK];
	struct fraction fraction[GRAPH_MAX_RANK];
	const struct expr *index[GRAPH_MAX_RANK];
};

/* The element whose indices before axis I are set, between its two neighbours along each axis from I
 * on. */
static const struct expr *between(struct reading *of, int i, const struct expr *const *axes)
{
	struct arena *a = of->express->dag->arena;
	const struct fraction *f = &of->fraction[i];
	enum dtype t = express_dtype(of->express);

	if (i == of->express->types[RESIZE_X]->rank)
		return express_load(of->express, RESIZE_X, of->index);
	if (resize_keeps(&of->axis[i])) {
		of->index[i] = axes[i];
		return between(of, i + 1, axes);
	}
	const struct expr *n = numerator(a, f, axes[i]), *divisor = expr_int(a, f->divisor);
	const struct expr *first = expr_binary(a, EXPR_DIV, n, divisor);
	const struct expr *part = expr_binary(
		a, EXPR_MUL, expr_cast(a, t, expr_binary(a, EXPR_MOD, n, divisor)),
		expr_const(a, t, 1 / (double)f->divisor));

	of->index[i] = clamped(a, first, of->axis[i].in);
	const struct expr *low = between(of, i + 1, axes);

	of->index[i] = clamped(a, expr_add(a, first, expr_int(a, 1)), of->axis[i].in);
	const struct expr *high = between(of, i + 1, axes);

	return low && high ? expr_binary(a, EXPR_ADD, low,
					 expr_binary(a, EXPR_MUL, part,
						     expr_binary(a, EXPR_SUB, high, low)))
			   : NULL;
}

/* Of so many axes, eight elements are between. */
enum { MAX_LINEAR_AXES = 3 };

static const struct expr *read_linear(struct reading *of, const struct expr *const *axes)
{
	const struct express *x = of->express;
	int changed = 0;

	for (int i = 0; i < x->types[RESIZE_X]->rank; i++) {
		if (resize_keeps(&of->axis[i]))
			continue;
		if (++changed > MAX_LINEAR_AXES ||
		    !linear_fraction(&of->resize, &of->axis[i], &of->fraction[i]))
			return express_error(x, "no kernel has such coordinates"), NULL;
	}
	if (express_dtype(x) != DTYPE_F32 && express_dtype(x) != DTYPE_F64)
		return express_error(x, "kernels combine f32 and f64"), NULL;
	return between(of, 0, axes);
}

static const struct expr *read_nearest(struct reading *of, const struct expr *const *axes)
{
	const struct express *x = of->express;
	struct arena *a = x->dag->arena;

	for (int i = 0; i < x->types[RESIZE_X]->rank; i++) {
		struct fraction f;
		struct taps t;

		of->index[i] = axes[i];
		if (resize_keeps(&of->axis[i]))
			continue;
		if (!resize_taps(a, &of->resize, &of->axis[i], &t) || !fit(&of->axis[i], &t, &f))
			return express_error(x, "no kernel has such coordinates"), NULL;
		of->index[i] = clamped(a, expr_binary(a, EXPR_DIV, numerator(a, &f, axes[i]),
						      expr_int(a, f.divisor)),
				       of->axis[i].in);
	}
	return express_load(x, RESIZE_X, of->index);
}

static const struct expr *read_resized(const struct express *x, const struct expr *const *axes)
{
	struct reading of = { .express = x };
	int64_t dim[GRAPH_MAX_RANK];
	const struct array *operand[RESIZE_OPERANDS] = { NULL };
	int rank = express_shape(x, RESIZE_X, dim);

	for (int i = RESIZE_ROI; i < x->call->nargs; i++) {
		operand[i] = x->consts[i];
		if (!operand[i] && call_arg(x->call, i) != VALUE_NONE)
			return express_error(x, "operand %d is no constant", i), NULL;
	}
	resize_of(x->call, &of.resize);
	if (resize_axes(x->call, rank, dim, operand, of.axis))
		return express_error(x, "its extents are not known"), NULL;
	if (of.resize.mode == RESIZE_CUBIC)
		return express_error(x, "kernels are nearest or linear"), NULL;
	return of.resize.mode == RESIZE_LINEAR ? read_linear(&of, axes) : read_nearest(&of, axes);
}

struct op *resize_express(struct express *x)
{
	return express_map(x, "resize", read_resized);
}
