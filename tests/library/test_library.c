/* SPDX-License-Identifier: Apache-2.0 */
/* tests/library/test_library.c - models as libraries, built by their own Makefile: what a program that
 * knows their header alone gets is what a session has, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/library/built.h"
#include "tests/skip.h"

enum { THREADS = 2, CALLERS = 4, SEED = 7 };

#define CALLER TOP_SRCDIR "/tests/library/caller.c"
#define SANITIZE "-g -fsanitize=address,undefined -fno-sanitize-recover=all"

static void must(int rc)
{
	if (rc < 0)
		fail_msg("%s", err_get());
}

static struct built_library built(const char *path)
{
	struct built_library l;

	must(built_open(&l, path, THREADS));
	built_any_args(&l, SEED);
	must(session_run(l.session, l.args, l.results));
	must(built_put_args(&l));
	return l;
}

/* One written as text. */
static struct built_library built_text(const char *text)
{
	struct arena *a = arena_new();
	const char *folder = dir_temp(a);
	const char *path = folder ? arena_printf(a, "%s/text.graph", folder) : NULL;

	must(path ? file_write(path, text, strlen(text)) : -1);
	struct built_library l = built(path);

	dir_remove(folder);
	arena_free(a);
	return l;
}

static void make(const struct built_library *l, const char *variables, const char *cc)
{
	if (!built_make(l, CALLER, variables, cc))
		fail_msg("make %s CC='%s'", variables, cc);
}

/* Results are in the library's folder. */
static void call(const struct built_library *l, int threads, int callers, int offset)
{
	const char *command = arena_printf(l->a, "cd %s && rm -f out_* && ./caller . %d %d %d",
					   l->folder, threads, callers, offset);

	if (system(command) != 0)
		fail_msg("%s", command);
}

static void run(const struct built_library *l, int threads, int callers, int offset)
{
	call(l, threads, callers, offset);
	for (int i = 0; i < graph_main(l->model.graph)->nresults; i++) {
		const struct array *got = built_output(l, i);

		if (!got)
			fail_msg("%s", err_get());
		if (!array_equal(got, l->results[i].array))
			fail_msg("%d threads, %d callers: output %d differs from the session's",
				 threads, callers, i);
	}
}

static void run_each_way(const struct built_library *l)
{
	for (int threads = 1; threads <= THREADS; threads++)
		run(l, threads, 1, 0);
	run(l, THREADS, CALLERS, 0);
	run(l, 1, 1, 4);
}

/* --- models that are kernels and no more */

static void a_network_gives_the_same_bits(void **state)
{
	struct built_library l = built(TOP_SRCDIR "/examples/tiny_cnn.onnx");

	(void)state;
	make(&l, "", "gcc");
	run_each_way(&l);
	built_close(&l);
}

static void without_openmp_it_is_serial(void **state)
{
	struct built_library l = built(TOP_SRCDIR "/examples/tiny_cnn.onnx");

	(void)state;
	make(&l, "OPENMP=", "gcc");
	run(&l, THREADS, 1, 0);
	built_close(&l);
}

static void checkers_find_nothing(void **state)
{
	struct built_library l = built(TOP_SRCDIR "/examples/tiny_cnn.onnx");

	(void)state;
	make(&l, "CFLAGS='-O1 " SANITIZE "'", "gcc " SANITIZE);
	run_each_way(&l);
	/* The checks inside of kernels part what is else one instruction: other last bits. */
	make(&l, "CFLAGS='-O1 " SANITIZE "' KERNEL_CC=gcc KERNEL_EXTRA='" SANITIZE "'",
	     "gcc " SANITIZE);
	call(&l, THREADS, CALLERS, 0);
	built_close(&l);
}

