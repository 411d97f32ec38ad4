/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/roi.c - roi_align(x, rois, batch) and max_roi_pool(x, rois): regions of images
 * [n, c, h, w] brought to one size. */
#include <math.h>

#include "graph/op/dense/product.h"

#define ROI_ATTRS                                                                                  \
	{ "height", ATTR_INT, 1, NULL, "extents of a result" },                                    \
	{ "width", ATTR_INT, 1, NULL, "" },                                                        \
	{ "scale", ATTR_FLOAT, 1, NULL, "from coordinates of regions to elements of the image" }

/* Regions are rows of COLUMNS numbers in operand 1. */
static int roi_type(struct infer *x, int64_t columns)
{
	const struct type *in = infer_type(x, 0), *rois = infer_type(x, 1);
	int64_t height = call_int(x->call, "height"), width = call_int(x->call, "width"), n;

	if (infer_class(x, 0, CLASS_BIT(FLOAT)) < 0 || infer_class(x, 1, CLASS_BIT(FLOAT)) < 0)
		return -1;
	if (height < 1 || width < 1 || height > GRAPH_MAX_DIM || width > GRAPH_MAX_DIM)
		return infer_error(x, "a result of %lld x %lld", (long long)height,
				   (long long)width);
	if (!type_is_ranked(in) || !type_is_ranked(rois))
		return infer_unranked(x, in->element);
	if (in->rank != 4 || rois->rank != 2 || (dim_value(rois->dim[1], &n) && n != columns))
		return infer_error(x, "an image of rank %d, regions of rank %d with %lld columns",
				   in->rank, rois->rank, (long long)columns);
	const struct dim out[] = { rois->dim[0], in->dim[1], dim_number(height),
				   dim_number(width) };

	return infer_tensor(x, in->element, 4, out);
}

/* Regions that are being pooled. */
struct regions {
	const struct array *in, *rois;
	struct array *y;
	enum element element;		/* that is computed in */
	const char *x;
	char *to;
	int64_t height, width;		/* of a result */
	double scale;
};

static int regions_begin(struct eval *x, int64_t columns, struct regions *r)
{
	const struct array *in = eval_array(x, 0), *rois = eval_array(x, 1);

	*r = (struct regions){ .in = in, .rois = rois, .height = call_int(x->call, "height"),
			       .width = call_int(x->call, "width"),
			       .scale = call_float(x->call, "scale") };
	if (in->rank != 4 || rois->rank != 2 || rois->dim[1] != columns ||
	    !element_is_float(in->element) || !element_is_float(rois->element))
		return eval_error(x, "an image of rank %d, regions of rank %d", in->rank,
				  rois->rank);
	r->y = eval_result(x, 0, in->element, 4,
			   (int64_t[]){ rois->dim[0], in->dim[1], r->height, r->width });
	if (!r->y)
		return -1;
	r->element = product_element(in->element);
	r->x = product_operand(x, in, r->element);
	r->to = product_target(x, r->y, r->element);
	return 0;
}

static double roi_number(const struct regions *r, int64_t roi, int column)
{
	return element_load(r->rois->element, r->rois->data, roi * r->rois->dim[1] + column);
}

/* Channel C of image N. */
static const void *plane_of(const struct regions *r, int64_t n, int64_t c)
{
	int64_t plane = (n * r->in->dim[1] + c) * r->in->dim[2] * r->in->dim[3];

	return r->x + (size_t)plane * element_bytes(r->element);
}

static double load(enum element e, const void *plane, int64_t i)
{
	return e == ELEMENT_F32 ? (double)((const float *)plane)[i] : ((const double *)plane)[i];
}

static void put_result(const struct regions *r, int64_t roi, int64_t c, int64_t h, int64_t w,
		       double v)
{
	element_store(r->element, r->to,
		      ((roi * r->in->dim[1] + c) * r->height + h) * r->width + w, v);
}

/* --- roi_align(x, rois, batch) */

static int roi_align_type(struct infer *x)
{
	const char *mode = call_string(x->call, "mode");
	const char *coordinates = call_string(x->call, "coordinates");
	int64_t ratio = call_int(x->call, "ratio");

	if (strcmp(mode, "avg") != 0 && strcmp(mode, "max") != 0)
		return infer_error(x, "mode is '%s'", mode);
	if (strcmp(coordinates, "half_pixel") != 0 && strcmp(coordinates, "output_half_pixel") != 0)
		return infer_error(x, "coordinates is '%s'", coordinates);
	if (ratio < 0 || ratio > GRAPH_MAX_DIM)
		return infer_error(x, "ratio is %lld", (long long)ratio);
	return infer_class(x, 2, CLASS_INTEGERS) < 0 ? -1 : roi_type(x, 4);
}

