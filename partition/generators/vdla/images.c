/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/images.c - operators on images in blocks of channels. */
#include "partition/generators/vdla/images.h"

#include "base/err.h"
#include "base/integer.h"
#include "graph/build/build.h"
#include "partition/generators/vdla/weights.h"
#include "target/vdla/machine.h"

struct imager {
	const struct function *from;
	struct builder b;
	int *made;			/* by value of FROM; VALUE_NONE */
	struct image_dims *dims;	/* that its tensor has; of what a reshape made flat, those before */
};

bool image_dims_of(const struct type *t, struct image_dims *out)
{
	int64_t dim[GRAPH_MAX_RANK];

	if (!type_is_static(t) || (t->rank != 4 && t->rank != 2))
		return false;
	type_shape(t, dim);
	*out = (struct image_dims){ dim[0], dim[1], t->rank == 4 ? dim[2] : 1, t->rank == 4 ? dim[3] : 1 };
	return out->n > 0 && out->c > 0 && out->h > 0 && out->w > 0;
}

int64_t image_channels(const struct image_dims *d)
{
	return round_up(d->c, VDLA_LANES);
}

/* VALUE of FROM, which has D, is MADE. */
static int keep(struct imager *x, int value, int made, const struct image_dims *d)
{
	x->made[value] = made;
	x->dims[value] = *d;
	return made == VALUE_FAILED ? -1 : 0;
}

static int keep_result(struct imager *x, int value, int made)
{
	struct image_dims d;

	if (!image_dims_of(function_at(x->from, value)->type, &d))
		return err_set("%s gives neither an image nor rows", function_at(x->from, value)->op->name);
	return keep(x, value, made, &d);
}

/* The convolution of operand 0 of CALL, of which image D is made, by W, whose shape S says. */
static int build_conv(struct imager *x, const struct binding *call, int image, const struct array *w, const struct weight_shape *s)
{
	struct arena *a = x->b.arena;
	struct attr_vec attrs = { 0 };

	for (int i = 0; call->op == &core_conv && i < call->nattrs; i++)
		if (strcmp(call->attrs[i].name, "groups") != 0)
			vec_push(a, &attrs, call->attrs[i]);
	attrs_int(a, &attrs, "groups", s->blocks);
	return build_with(&x->b, &core_conv, &attrs, image, build_const(&x->b, w));
}

static int add_conv(struct imager *x, int value, const struct binding *b)
{
	const struct array *w = function_const(x->from, b->args[1]);
	const struct image_dims *d = &x->dims[b->args[0]];
	struct weight_shape s;

	if (!w || w->rank != 4 || w->element != ELEMENT_I8)
		return err_set("a convolution of two dims by constant bytes is what it has");
	s = weight_shape_of(d->c, w->dim[0], call_int(b, "groups"));
	s.kernel[0] = w->dim[2];
	s.kernel[1] = w->dim[3];
	return keep_result(x, value, build_conv(x, b, x->made[b->args[0]], weight_in_blocks(x->b.arena, w, &s), &s));
}

/* Rows by a matrix: a window of all of the image that the rows were. */
static int add_product(struct imager *x, int value, const struct binding *b)
{
	const struct array *w = function_const(x->from, b->args[1]);
	const struct image_dims *d = &x->dims[b->args[0]];
	bool turned = call_flag(b, "trans_b");
	struct weight_shape s;

	if (!w || w->rank != 2 || w->element != ELEMENT_I8 || call_flag(b, "trans_a") || function_at(x->from, b->args[0])->type->rank != 2)
		return err_set("a product of rows and constant bytes is what it has");
	s = weight_shape_of(d->c, w->dim[!turned], 1);
	s.kernel[0] = d->h;
	s.kernel[1] = d->w;
	return keep_result(x, value, build_conv(x, b, x->made[b->args[0]], matrix_in_blocks(x->b.arena, w, turned, &s), &s));
}

/* The bytes that were cast to VALUE; VALUE_NONE. */
static int bytes_of(const struct imager *x, int value)
{
	const struct binding *cast = function_at(x->from, value);
	bool bytes = cast->kind == BIND_CALL && cast->op == &core_cast &&
		     function_at(x->from, cast->args[0])->type->element == ELEMENT_I8;

	return bytes ? cast->args[0] : VALUE_NONE;
}

