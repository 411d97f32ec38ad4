/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/phases.c - finds places whose taps or elements depend on a remainder, and makes them two dims. */
#include "te/derive/phases.h"

#include <stdlib.h>
#include <string.h>

#include "base/integer.h"
#include "te/derive/window_sum.h"
#include "te/index/index.h"

/* A space axis y of an op whose windows are of neighbours for each phase. */
struct phased_dim {
	int space;	/* y among the op's space axes */
	int reduce;	/* k among its reduce axes */
	int data, weight;	/* the dims that they move */
	bool dilated;	/* elements are of a phase, as those at y + s k; else taps are */
	int64_t phases;		/* s */
	int64_t first;		/* c, less than s; a quotient is as much less, what is left is in OFFSET */
	int64_t places;		/* quotients */
	int64_t offset;		/* of the element that the first tap of the first place meets */
	bool reversed;		/* the data goes down as k goes up */
};

struct phased_sum {
	const struct expr *data, *weight;	/* the loads */
	int n;
	struct phased_dim dim[TENSOR_MAX_DIMS];
};

/* The term of L that is of KIND, a quotient or remainder of Y + *C by *S, with coefficient 1; false: none. */
static bool find_quotient(struct arena *a, const struct linear *l, enum expr_kind kind, const struct axis *y,
			  int64_t *c, int64_t *s)
{
	for (int i = 0; i < l->n; i++) {
		const struct expr *e = l->term[i].atom;
		struct linear of;

		if (e->kind != kind || l->term[i].coef != 1 || e->arg[1]->kind != EXPR_INT ||
		    !linear_from(a, e->arg[0], &of) || of.n != 1 || linear_coef(&of, y) != 1)
			continue;
		*c = of.constant;
		*s = e->arg[1]->i;
		return true;
	}
	return false;
}

/* The dim of LOAD that K and a quotient or remainder (KIND) of Y move, nothing else, and its index; -1: none. */
static int find_dim(struct arena *a, const struct expr *load, enum expr_kind kind, const struct axis *y,
		    const struct axis *k, struct linear *l, int64_t *c, int64_t *s)
{
	if (window_uses(load, y) != 1 || window_uses(load, k) != 1)
		return -1;
	for (int i = 0; i < load->tensor->ndim; i++)
		if (linear_from(a, load->index[i], l) && l->n == 2 && linear_coef(l, k) != 0 &&
		    find_quotient(a, l, kind, y, c, s))
			return i;
	return -1;
}

/* The data is read at (y + c) / s + d +- k, the weight at (y + c) % s + s k. */
static bool has_taps_of_phases(struct arena *a, const struct op *op, const struct phased_sum *sum, struct phased_dim *d)
{
	const struct axis *y = op->space[d->space], *k = op->reduce[d->reduce];
	struct linear data, weight;
	int64_t c, s, c_weight, s_weight;

	d->data = find_dim(a, sum->data, EXPR_DIV, y, k, &data, &c, &s);
	d->weight = find_dim(a, sum->weight, EXPR_MOD, y, k, &weight, &c_weight, &s_weight);
	if (d->data < 0 || d->weight < 0 || s != s_weight || floor_mod(c - c_weight, s) != 0 || y->hi < s ||
	    weight.constant != 0 || linear_coef(&weight, k) != s || labs(linear_coef(&data, k)) != 1)
		return false;
	d->phases = s;
	d->first = floor_mod(c, s);
	d->places = (y->hi - 1 + d->first) / s + 1;
	d->reversed = linear_coef(&data, k) < 0;
	d->offset = floor_div(c, s) + data.constant - (d->reversed ? k->hi - 1 : 0);
	return true;
}

/* The data is read at y + s k + d, the weight at k. */
static bool has_elements_of_phases(struct arena *a, const struct op *op, const struct phased_sum *sum,
				   struct phased_dim *d)
{
	const struct axis *y = op->space[d->space];
	struct window_reads w;

	if (!window_find(a, sum->data, sum->weight, y, op->reduce[d->reduce], &w) || w.stride != 1 || w.dilation < 2 || y->hi < w.dilation)
		return false;
	d->data = w.data;
	d->weight = w.weight;
	d->phases = w.dilation;
	d->offset = w.offset;
	d->first = 0;
	d->places = ceil_div(y->hi, d->phases);
	d->reversed = false;
	return true;
}

/* Space axis D->space and reduce axis D->reduce of OP as a dim with phases of SUM's loads. */
static bool is_phased(struct arena *a, const struct op *op, const struct phased_sum *sum, struct phased_dim *d)
{
	d->dilated = has_elements_of_phases(a, op, sum, d);
	return d->dilated || has_taps_of_phases(a, op, sum, d);
}

