/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_expectations.c - what is expected of tasks is kept, and found for the same question
 * alone. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/build_id.h"
#include "base/file.h"
#include "runtime/kernel/expectations.h"
#include "search/expect.h"
#include "te/operator.h"
#include "tests/skip.h"

#define DEVICE "synthetic:l3:1(size=8MiB) l2:1(size=1MiB) l1d:1(size=48KiB) core:4 pu:1"

enum { TASKS = 5 };

struct expectation_case {
	struct arena *a;
	const char *folder;	/* of the cache */
	struct device *device;
	const struct model_task *tasks[TASKS];
};

static int begin(void **state)
{
	static const char *const specs[TASKS] = {
		"matmul:m=24,n=32,k=16", "matmul:m=24,n=33,k=16", "global_avg_pool:n=1,c=8,h=8,w=8",
		"conv2d:ic=8,h=9,w=9,oc=8,k=3,p=1", "matmul:m=1,n=100,k=50",
	};
	struct arena *a = arena_new();
	struct expectation_case *q = arena_one(a, struct expectation_case);

	q->a = a;
	q->folder = dir_temp(a);
	q->device = device_synthetic(a, DEVICE);
	for (int i = 0; i < TASKS; i++) {
		struct model_task *t = arena_one(a, struct model_task);

		t->dag = operator_build(a, specs[i]);
		t->op = "test";
		t->key = dag_key(t->dag);
		q->tasks[i] = t;
	}
	*state = q;
	return q->folder && q->device && setenv("XDG_CACHE_HOME", q->folder, 1) == 0 ? 0 : -1;
}

static int end(void **state)
{
	struct expectation_case *q = *state;

	dir_remove(q->folder);
	arena_free(q->a);
	return 0;
}

/* What one asks of the cost model itself. */
static double truth(const struct expectation_case *q, int i, int threads)
{
	return expect_us(task_new(q->a, q->tasks[i]->dag, "test", 1), q->device, threads);
}

/* The only file that is kept, in A; NULL where there is none, and a failure where there are more. */
static const char *kept(const struct expectation_case *q)
{
	const char *folder = arena_printf(q->a, "%s/hone/expectations", q->folder), *path = NULL;
	DIR *d = opendir(folder);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		assert_null(path);
		path = arena_printf(q->a, "%s/%s", folder, e->d_name);
	}
	if (d)
		closedir(d);
	return path;
}

static void test_same_as_asked(void **state)
{
	struct expectation_case *q = *state;
	double us[TASKS], again[TASKS];

	expectations_get(q->tasks, TASKS, q->device, 1, us);
	for (int i = 0; i < TASKS; i++)
		assert_true(us[i] > 0 && us[i] == truth(q, i, 1));
	expectations_get(q->tasks, TASKS, q->device, 1, again);
	assert_memory_equal(us, again, sizeof(us));
	expectations_get(q->tasks, 0, q->device, 1, again);
	/* Other threads are another question. */
	expectations_get(q->tasks, TASKS, q->device, 4, again);
	for (int i = 0; i < TASKS; i++)
		assert_true(again[i] == truth(q, i, 4));
	assert_true(again[0] != us[0]);
}

/* What is kept is what is answered, to other sets of tasks as well; what is no figure is not. */
static void test_kept(void **state)
{
	struct expectation_case *q = *state;
	double us[TASKS];
	char hex[HASH_TEXT];

	if (!build_id(q->a))
		skip_test("the linker made no build id (give LDFLAGS=-Wl,--build-id)");
	assert_null(kept(q));
	expectations_get(q->tasks, 3, q->device, 1, us);
	const char *path = kept(q);

	assert_non_null(path);
	json_t *json = json_load_file(path, 0, NULL);

	assert_int_equal(json_object_size(json), 3);
	json_object_set_new(json, hash_text(q->tasks[1]->key, hex), json_real(123.5));
	json_object_set_new(json, hash_text(q->tasks[2]->key, hex), json_real(-1));
	assert_int_equal(json_dump_file(json, path, 0), 0);
	json_decref(json);
	expectations_get(q->tasks + 1, TASKS - 1, q->device, 1, us);
	assert_true(us[0] == 123.5);
	for (int i = 1; i < TASKS - 1; i++)
		assert_true(us[i] == truth(q, i + 1, 1));
	json = json_load_file(kept(q), 0, NULL);
	assert_int_equal(json_object_size(json), TASKS);
	json_decref(json);
}

static void test_damaged(void **state)
{
	static const char *const texts[] = { "", "{", "[1, 2]", "\xff\xfe", "{\"x\": {}}" };
	struct expectation_case *q = *state;
	double us[TASKS];

	if (!build_id(q->a))
		skip_test("the linker made no build id (give LDFLAGS=-Wl,--build-id)");
	expectations_get(q->tasks, TASKS, q->device, 1, us);
	for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
		assert_int_equal(file_write(kept(q), texts[t], strlen(texts[t])), 0);
		expectations_get(q->tasks, TASKS, q->device, 1, us);
		for (int i = 0; i < TASKS; i++)
			assert_true(us[i] == truth(q, i, 1));
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_same_as_asked), TEST(test_kept),
					    TEST(test_damaged) };

	return cmocka_run_group_tests_name("expectations", tests, NULL, NULL);
}
