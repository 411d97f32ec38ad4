/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/grid_sample.c - grid_sample(x, grid): an image read at the points of a grid. */
#include "graph/op/dense/product.h"
#include "graph/op/dense/sample.h"

static const char *const modes[] = { "nearest", "linear", "cubic" };
static const char *const borders[] = { "zeros", "border", "reflection" };

/* The place of the attribute NAME's value among three WORDS; -1. */
static int word_of(const struct binding *call, const char *name, const char *const *words)
{
	for (int i = 0; i < 3; i++)
		if (strcmp(call_string(call, name), words[i]) == 0)
			return i;
	return -1;
}

static int grid_sample_type(struct infer *x)
{
	const struct type *in = infer_type(x, 0), *grid = infer_type(x, 1);
	struct dim out[GRAPH_MAX_RANK];

	if (infer_class(x, 0, CLASS_NUMBERS) < 0 || infer_class(x, 1, CLASS_BIT(FLOAT)) < 0)
		return -1;
	if (word_of(x->call, "mode", modes) < 0)
		return infer_error(x, "mode is '%s'", call_string(x->call, "mode"));
	if (word_of(x->call, "padding", borders) < 0)
		return infer_error(x, "padding is '%s'", call_string(x->call, "padding"));
	if (!type_is_ranked(in) || !type_is_ranked(grid))
		return infer_unranked(x, in->element);
	if (in->rank < 3 || in->rank != grid->rank)
		return infer_error(x, "an image of rank %d and a grid of rank %d", in->rank,
				   grid->rank);
	if (grid->dim[grid->rank - 1].n >= 0 && grid->dim[grid->rank - 1].n != in->rank - 2)
		return infer_error(x, "points of %lld coordinates in %d spatial dims",
				   (long long)grid->dim[grid->rank - 1].n, in->rank - 2);
	if (infer_agree(x, in->dim[0], grid->dim[0], false, &out[0]) < 0)
		return -1;
	out[1] = in->dim[1];
	memcpy(out + 2, grid->dim + 1, sizeof(*out) * (size_t)(in->rank - 2));
	return infer_tensor(x, in->element, in->rank, out);
}

static struct sampling sampling_of(const struct binding *call, const struct array *in)
{
	struct sampling s = { .nd = in->rank - 2,
			      .interpolation = (enum interpolation)word_of(call, "mode", modes),
			      .outside = (enum outside)word_of(call, "padding", borders) };
	double edge = call_flag(call, "align_corners") ? 0 : 0.5;

	for (int d = 0; d < s.nd; d++) {
		s.dim[d] = in->dim[2 + d];
		s.low[d] = -edge;
		s.high[d] = (double)s.dim[d] - 1 + edge;
	}
	return s;
}

/* Point P of GRID, -1 to 1 from end to end of the image, the last dim first; in elements of the
 * image, rounded to the grid's type. */
static void read_point(const struct sampling *s, const struct array *grid, int64_t p, bool corners,
		       double *x)
{
	for (int d = 0; d < s->nd; d++) {
		double v = element_load(grid->element, grid->data, p * s->nd + s->nd - 1 - d);
		double n = (double)s->dim[d];

		v = corners ? (v + 1) / 2 * (n - 1) : ((v + 1) * n - 1) / 2;
		x[d] = grid->element == ELEMENT_F64 ? v : (double)(float)v;
	}
}

static int check_operands(const struct eval *x, const struct array *in, const struct array *grid)
{
	if (in->rank < 3 || in->rank != grid->rank || in->dim[0] != grid->dim[0] ||
	    grid->dim[grid->rank - 1] != in->rank - 2 || !element_is_float(grid->element) ||
	    !(CLASS_NUMBERS >> element_class(in->element) & 1))
		return eval_error(x, "an image of rank %d and a grid of rank %d do not fit",
				  in->rank, grid->rank);
	return 0;
}

static int grid_sample_eval(struct eval *x)
{
	const struct array *in = eval_array(x, 0), *grid = eval_array(x, 1);
	int64_t dim[GRAPH_MAX_RANK];

	if (check_operands(x, in, grid) < 0)
		return -1;
	dim[0] = in->dim[0];
	dim[1] = in->dim[1];
	memcpy(dim + 2, grid->dim + 1, sizeof(*dim) * (size_t)(in->rank - 2));
	struct array *y = eval_result(x, 0, in->element, in->rank, dim);
	enum element e = element_is_float(in->element) ? product_element(in->element) : ELEMENT_F64;
	struct sampling s = sampling_of(x->call, in);
	int64_t points = shape_count(s.nd, dim + 2), plane = shape_count(s.nd, s.dim);
	bool corners = call_flag(x->call, "align_corners");

	if (!y)
		return -1;
	const char *from = product_operand(x, in, e);
	char *to = product_target(x, y, e);

	for (int64_t i = 0; i < dim[0] * points; i++) {
		int64_t image = i / points * dim[1];
		struct sample_point p;
		double at[SLIDE_MAX];

		if (i % 1024 == 0 && eval_clock(x) < 0)
			return -1;
		read_point(&s, grid, i, corners, at);
		sample_at(&s, at, &p);
		for (int64_t c = image; c < image + dim[1]; c++)
			element_store(e, to, c * points + i % points,
				      sample_read(&s, &p, e,
						  from + (size_t)(c * plane) * element_bytes(e)));
	}
	product_store(y, e, to);
	return 0;
}

const struct core_op core_grid_sample = {
	.name = "grid_sample",
	.summary = "the image x [n, c, spatial...] at the points of grid [n, places..., coordinates], "
		   "of which -1 and 1 are its ends and the first is that of the last dim",
	.min_args = 2,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){
		{ "mode", ATTR_STRING, 0, "linear", "nearest, linear, cubic" },
		{ "padding", ATTR_STRING, 0, "zeros", "beyond the image: zeros, border, reflection" },
		{ "align_corners", ATTR_INT, 0, NULL,
		  "1: the ends are the centers of elements, not their edges" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = grid_sample_type,
	.eval = grid_sample_eval,
};
