/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/tools/test_export.c - what hone export writes compiles alone and computes the task. */
#include "schedule/text/step_text.h"
#include "tests/fixture/db_fixture.h"
#include "tests/kernel_text.h"
#include "tests/skip.h"
#include "tests/te_run.h"

#include <dlfcn.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "codegen/callable.h"
#include "codegen/export.h"
#include "measure/device/device.h"
#include "search/task.h"

/* Nothing divides: the last tiles are filled up with zeros when B is packed. */
#define SPEC "matmul:m=9,n=21,k=5"
#define STEPS "split matmul j 8; reorder matmul j.0 i k j.1; vectorize matmul j.1; layout B"

/* Runs a command line; what it prints on both streams is in *OUT. The exit status. */
static int run(struct fixture *f, char **out, const char *command)
{
	FILE *p = popen(arena_printf(f->a, "%s 2>&1", command), "r");
	struct text all = { 0 };
	char buffer[4096];
	size_t n;

	assert_non_null(p);
	while ((n = fread(buffer, 1, sizeof(buffer), p)) > 0)
		text_putn(&all, buffer, n);
	int status = pclose(p);

	*out = arena_strdup(f->a, text_str(&all));
	text_free(&all);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* A database with one ok record of SPEC, for this device; ESTIMATE: of a stand-in. */
static void put_record(struct fixture *f, bool estimate)
{
	struct db *db = fixture_open(f, f->path);
	struct device *device = device_describe(f->a, NULL);
	struct dag *dag = operator_build(f->a, SPEC);

	assert_non_null(device);
	assert_non_null(dag);
	struct task *t = task_new(f->a, dag, SPEC, 1);
	struct state *s = state_parse(f->a, dag, "steps", STEPS);

	if (!s)
		fail_msg("%s", err_get());
	struct db_task row = { .key = t->key, .name = t->name, .text = t->text, .flop = t->flop };

	f->device = db_device(db, device->fingerprint, "{}");
	f->task = db_task(db, &row);
	assert_ok(f->device);
	assert_ok(f->task);
	struct db_record r = fixture_record(f, steps_text(f->a, &s->steps), TRIAL_OK, 5);

	r.estimate = estimate;
	assert_ok(append_one(db, r));
	db_close(db);
}

static json_t *export_json(struct fixture *f)
{
	char *out;

	put_record(f, false);
	if (run(f, &out, arena_printf(f->a, "./hone export '%s' --db %s -o %s/new/kernels --json",
				      SPEC, f->path, f->folder)) != 0)
		fail_msg("%s", out);
	json_t *j = json_loads(out, 0, NULL);

	if (!j)
		fail_msg("no JSON: %s", out);
	return j;
}

static void compile(struct fixture *f, const char *command)
{
	char *out;
	int status = run(f, &out, arena_printf(f->a, "cd %s/new/kernels && %s", f->folder,
					       command));

	if (status != 0 || *out)
		fail_msg("%s: status %d, %s", command, status, out);
}

static void *aligned(size_t bytes)
{
	return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void compare(void *object, const char *symbol)
{
	struct run r = run_spec(SPEC);
	int32_t (*whole)(void *const *args, void *workspace, int32_t threads);
	struct callable kernel;
	void *args[ARGS_MAX];

	assert_ok(callable_find(&kernel, object, symbol));
	assert_int_equal(r.n, 3);
	assert_int_equal(kernel.workspace_bytes(1), 0);
	assert_int_equal(kernel.packed_bytes(0), 0);
	assert_int_equal(kernel.packed_bytes(1), 3 * 5 * 8 * 4);	/* j.0, k, j.1, f32 */
	for (int i = 0; i < r.n; i++) {
		size_t raw = tensor_bytes(&r.op[i]->tensor), packed = kernel.packed_bytes(i);

		args[i] = aligned(packed ? packed : raw);
		if (packed)
			kernel.pack(i, r.args[i], args[i]);
		else
			memcpy(args[i], r.args[i], raw);
	}
	memset(args[2], 0xff, tensor_bytes(&r.op[2]->tensor));
	*(void **)&whole = dlsym(object, symbol);
	assert_non_null(whole);
	assert_int_equal(whole(args, NULL, 0), -1);
	assert_int_equal(whole(args, NULL, 1), 0);
	for (int64_t i = 0; i < tensor_count(&r.op[2]->tensor); i++)
		check_close("C", i, dtype_load(DTYPE_F32, args[2], i), at(&r, 2, i), 1e-5);
	for (int i = 0; i < r.n; i++)
		free(args[i]);
	arena_free(r.a);
}

static void check_compiler(struct fixture *f, const char *cc, const char *file, const char *symbol)
{
	const char *warn = "-Wall -Wextra -Werror";
	const char *object = arena_printf(f->a, "%s/new/kernels/%s.so", f->folder, cc);

	compile(f, arena_printf(f->a, "%s -O2 -march=native -fno-unroll-loops -fopenmp -c %s %s -fPIC", cc, warn,
				file));
	compile(f, arena_printf(f->a, "%s -shared -o %s.so %s.o", cc, cc, symbol));
	compile(f, arena_printf(f->a, "%s %s -fsyntax-only -x c hone_kernels.h", cc, warn));
	void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		fail_msg("%s", dlerror());
	compare(handle, symbol);
	dlclose(handle);
}

static void test_kernel(void **state)
{
	struct fixture *f = *state;
	json_t *manifest = export_json(f);
	const char *symbol, *file, *task, *name, *steps, *role;
	json_int_t packed, extent, stack, workspace;
	int threads;

	if (json_unpack(manifest, "{s:[{s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:I, s:[{}, {s:s, s:I, s:[I]}]}]}",
			"kernels", "symbol", &symbol, "file", &file, "task", &task, "name", &name,
			"steps", &steps, "threads", &threads, "stack_bytes", &stack,
			"workspace_bytes", &workspace, "arguments", "role", &role, "packed_bytes", &packed, "shape", &extent) != 0)
		fail_msg("the manifest lacks something: %s", json_dumps(manifest, 0));
	assert_string_equal(name, SPEC);
	assert_string_equal(role, "const");
	assert_true(packed == 480 && extent == 5 && threads == 1 && workspace == 0);
	assert_true(stack >= 4096 && stack <= 65536);
	assert_string_equal(symbol, arena_printf(f->a, "hone_matmul_%.8s", task));
	assert_non_null(strstr(steps, "layout 1"));
	static const char *const compilers[] = { "cc", "gcc", "clang" };
	char *out;

	if (target_here()->defined && target_here()->march) {
		const char *plain = arena_printf(f->a, "cc -fsyntax-only -march=x86-64 %s/new/kernels/%s", f->folder,
						 file);

		assert_string_equal(target_here()->arch, "x86_64");
		assert_int_not_equal(run(f, &out, plain), 0);
		assert_non_null(strstr(out, arena_printf(f->a, "this kernel is for %s: ", target_here()->name)));
	}

	for (int i = 0; i < 3; i++)
		if (system(arena_printf(f->a, "command -v %s >/dev/null", compilers[i])) == 0)
			check_compiler(f, compilers[i], file, symbol);
		else
			skip_part(compilers[i], "no such compiler: an exported file is not built with it");
	json_decref(manifest);
}

static void test_failures(void **state)
{
	struct fixture *f = *state;
	char *out;

	put_record(f, false);
	assert_int_equal(run(f, &out, arena_printf(f->a, "./hone export matmul:m=4,n=4,k=4 --db %s "
						   "-o %s/none", f->path, f->folder)), 3);
	assert_non_null(strstr(out, "run hone tune"));
	assert_int_equal(run(f, &out, arena_printf(f->a, "./hone export '%s' --db %s -o %s/t.db/x",
						   SPEC, f->path, f->folder)), 3);
	assert_non_null(strstr(out, "t.db"));
	assert_int_equal(run(f, &out, arena_printf(f->a, "./hone export '%s' --db %s", SPEC,
						   f->path)), 2);
	assert_int_equal(run(f, &out, "./hone export --help"), 0);
	assert_non_null(strstr(out, "Example"));
}

/* hone export with BODY as the compiler `cc`; what it says, in *OUT. The exit status. */
static int export_with_cc(struct fixture *f, char **out, const char *body)
{
	char *folder = arena_printf(f->a, "%s/bin", f->folder);
	char *cc = arena_printf(f->a, "%s/cc", folder);

	assert_ok(dir_make(folder));
	assert_ok(file_write(cc, body, strlen(body)));
	assert_int_equal(chmod(cc, 0755), 0);
	return run(f, out, arena_printf(f->a, "PATH=%s:$PATH ./hone export '%s' --db %s -o %s/k "
					"--json", folder, SPEC, f->path, f->folder));
}

/* The compiler of the printed line makes a kernel that computes nothing, or none. */
static void test_verified(void **state)
{
	static const char *const broken[][2] = {
		{ "#!/bin/sh\nfor a; do case $a in *.so) so=$a;; esac; done\n"
		  "gcc -x c -shared -fPIC -o $so - <<END\n#include <stddef.h>\n"
		  "#include <stdint.h>\n" KERNEL_PROTOTYPE "\n{ }\n"
		  NO_WORKSPACE NOTHING_PACKED "END\n", "not exported: wrong: " },
		{ "#!/bin/sh\necho no licence\nexit 1\n",
		  "not exported: cc does not compile it: no licence" },
	};
	struct fixture *f = *state;
	char *out;

	put_record(f, false);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(export_with_cc(f, &out, broken[i][0]), 3);
		if (!strstr(out, broken[i][1]))
			fail_msg("'%s' does not say '%s'", out, broken[i][1]);
		assert_non_null(strstr(out, "\"kernels\": []"));
		assert_int_equal(system(arena_printf(f->a, "! ls %s/k/*.c 2>/dev/null",
						     f->folder)), 0);
	}
	assert_int_equal(export_with_cc(f, &out, "#!/bin/sh\nexec gcc \"$@\"\n"), 0);
	assert_non_null(strstr(out, "hone_matmul"));
}

static void test_estimates(void **state)
{
	struct fixture *f = *state;
	char *out;

	put_record(f, true);
	assert_int_equal(run(f, &out, arena_printf(f->a, "./hone export '%s' --db %s -o %s/k", SPEC,
						   f->path, f->folder)), 3);
	assert_non_null(strstr(out, "its time is an estimate"));
	assert_non_null(strstr(out, "0 of 1 kernel written"));
	assert_int_equal(run(f, &out, arena_printf(f->a, "./hone best '%s' --db %s", SPEC,
						   f->path)), 0);
	assert_non_null(strstr(out, " ~"));
	assert_non_null(strstr(out, "  estimate\n"));
	assert_int_equal(run(f, &out, arena_printf(f->a, "./hone show '%s' --db %s", SPEC,
						   f->path)), 0);
	assert_non_null(strstr(out, "~5 us (estimate)"));
	assert_int_equal(run(f, &out, arena_printf(f->a, "./hone best '%s' --db %s --json", SPEC,
						   f->path)), 0);
	assert_non_null(strstr(out, "\"estimate\": true"));
}

/* The same records give the same bytes, wherever the files are. */
static void test_reproducible(void **state)
{
	struct fixture *f = *state;
	const char *copy = arena_printf(f->a, "%s/copy.db", f->folder);
	char *out;

	put_record(f, false);
	assert_int_equal(system(arena_printf(f->a, "cp %s %s", f->path, copy)), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(run(f, &out, arena_printf(f->a, "./hone export '%s' --db %s -o "
							   "%s/%d", SPEC, i ? copy : f->path,
							   f->folder, i)), 0);
	if (run(f, &out, arena_printf(f->a, "diff -r %s/0 %s/1", f->folder, f->folder)) != 0)
		fail_msg("%s", out);
}

/* What the fastest record says is not what its steps give: the next one is exported, and the
 * reason told with the record's number. */
static void test_damaged_record(void **state)
{
	struct fixture *f = *state;
	struct db_record r = { 0 };
	char *out;

	put_record(f, false);
	struct db *db = db_open(f->path, DB_MODIFY);

	r = fixture_record(f, "bogus", TRIAL_OK, 1);
	assert_ok(append_one(db, r));
	r = fixture_record(f, "swapped", TRIAL_OK, 2);
	assert_ok(append_one(db, r));
	assert_ok(sql_run(db, "", "UPDATE records SET steps = 'split 2 0 2' WHERE id = 3", ""));
	db_close(db);
	static const char *const commands[] = { "export '%s' --db %s -o %s/k", "show '%s' --db %s",
						"best '%s' --db %s" };

	for (int i = 0; i < 3; i++) {
		const char *line = arena_printf(f->a, "./hone %s", commands[i]);

		if (run(f, &out, arena_printf(f->a, line, SPEC, f->path, f->folder)) != 0 ||
		    !strstr(out, "record 2 is skipped: its steps:1:1: expected a step") ||
		    !strstr(out, "record 3 is skipped: the hash of its steps is wrong") ||
		    !strstr(out, "hone db check"))
			fail_msg("%s: %s", line, out);
	}
	assert_non_null(strstr(out, "unconfirmed"));
}

/* What there is of a task with a miss is told; all tasks or none; an untuned kernel only where it is asked for. */
static void test_misses(void **state)
{
	struct fixture *f = *state;
	const char *list = arena_printf(f->a, "%s/two.tasks", f->folder);
	const char *both = SPEC "\nrelu:n=8\n";
	char *out;

	put_record(f, false);
	assert_ok(file_write(list, both, strlen(both)));
	const char *export = arena_printf(f->a, "./hone export %s --db %s -o %s/k", list, f->path,
					  f->folder);

	assert_int_equal(run(f, &out, arena_printf(f->a, "%s --complete", export)), 5);
	assert_non_null(strstr(out, "relu:n=8: not exported: no record fits "));
	assert_non_null(strstr(out, "there is none of this task"));
	assert_non_null(strstr(out, "1 of 2 tasks have no kernel"));
	assert_int_equal(run(f, &out, arena_printf(f->a, "ls %s/k", f->folder)), 2);
	assert_int_equal(run(f, &out, arena_printf(f->a, "%s --threads 3 --complete", export)), 5);
	assert_non_null(strstr(out, "there are 1 of "));
	assert_non_null(strstr(out, ", 1 thread): 1 with another number of threads;"));
	assert_non_null(strstr(out, "2 of 2 tasks have no kernel"));
	assert_int_equal(run(f, &out, export), 0);
	assert_non_null(strstr(out, "\nhit       hone_matmul_"));
	assert_non_null(strstr(out, "\nmiss      -  relu:n=8\n1 of 2 kernels written"));
	assert_int_equal(run(f, &out, arena_printf(f->a, "%s --complete --fallback", export)), 0);
	assert_non_null(strstr(out, "fallback  hone_relu_"));
	assert_non_null(strstr(out, "2 of 2 kernels written"));
	assert_int_equal(run(f, &out, arena_printf(f->a, "cat %s/k/hone_relu_*.c", f->folder)), 0);
	assert_non_null(strstr(out, " * Time      unknown with 1 thread; untuned\n"));
}

/* Records of another device count for nothing, but are named with it. */
static void test_elsewhere(void **state)
{
	struct fixture *f = *state;
	struct device *other = device_synthetic(f->a, "synthetic:core:2 pu:1 isa=avx512");
	char *out;

	assert_non_null(other);
	put_record(f, false);
	struct db *db = db_open(f->path, DB_MODIFY);
	json_t *json = device_json(other);
	char *text = json_dumps(json, 0);

	assert_ok(sql_run(db, "", "UPDATE devices SET fingerprint = 'other', description = ?1 "
			      "WHERE id = ?2", "ti", text, f->device));
	db_close(db);
	free(text);
	json_decref(json);
	assert_int_equal(run(f, &out, arena_printf(f->a, "./hone export '%s' --db %s -o %s/k --complete",
						   SPEC, f->path, f->folder)), 5);
	const char *words = arena_printf(f->a, "there are 1 of %s (x86-64-avx512, 1 thread): 1 of another "
					 "device; run hone tune here", other->name);

	if (!strstr(out, words))
		fail_msg("'%s' does not say '%s'", out, words);
}

/* The rule says in make's words what was read. */
static void test_depfile(void **state)
{
	struct fixture *f = *state;
	const char *folder = arena_printf(f->a, "%s/a $b #c", f->folder);
	const char *escaped = arena_printf(f->a, "%s/a\\ $$b\\ \\#c", f->folder);
	const char *list = "# two\n" "one.te\n" SPEC "\n", *te = "input A: f32[8]\nB[i] = A[i] + 1\n";
	char *out;

	put_record(f, false);
	assert_ok(dir_make(folder));
	assert_ok(file_write(arena_printf(f->a, "%s/list.tasks", folder), list, strlen(list)));
	assert_ok(file_write(arena_printf(f->a, "%s/one.te", folder), te, strlen(te)));
	assert_int_equal(run(f, &out, arena_printf(f->a, "./hone export '%s/list.tasks' --db %s -o '%s' "
						   "--depfile '%s/d'", folder, f->path, folder, folder)), 0);
	assert_int_equal(run(f, &out, arena_printf(f->a, "cat '%s/d'", folder)), 0);
	const char *wanted[] = {
		arena_printf(f->a, "%s/manifest.json: \\\n", escaped),
		arena_printf(f->a, "  %s/list.tasks \\\n", escaped),
		arena_printf(f->a, "  %s \\\n", f->path),
		arena_printf(f->a, "  %s/one.te\n", escaped),
		arena_printf(f->a, "\n%s/one.te:\n", escaped),
		"/hone \\\n",
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!strstr(out, wanted[i]))
			fail_msg("'%s' does not say '%s'", out, wanted[i]);
}

/* A .te file is named by its path; the key keeps names apart. */
static void test_symbols(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(export_symbol(f->a, "conv2d", KEY_A, 8), "hone_conv2d_01234567");
	assert_string_equal(export_symbol(f->a, "/tmp/my-op.te", KEY_A, 8),
			    "hone_my_op_01234567");
	assert_string_equal(export_symbol(f->a, "a.b/\xc3\xa4 2", KEY_B, 4), "hone____2_fedc");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_kernel), TEST(test_failures),
					    TEST(test_symbols), TEST(test_verified),
					    TEST(test_estimates), TEST(test_reproducible),
					    TEST(test_damaged_record), TEST(test_misses),
					    TEST(test_elsewhere), TEST(test_depfile) };

	return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
