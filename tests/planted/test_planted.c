/* SPDX-License-Identifier: Apache-2.0 */
/* tests/planted/test_planted.c - no wrong kernel passes, and no right one is refused.
 *
 * Random operators of the library in all types; each is computed rightly in several orders, and
 * then with one fault of each kind. HONE_SEED=n runs one operator alone; HONE_LONG runs 1000. */
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/err.h"
#include "search/trust/reference.h"
#include "te/eval.h"
#include "tests/planted/fault.h"
#include "tests/planted/specs.h"

enum { OPERATORS = 200, LONG_OPERATORS = 1000, FAULTS_MAX = 64 };

/* Two right kernels may differ by so many roundoffs of their arithmetic, and of what is stored,
 * relative to the element and to the root mean square of its output together: what changes no more
 * is no fault. */
#define SAME_UNITS	  64.0
#define SAME_STORED_UNITS 4.0

/* Operators that nothing can be said of, as a maximum over padding alone, in a hundred; and faults
 * of a kind that change nothing, as the relu of what is never negative. */
enum { MUTE_PERCENT = 2, IDLE_PERCENT = 20, IDLE_FEW = 3 };
/* And faults of a kind that pass, in a hundred: what any order of a long sum may be off hides some bits of few elements. The
 * bound of 1957 products behind a tanh is wider than the roundings to f16 of the 9 that there are (seed 289). */
enum { PASSED_PERCENT = 1 };

struct tally {
	int planted, refused;
	int idle;		/* changed nothing, on these inputs */
	int small;		/* changed less than rounding may */
	int passed;		/* changed more, and was not refused */
};

/* One operator and what is known of it. */
struct planted_operator {
	struct arena *a;
	struct dag *dag;
	const char *spec;
	uint64_t seed;
	struct reference *reference;
	void **right[INPUT_SETS];	/* arguments, with what the naive evaluator leaves */
};

static bool is_output(const struct op *op)
{
	return op->kind == OP_COMPUTE && op->output;
}

/* --- what is compared with what */

static double same(enum dtype t)
{
	return SAME_UNITS * precision_of_arithmetic(t).unit +
	       SAME_STORED_UNITS * precision_of_storage(t).unit;
}

/* The greatest difference between two outputs over what is the same; NaN and infinities differ from
 * all but themselves. */
static double distance(const struct tensor *t, const void *x, const void *y)
{
	double square = 0, worst = 0;
	int64_t n = tensor_count(t);

	for (int64_t i = 0; i < n; i++) {
		double v = dtype_load(t->dtype, y, i);

		square += isfinite(v) ? v * v : 0;
	}
	for (int64_t i = 0; i < n; i++) {
		double u = dtype_load(t->dtype, x, i), v = dtype_load(t->dtype, y, i);

		if (u == v || (isnan(u) && isnan(v)))
			continue;
		if (!dtype_is_float(t->dtype) || !isfinite(u) || !isfinite(v))
			return INFINITY;
		worst = fmax(worst, fabs(u - v) / (same(t->dtype) *
						   (fabs(v) + sqrt(square / (double)n))));
	}
	return worst;
}

static double distance_of_all(const struct planted_operator *s, void *const *args,
			      void *const *right)
{
	double worst = 0;

	for (int i = 0; i < s->dag->ops.n; i++) {
		const struct op *op = s->dag->ops.at[i];
		int arg = dag_arg(s->dag, op);

		if (is_output(op))
			worst = fmax(worst, distance(&op->tensor, args[arg], right[arg]));
	}
	return worst;
}

/* --- right kernels */

struct turn {
	const struct op *op;
};

/* The reduction's axes run backwards. */
static const struct expr *turn_axis(struct arena *a, const struct expr *e, void *user)
{
	const struct turn *t = user;

	for (int i = 0; e->kind == EXPR_AXIS && i < t->op->nreduce; i++)
		if (e->axis == t->op->reduce[i])
			return expr_binary(a, EXPR_SUB, expr_int(a, e->axis->hi - 1), e);
	return NULL;
}

static void turn_around(struct arena *a, struct dag *d)
{
	for (int i = 0; i < d->ops.n; i++) {
		struct turn t = { d->ops.at[i] };

		if (t.op->kind == OP_COMPUTE)
			d->ops.at[i]->body = expr_rewrite(a, t.op->body, turn_axis, &t);
	}
}

static int check_right(struct planted_operator *s, const char *order)
{
	for (enum input_set set = 0; set < INPUT_SETS; set++) {
		s->right[set] = reference_args(s->a, s->reference, set);
		dag_eval(s->dag, s->right[set]);
		const char *wrong = reference_check(s->a, s->reference, set, s->right[set]);

		if (!wrong)
			continue;
		fprintf(stderr, "HONE_SEED=%ju %s: right, %s, and refused: %s\n",
			(uintmax_t)s->seed, s->spec, order, wrong);
		return 1;
	}
	return 0;
}

static int check_orders(struct planted_operator *s)
{
	int failed = 0;

	turn_around(s->a, s->dag);
	failed += check_right(s, "backwards");
	turn_around(s->a, s->dag);
	return failed + check_right(s, "as written");
}

/* --- wrong ones */

static bool plant_in_op(struct planted_operator *s, const struct fault *f, struct rng *r,
			struct op **at, const struct expr **before)
{
	int first = (int)rng_below(r, s->dag->ops.n);

