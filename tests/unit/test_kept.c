/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_kept.c - the choices of one run answer the next, while nothing has changed. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/build_id.h"
#include "base/err.h"
#include "base/file.h"
#include "graph/pass/pass.h"
#include "graph/text/text.h"
#include "measure/calibration.h"
#include "runtime/kept.h"
#include "runtime/objects.h"
#include "tests/skip.h"

#define MODEL                                                                                      \
	"graph small\n"                                                                            \
	"fn @main(%x: f32[8, 8], %y: f32[3, 5]) {\n"                                               \
	"	%a = matmul(%x, %x)\n"                                                             \
	"	%b = exp(%y)\n"                                                                    \
	"	return %a, %b\n"                                                                   \
	"}\n"

enum { TASKS = 2 };

struct kept_case {
	struct arena *a;
	const char *folder;	/* the cache is below it too */
	struct model_task_vec tasks;
	struct choice_plan plan;
};

static int begin(void **state)
{
	struct arena *a = arena_new();
	struct kept_case *c = arena_one(a, struct kept_case);
	struct device *d = device_describe(a, NULL);
	struct graph *g = graph_parse(a, "small", MODEL);

	if (!d || device_recall_or_probe(d) < 0 || !g || !(g = graph_passes(a, g, NULL))) {
		print_error("%s\n", err_get());
		return -1;
	}
	c->a = a;
	c->folder = dir_temp(a);
	c->tasks = graph_tasks(a, g);
	c->plan = (struct choice_plan){ .device = d, .now = calibration_of(d), .threads = 1,
					.recall = true };
	setenv("XDG_CACHE_HOME", c->folder, 1);
	*state = c;
	return c->folder ? 0 : -1;
}

static int end(void **state)
{
	struct kept_case *c = *state;

	dir_remove(c->folder);
	arena_free(c->a);
	return 0;
}

/* Chooses, and expects that MADE kernels were compiled. */
static const struct choice *choose_making(const struct kept_case *c, int made)
{
	int built = -1;
	const struct choice *choices = choose(c->a, &c->tasks, &c->plan, &built);

	if (!choices)
		fail_msg("%s", err_get());
	assert_int_equal(built, made);
	for (int i = 0; i < TASKS; i++) {
		assert_int_equal(choices[i].origin, CHOICE_GUESS);
		assert_non_null(choices[i].kernel.call.packed_bytes);
	}
	return choices;
}

static void test_recalls(void **state)
{
	const struct kept_case *c = *state;

	assert_int_equal(c->tasks.n, TASKS);
	if (!build_id(c->a))
		skip_test("the linker made no build id (give LDFLAGS=-Wl,--build-id)");
	const char *place = kept_place(c->a, &c->tasks, &c->plan);

	assert_null(kept_recall(c->a, place, TASKS));
	const struct choice *made = choose_making(c, TASKS), *kept;

	kept = kept_recall(c->a, place, TASKS);
	assert_non_null(kept);
	for (int i = 0; i < TASKS; i++) {
		assert_int_equal(kept[i].origin, made[i].origin);
		assert_string_equal(kept[i].object, made[i].object);
	}
	choose_making(c, 0);
	assert_null(kept_recall(c->a, place, TASKS + 1));

	/* an object that is gone is made again, a damaged file written again */
	assert_int_equal(unlink(made[1].object), 0);
	assert_null(kept_recall(c->a, place, TASKS));
	choose_making(c, 1);
	assert_int_equal(file_write(place, "[{}, 1]", 7), 0);
	assert_null(kept_recall(c->a, place, TASKS));
	choose_making(c, 0);
	assert_non_null(kept_recall(c->a, place, TASKS));
}

static void test_another_question(void **state)
{
	const struct kept_case *c = *state;
	struct choice_plan plan = c->plan;
	struct model_task_vec fewer = c->tasks;

	if (!build_id(c->a))
		skip_test("the linker made no build id (give LDFLAGS=-Wl,--build-id)");
	const char *place = kept_place(c->a, &c->tasks, &c->plan);

	assert_string_equal(kept_place(c->a, &c->tasks, &plan), place);
	plan.threads = 2;
	assert_string_not_equal(kept_place(c->a, &c->tasks, &plan), place);
	plan.threads = 1;
	fewer.n--;
	assert_string_not_equal(kept_place(c->a, &fewer, &plan), place);

	/* a database, none, and one that was written to */
	const char *path = arena_printf(c->a, "%s/a.db", c->folder);
	const struct timespec then[] = { { 1, 0 }, { 1, 0 } };

	plan.db = db_open(path, DB_WRITE);
	assert_non_null(plan.db);
	const char *before = kept_place(c->a, &c->tasks, &plan);

	assert_string_not_equal(before, place);
	assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
	assert_string_not_equal(kept_place(c->a, &c->tasks, &plan), before);
	db_close(plan.db);
}

enum { FILES = 5 };

static const char *file_of(const struct kept_case *c, int i)
{
	return arena_printf(c->a, "%s/%d", c->folder, i);
}

/* Files of I + 1 bytes, the older the greater I is. */
static void write_files(const struct kept_case *c)
{
	for (int i = 0; i < FILES; i++) {
		const struct timespec written[] = { { 100 - i, 0 }, { 100 - i, 0 } };

		assert_int_equal(file_write(file_of(c, i), "12345", (size_t)i + 1), 0);
		assert_int_equal(utimensat(AT_FDCWD, file_of(c, i), written, 0), 0);
	}
}

static void assert_left(const struct kept_case *c, int n)
{
	for (int i = 0; i < FILES; i++)
		assert_int_equal(access(file_of(c, i), F_OK), i < n ? 0 : -1);
}

static void test_trims(void **state)
{
	const struct kept_case *c = *state;

	write_files(c);
	dir_trim(c->folder, 2);
	assert_left(c, 2);
	dir_trim("no such folder", 2);
}

static void test_trims_bytes(void **state)
{
	const struct kept_case *c = *state;

	write_files(c);
	dir_trim_bytes(c->folder, 15, 3600);
	assert_left(c, FILES);
	dir_trim_bytes(c->folder, 9, 3600);	/* 1 + 2 + 3 */
	assert_left(c, 3);
	dir_trim_bytes(c->folder, 6, 3600);
	assert_left(c, 3);

	/* what was found is young */
	assert_true(objects_find(file_of(c, 2)));
	assert_false(objects_find(file_of(c, 3)));
	assert_false(objects_find("3"));
	dir_trim_bytes(c->folder, 0, 3600);
	for (int i = 0; i < FILES; i++)
		assert_int_equal(access(file_of(c, i), F_OK), i == 2 ? 0 : -1);
	dir_trim_bytes("no such folder", 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_recalls, begin, end),
		cmocka_unit_test_setup_teardown(test_another_question, begin, end),
		cmocka_unit_test_setup_teardown(test_trims, begin, end),
		cmocka_unit_test_setup_teardown(test_trims_bytes, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
