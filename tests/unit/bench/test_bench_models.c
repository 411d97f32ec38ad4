/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/bench/test_bench_models.c - `hone bench --suite models`: what players are given, what makes
 * their results wrong, and the command with engines that are hone itself, or fail. */
#include "tests/command.h"

#include <sys/stat.h>

#include "bench/models/exercise.h"

static const char scale[] = "graph scale\n"
			    "fn @main(%x: f32[2, 3]) -> f32[2, 3] {\n"
			    "\t%two = const f32[] [2]\n"
			    "\t%y = mul(%x, %two)\n"
			    "\treturn %y\n"
			    "}\n";
static const char open_dim[] = "graph open\n"
			       "fn @main(%x: f32[N]) -> f32[N] {\n"
			       "\t%y = relu(%x)\n"
			       "\treturn %y\n"
			       "}\n";

static const char *write_model(struct fixture *f, const char *name, const char *text)
{
	const char *path = arena_printf(f->a, "%s/%s.graph", f->folder, name);

	assert_ok(file_write(path, text, strlen(text)));
	return path;
}

static struct value numbers(struct arena *a, int64_t rows, float first)
{
	struct array *x = array_in(a, ELEMENT_F32, 2, (int64_t[]){rows, 3});

	for (int64_t i = 0; i < x->count; i++)
		((float *)x->data)[i] = first + (float)i;
	return value_of_array(x);
}

/* --- the setting */

static void test_setting(void **state)
{
	struct fixture *f = *state;
	const char *const names[] = {"image \"one\"", "n"};
	const struct onnx_dim dims[] = {{"batch", 2}, {"time", 7}};
	struct value inputs[] = {numbers(f->a, 2, 1), numbers(f->a, 1, -4)}, back[2];
	struct setting s = {"/m/a.onnx", NULL, dims, 2, names, 2}, got;

	assert_ok(setting_write(f->folder, &s, inputs));
	assert_ok(setting_read(f->a, f->folder, &got));
	assert_string_equal(got.model, s.model);
	assert_null(got.db);
	assert_int_equal(got.ndims, 2);
	assert_string_equal(got.dims[1].name, "time");
	assert_int_equal(got.dims[1].size, 7);
	assert_int_equal(got.ninputs, 2);
	assert_string_equal(got.inputs[0], names[0]);
	assert_ok(tensors_read(f->a, f->folder, "input", back, 2));
	for (int i = 0; i < 2; i++)
		assert_true(array_equal(back[i].array, inputs[i].array));
	assert_int_equal(tensors_read(f->a, f->folder, "output", back, 1), -1);
}

static void test_no_setting(void **state)
{
	struct fixture *f = *state;
	const char *path = arena_printf(f->a, "%s/setting.json", f->folder);
	struct setting got;

	assert_int_equal(setting_read(f->a, f->folder, &got), -1);
	assert_ok(file_write(path, "{\"model\": 1}", 12));
	assert_int_equal(setting_read(f->a, f->folder, &got), -1);
	assert_err("setting.json");
}

/* --- results */

/* What the exercise says of RESULT as the outputs of a player. */
static const char *fault_of(struct fixture *f, const struct exercise *e, struct value result)
{
	const char *folder = arena_printf(f->a, "%s/out", f->folder);

	assert_ok(dir_make(folder));
	assert_ok(tensors_write(folder, "output", &result, 1));
	return e->fault(e->user, f->a, folder);
}

static void test_results(void **state)
{
	struct fixture *f = *state;
	struct model_exercise m = {.arena = f->a, .nresults = 1};
	struct exercise e = model_exercise(&m);

	assert_non_null(e.fault(e.user, f->a, "/nowhere")); /* and it is no reference */
	assert_null(fault_of(f, &e, numbers(f->a, 2, 1)));
	assert_null(fault_of(f, &e, numbers(f->a, 2, 1.00001F)));
	assert_non_null(strstr(fault_of(f, &e, numbers(f->a, 2, 1.1F)), "has it: error 0.017"));
	assert_non_null(strstr(fault_of(f, &e, numbers(f->a, 3, 1)), "f32[2, 3] was expected"));
}

/* --- the command */

/* An environment in whose place of Python is a script with these LINES. */
static void stand_in(struct fixture *f, const char *lines)
{
	const char *bin = arena_printf(f->a, "%s/venv/bin", f->folder);
	const char *python = arena_printf(f->a, "%s/python", bin);
	const char *text = arena_printf(f->a, "#!/bin/sh\n%s\n", lines);

	assert_ok(dir_make(bin));
	assert_ok(file_write(python, text, strlen(text)));
	assert_int_equal(chmod(python, 0700), 0);
	setenv("HONE_CONTEST_VENV", arena_printf(f->a, "%s/venv", f->folder), 1);
}

static double number(json_t *row, const char *key)
{
	return json_number_value(json_object_get(row, key));
}

static const char *word(json_t *row, const char *key)
{
	const char *s = json_string_value(json_object_get(row, key));

	return s ? s : "";
}

static json_t *engine(json_t *all, int i)
{
	json_t *model = json_array_get(json_object_get(all, "models"), 0);

	return json_array_get(json_object_get(model, "engines"), (size_t)i);
}

