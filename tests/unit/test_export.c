/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_export.c - what hone export writes compiles alone and computes the task. */
#include "tests/db_fixture.h"
#include "tests/te_run.h"

#include <dlfcn.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "codegen/export.h"
#include "measure/device.h"
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

/* A database with one ok record of SPEC, for this device. */
static void put_record(struct fixture *f)
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
	assert_ok(append_one(db, fixture_record(f, steps_text(f->a, &s->steps), TRIAL_OK, 5)));
	db_close(db);
}

static json_t *export_json(struct fixture *f)
{
	char *out;

	put_record(f);
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

/* What dlsym gives, as the function it is: ISO C has no cast for that. */
static void find(void *object, const char *symbol, void *fn)
{
	void *found = dlsym(object, symbol);

	if (!found)
		fail_msg("%s: %s", symbol, dlerror());
	memcpy(fn, &found, sizeof(found));
}

static void *aligned(size_t bytes)
{
	return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void compare(void *object, const char *symbol)
{
	struct run r = run_spec(SPEC);
	int32_t (*kernel)(void *const *args);
	size_t (*packed_bytes)(int32_t input);
	void (*pack)(int32_t input, const void *raw, void *packed);
	void *args[ARGS_MAX];

	find(object, symbol, &kernel);
	find(object, arena_printf(r.a, "%s_packed_bytes", symbol), &packed_bytes);
	find(object, arena_printf(r.a, "%s_pack", symbol), &pack);
	assert_int_equal(r.n, 3);
	assert_int_equal(packed_bytes(0), 0);
	assert_int_equal(packed_bytes(1), 3 * 5 * 8 * 4);	/* j.0, k, j.1, f32 */
	for (int i = 0; i < r.n; i++) {
		size_t raw = tensor_bytes(&r.op[i]->tensor), packed = packed_bytes(i);

		args[i] = aligned(packed ? packed : raw);
		if (packed)
			pack(i, r.args[i], args[i]);
		else
			memcpy(args[i], r.args[i], raw);
	}
	memset(args[2], 0xff, tensor_bytes(&r.op[2]->tensor));
	assert_int_equal(kernel(args), 0);
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
	json_int_t packed, extent;
	int threads;

	if (json_unpack(manifest, "{s:[{s:s, s:s, s:s, s:s, s:s, s:i, s:[{}, {s:s, s:I, s:[I]}]}]}",
			"kernels", "symbol", &symbol, "file", &file, "task", &task, "name", &name,
			"steps", &steps, "threads", &threads, "arguments", "role", &role,
			"packed_bytes", &packed, "shape", &extent) != 0)
		fail_msg("the manifest lacks something: %s", json_dumps(manifest, 0));
	assert_string_equal(name, SPEC);
	assert_string_equal(role, "const");
	assert_true(packed == 480 && extent == 5 && threads == 1);
	assert_string_equal(symbol, arena_printf(f->a, "hone_matmul_%.8s", task));
	assert_non_null(strstr(steps, "layout 1"));
	static const char *const compilers[] = { "cc", "gcc", "clang" };

	for (int i = 0; i < 3; i++)
		if (system(arena_printf(f->a, "command -v %s >/dev/null", compilers[i])) == 0)
			check_compiler(f, compilers[i], file, symbol);
	json_decref(manifest);
}

static void test_failures(void **state)
{
	struct fixture *f = *state;
	char *out;

	put_record(f);
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
					    TEST(test_symbols) };

	return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
