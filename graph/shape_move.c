/* SPDX-License-Identifier: Apache-2.0 */
/* graph/shape_move.c - shapes of operators that cut, join and move data. */
#include <string.h>

#include "base/err.h"
#include "graph/infer.h"

int shape_concat(struct infer *x)
{
	struct type all = *infer_arg(x, 0);

	x->out[0].dtype = all.dtype;
	if (all.rank == RANK_UNKNOWN)
		return 0;
	int axis = infer_axis(x, call_int(x->call, "axis", 1), all.rank);

	if (axis < 0)
		return -1;
	for (int i = 1; i < x->call->nargs; i++) {
		const struct type *t = infer_arg(x, i);

		if (t->rank == RANK_UNKNOWN)
			return 0;
		if (t->rank != all.rank)
			return infer_error(x, "operands of rank %d and %d", all.rank, t->rank);
		for (int j = 0; j < all.rank; j++) {
			struct dim *d = &all.dim[j];

			if (j != axis) {
				if (infer_join(x, *d, t->dim[j], false, d) < 0)
					return -1;
			} else if (!dim_is_known(*d) || !dim_is_known(t->dim[j])) {
				*d = dim_unknown();
			} else if (__builtin_add_overflow(d->n, t->dim[j].n, &d->n)) {
				return infer_error(x, "the joined dim is too large");
			}
		}
	}
	x->out[0] = all;
	return 0;
}

int shape_split(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	int n;
	const int64_t *parts = infer_list(x, "split", 1, &n);

	for (int i = 0; i < x->nout; i++) {
		x->out[i] = type_unknown();
		x->out[i].dtype = in->dtype;
	}
	if (in->rank == RANK_UNKNOWN)
		return 0;
	int axis = infer_axis(x, call_int(x->call, "axis", 0), in->rank);

	if (axis < 0)
		return -1;
	if (parts && n != x->nout)
		return infer_error(x, "%d parts for %d outputs", n, x->nout);
	struct dim whole = in->dim[axis];
	bool even = !parts && call_arg(x->call, 1) == VALUE_NONE && dim_is_known(whole);
	int64_t left = whole.n;

	if (even && whole.n % x->nout)
		return infer_error(x, "%lld elements in %d equal parts", (long long)whole.n,
				   x->nout);
	for (int i = 0; i < x->nout; i++) {
		struct dim part = parts	 ? dim_number(parts[i])
				  : even ? dim_number(whole.n / x->nout)
					 : dim_unknown();

		if (parts && (parts[i] < 0 || (dim_is_known(whole) && parts[i] > left)))
			return infer_error(x, "a part of %lld elements", (long long)parts[i]);
		if (parts && dim_is_known(whole))
			left -= parts[i];
		x->out[i] = *in;
		x->out[i].dim[axis] = part;
	}
	if (parts && dim_is_known(whole) && left != 0)
		return infer_error(x, "the parts leave out %lld elements", (long long)left);
	return 0;
}

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
	return v < low ? low : v > high ? high : v;
}

/* Elements that start:end:step takes from N, with Python's rules for negative numbers. */
static int64_t slice_count(int64_t n, int64_t start, int64_t end, int64_t step)
{
	start = start < 0 ? (start < -n ? -1 : start + n) : start;
	end = end < 0 ? (end < -n ? -1 : end + n) : end;
	if (step > 0) {
		start = clamp(start, 0, n);
		end = clamp(end, 0, n);
		return end > start ? (end - start - 1) / step + 1 : 0;
	}
	start = clamp(start, -1, n - 1);
	end = clamp(end, -1, n - 1);
	return start > end ? (start - end - 1) / (step == INT64_MIN ? INT64_MAX : -step) + 1 : 0;
}

int shape_slice(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	int n, nends, naxes, nsteps;
	const int64_t *starts = infer_list(x, "starts", 1, &n);
	const int64_t *ends = infer_list(x, "ends", 2, &nends);
	const int64_t *axes = infer_list(x, "axes", 3, &naxes);
	const int64_t *steps = infer_ints(x, 4, &nsteps);
	struct type out = *in;

	x->out[0].dtype = in->dtype;
	if (in->rank == RANK_UNKNOWN)
		return 0;
	if (!starts || !ends || (!axes && call_arg(x->call, 3) != VALUE_NONE) ||
	    (!steps && call_arg(x->call, 4) != VALUE_NONE)) {
		x->out[0].rank = in->rank;	/* known only when it runs */
		for (int i = 0; i < in->rank; i++)
			x->out[0].dim[i] = dim_unknown();
		return 0;
	}
	if (n != nends || (axes && n != naxes) || (steps && n != nsteps) || n > in->rank)
		return infer_error(x, "starts, ends, axes and steps of %d, %d, %d and %d entries",
				   n, nends, naxes, nsteps);
	for (int i = 0; i < n; i++) {
		int axis = infer_axis(x, axes ? axes[i] : i, in->rank);

		if (axis < 0)
			return -1;
		if (steps && steps[i] == 0)
			return infer_error(x, "a step of 0");
		out.dim[axis] = dim_unknown();
		if (dim_is_known(in->dim[axis]))
			out.dim[axis].n = slice_count(in->dim[axis].n, starts[i], ends[i],
						      steps ? steps[i] : 1);
	}
	x->out[0] = out;
	return 0;
}