static void clang_builds_it(void **state)
{
	(void)state;
	if (system("command -v clang >/dev/null && echo 'int main(void) { return 0; }' | "
		   "clang -fopenmp -x c - -o /dev/null 2>/dev/null") != 0)
		skip_test("there is no clang with OpenMP (apt-get install clang libomp-dev)");
	struct built_library l = built(TOP_SRCDIR "/examples/tiny_cnn.onnx");

	make(&l, "", "clang");
	run_each_way(&l);
	built_close(&l);
}

/* Inputs and constants as outputs, an output twice, no input at all. */
static void what_no_kernel_writes_is_copied(void **state)
{
	static const char *const texts[] = {
		"graph \"through\"\nfn @main(%x: f32[3]) {\n"
		"\t%y = relu(%x)\n\treturn %y, %x, %y\n}\n",
		"graph \"given\"\nfn @main() {\n\t%c = const f32[3] [1, 2, 3]\n\treturn %c\n}\n",
		"graph \"whole\"\nfn @main(%x: i64[4], %y: bool[2]) {\n\treturn %y, %x, %y\n}\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct built_library l = built_text(texts[i]);

		make(&l, "", "gcc");
		run_each_way(&l);
		built_close(&l);
	}
}

/* --- models that the interpreter has a part in */

/* A weight of 2,048 numbers, 1 each, in base64. */
static const char *ones(struct arena *a)
{
	static const char one[] = "AACAPwAAgD8AAIA/";	/* three of them */
	struct text t = { 0 };

	for (int i = 0; i < 682; i++)
		text_puts(&t, one);
	text_puts(&t, "AACAPwAAgD8=");
	const char *s = arena_strdup(a, text_str(&t));

	text_free(&t);
	return s;
}

/* What comes of data between two stretches, and a table that is no kernel's. */
static const char parts[] =
	"graph \"parts\"\nfn @main(%%x: f32[8, 64], %%go: bool[]) {\n"
	"\t%%w = const f32[64, 32] base64 %s\n"
	"\t%%m = matmul(%%x, %%w)\n\t%%r = relu(%%m)\n"
	"\t%%k = const i64[1] [4]\n\t%%t = top_k(%%r, %%k)\n\t%%v = %%t[0]\n\t%%i = %%t[1]\n"
	"\t%%s = sigmoid(%%v)\n"
	"\t%%table = const i64[40] [%s]\n\t%%g = gather(%%table, %%i)\n"
	"\t%%n = nonzero(%%r)\n\t%%sh = shape_of(%%n)\n"
	"\t%%b = if %%go then @yes else @no (%%s)\n"
	"\treturn %%s, %%g, %%sh, %%x, %%b\n}\n"
	"fn @yes(%%s: f32[8, 4]) {\n\t%%e = exp(%%s)\n\treturn %%e\n}\n"
	"fn @no(%%s: f32[8, 4]) {\n\t%%e = tanh(%%s)\n\treturn %%e\n}\n";

/* Numbers that no table of shapes has, more than are written out in a text. */
static const char numbers[] = "40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, "
			      "22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, "
			      "2, 1";

/* A step among kernels that has none. */
static const char between[] =
	"graph \"between\"\nfn @main(%x: f32[4, 4], %m: f32[4, 4]) {\n"
	"\t%y = relu(%x)\n\t%z = call @odd(%y)\n\t%p = add(%m, %z)\n\treturn %p\n}\n"
	"fn @odd(%x: f32[4, 4]) -> f32[] attrs {fused = 1} {\n\t%d = det(%x)\n\treturn %d\n}\n";

static bool calls_interpreter(const struct built_library *l)
{
	size_t size;
	const char *plan = file_read(l->a, arena_printf(l->a, "%s/model_plan.h", l->folder),
				     BUILT_MOST_BYTES, &size);

	return plan && strstr(plan, "{ CALL, ");
}

