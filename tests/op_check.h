/* SPDX-License-Identifier: Apache-2.0 */
/* tests/op_check.h - properties of core operators on random operands: the gradient is that of finite
 * differences, the tensor expression gives what evaluation gives. */
#ifndef HONE_TESTS_OP_CHECK_H
#define HONE_TESTS_OP_CHECK_H

#include <math.h>

#include "graph/op/gradient.h"
#include "tests/fixture/op_fixture.h"

/* Random elements in [LOW, HIGH) as an operand. */
static inline int random_of(struct op_case *c, enum element e, int rank, const int64_t *dim,
			    double low, double high)
{
	struct array *x = array_in(c->arena, e, rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(e, x->data, i, low + (high - low) * rng_unit(&c->rng));
	return build_const(&c->builder, x);
}

/* What the call gives, computed with nothing known but types; NULL and a message. */
static inline const struct array *result_of(struct op_case *c, const struct core_op *op,
					    const struct attr_vec *attrs, int n, const int *args)
{
	enum op_known how[64];
	struct value v;

	for (int i = 0; i < n; i++)
		how[i] = KNOWN_TYPE;
	if (run_known(c, op, attrs, n, args, how, &v) < 0)
		return NULL;
	const struct array *kept = array_keep(c->arena, v.array);

	value_release(v);
	return kept;
}

static inline const struct array *need_result(struct op_case *c, const struct core_op *op,
					      const struct attr_vec *attrs, int n, const int *args)
{
	const struct array *y = result_of(c, op, attrs, n, args);

	if (!y)
		fail_msg("%s", err_get());
	return y;
}

/* Both are alike but for TOLERANCE, relative above 1. */
static inline void assert_close(const char *what, const struct array *got,
				const struct array *want, double tolerance)
{
	assert_int_equal(got->count, want->count);
	for (int64_t i = 0; i < got->count; i++) {
		double x = array_float(got, i), y = array_float(want, i);

		if (isnan(x) && isnan(y))
			continue;
		if (!(fabs(x - y) <= tolerance * fmax(1, fabs(y))) && !(x == y))
			fail_msg("%s: element %lld: %.9g instead of %.9g", what, (long long)i, x,
				 y);
	}
}

/* The tensor expression of the call gives what evaluation gives, within TOLERANCE. False where the
 * call has none. */
static inline bool check_express_close(struct op_case *c, const struct core_op *op,
				       const struct attr_vec *attrs, int n, const int *args,
				       double tolerance)
{
	const struct array *want = need_result(c, op, attrs, n, args);

	c->builder.plain = true;
	const struct binding *call =
		build_at(&c->builder, build_call(&c->builder, op, n, args, attrs));

	c->builder.plain = false;
	const struct array *got = op->express ? express_of(c, call, n, args, want) : NULL;

	if (got)
		assert_close(op->name, got, want, tolerance);
	return got != NULL;
}

/* --- gradients */

static inline double dot(const struct array *x, const struct array *y)
{
	double sum = 0;

	for (int64_t i = 0; i < x->count; i++)
		sum += array_float(x, i) * array_float(y, i);
	return sum;
}

/* The gradient of dot(result, G) by operand WHICH; NULL: it is zero. */
static inline const struct array *gradient_of(struct op_case *c, const struct core_op *op,
					      const struct attr_vec *attrs, int n, const int *args,
					      const struct array *g, int which)
{
	struct builder b = builder_begin(c->graph, "gradient");
	struct interp interp = interp_begin(c->arena, c->graph, interp_usual_limits);
	struct value given[64], v;
	int operand[64], of_arg[64], nparams = 0;

	b.plain = true;
	for (int i = 0; i < n; i++) {
		const struct array *x = build_array(&c->builder, args[i]);

		of_arg[i] = operand[i] = VALUE_NONE;
		if (!x || !element_is_float(x->element))
			continue;
		operand[i] = build_param(&b, "", build_type(&c->builder, args[i]));
		given[nparams++] = value_of_array(x);
	}
	int by = build_param(&b, "", type_of_array(c->arena, g));

	given[nparams++] = value_of_array(g);
	for (int i = 0; i < n; i++)	/* axes, indices and the like are constants */
		if (args[i] != VALUE_NONE && operand[i] == VALUE_NONE)
			operand[i] = build_const(&b, build_array(&c->builder, args[i]));
	int y = build_call(&b, op, n, operand, attrs);
	struct gradient x = { &b, build_at(&b, y), y, &by, of_arg };

	if (op->gradient(&x) < 0)
		fail_msg("%s: %s", op->name, err_get());
	if (of_arg[which] == VALUE_NONE) {
		interp_end(&interp);
		return NULL;
	}
	int f = builder_end(&b, 1, &of_arg[which]);

	if (f == FUNCTION_NONE || interp_run(&interp, f, given, nparams, &v) < 0)
		fail_msg("%s: %s", op->name, err_get());
	const struct array *kept = array_keep(c->arena, v.array);

	value_release(v);
	interp_end(&interp);
	return kept;
}

/* The gradients of a call whose differentiable operands are all f64. */
static inline void check_gradient(struct op_case *c, const struct core_op *op,
				  const struct attr_vec *attrs, int n, const int *args)
{
	const double step = 1e-6;
	const struct array *y = need_result(c, op, attrs, n, args);
	const struct array *g = build_array(
		&c->builder, random_of(c, ELEMENT_F64, y->rank, y->dim, -1, 1));
	int moved[64];

	memcpy(moved, args, (size_t)n * sizeof(*args));
	for (int i = 0; i < n; i++) {
		const struct array *x = build_array(&c->builder, args[i]);

		if (args[i] == VALUE_NONE || x->element != ELEMENT_F64)
			continue;
		const struct array *got = gradient_of(c, op, attrs, n, args, g, i);

		if (got)
			assert_true(array_same_shape(got, x));
		for (int64_t k = 0; k < x->count; k++) {
			double end[2];

			for (int s = 0; s < 2; s++) {
				struct array *near = array_in(c->arena, x->element, x->rank, x->dim);

				memcpy(near->data, x->data, array_bytes(x));
				((double *)near->data)[k] += s ? step : -step;
				moved[i] = build_const(&c->builder, near);
				end[s] = dot(need_result(c, op, attrs, n, moved), g);
			}
			double want = (end[1] - end[0]) / (2 * step);
			double is = got ? array_float(got, k) : 0;

			if (!(fabs(is - want) <= 1e-4 * fmax(1, fabs(want))))
				fail_msg("%s: by operand %d, element %lld: %g instead of %g",
					 op->name, i, (long long)k, is, want);
		}
		moved[i] = args[i];
	}
}

#endif
