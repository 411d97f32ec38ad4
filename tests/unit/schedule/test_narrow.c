/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/schedule/test_narrow.c - f16 and bf16 to f32 and back: all values, all ties, by te/dtype.c and
 * by kernels of each compiler, with and without the instructions for it, scalars and vectors. */
#include "schedule/text/step_text.h"
#include "tests/built.h"

#include <math.h>
#include <stdio.h>

#include "base/vec.h"
#include "schedule/nest.h"
#include "te/text/text.h"

enum { VALUES = 1 << 16 };

/* A f32 and the narrow value nearest to it. */
struct rounding {
	float from;
	uint16_t to;
};

struct table {
	struct arena *a;
	enum dtype t;
	struct rounding_vec VEC(struct rounding) roundings;
};

static float from_bits(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static uint32_t to_bits(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

/* By the definition of the formats. */
static double value_of(enum dtype t, uint16_t bits)
{
	int fraction = t == DTYPE_F16 ? 10 : 7, top = t == DTYPE_F16 ? 31 : 255;
	int exponent = bits >> fraction & top, rest = bits & ((1 << fraction) - 1);
	int bias = top / 2 + fraction;
	double v = exponent == 0     ? ldexp(rest, 1 - bias)
		   : exponent < top  ? ldexp(rest + (1 << fraction), exponent - bias)
		   : rest == 0	     ? INFINITY
				     : NAN;

	return bits & 0x8000 ? -v : v;
}

static void add(struct table *t, float from, uint16_t to)
{
	vec_push(t->a, &t->roundings, (struct rounding){ from, to });
	vec_push(t->a, &t->roundings, (struct rounding){ -from, to | 0x8000 });
}

/* Each value, the middle to the next one, and the neighbours of that. */
static struct table table_of(struct arena *a, enum dtype t)
{
	struct table table = { .a = a, .t = t };
	uint16_t infinity = t == DTYPE_F16 ? 0x7c00 : 0x7f80;

	for (uint16_t h = 0; h < infinity; h++) {
		double here = value_of(t, h);
		double step = h == 0 ? value_of(t, 1) : here - value_of(t, h - 1);
		uint32_t middle = to_bits((float)(here + step / 2));

		if (h > 0 && isfinite(value_of(t, h + 1)))	/* a power of two has two steps */
			middle = to_bits((float)((here + value_of(t, h + 1)) / 2));
		add(&table, (float)here, h);
		add(&table, from_bits(middle - 1), h);
		add(&table, from_bits(middle), h + (h & 1));
		add(&table, from_bits(middle + 1), h + 1);
	}
	add(&table, INFINITY, infinity);
	add(&table, from_bits(0x7f7fffff), infinity);
	add(&table, from_bits(1), 0);		/* subnormal in f32 */
	add(&table, from_bits(0x7f800001), infinity + 1);	/* any NaN for these */
	add(&table, from_bits(0x7fffffff), infinity + 1);
	return table;
}

static bool is_nan(enum dtype t, uint16_t bits)
{
	return isnan(value_of(t, bits));
}

static void check_wide(const struct table *t, uint16_t bits, float got, const char *what)
{
	double want = value_of(t->t, bits);
	bool same = is_nan(t->t, bits) ? isnan(got) : to_bits(got) == to_bits((float)want);

	if (!same)
		fail_msg("%s: %s 0x%04x is %.9g, not %.9g", what, dtype_name(t->t), bits,
			 (double)got, want);
}

static void check_narrow(const struct table *t, const struct rounding *r, uint16_t got,
			 const char *what)
{
	bool same = is_nan(t->t, r->to) ? is_nan(t->t, got) : got == r->to;

	if (!same)
		fail_msg("%s: %.9g as %s is 0x%04x, not 0x%04x", what, (double)r->from,
			 dtype_name(t->t), got, r->to);
}

static void test_dtype(void **state)
{
	static const enum dtype types[] = { DTYPE_F16, DTYPE_BF16 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct arena *a = arena_new();
		struct table t = table_of(a, types[i]);
		uint16_t bits = 0;

		do {
			check_wide(&t, bits, (float)dtype_load(t.t, &bits, 0), "te/dtype.c");
		} while (++bits != 0);
		for (int j = 0; j < t.roundings.n; j++) {
			dtype_store(t.t, &bits, 0, (double)t.roundings.at[j].from);
			check_narrow(&t, &t.roundings.at[j], bits, "te/dtype.c");
		}
		arena_free(a);
	}
}

/* A kernel that widens all values and rounds the table, LANES at a time. */
static struct program *program_of(const struct table *t, int lanes)
{
	const char *name = dtype_name(t->t);
	struct dag *d = dag_parse(t->a, "narrow.te",
				  arena_printf(t->a,
					       "input X: %s[%d]\ninput Y: f32[%d]\n"
					       "U[i] = f32(X[i])\nV[i] = %s(Y[i])\n",
					       name, VALUES, t->roundings.n, name));
	const char *steps = arena_printf(t->a, "split U i %d; vectorize U i.1; "
					       "split V i %d; vectorize V i.1",
					 lanes, lanes);
	struct state *s = d ? state_parse(t->a, d, "steps", steps) : NULL;

	if (!s)
		fail_msg("%s", err_get());
	return lower(t->a, s, &target_x86_64_avx512, NULL);
}

static void run_kernel(const struct table *t, const struct trial *trial, const char *what)
{
	uint16_t *x = arena_many(t->a, uint16_t, VALUES);
	float *y = arena_many(t->a, float, t->roundings.n);
	float *u = arena_many(t->a, float, VALUES);
	uint16_t *v = arena_many(t->a, uint16_t, t->roundings.n);

	for (int i = 0; i < VALUES; i++)
		x[i] = (uint16_t)i;
	for (int i = 0; i < t->roundings.n; i++)
		y[i] = t->roundings.at[i].from;
	built_run(t->a, trial, (void *[]){ x, y, u, v });
	for (int i = 0; i < VALUES; i++)
		check_wide(t, x[i], u[i], what);
	for (int i = 0; i < t->roundings.n; i++)
		check_narrow(t, &t->roundings.at[i], v[i], what);
}

static void check_kernels(const char *cc, const char *flags)
{
	static const enum dtype types[] = { DTYPE_F16, DTYPE_BF16 };
	static const int lanes[] = { 1, 4, 8, 16 };
	enum { LANES = 4, TRIALS = 2 * LANES };
	struct arena *a = arena_new();
	struct table tables[] = { table_of(a, types[0]), table_of(a, types[1]) };
	struct trial trials[TRIALS];

	for (int i = 0; i < TRIALS; i++)
		assert_true(built_trial(a, program_of(&tables[i / LANES], lanes[i % LANES]), &trials[i]));
	struct build_pool *b = built_by(cc, flags);

	built_all(a, b, trials, TRIALS);
	for (int i = 0; i < TRIALS; i++)
		run_kernel(&tables[i / LANES], &trials[i],
			   arena_printf(a, "%s %s, %d lanes", cc, flags, lanes[i % LANES]));
	build_pool_free(b);
	arena_free(a);
}

/* -march=x86-64 takes the instructions away that -march=native may have. */
static void test_gcc(void **state)
{
	(void)state;
	check_kernels("gcc", "-w");
	check_kernels("gcc", "-w -march=x86-64");
}

static void test_clang(void **state)
{
	(void)state;
	check_kernels("clang", "-w");
	check_kernels("clang", "-w -march=x86-64");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dtype),
		cmocka_unit_test(test_gcc),
		cmocka_unit_test(test_clang),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