/* A point along one dim: the two elements around it and their weights; at[0] is -1 off the image. */
struct roi_point {
	int64_t at[2];
	double weight[2];
};

/* Points along a region; more is no region of any image. */
enum { MOST_POINTS = 1 << 16 };

/* One dim of a region: its bins, each with as many points. */
struct roi_axis {
	int64_t points;			/* of a bin */
	struct roi_point point[MOST_POINTS];	/* of all bins */
};

static struct roi_point point_at(double v, int64_t extent)
{
	struct roi_point p = { { -1, -1 }, { 0, 0 } };

	if (!(v >= -1 && v <= (double)extent) || extent < 1)
		return p;
	v = fmax(v, 0);
	p.at[0] = p.at[1] = (int64_t)v;
	if (p.at[0] >= extent - 1) {
		p.at[0] = p.at[1] = extent - 1;
		p.weight[0] = 1;
	} else {
		p.at[1]++;
		p.weight[1] = v - (double)p.at[0];
		p.weight[0] = 1 - p.weight[1];
	}
	return p;
}

/* The dim FROM to TO in coordinates of regions, in BINS. -1 and a message. */
static int roi_axis(struct eval *x, double from, double to, int64_t bins, int64_t extent,
		    struct roi_axis *a)
{
	bool half = strcmp(call_string(x->call, "coordinates"), "half_pixel") == 0;
	double scale = call_float(x->call, "scale"), size = to * scale - from * scale;
	double begin = from * scale - (half ? 0.5 : 0);
	double bin = (half ? size : fmax(size, 1)) / (double)bins;
	double points = call_int(x->call, "ratio") ? (double)call_int(x->call, "ratio") : ceil(bin);

	if (!(points * (double)bins <= MOST_POINTS))
		return eval_error(x, "a region from %g to %g of %lld elements", from, to,
				  (long long)extent);
	a->points = points > 0 ? (int64_t)points : 0;
	for (int64_t i = 0; i < a->points * bins; i++)
		a->point[i] = point_at(begin + bin * ((double)(i / a->points) +
						      ((double)(i % a->points) + 0.5) / points),
				       extent);
	return 0;
}

/* One bin of one channel: the mean of its points, or the greatest of the weighted elements that they
 * are made of. WIDE: the image. */
static double roi_bin(const struct roi_axis *rows, const struct roi_axis *columns, int64_t h,
		      int64_t w, enum element e, const void *plane, int64_t wide, bool max)
{
	const struct roi_point *ys = rows->point + h * rows->points;
	const struct roi_point *xs = columns->point + w * columns->points;
	double most = -INFINITY, sum = 0;

	for (int64_t i = 0; i < rows->points; i++)
		for (int64_t j = 0; j < columns->points; j++)
			for (int k = 0; k < 4; k++) {
				double v = 0;

				if (ys[i].at[0] >= 0 && xs[j].at[0] >= 0)
					v = load(e, plane, ys[i].at[k / 2] * wide + xs[j].at[k % 2]) *
					    ys[i].weight[k / 2] * xs[j].weight[k % 2];
				most = v > most ? v : most;
				sum += v;
			}
	if (rows->points == 0 || columns->points == 0)
		return 0;
	return max ? most : sum / (double)(rows->points * columns->points);
}

static int align_region(struct eval *x, const struct regions *r, int64_t roi, int64_t n,
			struct roi_axis *rows, struct roi_axis *columns)
{
	bool max = strcmp(call_string(x->call, "mode"), "max") == 0;

	if (n < 0 || n >= r->in->dim[0])
		return eval_error(x, "image %lld of %lld", (long long)n, (long long)r->in->dim[0]);
	if (roi_axis(x, roi_number(r, roi, 0), roi_number(r, roi, 2), r->width, r->in->dim[3],
		     columns) < 0 ||
	    roi_axis(x, roi_number(r, roi, 1), roi_number(r, roi, 3), r->height, r->in->dim[2],
		     rows) < 0)
		return -1;
	for (int64_t c = 0; c < r->in->dim[1]; c++) {
		const void *plane = plane_of(r, n, c);

		if (eval_clock(x) < 0)
			return -1;
		for (int64_t h = 0; h < r->height; h++)
			for (int64_t w = 0; w < r->width; w++)
				put_result(r, roi, c, h, w,
					   roi_bin(rows, columns, h, w, r->element, plane,
						   r->in->dim[3], max));
	}
	return 0;
}

