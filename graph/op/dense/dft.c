/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/dft.c - dft(x, length, axis): the discrete Fourier transform of real or complex
 * signals [..., 1 or 2] along one dim. */
#include <complex.h>
#include <math.h>

#include "graph/eval/eval.h"
#include "graph/eval/interp.h"
#include "graph/ir/infer.h"

/* Where no axis is given: the last dim but that of real and imaginary parts. */
enum { USUAL_AXIS = -2 };

static int dft_type(struct infer *x)
{
	const struct type *in = infer_type(x, 0);
	bool inverse = call_flag(x->call, "inverse"), onesided = call_flag(x->call, "onesided");
	const int64_t *at = NULL;
	struct dim out[GRAPH_MAX_RANK], length;
	int axis, n = 1;

	if (infer_class(x, 0, CLASS_BIT(FLOAT)) < 0 || infer_class(x, 1, CLASS_INTEGERS) < 0 ||
	    infer_class(x, 2, CLASS_INTEGERS) < 0)
		return -1;
	if (!type_is_ranked(in) || (infer_has(x, 2) && !(at = infer_ints(x, 2, &n))))
		return infer_unranked(x, in->element);
	if (n != 1 || in->rank < 2)
		return infer_error(x, "a signal of rank %d, %d axes", in->rank, n);
	if (infer_axis(x, at ? at[0] : USUAL_AXIS, in->rank, &axis) < 0)
		return -1;
	if (axis == in->rank - 1)
		return infer_error(x, "the last dim is that of real and imaginary parts");
	memcpy(out, in->dim, sizeof(*out) * (size_t)in->rank);
	const struct dim *given = infer_has(x, 1) ? infer_elements(x, 1, &n) : NULL;

	if (given && n != 1)
		return infer_error(x, "%d lengths", n);
	length = given ? given[0] : infer_has(x, 1) ? dim_unknown() : out[axis];
	if (inverse && onesided && !infer_has(x, 1))
		length = dim_mul(x->arena, dim_number(2),
				 dim_sub(x->arena, length, dim_number(1)));
	if (onesided && !inverse)
		length = dim_add(x->arena, dim_div(x->arena, length, dim_number(2)), dim_number(1));
	out[axis] = length;
	out[in->rank - 1] = dim_number(inverse && onesided ? 1 : 2);
	return infer_tensor(x, in->element, in->rank, out);
}

/* A transform of n points. */
struct dft {
	struct eval *eval;
	int64_t n;
	const double complex *root;	/* root[i] = exp(-+2 pi I i / n) */
};

/* Above it one sum takes longer than reading the clock. */
enum { LONG_SUM = 4096 };

static int64_t smallest_factor(int64_t n)
{
	for (int64_t p = 2; p * p <= n; p++)
		if (n % p == 0)
			return p;
	return n;
}

/* OUT[k] = sum of IN[j * step] * exp(-+2 pi I j k / n) for n = t->n / step points, by the transforms
 * of every p-th point, p the smallest factor of n [Cooley & Tukey 1965]. TMP has room for n. -1
 * where time is over. */
static int transform(const struct dft *t, int64_t step, const double complex *in,
		     double complex *out, double complex *tmp)
{
	int64_t n = t->n / step, p = smallest_factor(n), m = n / p;

	if (n == 1) {
		out[0] = in[0];
		return 0;
	}
	for (int64_t r = 0; r < p && m > 1; r++)
		if (transform(t, step * p, in + r * step, tmp + r * m, out + r * m) < 0)
			return -1;
	for (int64_t r = 0; r < p && m == 1; r++)
		tmp[r] = in[r * step];
	for (int64_t k = 0; k < n; k++) {
		double complex sum = 0;

		if (p > LONG_SUM && eval_clock(t->eval) < 0)
			return -1;
		for (int64_t r = 0, turn = 0; r < p; r++, turn = (turn + k) % n)
			sum += tmp[r * m + k % m] * t->root[turn * step];
		out[k] = sum;
	}
	return 0;
}

/* What is transformed: how the points of one signal lie in memory, and how many there are. */
struct signal {
	enum element element;
	const void *in;
	void *out;
	int64_t points_in, points_out, n;
	int64_t inner;			/* points between two of one signal */
	int64_t parts_in, parts_out;	/* 1: real, 2: complex */
	bool hermitian;			/* the upper half follows from the lower one */
	double scale;
};