static bool phased_sum_of(struct arena *a, const struct op *op, int64_t least, struct phased_sum *out)
{
	const struct expr *e = op->body;
	struct phased_dim d;

	if (op->kind != OP_COMPUTE || op->reducer != REDUCE_SUM || e->kind != EXPR_MUL ||
	    e->arg[0]->kind != EXPR_LOAD || e->arg[1]->kind != EXPR_LOAD)
		return false;
	for (int data = 0; data < 2; data++) {
		*out = (struct phased_sum){ e->arg[data], e->arg[1 - data], 0, { { 0 } } };
		for (d.space = 0; d.space < op->tensor.ndim; d.space++)
			for (d.reduce = 0; d.reduce < op->nreduce; d.reduce++)
				if (is_phased(a, op, out, &d) && d.phases >= least)
					out->dim[out->n++] = d;
		if (out->n > 0)
			return true;
	}
	return false;
}

/* The phases of those dims of SUM that are DILATED, or of the others, outermost in what AXES are of. */
static void add_phases(struct arena *a, const struct op *op, const struct phased_sum *sum, bool dilated,
		       struct new_axes *axes, const struct expr **phase)
{
	for (int i = 0; i < sum->n; i++)
		if (sum->dim[i].dilated == dilated)
			phase[i] = new_axes_add(a, axes, "a", op->space[sum->dim[i].space]->name, sum->dim[i].phases);
}

/* The axes of what LOAD reads, with EXTENT[i] places in dim DIM[i]. */
static void add_dims(struct arena *a, const struct expr *load, const int *dim, const int64_t *extent, int n,
		     struct new_axes *axes, const struct expr **index)
{
	for (int i = 0; i < load->tensor->ndim; i++) {
		int64_t places = load->tensor->shape[i];

		for (int k = 0; k < n; k++)
			places = dim[k] == i ? extent[k] : places;
		index[i] = new_axes_add(a, axes, "", derived_dim_name(a, load, i), places);
	}
}

/* The taps of each phase. */
static const struct tensor *part_weight(struct arena *a, const struct op *op, const struct phased_sum *sum,
					struct derived *out)
{
	const struct expr *phase[TENSOR_MAX_DIMS], *index[TENSOR_MAX_DIMS];
	int dim[TENSOR_MAX_DIMS];
	int64_t taps[TENSOR_MAX_DIMS];
	struct new_axes axes = { 0 };

	add_phases(a, op, sum, false, &axes, phase);
	if (axes.n == 0)
		return sum->weight->tensor;
	for (int i = 0; i < sum->n; i++) {
		dim[i] = sum->dim[i].weight;
		taps[i] = op->reduce[sum->dim[i].reduce]->hi;
	}
	add_dims(a, sum->weight, dim, taps, sum->n, &axes, index);
	for (int i = 0; i < sum->n; i++) {
		const struct phased_dim *d = &sum->dim[i];
		const struct expr *tap = index[d->weight];

		if (d->dilated)
			continue;
		if (d->reversed)
			tap = expr_binary(a, EXPR_SUB, expr_int(a, taps[i] - 1), tap);
		index[d->weight] = expr_add(a, phase[i], expr_mul(a, tap, d->phases));
	}
	out->weights = 1;
	return &derived_add(a, out, arena_printf(a, "%s_W", op->tensor.name), &axes, axes.n,
			    expr_load(a, sum->weight->tensor, index))
			->tensor;
}

/* The elements of each phase, 0 where one has more than there are. */
static const struct tensor *part_data(struct arena *a, const struct op *op, const struct phased_sum *sum,
				      struct derived *out)
{
	const struct tensor *from = sum->data->tensor;
	const struct expr *phase[TENSOR_MAX_DIMS], *index[TENSOR_MAX_DIMS], *inside = NULL;
	int dim[TENSOR_MAX_DIMS];
	int64_t places[TENSOR_MAX_DIMS];
	struct new_axes axes = { 0 };

	add_phases(a, op, sum, true, &axes, phase);
	if (axes.n == 0)
		return from;
	for (int i = 0; i < sum->n; i++) {
		const struct phased_dim *d = &sum->dim[i];

		dim[i] = d->data;
		places[i] = d->dilated ? d->places + op->reduce[d->reduce]->hi - 1 : from->shape[d->data];
	}
	add_dims(a, sum->data, dim, places, sum->n, &axes, index);
	for (int i = 0; i < sum->n; i++) {
		const struct phased_dim *d = &sum->dim[i];
		int64_t extent = from->shape[d->data];

		if (!d->dilated)
			continue;
		index[d->data] = expr_add(a, expr_add(a, expr_mul(a, index[d->data], d->phases), phase[i]),
					  expr_int(a, d->offset));
		if (places[i] * d->phases + d->offset <= extent)
			continue;
		inside = expr_and(a, inside, expr_binary(a, EXPR_LT, index[d->data], expr_int(a, extent)));
	}
	const struct expr *value = expr_load(a, from, index);