static void the_interpreter_runs_the_rest(void **state)
{
	struct arena *a = arena_new();
	struct built_library l = built_text(arena_printf(a, parts, ones(a), numbers));
	struct built_library other = built_text(between);

	(void)state;
	make(&l, "", "gcc");
	run_each_way(&l);
	assert_true(calls_interpreter(&other));
	make(&other, arena_printf(a, "INTERPRETER=%s/interpreter", l.folder), "gcc");
	run_each_way(&other);
	built_close(&other);
	built_close(&l);
	arena_free(a);
}

/* --- what is written */

static void it_installs_and_is_found(void **state)
{
	static const char script[] =
		"cd %s && make -s install PREFIX=$PWD/to >/dev/null && "
		"g++ -fsyntax-only -Wall -Wextra -pedantic -x c++ to/include/model.h && test -f to/lib/cmake/model/modelConfig.cmake && "
		"PKG_CONFIG_PATH=to/lib/pkgconfig pkg-config --cflags --libs model > flags && "
		"gcc example.c $(cat flags) -Wl,-rpath,$PWD/to/lib -o installed && ./installed 1 in_0 "
		">/dev/null && cmp output_0.bin out_0";
	struct built_library l = built(TOP_SRCDIR "/examples/tiny_cnn.onnx");

	(void)state;
	make(&l, "", "gcc");
	run(&l, 1, 1, 0);
	if (system(arena_printf(l.a, script, l.folder)) != 0)
		fail_msg("what is installed is not what was built");
	built_close(&l);
}

/* A kernel that was compiled for what no machine has is refused when an instance is made. */
static void a_machine_that_lacks_something_is_told(void **state)
{
	static const char script[] =
		"cd %s && sed -i 's/^X(0, .*/X(0, \"sse3\", __x86_64__, 0)/' model_isa.h && "
		"make -s >log 2>&1 && "
		"./example 1 2>&1 | grep -q 'create: model: .*instructions .*: sse3$'";
	struct built_library l = built(TOP_SRCDIR "/examples/tiny_cnn.onnx");

	(void)state;
#ifndef __x86_64__
	skip_test("it is told on x86 alone");
#endif
	if (system(arena_printf(l.a, script, l.folder)) != 0)
		fail_msg("nothing is said of an instruction set that is missing");
	built_close(&l);
}

static void shapes_have_to_be_known(void **state)
{
	struct arena *a = arena_new();
	const char *folder = dir_temp(a);
	const char *path = folder ? arena_printf(a, "%s/open.graph", folder) : NULL;
	static const char text[] = "graph \"open\"\nfn @main(%x \"in\": f32[N]) {\n"
				   "\t%y = relu(%x)\n\treturn %y\n}\n";
	struct built_library l;

	(void)state;
	must(path ? file_write(path, text, strlen(text)) : -1);
	assert_int_equal(built_open(&l, path, 1), -1);
	assert_non_null(strstr(err_get(), "the input 'in' is f32[N]"));
	built_close(&l);
	dir_remove(folder);
	arena_free(a);
}

static void names_are_identifiers(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_string_equal(library_name(a, "a/b/res-net.v2.onnx"), "res_net_v2");
	assert_string_equal(library_name(a, "3d.onnx"), "_3d");
	assert_true(library_name_is_fit("res_net2"));
	assert_false(library_name_is_fit("2res"));
	assert_false(library_name_is_fit("a-b"));
	assert_false(library_name_is_fit(""));
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_network_gives_the_same_bits),
		cmocka_unit_test(without_openmp_it_is_serial),
		cmocka_unit_test(checkers_find_nothing),
		cmocka_unit_test(clang_builds_it),
		cmocka_unit_test(what_no_kernel_writes_is_copied),
		cmocka_unit_test(the_interpreter_runs_the_rest),
		cmocka_unit_test(it_installs_and_is_found),
		cmocka_unit_test(a_machine_that_lacks_something_is_told),
		cmocka_unit_test(shapes_have_to_be_known),
		cmocka_unit_test(names_are_identifiers),
	};

	return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