	for (int i = 0; i < s->dag->ops.n; i++) {
		struct op *op = s->dag->ops.at[(first + i) % s->dag->ops.n];

		*at = op;
		*before = op->body;
		if (op->kind == OP_COMPUTE && f->in_op(s->a, r, op))
			return true;
	}
	return false;
}

static bool plant_in_output(struct planted_operator *s, const struct fault *f, struct rng r,
			    void **args, enum input_set set)
{
	bool planted = false;

	for (int i = 0; i < s->dag->ops.n; i++) {
		const struct op *op = s->dag->ops.at[i];
		int arg = dag_arg(s->dag, op);
		size_t bytes = tensor_bytes(&op->tensor);

		if (!is_output(op))
			continue;
		void *stale = arena_memdup(s->a, args[arg], bytes);

		memcpy(args[arg], s->right[set][arg], bytes);
		planted |= f->in_output(&r, &op->tensor, args[arg], stale);
	}
	return planted;
}

/* Whether the kernel with fault F is refused, on either set of inputs; FAR is how far it was off. */
static bool is_refused(struct planted_operator *s, const struct fault *f, struct rng r,
		       bool *planted, double *far)
{
	bool refused = false;

	*planted = true;
	*far = 0;
	for (enum input_set set = 0; set < INPUT_SETS; set++) {
		void **args = reference_args(s->a, s->reference, set);

		if (f->in_op)
			dag_eval(s->dag, args);
		else
			*planted &= plant_in_output(s, f, r, args, set);
		refused |= reference_check(s->a, s->reference, set, args) != NULL;
		*far = fmax(*far, distance_of_all(s, args, s->right[set]));
	}
	return refused;
}

static void plant(struct planted_operator *s, const struct fault *f, struct tally *tally)
{
	struct rng r = rng_seed(s->seed ^ (uint64_t)(f - faults));
	struct op *op = NULL;
	const struct expr *body = NULL;
	bool planted;
	double far;

	if (f->in_op && !plant_in_op(s, f, &r, &op, &body))
		return;
	bool refused = is_refused(s, f, r, &planted, &far);

	if (op)
		op->body = body;
	if (!planted)
		return;
	tally->planted++;
	tally->refused += refused;
	tally->idle += !refused && far == 0;
	tally->small += !refused && far > 0 && far <= 1;
	tally->passed += !refused && far > 1;
	if (refused || far <= 1)
		return;
	fprintf(stderr, "HONE_SEED=%ju %s: accepted, though %s (%s), %.3g times what is the same\n",
		(uintmax_t)s->seed, s->spec, f->meaning, f->name, far);
}

/* How many things went wrong; -1 where the operator is refused because nothing can be said of it. */
static int check_operator(uint64_t seed, struct tally *tally)
{
	struct rng r = rng_seed(seed);
	struct planted_operator s = { .a = arena_new(), .seed = seed };
	int failed = -1;

	s.dag = random_operator(s.a, &r, &s.spec);
	s.reference = reference_new(s.a, s.dag, seed, NULL);
	if (s.reference)
		failed = check_orders(&s);
	else
		fprintf(stderr, "HONE_SEED=%ju %s: %s\n", (uintmax_t)seed, s.spec, err_get());
	for (int i = 0; failed == 0 && i < fault_count; i++)
		plant(&s, &faults[i], &tally[i]);
	arena_free(s.a);
	return failed;
}

static void print_tally(const struct tally *tally)
{
	printf("%-20s %8s %8s %8s %8s %8s  %s\n", "fault", "planted", "refused", "idle", "small", "passed", "meaning");
	for (int i = 0; i < fault_count; i++)
		printf("%-20s %8d %8d %8d %8d %8d  %s\n", faults[i].name, tally[i].planted,
		       tally[i].refused, tally[i].idle, tally[i].small, tally[i].passed, faults[i].meaning);
}

static void test_faults(void **state)
{
	struct tally tally[FAULTS_MAX] = { 0 };
	const char *one = getenv("HONE_SEED");
	uint64_t first = one ? strtoull(one, NULL, 10) : 1;
	int n = one ? 1 : getenv("HONE_LONG") ? LONG_OPERATORS : OPERATORS;
	int failed = 0, mute = 0;

	(void)state;
	assert_in_range(fault_count, 1, FAULTS_MAX);
	for (int i = 0; i < n; i++) {
		int rc = check_operator(first + (uint64_t)i, tally);

		mute += rc < 0;
		failed += rc > 0 ? rc : 0;
	}
	print_tally(tally);
	assert_int_equal(failed, 0);
	assert_in_range(100 * mute, 0, MUTE_PERCENT * n);
	for (int i = 0; i < fault_count; i++)
		assert_in_range(100 * tally[i].passed, 0, PASSED_PERCENT * tally[i].planted);
	for (int i = 0; !one && i < fault_count; i++)
		if (tally[i].refused == 0 ||
		    100 * tally[i].idle > IDLE_PERCENT * tally[i].planted + 100 * IDLE_FEW)
			fail_msg("%s was refused %d times of %d", faults[i].name, tally[i].refused,
				 tally[i].planted);
}

const struct fault faults[] = {
#define IN_OP	  .in_op
#define IN_OUTPUT .in_output
#define X(name, where, meaning) { #name, meaning, where = fault_##name },
#include "tests/planted/faults.def"
#undef X
#undef IN_OP
#undef IN_OUTPUT
};
const int fault_count = sizeof(faults) / sizeof(*faults);

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_faults) };

	return cmocka_run_group_tests_name("planted", tests, NULL, NULL);
}
