/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_kept.c - what one start made of a model answers the next, while nothing has changed. */
#include <fcntl.h>
#include <math.h>
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
#include "graph/model.h"
#include "graph/text/text.h"
#include "measure/device/calibration.h"
#include "runtime/explain.h"
#include "runtime/kept/kept.h"
#include "runtime/kernel/objects.h"
#include "tests/skip.h"

/* A constant of the model's own, and one that passes compute: a transposed weight. */
#define MODEL                                                                                      \
	"graph small\n"                                                                            \
	"fn @main(%x: f32[8, 8], %y: f32[3, 5]) {\n"                                               \
	"	%w = const f32[8, 8] base64 " WEIGHT "\n"                                          \
	"	%t = transpose(%w) {perm = [1, 0]}\n"                                             \
	"	%a = matmul(%x, %t)\n"                                                             \
	"	%b = exp(%y)\n"                                                                    \
	"	return %a, %b\n"                                                                   \
	"}\n"
/* 64 floats whose four bytes are "abc" and what follows in base64: about 2.8e-19 each. */
#define WEIGHT ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW "YWJjZA=="
#define ROW    "YWFhIGJiYiBjY2Mg"

enum { TASKS = 2 };

struct kept_case {
	struct arena *a;
	const char *folder;	/* the cache is below it too */
	struct open_options options;
	struct choice_plan plan;
};

static int begin(void **state)
{
	struct arena *a = arena_new();
	struct kept_case *c = arena_one(a, struct kept_case);

	c->a = a;
	c->folder = dir_temp(a);
	c->options = (struct open_options){
		.model = arena_printf(a, "%s/models/small.graph", c->folder), .threads = 1,
		.recall = true };
	*state = c;
	return c->folder && setenv("XDG_CACHE_HOME", c->folder, 1) == 0 &&
	       dir_make(arena_printf(a, "%s/models", c->folder)) == 0 &&
	       file_write(c->options.model, MODEL, strlen(MODEL)) == 0 ? 0 : -1;
}

static int end(void **state)
{
	struct kept_case *c = *state;

	dir_remove(c->folder);
	arena_free(c->a);
	return 0;
}

/* Opens the model, and expects that MADE kernels were compiled, and that it was RECALLED. */
static struct opened open_making(const struct kept_case *c, int made, bool recalled)
{
	struct opened m;

	if (open_model(c->a, &c->options, &m) < 0)
		fail_msg("%s", err_get());
	assert_int_equal(m.built, made);
	assert_int_equal(m.tasks->n, TASKS);
	for (int i = 0; i < TASKS; i++) {
		assert_int_equal(m.choices[i].origin, CHOICE_GUESS);
		assert_non_null(m.choices[i].kernel.call.packed_bytes);
		assert_int_equal(m.tasks->at[i].dag == NULL, recalled);
	}
	return m;
}

/* The results of M for arguments that are always the same. */
static void run(struct opened *m, struct value *results)
{
	static float x[64], y[15];
	struct arena *a = arena_new();
	struct session *s = session_new(m->code, interp_usual_limits);

	for (int i = 0; i < 64; i++)
		x[i] = (float)(i % 7) * 1e18F;
	for (int i = 0; i < 15; i++)
		y[i] = (float)i / 4;
	const struct value args[] = {
		value_of_array(array_around(a, ELEMENT_F32, 2, (int64_t[]){ 8, 8 }, x)),
		value_of_array(array_around(a, ELEMENT_F32, 2, (int64_t[]){ 3, 5 }, y)),
	};

	if (session_run(s, args, results) < 0)
		fail_msg("%s", err_get());
	session_free(s);
	arena_free(a);
}

static void assert_same_results(struct opened *m, struct opened *n)
{
	struct value a[2], b[2];

	run(m, a);
	run(n, b);
	for (int i = 0; i < 2; i++)
		assert_true(array_equal(a[i].array, b[i].array));
	assert_true(array_float(a[0].array, 9) != 0);
	values_release(a, 2);
	values_release(b, 2);
}

/* Where the model is kept; the test is skipped where it cannot be. */
static const char *place_of(struct kept_case *c)
{
	struct device *d = device_describe(c->a, NULL);

	if (!build_id(c->a))
		skip_test("the linker made no build id (give LDFLAGS=-Wl,--build-id)");
	if (!d || device_recall_or_probe(d) < 0)
		fail_msg("%s", err_get());
	c->plan = (struct choice_plan){ .device = d, .now = calibration_of(d), .threads = 1 };
	return kept_place(c->a, &c->options, &c->plan);
}

/* A prediction of M is what is expected of its guesses, and says so. */
static void assert_expected(struct arena *a, const struct opened *m)
{
	struct explanation e = explain(a, m->code, m->tasks, m->choices);
	double sum = 0;

	for (int i = 0; i < TASKS; i++) {
		assert_true(m->choices[i].expected_us > 0 && m->choices[i].time_us == 0);
		sum += m->choices[i].expected_us;
	}
	assert_int_equal(e.expected.calls, TASKS);
	assert_int_equal(e.in_model.calls + e.alone.calls + e.unknown, 0);
	assert_true(e.expected.us == e.predicted_us && fabs(e.predicted_us / sum - 1) < 1e-12);
}