	if (inside)
		value = expr_select(a, inside, value, expr_const(a, from->dtype, 0));
	return &derived_add(a, out, arena_printf(a, "%s_X", op->tensor.name), &axes, axes.n, value)->tensor;
}

/* The index of LOAD behind phases, with FROM replaced. */
static void add_index(struct arena *a, const struct expr *load, const struct axis *const *from,
		     const struct expr *const *to, int n, const struct expr **index, int first)
{
	for (int i = 0; i < load->tensor->ndim; i++)
		index[first + i] = expr_substitute(a, load->index[i], from, to, n);
}

/* The sums of all phases of DATA and WEIGHT. */
static const struct tensor *add_sums(struct arena *a, const struct op *op, const struct phased_sum *sum,
				     const struct tensor *data, const struct tensor *weight, struct derived *out)
{
	const struct axis *from[2 * TENSOR_MAX_DIMS];
	const struct expr *to[2 * TENSOR_MAX_DIMS];
	const struct expr *at_data[TENSOR_MAX_DIMS], *at_weight[TENSOR_MAX_DIMS];
	struct new_axes axes = { 0 };
	int n = 0, ndim, data_dims = 0, weight_dims = 0;

	for (int i = 0; i < sum->n; i++) {
		const struct expr *phase =
			new_axes_add(a, &axes, "a", op->space[sum->dim[i].space]->name, sum->dim[i].phases);

		if (sum->dim[i].dilated)
			at_data[data_dims++] = phase;
		else
			at_weight[weight_dims++] = phase;
	}
	for (int i = 0; i < op->tensor.ndim; i++) {
		int64_t extent = op->space[i]->hi;

		for (int k = 0; k < sum->n; k++)
			if (sum->dim[k].space == i)
				extent = sum->dim[k].places;
		from[n] = op->space[i];
		to[n++] = new_axes_add(a, &axes, "", op->space[i]->name, extent);
	}
	ndim = axes.n;
	for (int i = 0; i < op->nreduce; i++) {
		from[n] = op->reduce[i];
		to[n++] = new_axes_add(a, &axes, "", op->reduce[i]->name, op->reduce[i]->hi);
	}
	add_index(a, sum->data, from, to, n, at_data, data_dims);
	add_index(a, sum->weight, from, to, n, at_weight, weight_dims);
	for (int i = 0; i < sum->n; i++) {
		const struct phased_dim *d = &sum->dim[i];
		const struct expr *tap = to[op->tensor.ndim + d->reduce];

		at_data[data_dims + d->data] = expr_add(a, expr_add(a, to[d->space], tap),
							expr_int(a, d->dilated ? 0 : d->offset));
		at_weight[weight_dims + d->weight] = tap;
	}
	out->product = out->n;
	return &derived_add(a, out, arena_printf(a, "%s_S", op->tensor.name), &axes, ndim,
			    expr_binary(a, EXPR_MUL, expr_load(a, data, at_data), expr_load(a, weight, at_weight)))
			->tensor;
}

/* Each place, from its phase. */
static void join(struct arena *a, const struct op *op, const struct phased_sum *sum, const struct tensor *parts,
		 struct derived *out)
{
	const struct expr *index[TENSOR_MAX_DIMS];
	struct new_axes axes = { 0 };

	for (int i = 0; i < op->tensor.ndim; i++)
		index[sum->n + i] = new_axes_add(a, &axes, "", op->space[i]->name, op->space[i]->hi);
	for (int i = 0; i < sum->n; i++) {
		const struct phased_dim *d = &sum->dim[i];
		const struct expr *at = expr_add(a, index[sum->n + d->space], expr_int(a, d->first));
		const struct expr *phases = expr_int(a, d->phases);

		index[i] = expr_binary(a, EXPR_MOD, at, phases);
		index[sum->n + d->space] = expr_binary(a, EXPR_DIV, at, phases);
	}
	derived_add(a, out, op->tensor.name, &axes, axes.n, expr_load(a, parts, index))->output = op->output;
}

bool phases_derive(struct arena *a, const struct op *op, int64_t least, struct derived *out, const char **why)
{
	struct phased_sum sum;
	const char *reason = NULL;

	memset(out, 0, sizeof(*out));
	if (least < PHASES_LEAST || !phased_sum_of(a, op, least, &sum))
		reason = "it sums up no products whose taps or elements depend on the phase of a place";
	else if (most(most(op->tensor.ndim, sum.data->tensor->ndim), sum.weight->tensor->ndim) + sum.n > TENSOR_MAX_DIMS)
		reason = "its tensors have too many dims: phases add to them";
	if (reason) {
		if (why)
			*why = reason;
		return false;
	}
	const struct tensor *weight = part_weight(a, op, &sum, out), *data = part_data(a, op, &sum, out);

	join(a, op, &sum, add_sums(a, op, &sum, data, weight, out), out);
	return true;
}
