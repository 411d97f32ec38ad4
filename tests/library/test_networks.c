/* SPDX-License-Identifier: Apache-2.0 */
/* tests/library/test_networks.c - whole networks as libraries: what test_library holds of a small one, of
 * each model that somebody has.
 *
 * HONE_MODELS=DIR has them as DIR/NAME/model.onnx, and where it is there a database of their records
 * as DIR/NAME/model.db; HONE_CASE=PATTERN takes some of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <unistd.h>

#include "tests/library/called.h"
#include "tests/skip.h"

/* The library alone, whose kernels take some minutes: an example is one more copy of the weights. */
#define ARGUMENTS "-j2 libmodel.a"

static int checked;

/* How many of L's tasks have a kernel that somebody measured. */
static int of_records(const struct built_library *l)
{
	int n = 0;

	for (int i = 0; i < l->model.tasks->n; i++)
		n += l->model.choices[i].origin == CHOICE_RECORD ||
		     l->model.choices[i].origin == CHOICE_CHANGED;
	return n;
}

static void check_network(struct built_library *l)
{
	print_message("%d tasks, %d with a kernel of a record\n", l->model.tasks->n, of_records(l));
	called_prepare(l);
	called_make(l, ARGUMENTS, "gcc");
	called_run_each_way(l);
	called_run_sanitized(l, ARGUMENTS);
	checked++;
}

static void try_network(const char *path)
{
	struct arena *a = arena_new();
	const char *folder = arena_strndup(a, path, (size_t)(strrchr(path, '/') - path));
	const char *name = strrchr(folder, '/') + 1;
	const char *db = arena_printf(a, "%s/model.db", folder);
	const struct open_options how = { .model = path, .threads = CALLED_THREADS,
					  .db = access(db, R_OK) == 0 ? db : NULL };
	struct built_library l;

	if (built_wanted(name)) {
		print_message("%s\n", name);
		if (built_open(&l, &how) == 0)
			check_network(&l);
		else if (strstr(err_get(), ": a library "))
			skip_part(name, err_get());
		else
			fail_msg("%s: %s", name, err_get());
		built_close(&l);
	}
	arena_free(a);
}

static void networks_give_the_same_bits(void **state)
{
	const char *models = getenv("HONE_MODELS");
	struct arena *a = arena_new();
	glob_t found;

	(void)state;
	if (!models)
		skip_test("HONE_MODELS names no folder with networks, each as NAME/model.onnx "
			  "(bench/models/export.py writes some)");
	if (glob(arena_printf(a, "%s/*/model.onnx", models), 0, NULL, &found) != 0)
		fail_msg("%s/*/model.onnx: there are none", models);
	for (size_t i = 0; i < found.gl_pathc; i++)
		try_network(found.gl_pathv[i]);
	globfree(&found);
	arena_free(a);
	assert_true(checked > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(networks_give_the_same_bits),
	};

	return cmocka_run_group_tests_name("networks", tests, NULL, NULL);
}
