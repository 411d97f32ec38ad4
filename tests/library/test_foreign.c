/* SPDX-License-Identifier: Apache-2.0 */
/* tests/library/test_foreign.c - libraries that have parts which code generators compute: what comes out is
 * what a session with these generators has, bit for bit, wherever the library is moved to; and what
 * is wrong with a generator is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "base/text.h"
#include "partition/generators.h"
#include "tests/library/called.h"
#include "tests/skip.h"

static const char model[] = TOP_SRCDIR "/examples/tiny_cnn.onnx";

/* A folder with both generators, and no times of theirs but what these tests measure. */
static struct arena *arena;
static const char *folder, *example, *kernels;

static int make_generators(void **state)
{
	static const char script[] =
		"cd %s && cp " TOP_SRCDIR "/examples/generator/* " TOP_SRCDIR "/tests/library/kernels.c . && "
		"make -s CPPFLAGS=-I" TOP_SRCDIR "/include CFLAGS='-O2 -std=c11 -Wall -Wextra -Werror' && "
		"gcc -O2 -std=c11 -Wall -Wextra -Werror -I" TOP_SRCDIR "/include -fPIC -shared -o kernels.so "
		"kernels.c";

	(void)state;
	arena = arena_new();
	folder = dir_temp(arena);
	if (!folder || system(arena_printf(arena, script, folder)) != 0)
		return -1;
	example = arena_printf(arena, "%s/example.so", folder);
	kernels = arena_printf(arena, "%s/kernels.so", folder);
	return setenv("XDG_CACHE_HOME", arena_printf(arena, "%s/cache", folder), 1);
}

static int remove_generators(void **state)
{
	(void)state;
	dir_remove(folder);
	arena_free(arena);
	return 0;
}

/* The library of PATH, with N GENERATORS, written and not run yet. */
static struct built_library written(const char *path, int n, const char *const *generators)
{
	struct built_library l;

	called_must(built_open(&l, &(struct open_options){ .model = path, .threads = CALLED_THREADS,
							   .offload = { .backends = generators,
									.nbackends = n } }));
	return l;
}

static struct built_library opened(const char *path, int n, const char *const *generators)
{
	struct built_library l = written(path, n, generators);

	called_prepare(&l);
	return l;
}

static void must_run(const struct built_library *l, const char *script)
{
	if (system(arena_printf(l->a, "cd %s && { %s; }", l->folder, script)) != 0)
		fail_msg("%s", script);
}

/* How many steps of L's library a generator computes. */
static int foreign_steps(const struct built_library *l)
{
	size_t size;
	const char *plan = file_read(l->a, arena_printf(l->a, "%s/model_plan.h", l->folder),
				     BUILT_MOST_BYTES, &size);
	int n = 0;

	while (plan && (plan = strstr(plan, "{ FOREIGN, "))) {
		plan++;
		n++;
	}
	return n;
}

/* --- the same bits */

static void regions_between_lists_are_steps(void **state)
{
	struct built_library l = opened(model, 1, &example);

	(void)state;
	assert_int_equal(foreign_steps(&l), l.model.offloaded.cut.regions.n);
	must_run(&l, "grep -q 'INTERPRETED 0' model_plan.h");
	called_make(&l, "", "gcc");
	called_run_each_way(&l);
	built_close(&l);
}

static void kernels_are_steps(void **state)
{
	struct built_library l = opened(model, 1, &kernels);

	(void)state;
	assert_true(foreign_steps(&l) > 0);
	called_make(&l, "", "gcc");
	called_run_each_way(&l);
	built_close(&l);
}

static void without_openmp_generators_have_one_thread(void **state)
{
	struct built_library l = opened(model, 1, &kernels);

	(void)state;
	called_make(&l, "OPENMP=", "gcc");
	called_run(&l, CALLED_THREADS, CALLED_CALLERS, 0);
	built_close(&l);
}

/* What both have a part in: the example takes no convolution with gaps. Where it cannot be
 * written, there is a message. */
static struct built_library opened_for_both(const char *const *generators)
{
	static const char text[] =
		"graph \"both\"\nfn @main(%x: f32[1, 2, 5, 5], %y: f32[4, 16]) {\n"
		"\t%w = const f32[2, 2, 2, 2] [1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8]\n"
		"\t%c = conv(%x, %w) {dilations = [2, 2]}\n\t%r = relu(%y)\n\t%e = tanh(%r)\n"
		"\treturn %c, %e\n}\n";
	const char *path = arena_printf(arena, "%s/text.graph", folder);
	struct built_library l;

	called_must(file_write(path, text, strlen(text)));
	if (built_open(&l, &(struct open_options){ .model = path, .threads = CALLED_THREADS,
						   .offload = { .backends = generators, .nbackends = 2 } }) == 0)
		called_prepare(&l);
	return l;
}