static void assert_timed(json_t *row)
{
	assert_string_equal(word(row, "status"), "timed");
	assert_true(number(row, "ms") > 0 && number(row, "turns") > 0);
	assert_true(number(row, "peak_mb") >= number(row, "bare_mb"));
	assert_true(number(row, "bare_mb") > 0);
	assert_true(number(row, "start_ms") > 0 && number(row, "second_start_ms") > 0);
	assert_true(number(row, "first_run_ms") > 0);
}

static void test_engine_is_hone(void **state)
{
	struct fixture *f = *state;
	const char *model = write_model(f, "scale", scale);

	stand_in(f, "exec \"$HONE_CONTESTANTS/hone-contestant-model\"");
	json_t *j = hone_json(f, arena_printf(f->a,
					      "bench --suite models %s --peer openvino "
					      "--seconds 1 --rounds 6 --json",
					      model));
	json_t *theirs = engine(j, 1);

	assert_timed(engine(j, 0));
	assert_timed(theirs);
	assert_string_equal(word(engine(j, 0), "name"), "hone");
	assert_string_equal(word(theirs, "name"), "openvino/model");
	assert_string_equal(word(theirs, "words"), "1 task: 1 guess");
	assert_true(number(theirs, "low") <= number(theirs, "ratio"));
	assert_true(number(theirs, "ratio") <= number(theirs, "high"));
	assert_true(*word(theirs, "verdict") != '\0');
	assert_int_equal(json_integer_value(json_object_get(j, "compared")), 1);
	assert_true(number(j, "mean_ratio") == number(theirs, "ratio"));
	assert_true(number(j, "worst_ratio") == number(theirs, "ratio"));
	assert_string_equal(word(j, "worst_model"), model);
	json_decref(j);
}

/* Who dies, refuses or cannot be understood has a row that says so; we have our time. */
static void test_engine_fails(void **state)
{
	static const struct {
		const char *at_prepare, *status, *why;
	} cases[] = {
		{"echo no memory >&2; exit 7", "failed", "status 7: no memory"},
		{"kill -9 $$", "failed", "signal 9"},
		{"echo cannot this one", "cannot", "this one"},
		{"echo ok", "failed", "no such thing"},
	};
	struct fixture *f = *state;
	const char *model = write_model(f, "scale", scale);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		stand_in(f, arena_printf(f->a,
					 "while read -r word rest; do case $word in\n"
					 "entries) printf 'entry model\\tall\\nok stub 1\\n' ;;\n"
					 "prepare) %s ;;\n"
					 "quit) exit ;;\n"
					 "*) echo error no such thing ;;\n"
					 "esac; done",
					 cases[i].at_prepare));
		json_t *j = hone_json(f, arena_printf(f->a,
						      "bench --suite models %s --peer onnxruntime "
						      "--seconds 1 --rounds 1 --json",
						      model));

		assert_timed(engine(j, 0));
		assert_string_equal(word(engine(j, 1), "status"), cases[i].status);
		if (!strstr(word(engine(j, 1), "why"), cases[i].why))
			fail_msg("'%s' does not say '%s'", word(engine(j, 1), "why"), cases[i].why);
		assert_int_equal(json_integer_value(json_object_get(j, "compared")), 0);
		json_decref(j);
	}
}

/* A model that cannot be run is a line of the table; the others are run. */
static void test_models_fail(void **state)
{
	struct fixture *f = *state;
	char *out;

	setenv("HONE_CONTEST_VENV", f->folder, 1); /* none */
	assert_int_equal(hone(f, &out,
			      arena_printf(f->a, "bench --suite models %s/none.onnx %s %s --seconds 1",
					   f->folder, write_model(f, "open", open_dim),
					   write_model(f, "scale", scale))),
			 3);
	static const char *const says[] = {
		"not run: ", "none.onnx: No such file", "input 'x' is f32[N]", "--dim",
		"  hone  ", "1 task: 1 guess", "openvino is absent", "bench/contest/setup",
	};

	for (size_t i = 0; i < sizeof(says) / sizeof(*says); i++)
		if (!strstr(out, says[i]))
			fail_msg("it does not say '%s':\n%s", says[i], out);
	assert_null(strstr(out, "geometric")); /* of nothing */
}

static void test_usage(void **state)
{
	static const char *const lines[] = {"", "a.onnx --peer openblas", "a.onnx b.onnx --data .",
					    "a.onnx --threads 0"};
	struct fixture *f = *state;
	char *out;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_int_not_equal(
			hone(f, &out, arena_printf(f->a, "bench --suite models %s", lines[i])), 0);
	assert_int_equal(hone(f, &out, "bench --suite models a.onnx --db /nowhere/t.db"), 3);
	assert_non_null(strstr(out, "/nowhere/t.db: No such file"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)
	const struct CMUnitTest tests[] = {
		TEST(test_setting),	   TEST(test_no_setting),   TEST(test_results),
		TEST(test_engine_is_hone), TEST(test_engine_fails), TEST(test_models_fail),
		TEST(test_usage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