/* All pixels summed. Of bytes that is a window of all of them, whose weights are 1. */
static int add_sum(struct imager *x, int value, const struct binding *b)
{
	int bytes = bytes_of(x, b->args[0]);
	const struct image_dims *d = &x->dims[b->args[0]];
	struct image_dims out;

	if (!image_dims_of(b->type, &out) || out.n != d->n || out.c != d->c || out.h != 1 || out.w != 1)
		return err_set("only pixels of an image are summed");
	if (bytes == VALUE_NONE)
		return keep(x, value, build(&x->b, &core_reduce_sum, x->made[b->args[0]], build_ints(&x->b, 2, (int64_t[]){ 2, 3 })), &out);
	struct weight_shape s = weight_shape_of(out.c, out.c, out.c);

	s.kernel[0] = d->h;
	s.kernel[1] = d->w;
	return keep(x, value, build_conv(x, b, x->made[bytes], ones_in_blocks(x->b.arena, &s), &s), &out);
}

/* Another shape for the same elements: [n, c, h, w] as rows, pixels as rows and back. */
static int add_reshape(struct imager *x, int value, const struct binding *b)
{
	const struct image_dims *d = &x->dims[b->args[0]];
	struct image_dims out;

	if (!image_dims_of(b->type, &out) || out.n != d->n || out.c * out.h * out.w != d->c * d->h * d->w ||
	    (out.c != d->c && b->type->rank != 2))
		return err_set("a shape that moves elements from image to image");
	return keep(x, value, x->made[b->args[0]], d);
}

/* Constant OPERAND beside what has so many channels: a number, or one for each channel. */
static int build_operand(struct imager *x, int operand, int rank, const struct image_dims *d)
{
	const struct array *c = function_const(x->from, operand);
	const struct array *wide = channels_in_blocks(x->b.arena, c, rank, d->c);

	if (!wide)
		err_set("a constant that is neither a number nor one for each channel");
	return wide ? build_const(&x->b, wide) : VALUE_FAILED;
}

static int add_pointwise(struct imager *x, int value, const struct binding *b)
{
	int *args = arena_many(x->b.arena, int, b->nargs);
	struct image_dims d;

	if (!image_dims_of(b->type, &d))
		return err_set("%s gives neither an image nor rows", b->op->name);
	for (int i = 0; i < b->nargs; i++) {
		int of = b->args[i];
		bool constant = of != VALUE_NONE && function_const(x->from, of);
		const struct image_dims *in = of == VALUE_NONE || constant ? &d : &x->dims[of];

		if (in->n != d.n || in->c != d.c || in->h != d.h || in->w != d.w)
			return err_set("%s of what has another shape", b->op->name);
		args[i] = of == VALUE_NONE ? VALUE_NONE : constant ? build_operand(x, of, b->type->rank, &d) : x->made[of];
	}
	if (b->op == &core_add && args[0] == args[1])	/* what adds has room for one of two */
		return keep(x, value, build(&x->b, &core_mul, args[0], build_scalar(&x->b, ELEMENT_I32, 2)), &d);
	return keep(x, value, build_copy(&x->b, b, args, NULL), &d);
}

/* A pool has no operands but the image. */
static int add_pool(struct imager *x, int value, const struct binding *b)
{
	return keep_result(x, value, build_copy(&x->b, b, &x->made[b->args[0]], NULL));
}

/* Does one pool alone read VALUE? */
static bool is_for_a_pool(const struct imager *x, int value)
{
	int pools = 0, others = 0;

	for (int i = 0; i < x->from->nresults; i++)
		others += x->from->results[i] == value;
	for (int v = value + 1; v < x->from->bindings.n; v++) {
		const struct binding *b = function_at(x->from, v);

		for (int i = 0; i < b->nargs; i++)
			*(b->kind == BIND_CALL && b->op == &core_max_pool ? &pools : &others) += b->args[i] == value;
	}
	return pools == 1 && others == 0;
}

/* Zeros around an image. Bytes are not stored by what only moves them: where there is no pool to do it, there is one of
 * single pixels. */