static int roi_align_eval(struct eval *x)
{
	const struct array *batch = eval_array(x, 2);
	struct roi_axis *axes = eval_scratch(x, 2 * sizeof(*axes));
	struct regions r;

	if (regions_begin(x, 4, &r) < 0)
		return -1;
	if (batch->rank != 1 || batch->dim[0] != r.rois->dim[0] ||
	    !element_is_integer(batch->element))
		return eval_error(x, "%lld images for %lld regions", (long long)batch->count,
				  (long long)r.rois->dim[0]);
	for (int64_t i = 0; i < r.rois->dim[0]; i++)
		if (align_region(x, &r, i, array_int(batch, i), &axes[0], &axes[1]) < 0)
			return -1;
	product_store(r.y, r.element, r.to);
	return 0;
}

const struct core_op core_roi_align = {
	.name = "roi_align",
	.summary = "regions rois [r, (x1, y1, x2, y2)] of the images that batch [r] says, of x "
		   "[n, c, h, w], sampled without rounding [He et al. 2017]",
	.min_args = 3,
	.max_args = 3,
	.attrs = (const struct attr_spec[]){
		ROI_ATTRS,
		{ "mode", ATTR_STRING, 0, "avg", "avg or max of the points of a bin" },
		{ "ratio", ATTR_INT, 0, NULL, "points along each dim of a bin; 0: one an element" },
		{ "coordinates", ATTR_STRING, 0, "half_pixel",
		  "half_pixel: elements are at 0.5; output_half_pixel: at 0" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = roi_align_type,
	.eval = roi_align_eval,
};

/* --- max_roi_pool(x, rois) */

static int max_roi_pool_type(struct infer *x)
{
	return roi_type(x, 5);
}

/* Elements [from, to) of an image's dim that bin B of a region's BEGIN to END is made of. */
static void bin_of(double begin, double end, int64_t b, int64_t bins, int64_t extent, int64_t *from,
		   int64_t *to)
{
	double size = fmax(end - begin + 1, 1) / (double)bins, n = (double)extent;

	*from = (int64_t)fmax(0, fmin(floor((double)b * size) + begin, n));
	*to = (int64_t)fmax(0, fmin(ceil((double)(b + 1) * size) + begin, n));
}

/* The maximum of bin H, W of region ROI; 0 where it is empty. */
static double max_of_bin(const struct regions *r, int64_t roi, int64_t h, int64_t w,
			 const void *plane)
{
	int64_t y0, y1, x0, x1;
	double most = 0;
	bool first = true;

	bin_of(round(roi_number(r, roi, 2) * r->scale), round(roi_number(r, roi, 4) * r->scale), h,
	       r->height, r->in->dim[2], &y0, &y1);
	bin_of(round(roi_number(r, roi, 1) * r->scale), round(roi_number(r, roi, 3) * r->scale), w,
	       r->width, r->in->dim[3], &x0, &x1);
	for (int64_t y = y0; y < y1; y++)
		for (int64_t x = x0; x < x1; x++) {
			double v = load(r->element, plane, y * r->in->dim[3] + x);

			most = first || v > most ? v : most;
			first = false;
		}
	return most;
}

static int max_roi_pool_eval(struct eval *x)
{
	struct regions r;

	if (regions_begin(x, 5, &r) < 0)
		return -1;
	for (int64_t i = 0; i < r.rois->dim[0]; i++) {
		double n = roi_number(&r, i, 0);

		if (!(n >= 0 && n < (double)r.in->dim[0]))
			return eval_error(x, "image %g of %lld", n, (long long)r.in->dim[0]);
		for (int64_t c = 0; c < r.in->dim[1]; c++)
			for (int64_t h = 0; h < r.height; h++) {
				if (eval_clock(x) < 0)
					return -1;
				for (int64_t w = 0; w < r.width; w++)
					put_result(&r, i, c, h, w,
						   max_of_bin(&r, i, h, w,
							      plane_of(&r, (int64_t)n, c)));
			}
	}
	product_store(r.y, r.element, r.to);
	return 0;
}

const struct core_op core_max_roi_pool = {
	.name = "max_roi_pool",
	.summary = "maxima of the bins of regions rois [r, (image, x1, y1, x2, y2)] of x [n, c, h, w] "
		   "[Girshick 2015]",
	.min_args = 2,
	.max_args = 2,
	.attrs = (const struct attr_spec[]){ ROI_ATTRS, { 0 } },
	.fusion = FUSION_OPAQUE,
	.type = max_roi_pool_type,
	.eval = max_roi_pool_eval,
};