int shape_gather(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	const struct type *index = infer_arg(x, 1);
	struct type *out = &x->out[0];

	out->dtype = in->dtype;
	if (in->rank == RANK_UNKNOWN || index->rank == RANK_UNKNOWN)
		return 0;
	int axis = infer_axis(x, call_int(x->call, "axis", 0), in->rank);

	if (axis < 0)
		return -1;
	if (in->rank - 1 + index->rank > GRAPH_MAX_RANK)
		return infer_error(x, "a result of rank %d", in->rank - 1 + index->rank);
	out->rank = 0;
	for (int i = 0; i < axis; i++)
		out->dim[out->rank++] = in->dim[i];
	for (int i = 0; i < index->rank; i++)
		out->dim[out->rank++] = index->dim[i];
	for (int i = axis + 1; i < in->rank; i++)
		out->dim[out->rank++] = in->dim[i];
	return 0;
}

int shape_transpose(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	bool seen[GRAPH_MAX_RANK] = { false };
	int n;
	const int64_t *perm = call_ints(x->call, "perm", &n);

	x->out[0].dtype = in->dtype;
	if (in->rank == RANK_UNKNOWN)
		return 0;
	if (perm && n != in->rank)
		return infer_error(x, "perm of %d entries for rank %d", n, in->rank);
	for (int i = 0; i < in->rank; i++) {
		int64_t from = perm ? perm[i] : in->rank - 1 - i;

		if (from < 0 || from >= in->rank || seen[from])
			return infer_error(x, "perm is no permutation");
		seen[from] = true;
		x->out[0].dim[i] = in->dim[from];
	}
	x->out[0].rank = in->rank;
	return 0;
}

int shape_pad(struct infer *x)
{
	const struct type *in = infer_arg(x, 0);
	int n;
	const int64_t *pads = infer_list(x, "pads", 1, &n);

	x->out[0].dtype = in->dtype;
	if (in->rank == RANK_UNKNOWN)
		return 0;
	if (pads && n != 2 * in->rank)
		return infer_error(x, "pads of %d entries for rank %d", n, in->rank);
	x->out[0].rank = in->rank;
	for (int i = 0; i < in->rank; i++) {
		struct dim *d = &x->out[0].dim[i];

		*d = dim_unknown();
		if (pads && pads[i] == 0 && pads[in->rank + i] == 0)
			*d = in->dim[i];
		if (!pads || !dim_is_known(in->dim[i]))
			continue;
		if (__builtin_add_overflow(in->dim[i].n, pads[i], &d->n) ||
		    __builtin_add_overflow(d->n, pads[in->rank + i], &d->n) || d->n < 0)
			return infer_error(x, "padding of %lld and %lld", (long long)pads[i],
					   (long long)pads[in->rank + i]);
	}
	return 0;
}

/* Repeats operand 0, whose dims go TIMES by dim. */
static int repeat(struct infer *x, const int64_t *times, int n)
{
	const struct type *in = infer_arg(x, 0);

	if (n != in->rank)
		return infer_error(x, "%d repeats for rank %d", n, in->rank);
	x->out[0] = *in;
	for (int i = 0; i < n; i++) {
		struct dim *d = &x->out[0].dim[i];

		if (times[i] < 0 ||
		    (dim_is_known(*d) && __builtin_mul_overflow(d->n, times[i], &d->n)))
			return infer_error(x, "%lld repeats", (long long)times[i]);
		if (!dim_is_known(*d) && times[i] != 1)
			*d = dim_unknown();
	}
	return 0;
}

int shape_tile(struct infer *x)
{
	int n;
	const int64_t *times = infer_ints(x, 1, &n);

	x->out[0].dtype = infer_arg(x, 0)->dtype;
	return times && infer_arg(x, 0)->rank != RANK_UNKNOWN ? repeat(x, times, n) : 0;
}

/* Depth and space blocks: one of channels and area grows by what the other loses. */
static int blocks(struct infer *x, bool to_space)
{
	const struct type *in = infer_arg(x, 0);
	int64_t size = call_int(x->call, "blocksize", 0);

	x->out[0].dtype = in->dtype;
	if (in->rank == RANK_UNKNOWN)
		return 0;
	if (in->rank != 4 || size < 1 || size > (1 << 16))
		return infer_error(x, "rank %d, blocksize %lld", in->rank, (long long)size);
	x->out[0] = *in;
	for (int i = 1; i < 4; i++) {
		struct dim *d = &x->out[0].dim[i];
		int64_t by = i == 1 ? size * size : size;
		bool grow = to_space == (i > 1);

		if (!dim_is_known(*d)) {
			*d = dim_unknown();
			continue;
		}
		if (grow ? __builtin_mul_overflow(d->n, by, &d->n) : d->n % by != 0)
			return infer_error(x, "a dim of %lld in blocks of %lld", (long long)d->n,
					   (long long)by);
		if (!grow)
			d->n /= by;
	}
	return 0;
}

int shape_depth_to_space(struct infer *x)
{
	return blocks(x, true);
}

int shape_space_to_depth(struct infer *x)
{
	return blocks(x, false);
}
