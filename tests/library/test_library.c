/* SPDX-License-Identifier: Apache-2.0 */
/* tests/library/test_library.c - models as libraries, built by their own Makefile: what a program that
 * knows their header alone gets is what a session has, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/library/called.h"
#include "tests/fixture/onnx_fixture.h"
#include "tests/skip.h"

/* One written as text. */
static struct built_library built_text(const char *text)
{
	struct arena *a = arena_new();
	const char *folder = dir_temp(a);
	const char *path = folder ? arena_printf(a, "%s/text.graph", folder) : NULL;

	called_must(path ? file_write(path, text, strlen(text)) : -1);
	struct built_library l = called_open(path);

	dir_remove(folder);
	arena_free(a);
	return l;
}

/* --- models that are kernels and no more */

static void a_network_gives_the_same_bits(void **state)
{
	struct built_library l = called_open(TOP_SRCDIR "/examples/tiny_cnn.onnx");

	(void)state;
	called_make(&l, "", "gcc");
	called_run_each_way(&l);
	built_close(&l);
}

static void without_openmp_it_is_serial(void **state)
{
	struct built_library l = called_open(TOP_SRCDIR "/examples/tiny_cnn.onnx");

	(void)state;
	called_make(&l, "OPENMP=", "gcc");
	called_run(&l, CALLED_THREADS, 1, 0);
	built_close(&l);
}

static void checkers_find_nothing(void **state)
{
	struct built_library l = called_open(TOP_SRCDIR "/examples/tiny_cnn.onnx");

	(void)state;
	called_run_sanitized(&l, "");
	built_close(&l);
}

static void clang_builds_it(void **state)
{
	(void)state;
	if (system("command -v clang >/dev/null && echo 'int main(void) { return 0; }' | "
		   "clang -fopenmp -x c - -o /dev/null 2>/dev/null") != 0)
		skip_test("there is no clang with OpenMP (apt-get install clang libomp-dev)");
	struct built_library l = called_open(TOP_SRCDIR "/examples/tiny_cnn.onnx");

	called_make(&l, "", "clang");
	called_run_each_way(&l);
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

		called_make(&l, "", "gcc");
		called_run_each_way(&l);
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

/* Outputs whose shapes a run tells: one that is new, one that lies in an input. */
static const char told[] =
	"graph \"told\"\nfn @main(%x: f32[8, 64], %n: i64[]) {\n"
	"\t%r = relu(%x)\n\t%z = nonzero(%r)\n"
	"\t%none = const i64[2] [0, 0]\n\t%dims = const i64[2] [64, 8]\n"
	"\t%m = mul(%n, %none)\n\t%d = add(%m, %dims)\n\t%v = reshape(%x, %d)\n"
	"\treturn %z, %r, %v\n}\n";

static bool calls_interpreter(const struct built_library *l)
{
	size_t size;
	const char *plan = file_read(l->a, arena_printf(l->a, "%s/model_plan.h", l->folder),
				     BUILT_MOST_BYTES, &size);

	return plan && strstr(plan, "{ CALL, ");
}

/* The library of TEXT, with the interpreter of WITH. */
static struct built_library run_beside(const struct built_library *with, const char *text)
{
	struct built_library l = built_text(text);

	called_make(&l, arena_printf(l.a, "INTERPRETER=%s/interpreter", with->folder), "gcc");
	called_run_each_way(&l);
	return l;
}

static void the_interpreter_runs_the_rest(void **state)
{
	struct arena *a = arena_new();
	struct built_library l = built_text(arena_printf(a, parts, ones(a), numbers));

	(void)state;
	called_make(&l, "", "gcc");
	called_run_each_way(&l);
	struct built_library other = run_beside(&l, between);

	assert_true(calls_interpreter(&other));
	built_close(&other);
	other = run_beside(&l, told);
	assert_false(type_is_static(graph_main(other.model.graph)->result->field[0]));
	built_close(&other);
	if (system(arena_printf(a, "cd %s && make -s clean && test -z \"$(find . -name '*.[oa]')\"",
				l.folder)) != 0)
		fail_msg("make clean leaves objects");
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
	struct built_library l = called_open(TOP_SRCDIR "/examples/tiny_cnn.onnx");

	(void)state;
	called_make(&l, "", "gcc");
	called_run(&l, 1, 1, 0);
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
	struct built_library l = called_open(TOP_SRCDIR "/examples/tiny_cnn.onnx");

	(void)state;
#ifndef __x86_64__
	skip_test("it is told on x86 alone");
#endif
	if (system(arena_printf(l.a, script, l.folder)) != 0)
		fail_msg("nothing is said of an instruction set that is missing");
	built_close(&l);
}

static void what_is_refused_is_told_with_the_way_out(void **state)
{
	static const struct {
		const char *type, *message;
	} inputs[] = {
		{ "f32[2, 2 * N]", "give --dim NAME=SIZE" },
		{ "f32[2, ?]", "give --dim 'in.1=SIZE'" },
		{ "f32[...]", "hone run and libhone" },
		{ "string[2]", "hone run and libhone" },
		{ "[f32[2]]", "hone run and libhone" },
	};
	struct arena *a = arena_new();
	const char *folder = dir_temp(a);
	const struct open_options how = { .model = arena_printf(a, "%s/open.graph", folder) };

	(void)state;
	for (size_t i = 0; i < sizeof(inputs) / sizeof(*inputs); i++) {
		const char *text = arena_printf(a, "graph \"open\"\nfn @main(%%x \"in\": %s) {\n"
						   "\treturn %%x\n}\n", inputs[i].type);
		struct built_library l;

		called_must(file_write(how.model, text, strlen(text)));
		assert_int_equal(built_open(&l, &how), -1);
		assert_non_null(strstr(err_get(), "the input 'in' is "));
		assert_non_null(strstr(err_get(), inputs[i].message));
		built_close(&l);
	}
	dir_remove(folder);
	arena_free(a);
}

/* A dim that the model names, and one that it does not. */
static void open_dims_can_be_given(void **state)
{
	static const struct onnx_dim dims[] = { { "N", 2 }, { "image.2", 6 } };
	struct arena *a = arena_new();
	const char *folder = dir_temp(a);
	const struct open_options how = { .model = arena_printf(a, "%s/open.onnx", folder),
					  .threads = CALLED_THREADS, .dims = dims, .ndims = 2 };
	struct onnx_fixture x;
	struct built_library l;
	size_t size;

	(void)state;
	fixture_init(&x);
	x.dims[0].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
	x.dims[0].dim_param = "N";
	x.dims[2].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE__NOT_SET;
	const unsigned char *data = fixture_pack(a, &x, &size);

	called_must(file_write(how.model, data, size));
	called_must(built_open(&l, &how));
	assert_int_equal(type_count(function_at(graph_main(l.model.graph), 0)->type), 2 * 2 * 6 * 4);
	called_prepare(&l);
	called_make(&l, "", "gcc");
	called_run_each_way(&l);
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
		cmocka_unit_test(what_is_refused_is_told_with_the_way_out),
		cmocka_unit_test(open_dims_can_be_given),
		cmocka_unit_test(names_are_identifiers),
	};

	return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