/* Signal O, I: the points at [o, :, i] of [outer, points, inner]. */
static void load(const struct signal *s, int64_t o, int64_t i, double complex *to)
{
	int64_t known = s->hermitian ? s->n / 2 + 1 : s->n;

	for (int64_t k = 0; k < s->n; k++)
		to[k] = 0;
	for (int64_t k = 0; k < known && k < s->points_in; k++) {
		double part[2] = { 0, 0 };

		element_get_f64(s->element, s->in,
				((o * s->points_in + k) * s->inner + i) * s->parts_in, s->parts_in,
				part);
		to[k] = __builtin_complex(part[0], part[1]);
	}
	for (int64_t k = known; k < s->n; k++)
		to[k] = conj(to[s->n - k]);
	if (s->hermitian) {	/* those that are their own mirror images are real */
		to[0] = creal(to[0]);
		if (s->n % 2 == 0)
			to[s->n / 2] = creal(to[s->n / 2]);
	}
}

static void store(const struct signal *s, int64_t o, int64_t i, const double complex *from)
{
	for (int64_t k = 0; k < s->points_out; k++) {
		double part[2] = { creal(from[k]) * s->scale, cimag(from[k]) * s->scale };

		element_put_f64(s->element, s->out,
				((o * s->points_out + k) * s->inner + i) * s->parts_out,
				s->parts_out, part);
	}
}

static int transform_all(struct eval *x, const struct signal *s, int64_t outer, bool inverse)
{
	size_t bytes = sizeof(double complex) * (size_t)s->n;
	double complex *in = eval_scratch(x, bytes), *out = eval_scratch(x, bytes);
	double complex *tmp = eval_scratch(x, bytes), *root = eval_scratch(x, bytes);
	struct dft t = { x, s->n, root };

	for (int64_t i = 0; i < s->n; i++) {
		double turn = 2 * M_PI * (double)i / (double)s->n;

		root[i] = __builtin_complex(cos(turn), inverse ? sin(turn) : -sin(turn));
	}
	for (int64_t o = 0; o < outer; o++)
		for (int64_t i = 0; i < s->inner; i++) {
			if (eval_clock(x) < 0)
				return -1;
			load(s, o, i, in);
			if (transform(&t, 1, in, out, tmp) < 0)
				return -1;
			store(s, o, i, out);
		}
	return 0;
}

static int dft_eval(struct eval *x)
{
	const struct array *in = eval_array(x, 0);
	bool inverse = call_flag(x->call, "inverse"), onesided = call_flag(x->call, "onesided");
	int64_t dim[GRAPH_MAX_RANK];
	int axis, last = in->rank - 1;

	if (in->rank < 2 || !element_is_float(in->element) || in->dim[last] < 1 || in->dim[last] > 2)
		return eval_error(x, "%s of rank %d is no signal", element_name(in->element),
				  in->rank);
	if (eval_axis(x, eval_has(x, 2) ? eval_int(x, 2) : USUAL_AXIS, in->rank, &axis) < 0)
		return -1;
	if (axis == last)
		return eval_error(x, "the last dim is that of real and imaginary parts");
	int64_t n = eval_has(x, 1) ? eval_int(x, 1)
		  : inverse && onesided ? 2 * (in->dim[axis] - 1)
					: in->dim[axis];

	if (n < 1 || n > x->interp->limits.bytes / (int64_t)sizeof(double complex))
		return eval_error(x, "a transform of %lld points", (long long)n);
	memcpy(dim, in->dim, sizeof(*dim) * (size_t)in->rank);
	dim[axis] = onesided && !inverse ? n / 2 + 1 : n;
	dim[last] = inverse && onesided ? 1 : 2;
	struct array *y = eval_result(x, 0, in->element, in->rank, dim);

	if (!y)
		return -1;
	struct signal s = {
		.element = in->element, .in = in->data, .out = y->data,
		.points_in = in->dim[axis], .points_out = dim[axis], .n = n,
		.inner = shape_count(last - axis - 1, dim + axis + 1),
		.parts_in = in->dim[last], .parts_out = dim[last],
		.hermitian = inverse && onesided, .scale = inverse ? 1 / (double)n : 1,
	};

	return transform_all(x, &s, shape_count(axis, dim), inverse);
}

const struct core_op core_dft = {
	.name = "dft",
	.summary = "the discrete Fourier transform of x [..., 1 or 2 for real and imaginary part] along "
		   "the given axis (-2), of the given length: what is beyond it is dropped, what is "
		   "missing is zeros",
	.min_args = 1,
	.max_args = 3,
	.attrs = (const struct attr_spec[]){
		{ "inverse", ATTR_INT, 0, NULL, "1: back from frequencies" },
		{ "onesided", ATTR_INT, 0, NULL,
		  "1: frequencies beyond the half are left out; the signal is real" },
		{ 0 } },
	.fusion = FUSION_OPAQUE,
	.type = dft_type,
	.eval = dft_eval,
};
