/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/bench/test_bench_command.c - `hone bench` as a user calls it: our kernel, built from its
 * record, against a library, as a table and as JSON. */
#include "tests/command.h"

#include "measure/device/device.h"
#include "search/task.h"
#include "te/operator.h"

static const char spec[] = "matmul:m=24,n=16,k=8";

/* A record without steps: the naive loops. */
static void record(struct fixture *f)
{
	struct db *db = fixture_open(f, f->path);
	const struct dag *dag = operator_build(f->a, spec);
	struct device *device = device_describe(f->a, NULL);

	assert_non_null(dag);
	assert_non_null(device);
	const struct task *t = task_new(f->a, dag, spec, 1);
	struct db_task row = {.key = t->key, .name = spec, .text = t->text, .flop = t->flop};
	struct db_record r = fixture_record(f, "", TRIAL_OK, 5);

	r.task = db_task(db, &row);
	r.device = db_device(db, device->fingerprint, "{}");
	assert_ok(append_one(db, r));
	db_close(db);
}

static const char *word(json_t *row, const char *key)
{
	const char *s = json_string_value(json_object_get(row, key));

	return s ? s : "";
}

static double number(json_t *row, const char *key)
{
	return json_number_value(json_object_get(row, key));
}

static void test_json(void **state)
{
	struct fixture *f = *state;
	char *out;

	record(f);
	assert_int_equal(hone(f, &out,
			      arena_printf(f->a,
					   "bench %s --db %s --json --alone "
					   "--seconds 1 --peer openblas",
					   spec, f->path)),
			 0);
	json_t *j = strchr(out, '[') ? json_loads(strchr(out, '['), 0, NULL) : NULL;
	json_t *rows = json_object_get(json_array_get(j, 0), "contestants");
	json_t *ours = json_array_get(rows, 0), *theirs = json_array_get(rows, 1);

	if (json_array_size(rows) != 2)
		fail_msg("%s", out);
	assert_string_equal(word(json_array_get(j, 0), "name"), spec);
	assert_string_equal(word(ours, "name"), "hone");
	assert_string_equal(word(ours, "status"), "timed");
	assert_true(number(ours, "us") > 0 && number(ours, "alone_us") > 0);
	if (strcmp(word(theirs, "status"), "absent") == 0) {
		assert_true(*word(theirs, "install") != '\0');
	} else {
		assert_string_equal(word(theirs, "name"), "openblas/sgemm");
		assert_string_equal(word(theirs, "status"), "timed");
		assert_true(number(theirs, "low") <= number(theirs, "ratio"));
		assert_true(number(theirs, "ratio") <= number(theirs, "high"));
		assert_true(*word(theirs, "verdict") && *word(theirs, "clock"));
		assert_true(strstr(word(theirs, "version"), "OpenBLAS") != NULL);
	}
	json_decref(j);
}

static void test_table(void **state)
{
	struct fixture *f = *state;
	char *out;

	record(f);
	assert_int_equal(hone(f, &out,
			      arena_printf(f->a,
					   "bench %s --db %s --seconds 1 "
					   "--peer onednn/direct",
					   spec, f->path)),
			 0);
	if (!strstr(out, "  hone  ") || !strstr(out, "In the clock, and not:"))
		fail_msg("%s", out);
	assert_true(strstr(out, "not applicable: ") || strstr(out, "onednn is absent"));
	assert_null(strstr(out, "onednn/auto")); /* nobody asked for it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_json, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_table, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