static int add_pad(struct imager *x, int value, const struct binding *b)
{
	int *args = arena_many(x->b.arena, int, b->nargs);

	for (int i = 0; i < b->nargs; i++)
		args[i] = i == 0 ? x->made[b->args[0]]
			  : b->args[i] == VALUE_NONE ? VALUE_NONE : build_const(&x->b, function_const(x->from, b->args[i]));
	int made = build_copy(&x->b, b, args, NULL);
	struct attr_vec kernel = { 0 };

	attrs_ints(x->b.arena, &kernel, "kernel", 2, (int64_t[]){ 1, 1 });
	if (made != VALUE_FAILED && !is_for_a_pool(x, value))
		made = build_with(&x->b, &core_max_pool, &kernel, made);
	return keep_result(x, value, made);
}

/* Whole blocks of channels of one image, one behind the other. */
static int add_concat(struct imager *x, int value, const struct binding *b)
{
	int *args = arena_many(x->b.arena, int, b->nargs);
	int64_t axis = call_int(b, "axis");

	for (int i = 0; i < b->nargs; i++) {
		const struct image_dims *d = &x->dims[b->args[i]];

		args[i] = x->made[b->args[i]];
		if (args[i] == VALUE_NONE || d->n != 1 || d->c != image_channels(d) || (axis != 1 && axis != 1 - b->type->rank))
			return err_set("only images of whole blocks are put one behind the other, along their channels");
	}
	return keep_result(x, value, build_copy(&x->b, b, args, NULL));
}

static int add_call(struct imager *x, int value)
{
	static const struct {
		const struct core_op *op;
		int (*add)(struct imager *x, int value, const struct binding *b);
	} ways[] = {
		{ &core_conv, add_conv }, { &core_matmul, add_product }, { &core_reduce_sum, add_sum },
		{ &core_reshape, add_reshape }, { &core_concat, add_concat }, { &core_max_pool, add_pool }, { &core_pad, add_pad },
	};
	const struct binding *b = function_at(x->from, value);

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (ways[i].op == b->op)
			return ways[i].add(x, value, b);
	return add_pointwise(x, value, b);
}

static int add_param(struct imager *x, int value)
{
	const struct binding *b = function_at(x->from, value);
	struct image_dims d;

	if (!image_dims_of(b->type, &d))
		return err_set("an input that is neither an image nor rows");
	const int64_t dim[] = { d.n, image_channels(&d), d.h, d.w };

	return keep(x, value, build_param(&x->b, b->name, type_shaped(x->b.arena, b->type->element, 4, dim)), &d);
}

/* What crosses the border has the dims of its tensor. */
static int check_results(const struct imager *x)
{
	for (int i = 0; i < x->from->nresults; i++) {
		struct image_dims d = { 0 };
		const struct image_dims *have = &x->dims[x->from->results[i]];

		image_dims_of(function_at(x->from, x->from->results[i])->type, &d);
		if (d.c != have->c || d.h != have->h || d.w != have->w)
			return err_set("a result that is an image in another shape");
	}
	return 0;
}

struct graph *images_of(struct arena *a, const struct graph *g)
{
	struct graph *out = graph_new(a, "vdla");
	struct imager x = { .from = graph_main(g), .b = builder_begin(out, "main") };
	int n = x.from->bindings.n, *results = arena_many(a, int, x.from->nresults), rc = 0;

	x.b.plain = true;
	out->main = x.b.index;
	x.made = arena_many(a, int, n);
	x.dims = arena_many(a, struct image_dims, n);
	for (int i = 0; i < n && rc == 0; i++) {
		const struct binding *b = function_at(x.from, i);

		x.made[i] = VALUE_NONE;
		rc = b->kind == BIND_PARAM ? add_param(&x, i) : b->kind == BIND_CALL ? add_call(&x, i) : 0;
	}
	if (rc < 0 || check_results(&x) < 0)
		return NULL;
	for (int i = 0; i < x.from->nresults; i++)
		results[i] = x.made[x.from->results[i]];
	return builder_end(&x.b, x.from->nresults, results) == FUNCTION_NONE ? NULL : out;
}
