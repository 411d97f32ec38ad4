/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/shape/node_space.c - samples between pixels: resizing, grids, regions. */
#include "graph/onnx/node/neural/window.h"

/* Operand I where it has elements: an empty tensor is one left out. */
static int unless_empty(struct node *n, int i)
{
	return type_count(node_type(n, i)) == 0 ? VALUE_NONE : node_arg(n, i);
}

int node_resize(struct node *n)
{
	struct arena *a = n->b->arena;
	struct attr_vec attrs = { 0 };

	attrs_string(a, &attrs, "mode", node_string(n, "mode", "nearest"));
	attrs_string(a, &attrs, "coordinates",
		     node_string(n, "coordinate_transformation_mode", "half_pixel"));
	attrs_string(a, &attrs, "nearest",
		     node_string(n, "nearest_mode", "round_prefer_floor"));
	attrs_float(a, &attrs, "cubic_a", node_float(n, "cubic_coeff_a", -0.75));
	attrs_int(a, &attrs, "exclude_outside", node_int(n, "exclude_outside", 0));
	attrs_float(a, &attrs, "extrapolation", node_float(n, "extrapolation_value", 0));
	attrs_int(a, &attrs, "antialias", node_int(n, "antialias", 0));
	window_list(n, &attrs, "axes", "axes");
	attrs_string(a, &attrs, "keep_aspect",
		     node_string(n, "keep_aspect_ratio_policy", "stretch"));
	return node_give(n, 0, build_with(n->b, &core_resize, &attrs, node_arg(n, 0),
					  unless_empty(n, 1), unless_empty(n, 2),
					  unless_empty(n, 3)));
}

/* X by SCALES as before version 11: a pixel's number over the scale, rounded down. */
static int upsample(struct node *n, int scales)
{
	struct arena *a = n->b->arena;
	const char *mode = node_string(n, "mode", "nearest");
	struct attr_vec attrs = { 0 };

	attrs_string(a, &attrs, "mode", strcmp(mode, "bilinear") == 0 ? "linear" : mode);
	attrs_string(a, &attrs, "coordinates", "asymmetric");
	attrs_string(a, &attrs, "nearest", "floor");
	return node_give(n, 0, build_with(n->b, &core_resize, &attrs, node_arg(n, 0), VALUE_NONE,
					  scales));
}

int node_upsample(struct node *n)
{
	int count;
	const double *scales = node_floats(n, "scales", &count);

	if (node_has(n, 1))
		return upsample(n, node_arg(n, 1));
	struct array *x = array_in(n->b->arena, ELEMENT_F32, 1, &(int64_t){ count });

	element_put_f64(ELEMENT_F32, x->data, 0, count, scales);
	return upsample(n, build_const(n->b, x));
}

int node_resize_by_scales(struct node *n)
{
	return upsample(n, node_arg(n, 1));
}

/* Modes had other names before version 20. */
static const char *sample_mode(struct node *n)
{
	const char *mode = node_string(n, "mode", "linear");

	if (strcmp(mode, "bilinear") == 0)
		return "linear";
	return strcmp(mode, "bicubic") == 0 ? "cubic" : mode;
}

int node_grid_sample(struct node *n)
{
	struct arena *a = n->b->arena;
	struct attr_vec attrs = { 0 };

	attrs_string(a, &attrs, "mode", sample_mode(n));
	attrs_string(a, &attrs, "padding", node_string(n, "padding_mode", "zeros"));
	attrs_int(a, &attrs, "align_corners", node_int(n, "align_corners", 0));
	return node_give(n, 0, build_with(n->b, &core_grid_sample, &attrs, node_arg(n, 0),
					  node_arg(n, 1)));
}

int node_roi_align(struct node *n)
{
	struct arena *a = n->b->arena;
	const char *early = n->opset < 16 ? "output_half_pixel" : "half_pixel";
	struct attr_vec attrs = { 0 };

	attrs_string(a, &attrs, "mode", node_string(n, "mode", "avg"));
	attrs_int(a, &attrs, "height", node_int(n, "output_height", 1));
	attrs_int(a, &attrs, "width", node_int(n, "output_width", 1));
	attrs_int(a, &attrs, "ratio", node_int(n, "sampling_ratio", 0));
	attrs_float(a, &attrs, "scale", node_float(n, "spatial_scale", 1));
	attrs_string(a, &attrs, "coordinates",
		     node_string(n, "coordinate_transformation_mode", early));
	return node_give(n, 0, build_with(n->b, &core_roi_align, &attrs, node_arg(n, 0),
					  node_arg(n, 1), node_arg(n, 2)));
}

int node_max_roi_pool(struct node *n)
{
	int count;
	const int64_t *shape = node_ints(n, "pooled_shape", &count);
	struct attr_vec attrs = { 0 };

	if (count != 2)
		return node_error(n, "pooled_shape of %d extents: 2 are wanted", count);
	attrs_int(n->b->arena, &attrs, "height", shape[0]);
	attrs_int(n->b->arena, &attrs, "width", shape[1]);
	attrs_float(n->b->arena, &attrs, "scale", node_float(n, "spatial_scale", 1));
	return node_give(n, 0, build_with(n->b, &core_max_roi_pool, &attrs, node_arg(n, 0),
					  node_arg(n, 1)));
}

int node_col2im(struct node *n)
{
	struct attr_vec attrs = window_attrs(n);

	return node_give(n, 0, build_with(n->b, &core_col2im, &attrs, node_arg(n, 0),
					  node_arg(n, 1), node_arg(n, 2)));
}