static bool is_kept(const struct kept_case *c, const char *place)
{
	struct opened m;

	return kept_recall(c->a, place, &c->options, &c->plan, &m);
}

static void test_recalls(void **state)
{
	struct kept_case *c = *state;
	const char *place = place_of(c);

	assert_false(is_kept(c, place));
	struct opened made = open_making(c, TASKS, false), kept = open_making(c, 0, true);

	assert_true(is_kept(c, place));
	assert_same_results(&made, &kept);
	assert_expected(c->a, &made);
	assert_expected(c->a, &kept);
	for (int i = 0; i < TASKS; i++) {
		assert_string_equal(kept.choices[i].object, made.choices[i].object);
		assert_string_equal(kept.tasks->at[i].op, made.tasks->at[i].op);
		assert_true(hash_equal(kept.tasks->at[i].key, made.tasks->at[i].key));
	}

	/* an object that is gone is made again */
	assert_int_equal(unlink(made.choices[1].object), 0);
	assert_false(is_kept(c, place));
	open_making(c, 1, false);
	open_making(c, 0, true);
}

/* Whatever byte of the file is another, or where it ends: it is made anew. */
static void test_damage(void **state)
{
	struct kept_case *c = *state;
	const char *place = place_of(c);
	size_t size;

	open_making(c, TASKS, false);
	char *data = file_read(c->a, place, 1 << 20, &size);

	assert_non_null(data);
	for (size_t i = 0; i < size; i += 1 + size / 64) {
		data[i] ^= 4;
		assert_int_equal(file_write(place, data, size), 0);
		assert_false(is_kept(c, place));
		data[i] ^= 4;
		assert_int_equal(file_write(place, data, i), 0);
		assert_false(is_kept(c, place));
	}
	open_making(c, 0, false);
	open_making(c, 0, true);
}

static void test_another_question(void **state)
{
	struct kept_case *c = *state;
	const char *place = place_of(c);
	struct choice_plan plan = c->plan;
	struct open_options o = c->options;
	const struct timespec then[] = { { 1, 0 }, { 1, 0 } };

	assert_string_equal(kept_place(c->a, &o, &plan), place);
	plan.threads = 2;
	assert_string_not_equal(kept_place(c->a, &o, &plan), place);
	plan.threads = 1;
	plan.exact = true;
	assert_string_not_equal(kept_place(c->a, &o, &plan), place);
	plan.exact = false;
	o.dims = &(struct onnx_dim){ "n", 2 };
	o.ndims = 1;
	assert_string_not_equal(kept_place(c->a, &o, &plan), place);
	o.ndims = 0;

	/* a database, none, and one that was written to */
	o.db = arena_printf(c->a, "%s/a.db", c->folder);
	db_close(db_open(o.db, DB_WRITE));
	const char *before = kept_place(c->a, &o, &plan);

	assert_string_not_equal(before, place);
	assert_int_equal(utimensat(AT_FDCWD, o.db, then, 0), 0);
	assert_string_not_equal(kept_place(c->a, &o, &plan), before);
	o.db = NULL;

	/* another model, and the same name for one that was written anew */
	assert_int_equal(file_write(o.model, MODEL "\n", sizeof(MODEL)), 0);
	assert_string_not_equal(kept_place(c->a, &o, &plan), place);
	place = kept_place(c->a, &o, &plan);
	o.model = arena_printf(c->a, "%s/models/other.graph", c->folder);
	assert_int_equal(link(c->options.model, o.model), 0);
	assert_string_not_equal(kept_place(c->a, &o, &plan), place);
}

/* Constants lie in the model's file: where that was written to, they are others. */
static void test_files(void **state)
{
	struct kept_case *c = *state;
	const char *place = arena_printf(c->a, "%s/kept", c->folder);
	struct onnx_files files = { .arena = c->a };
	const struct onnx_options options = { .files = &files };
	const char *path = arena_printf(c->a, "%s/tiny.onnx", c->folder);
	const struct timespec then[] = { { 1, 0 }, { 1, 0 } };
	struct model_task_vec none = { 0 };
	struct opened m = { .tasks = &none }, kept;
	size_t size;
	char *data = file_read(c->a, TOP_SRCDIR "/examples/tiny_cnn.onnx", 1 << 20, &size);

	assert_int_equal(file_write(path, data, size), 0);
	assert_non_null(m.graph = model_read(c->a, path, &options));
	assert_int_equal(files.list.n, 1);
	kept_write(place, &files, &m);
	c->plan.threads = 1;
	assert_true(kept_recall(c->a, place, &c->options, &c->plan, &kept));
	struct text before = { 0 }, after = { 0 };

	graph_print(&before, m.graph, true);
	graph_print(&after, kept.graph, true);
	assert_string_equal(text_str(&before), text_str(&after));
	text_free(&before);
	text_free(&after);
	assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
	assert_false(kept_recall(c->a, place, &c->options, &c->plan, &kept));
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
		cmocka_unit_test_setup_teardown(test_damage, begin, end),
		cmocka_unit_test_setup_teardown(test_files, begin, end),
		cmocka_unit_test_setup_teardown(test_another_question, begin, end),
		cmocka_unit_test_setup_teardown(test_trims, begin, end),
		cmocka_unit_test_setup_teardown(test_trims_bytes, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