static void checkers_find_nothing(void **state)
{
	const char *const both[] = { kernels, example };
	struct built_library l = opened_for_both(both);

	(void)state;
	must_run(&l, "test $(ls model_generators | wc -l) -eq 2");
	assert_int_equal(foreign_steps(&l), 2);
	called_run_sanitized(&l, "");
	built_close(&l);
	l = opened(model, 1, &kernels);
	called_run_sanitized(&l, "");
	built_close(&l);
}

/* Around regions the interpreter runs what depends on data, in a branch, too. */
static const char parts[] =
	"graph \"parts\"\nfn @main(%x: f32[8, 64], %go: bool[]) {\n"
	"\t%r = relu(%x)\n\t%n = nonzero(%r)\n\t%sh = shape_of(%n)\n"
	"\t%s = add(%r, %x)\n\t%e = exp(%s)\n"
	"\t%b = if %go then @yes else @no (%e)\n"
	"\treturn %s, %sh, %b\n}\n"
	"fn @yes(%e: f32[8, 64]) {\n\t%f = add(%e, %e)\n\t%g = relu(%f)\n\treturn %g\n}\n"
	"fn @no(%e: f32[8, 64]) {\n\t%f = tanh(%e)\n\treturn %f\n}\n";

/* A region with two outputs, one of which is an output of the library twice and read again. */
static const char chain[] =
	"graph \"chain\"\nfn @main(%x: f32[4, 16]) {\n"
	"\t%c = const f32[16] [1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8]\n"
	"\t%a = add(%x, %c)\n\t%r = relu(%a)\n\t%t = tanh(%a)\n\t%u = add(%t, %c)\n\t%v = exp(%r)\n"
	"\treturn %r, %u, %v, %r, %x\n}\n";

static void run_text(const char *text, const char *expects)
{
	const char *path = arena_printf(arena, "%s/text.graph", folder);

	called_must(file_write(path, text, strlen(text)));
	struct built_library l = opened(path, 1, &example);

	assert_true(foreign_steps(&l) > 0);
	must_run(&l, expects);
	called_make(&l, "", "gcc");
	called_run_each_way(&l);
	built_close(&l);
}

static void the_interpreter_runs_what_is_around_regions(void **state)
{
	(void)state;
	run_text(parts, "grep -q 'INTERPRETED 1' model_plan.h");
}

static void regions_have_several_outputs(void **state)
{
	(void)state;
	run_text(chain, "grep -q 'INTERPRETED 0' model_plan.h");
}

/* oneDNN chooses its code by the number of threads, and with it the last bits. */
static void onednn_is_a_generator_of_libraries(void **state)
{
	static const char *const name = "./hone-onednn.so", *const node = "/0/0.0/Conv";
	struct backend b;
	struct built_library l;

	(void)state;
	if (backend_load(arena, name, &b) < 0)
		skip_test("configure found no oneDNN (apt-get install libdnnl-dev)");
	called_must(built_open(&l, &(struct open_options){
		.model = model, .threads = CALLED_THREADS,
		.offload = { .backends = &name, .nbackends = 1, .offload = &node, .noffload = 1 } }));
	assert_true(foreign_steps(&l) > 0);
	called_prepare(&l);
	called_make(&l, "", "gcc");
	called_run(&l, CALLED_THREADS, 1, 0);
	called_run(&l, CALLED_THREADS, CALLED_CALLERS, 0);
	built_close(&l);
}

/* --- where it is */

static void it_runs_wherever_it_is_moved_to(void **state)
{
	static const char script[] =
		"mkdir -p moved/to && cp -r example model_generators moved/to && rm -rf model_generators && "
		"cd moved && to/example 2 ../in_0 >/dev/null && cmp output_0.bin ../out_0";
	static const char on_path[] =
		"PATH=$PWD/moved/to:$PATH example 1 in_0 >/dev/null && cmp output_0.bin out_0";
	struct built_library l = opened(model, 1, &kernels);

	(void)state;
	called_make(&l, "", "gcc");
	called_run(&l, 1, 1, 0);
	must_run(&l, script);
	must_run(&l, on_path);
	built_close(&l);
}

static void it_installs_with_its_generators(void **state)
{
	static const char script[] =
		"make -s install PREFIX=$PWD/to >/dev/null && rm -rf model_generators && "
		"PKG_CONFIG_PATH=to/lib/pkgconfig pkg-config --cflags --libs model > flags && "
		"gcc example.c $(cat flags) -Wl,-rpath,$PWD/to/lib -o installed && "
		"./installed 1 in_0 >/dev/null && cmp output_0.bin out_0 && "
		"test $(PKG_CONFIG_PATH=to/lib/pkgconfig pkg-config --variable=generators model) = "
		"model_generators/kernels.so && grep -q model_generators/kernels.so modelConfig.cmake && "
		"grep -q 'kernels.so: kernels, kernels 1' model.h";
	struct built_library l = opened(model, 1, &kernels);

	(void)state;
	called_make(&l, "", "gcc");
	called_run(&l, 1, 1, 0);
	must_run(&l, script);
	built_close(&l);
}

