/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/measure/test_kept_objects.c - which objects are kept, and that each text gets its own again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/build/kept_objects.h"

struct kept_fixture {
	struct arena *a;
	struct kept_objects *kept;
	char folder[32];
};

static int begin(void **state)
{
	struct kept_fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->a = arena_new();
	f->kept = kept_objects_new();
	strcpy(f->folder, "/tmp/hone-kept-XXXXXX");
	*state = f;
	return mkdtemp(f->folder) ? 0 : -1;
}

/* All objects are gone with who kept them. */
static int end(void **state)
{
	struct kept_fixture *f = *state;

	kept_objects_free(f->kept);
	int rc = rmdir(f->folder);

	arena_free(f->a);
	free(f);
	return rc;
}

/* A trial of a text of its own, which took US. */
static struct trial measured(struct kept_fixture *f, int number, double us)
{
	struct trial t = {.source = arena_printf(f->a, "text %d", number),
			  .object = arena_printf(f->a, "%s/%d.so", f->folder, number),
			  .symbol = arena_printf(f->a, "k%d", number),
			  .status = TRIAL_OK,
			  .time_us = us};
	FILE *out = fopen(t.object, "w");

	assert_non_null(out);
	fprintf(out, "object %d", number);
	assert_int_equal(fclose(out), 0);
	return t;
}

static void take(struct kept_fixture *f, uint64_t task, int number, double us)
{
	struct trial t = measured(f, number, us);

	kept_objects_take(f->kept, (struct hash128){0, task}, &t);
	trial_discard(&t);
}

/* Is the object of text NUMBER kept? Then it is what it was. */
static bool gives(struct kept_fixture *f, int number)
{
	struct trial t = {.source = arena_printf(f->a, "text %d", number)};
	char line[32] = "";

	kept_objects_give(f->a, f->kept, &t);
	if (!t.object)
		return false;
	FILE *in = fopen(t.object, "r");

	assert_non_null(in);
	assert_non_null(fgets(line, sizeof(line), in));
	fclose(in);
	assert_string_equal(line, arena_printf(f->a, "object %d", number));
	assert_string_equal(trial_symbol(&t), arena_printf(f->a, "k%d", number));
	trial_discard(&t);
	return true;
}

static void the_fastest_of_each_task(void **state)
{
	struct kept_fixture *f = *state;

	for (int i = 0; i < 2 * KEPT_OF_TASK; i++)
		take(f, 1, i, 100 - i);
	take(f, 2, 100, 1000);
	take(f, 1, 101, 1000);
	for (int i = 0; i < 2 * KEPT_OF_TASK; i++)
		assert_int_equal(gives(f, i), i >= KEPT_OF_TASK);
	assert_true(gives(f, 100));
	assert_true(gives(f, 100));	/* as often as is asked */
	assert_false(gives(f, 101));
	assert_false(gives(f, 102));
}

static void what_failed_is_not_kept(void **state)
{
	struct kept_fixture *f = *state;
	struct trial t = measured(f, 1, 10);

	t.status = TRIAL_WRONG;
	kept_objects_take(f->kept, (struct hash128){0, 1}, &t);
	assert_non_null(t.object);
	trial_discard(&t);
	assert_false(gives(f, 1));
}

/* Tasks without end do not fill the disk. */
static void the_oldest_make_room(void **state)
{
	struct kept_fixture *f = *state;
	int n = 0;

	for (int i = 0; i < 1000; i++)
		take(f, (uint64_t)i, i, 10);
	for (int i = 0; i < 1000; i++)
		n += gives(f, i);
	assert_true(n < 500 && gives(f, 999) && !gives(f, 0));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_fastest_of_each_task, begin, end),
		cmocka_unit_test_setup_teardown(what_failed_is_not_kept, begin, end),
		cmocka_unit_test_setup_teardown(the_oldest_make_room, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
