/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/base/test_minsum.c - sums of small tables against all choices tried out. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "base/build_id.h"
#include "base/file.h"
#include "base/minsum.h"
#include "base/rng.h"
#include "tests/skip.h"

enum { CASES = 300, MOST_VARS = 7, MOST_VALUES = 4 };

/* A problem of N variables whose tables tie neighbours of a random graph. */
static struct minsum problem(struct arena *a, struct rng *rng, int n, int tables)
{
	int *size = arena_many(a, int, n);
	struct minsum m = { .arena = a, .n = n, .size = size };

	for (int i = 0; i < n; i++)
		size[i] = 1 + (int)rng_below(rng, MOST_VALUES);
	for (int k = 0; k < tables; k++) {
		int vars[3], count = 0;

		for (int v = 0; v < n && count < 3; v++)
			if (rng_below(rng, (uint64_t)n) < 2)
				vars[count++] = v;
		struct minsum_table *t = minsum_table(&m, count, vars);
		int entries = 1;

		for (int i = 0; i < count; i++)
			entries *= size[vars[i]];
		for (int i = 0; i < entries; i++)
			t->cost[i] = rng_below(rng, 8) ? rng_unit(rng) : INFINITY;
	}
	return m;
}

static double least_of_all(const struct minsum *m)
{
	int *value = arena_many(m->arena, int, m->n);
	double least = INFINITY;

	for (int i = 0; i < m->n;) {
		double cost = minsum_cost(m, value);

		least = cost < least ? cost : least;
		for (i = 0; i < m->n && ++value[i] == m->size[i]; i++)
			value[i] = 0;
	}
	return least;
}

static void no_choice_is_below_the_answer(void **state)
{
	struct rng rng = rng_seed(1);
	int possible = 0;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct arena *a = arena_new();
		int n = 1 + (int)rng_below(&rng, MOST_VARS);
		struct minsum m = problem(a, &rng, n, 2 * n);
		double least = least_of_all(&m);
		struct minsum_answer answer = minsum_solve(&m);

		assert_true(answer.exact);
		if (isinf(least)) {
			assert_true(isinf(answer.cost));
		} else {
			assert_true(fabs(answer.cost - least) <= 1e-12);
			assert_true(fabs(answer.bound - least) <= 1e-12);
			possible++;
		}
		arena_free(a);
	}
	assert_true(possible > CASES / 4);
}

/* Tables beyond MINSUM_TABLE are taken apart: 24 variables of 4 values, each tied to each. */
static void a_bound_is_left_where_tables_are_too_large(void **state)
{
	struct rng rng = rng_seed(2);
	struct arena *a = arena_new();
	int size[24];
	struct minsum m = { .arena = a, .n = 24, .size = size };

	(void)state;
	for (int i = 0; i < m.n; i++)
		size[i] = 4;
	for (int i = 0; i < m.n; i++)
		for (int j = i + 1; j < m.n; j++) {
			struct minsum_table *t = minsum_table(&m, 2, (int[]){ i, j });

			for (int k = 0; k < 16; k++)
				t->cost[k] = rng_unit(&rng);
		}
	struct minsum_answer answer = minsum_solve(&m);

	assert_false(answer.exact);
	assert_true(answer.bound <= answer.cost);
	assert_true(answer.bound > 0);
	assert_true(fabs(answer.cost - minsum_cost(&m, answer.value)) <= 1e-9);
	arena_free(a);
}

/* The only file of a folder, in A. */
static char *only_file(struct arena *a, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char *file = NULL;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (*entry->d_name != '.') {
			assert_null(file);
			file = arena_printf(a, "%s/%s", folder, entry->d_name);
		}
	closedir(dir);
	assert_non_null(file);
	return file;
}

/* The bound of a kept answer is changed, to see that it is that which comes back; then its cost, which
 * is that of no answer. */
static void an_answer_is_kept(void **state)
{
	struct rng rng = rng_seed(3);
	struct arena *a = arena_new();
	char *folder = dir_temp(a);
	struct minsum m = problem(a, &rng, MOST_VARS, 2 * MOST_VARS);
	struct minsum_answer solved = minsum_solve(&m), kept;
	const double changed = -7;
	size_t size;

	(void)state;
	setenv("XDG_CACHE_HOME", folder, 1);
	if (!build_id(a))
		skip_test("the linker made no build id (give LDFLAGS=-Wl,--build-id)");
	minsum_solve_once(&m);
	const char *path = only_file(a, arena_printf(a, "%s/hone/sums", folder));
	char *data = file_read(a, path, 4096, &size);

	assert_non_null(data);
	memcpy(data + sizeof(double), &changed, sizeof(changed));
	assert_int_equal(file_write(path, data, size), 0);
	kept = minsum_solve_once(&m);
	assert_true(kept.bound == changed);
	assert_memory_equal(kept.value, solved.value, sizeof(int) * (size_t)m.n);
	memcpy(data, &changed, sizeof(changed));
	assert_int_equal(file_write(path, data, size), 0);
	assert_true(minsum_solve_once(&m).bound == solved.bound);
	assert_int_equal(file_write(path, data, size - 1), 0);
	assert_true(minsum_solve_once(&m).bound == solved.bound);
	dir_remove(folder);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_choice_is_below_the_answer),
		cmocka_unit_test(a_bound_is_left_where_tables_are_too_large),
		cmocka_unit_test(an_answer_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
