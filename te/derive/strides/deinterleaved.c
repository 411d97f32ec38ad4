/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/strides/deinterleaved.c - finds the data that lanes read at a stride, and copies it by phases. */
#include "te/derive/strides/deinterleaved.h"

#include <string.h>

#include "base/integer.h"
#include "te/index/index.h"

/* A dim of the data that is read at S Y + W + C. */
struct strided_dim {
	const struct axis *place;	/* Y, a space axis; NULL: the dim is read in another way */
	const struct expr *window;	/* W, of reduce axes, at least 0 */
	int64_t stride, first;		/* S, C */
	int64_t reach;			/* W at most */
	int64_t phases;			/* remainders of W by S */
};

struct strided_data {
	const struct expr *load;
	struct strided_dim dim[TENSOR_MAX_DIMS];
};

/* L without the terms of space axes, of which there is one, for D's place and stride. */
static bool take_window(const struct linear *l, struct strided_dim *d, struct linear *window)
{
	*window = (struct linear){ .n = 0 };
	for (int i = 0; i < l->n; i++) {
		const struct expr *atom = l->term[i].atom;

		if (atom->kind != EXPR_AXIS || (!atom->axis->reduce && d->place))
			return false;
		if (atom->axis->reduce) {
			window->term[window->n++] = l->term[i];
			continue;
		}
		d->place = atom->axis;
		d->stride = l->term[i].coef;
	}
	return d->place != NULL;
}

/* How many remainders W, which is all of WINDOW, has by D's stride. */
static int64_t phases_of(const struct strided_dim *d, const struct linear *window)
{
	bool whole = true;

	for (int i = 0; i < window->n; i++)
		whole &= window->term[i].coef % d->stride == 0;
	return whole ? 1 : least(d->stride, d->reach + 1);
}

/* INDEX as S Y + W + C with a stride of LEAST or more; D->place is NULL where it is none. */
static struct strided_dim find_strides(struct arena *a, const struct expr *index, int64_t least)
{
	struct strided_dim d = { NULL };
	struct linear l, window;

	if (!linear_from(a, index, &l) || !take_window(&l, &d, &window) || d.stride < least)
		return (struct strided_dim){ NULL };
	struct range reach = linear_range(&window);

	window.constant = -reach.lo;
	d.first = l.constant + reach.lo;
	d.reach = reach.hi - reach.lo;
	d.window = linear_expr(a, &window);
	d.phases = phases_of(&d, &window);
	return d;
}

/* Does the load E of OP move along its innermost dim as OP's own lanes do, at a stride of LEAST or more? */
static bool strides_along_lanes(struct arena *a, const struct op *op, const struct expr *e, int64_t least)
{
	int from = tensor_innermost(e->tensor), to = tensor_innermost(&op->tensor);

	return from >= 0 && to >= 0 && find_strides(a, e->index[from], least).place == op->space[to];
}

struct load_search {
	struct arena *arena;
	const struct op *op;
	int64_t least;
	const struct expr *found;	/* of one tensor */
	bool differs;	/* which is read in other ways, too */
};

static bool find_load(const struct expr *e, void *user)
{
	struct load_search *s = user;

	if (e->kind != EXPR_LOAD)
		return true;
	if (!s->found && strides_along_lanes(s->arena, s->op, e, s->least))
		s->found = e;
	return true;
}

static bool find_other(const struct expr *e, void *user)
{
	struct load_search *s = user;

	s->differs |= e->kind == EXPR_LOAD && e->tensor == s->found->tensor && !expr_equal(e, s->found);
	return !s->differs;
}

/* Beside the dim of the lanes also those of which windows leave elements out. */
static bool strided_data_of(struct arena *a, const struct op *op, int64_t least, struct strided_data *out)
{
	struct load_search s = { a, op, least, NULL, false };

	if (op->kind != OP_COMPUTE || op->nreduce == 0 || least < DEINTERLEAVED_LEAST)
		return false;
	expr_visit(op->body, find_load, &s);
	if (!s.found)
		return false;
	expr_visit(op->body, find_other, &s);
	out->load = s.found;
	for (int i = 0; i < s.found->tensor->ndim; i++) {
		struct strided_dim d = find_strides(a, s.found->index[i], DEINTERLEAVED_LEAST);
		bool lanes = i == tensor_innermost(s.found->tensor);

		out->dim[i] = d.place && (lanes || d.phases < d.stride) ? d : (struct strided_dim){ NULL };
	}
	return !s.differs;
}