/* --- what goes wrong */

static void what_is_wrong_with_a_generator_is_told(void **state)
{
	static const char *const scripts[] = {
		"KERNELS_FAIL=init ./example 1 2>&1 | "
		"grep 'create: model: generator kernels, region .* of [23] calls: asked to fail$'",
		"KERNELS_FAIL=run ./example 1 2>&1 | "
		"grep 'run: model: generator kernels, region .* of [23] calls: asked to fail$'",
		"rm model_generators/kernels.so; ./example 1 2>&1 | "
		"grep 'create: model: generator kernels, cannot be loaded: .*model_generators/kernels.so'",
		"echo 'int nothing;' | gcc -shared -fPIC -x c - -o model_generators/kernels.so; "
		"./example 1 2>&1 | grep 'kernels.so: is no code generator'",
		"sed 's/HONE_GENERATOR_ABI,/1,/' " TOP_SRCDIR "/tests/library/kernels.c | "
		"gcc -I. -shared -fPIC -x c - -o model_generators/kernels.so; ./example 1 2>&1 | grep 'is of another ABI'",
	};
	struct built_library l = opened(model, 1, &kernels);

	(void)state;
	called_make(&l, "", "gcc");
	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++)
		must_run(&l, scripts[i]);
	built_close(&l);
}

static void its_generator_is_configured(void **state)
{
	const char *plainly = arena_printf(arena, "%s=plainly", kernels);
	struct built_library l = opened(model, 1, &plainly);

	(void)state;
	called_make(&l, "", "gcc");
	called_run(&l, 1, 1, 0);
	must_run(&l, "KERNELS_FAIL=configure ./example 1 2>&1 | "
		     "grep 'create: model: generator kernels, configured .*: asked to fail$'");
	built_close(&l);
}

static void errors_pass_the_interpreter(void **state)
{
	const char *path = arena_printf(arena, "%s/text.graph", folder);
	static const char text[] =
		"graph \"parts\"\nfn @main(%x: f32[1, 2, 4, 4]) {\n"
		"\t%w = const f32[1, 2, 1, 1] [1, 2]\n\t%b = const f32[1, 1, 1, 1] [3]\n"
		"\t%c = conv(%x, %w)\n\t%d = add(%c, %b)\n\t%n = nonzero(%d)\n\treturn %d, %n\n}\n";

	(void)state;
	called_must(file_write(path, text, strlen(text)));
	struct built_library l = opened(path, 1, &kernels);

	assert_int_equal(foreign_steps(&l), 1);
	called_make(&l, "", "gcc");
	called_run(&l, 1, 1, 0);
	must_run(&l, "KERNELS_FAIL=run ./example 1 2>&1 | "
		     "grep 'run: model: .*generator kernels, region .* of 2 calls: asked to fail$'");
	built_close(&l);
}

static void two_files_of_one_name_are_refused(void **state)
{
	const char *const both[] = { arena_printf(arena, "%s/other/example.so", folder), example };

	(void)state;
	assert_int_equal(system(arena_printf(arena, "mkdir -p %s/other && cp %s %s", folder, kernels,
					     both[0])), 0);
	struct built_library l = opened_for_both(both);

	assert_non_null(strstr(err_get(), "both in a file called example.so"));
	built_close(&l);
}

/* --- without generators */

/* What takes nothing leaves no trace. */
static void without_a_part_it_is_the_same_library(void **state)
{
	static const char text[] = "graph \"none\"\nfn @main(%x: f32[4, 16]) {\n"
				   "\t%t = tanh(%x)\n\treturn %t\n}\n";
	const char *path = arena_printf(arena, "%s/text.graph", folder);

	(void)state;
	called_must(file_write(path, text, strlen(text)));
	struct built_library plain = written(path, 0, NULL), asked = written(path, 1, &example);

	must_run(&asked, arena_printf(asked.a, "diff -r . %s && ! grep -ri generator .", plain.folder));
	built_close(&plain);
	built_close(&asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regions_between_lists_are_steps),
		cmocka_unit_test(kernels_are_steps),
		cmocka_unit_test(without_openmp_generators_have_one_thread),
		cmocka_unit_test(checkers_find_nothing),
		cmocka_unit_test(the_interpreter_runs_what_is_around_regions),
		cmocka_unit_test(regions_have_several_outputs),
		cmocka_unit_test(onednn_is_a_generator_of_libraries),
		cmocka_unit_test(it_runs_wherever_it_is_moved_to),
		cmocka_unit_test(it_installs_with_its_generators),
		cmocka_unit_test(what_is_wrong_with_a_generator_is_told),
		cmocka_unit_test(its_generator_is_configured),
		cmocka_unit_test(errors_pass_the_interpreter),
		cmocka_unit_test(two_files_of_one_name_are_refused),
		cmocka_unit_test(without_a_part_it_is_the_same_library),
	};

	return cmocka_run_group_tests_name("foreign", tests, make_generators, remove_generators);
}