static int copied_dims(const struct strided_data *data)
{
	int n = data->load->tensor->ndim;

	for (int i = 0; i < data->load->tensor->ndim; i++)
		n += data->dim[i].phases > 1;
	return n;
}

/* E AND that INDEX is within [0, EXTENT); E may be NULL, and is where that is certain. */
static const struct expr *and_inside(struct arena *a, const struct expr *e, const struct expr *index, int64_t extent)
{
	struct range r = expr_range(index);

	if (r.lo < 0)
		e = expr_and(a, e, expr_binary(a, EXPR_LE, expr_int(a, 0), index));
	if (r.hi >= extent)
		e = expr_and(a, e, expr_binary(a, EXPR_LT, index, expr_int(a, extent)));
	return e;
}

/* The elements by phases, 0 where one has more than there are, which nobody reads. */
static const struct tensor *copy(struct arena *a, const struct op *op, const struct strided_data *data, struct derived *out)
{
	const struct tensor *from = data->load->tensor;
	const struct expr *index[TENSOR_MAX_DIMS], *inside = NULL;
	struct new_axes axes = { 0 };

	for (int i = 0; i < from->ndim; i++) {
		const struct strided_dim *d = &data->dim[i];
		const char *name = d->place ? d->place->name : derived_dim_name(a, data->load, i);
		const struct expr *phase = d->phases > 1 ? new_axes_add(a, &axes, "a", name, d->phases) : expr_int(a, 0);

		if (!d->place) {
			index[i] = new_axes_add(a, &axes, "", name, from->shape[i]);
			continue;
		}
		const struct expr *place = new_axes_add(a, &axes, "", name, d->place->hi + d->reach / d->stride);

		index[i] = expr_add(a, expr_add(a, expr_mul(a, place, d->stride), phase), expr_int(a, d->first));
		inside = and_inside(a, inside, index[i], from->shape[i]);
	}
	const struct expr *value = expr_load(a, from, index);

	if (inside)
		value = expr_select(a, inside, value, expr_const(a, from->dtype, 0));
	return &derived_add(a, out, arena_printf(a, "%s_X", op->tensor.name), &axes, axes.n, value)->tensor;
}

/* Where the copy has what DATA's load reads. */
static const struct expr *read_copy(struct arena *a, const struct strided_data *data, const struct tensor *copied)
{
	const struct expr *index[TENSOR_MAX_DIMS];
	int n = 0;

	for (int i = 0; i < data->load->tensor->ndim; i++) {
		const struct strided_dim *d = &data->dim[i];

		if (!d->place) {
			index[n++] = data->load->index[i];
			continue;
		}
		const struct expr *stride = expr_int(a, d->stride);

		if (d->phases > 1)
			index[n++] = d->reach < d->stride ? d->window : expr_binary(a, EXPR_MOD, d->window, stride);
		index[n++] = expr_simplify(a, expr_add(a, expr_axis(a, d->place), expr_binary(a, EXPR_DIV, d->window, stride)));
	}
	return expr_load(a, copied, index);
}

struct load_swap {
	const struct expr *from, *to;
};

static const struct expr *swap_load(struct arena *a, const struct expr *e, void *user)
{
	const struct load_swap *swap = user;

	(void)a;
	return e->kind == EXPR_LOAD && e->tensor == swap->from->tensor ? swap->to : NULL;
}

bool deinterleaved_derive(struct arena *a, const struct op *op, int64_t least, struct derived *out, const char **why)
{
	struct strided_data data;
	const char *reason = NULL;

	memset(out, 0, sizeof(*out));
	if (!strided_data_of(a, op, least, &data))
		reason = "its lanes read nothing at such a stride alone";
	else if (copied_dims(&data) > TENSOR_MAX_DIMS)
		reason = "its data has too many dims: phases add to them";
	if (reason) {
		if (why)
			*why = reason;
		return false;
	}
	struct load_swap swap = { data.load, read_copy(a, &data, copy(a, op, &data, out)) };

	out->product = out->n;
	derived_end(a, out, op, NULL, expr_rewrite(a, op->body, swap_load, &swap));
	return true;
}
