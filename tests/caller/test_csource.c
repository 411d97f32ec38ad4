/* SPDX-License-Identifier: Apache-2.0 */
/* tests/caller/test_csource.c - examples/csource/, built by its own Makefile with nothing but headers that
 * are installed, computes regions as the interpreter does; what can go wrong is told, and nothing is left in
 * the folder for temporary files. */
#include "tests/generator/generator_check.h"

#include <dirent.h>
#include <limits.h>

#include "base/file.h"

/* The folder of all tests: kernels, and a folder for temporary files. */
static const char *folder;

static const char *path_of(struct arena *a, const char *name)
{
	return arena_printf(a, "%s/%s", folder, name);
}

static void assert_nothing_left(struct arena *a)
{
	DIR *dir = opendir(path_of(a, "tmp"));

	assert_non_null(dir);
	for (const struct dirent *e; (e = readdir(dir));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			fail_msg("%s was left behind", e->d_name);
	closedir(dir);
}

/* Compiles the C text as the library NAME.so of kernels. */
static void make_kernels(struct arena *a, const char *name, const char *text)
{
	const char *path = path_of(a, name);

	if (file_write(arena_printf(a, "%s.c", path), text, strlen(text)) < 0 ||
	    system(arena_printf(a, "cc -I%s -fPIC -shared -o %s.so %s.c", folder, path, path)) != 0)
		fail_msg("%s does not compile", name);
}

static int set_up(void **state)
{
	struct arena *a = arena_new();

	*state = a;
	folder = dir_temp(a);
	if (!folder ||
	    system(arena_printf(a, "mkdir %s/tmp && cp " TOP_SRCDIR "/include/hone_generator*.h " TOP_SRCDIR
				   "/examples/csource/* %s && make -s -C %s CPPFLAGS=-I. "
				   "CFLAGS='-O2 -std=c11 -Wall -Wextra -Werror'", folder, folder, folder)) != 0)
		fail_msg("examples/csource does not compile");
	make_kernels(a, "failing", "int kernel_relu(void) { return 1; }\n");
	setenv("TMPDIR", path_of(a, "tmp"), 1);
	return 0;
}

static int tear_down(void **state)
{
	dir_remove(folder);
	arena_free(*state);
	return 0;
}

/* csource with the library NAME, a path below the folder. */
static struct backend with(struct arena *a, const char *name)
{
	struct backend b;

	setenv("HONE_CSOURCE_KERNELS", path_of(a, name), 1);
	if (backend_load(a, "./hone-csource.so", &b) < 0)
		fail_msg("%s", err_get());
	return b;
}

/* --- results */

static int strided(struct graph_maker *m)
{
	struct attr_vec attrs = { 0 };
	int x = input(m, 2, 4, 9, 11);

	attrs_ints(m->a, &attrs, "strides", 2, (int64_t[]){ 2, 1 });
	attrs_ints(m->a, &attrs, "dilations", 2, (int64_t[]){ 1, 2 });
	attrs_ints(m->a, &attrs, "pads", 4, (int64_t[]){ 1, 2, 0, 3 });
	attrs_int(m->a, &attrs, "groups", 2);
	return build_with(&m->b, &core_conv, &attrs, x, weight(m, 6, 2, 3, 2));
}

static int residual(struct graph_maker *m)
{
	int x = build(&m->b, &core_relu, conv(m, input(m, 1, 3, 7, 7), 3, 5, 3, 1));
	int y = build(&m->b, &core_add, conv(m, x, 5, 5, 1, 0), weight(m, 5, 1, 1));

	return build(&m->b, &core_relu, build(&m->b, &core_add, y, x));
}

static int sums(struct graph_maker *m)
{
	int x = input(m, 2, 1, 4), y = input(m, 3, 1);

	return build(&m->b, &core_add, weight(m, 4), build(&m->b, &core_add, x, y));
}

static void test_results(void **state)
{
	static const struct {
		const char *name;
		int (*make)(struct graph_maker *m);
	} cases[] = { { "a convolution", strided }, { "a residual block", residual }, { "sums", sums } };
	struct backend b = with(*state, "kernels.so");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct graph_maker m = graph_maker_new();

		finish(&m, cases[i].make(&m));
		check_generator(&m, &b, cases[i].name);
		arena_free(m.a);
	}
	assert_nothing_left(*state);
}

/* --- the source */

static int small(struct graph_maker *m)
{
	return build(&m->b, &core_relu, build(&m->b, &core_add, input(m, 3, 2), weight(m, 2)));
}

static const char small_source[] =
	"static const struct hone_region region = "
	"{ .ntensors = 4, .tensors = (const struct hone_region_tensor[]){\n"
	"\t{ .type = HONE_F32, .rank = 2, .dim = { 3, 2 } },\n"
	"\t{ .type = HONE_F32, .rank = 1, .dim = { 2 } },\n"
	"\t{ .type = HONE_F32, .rank = 2, .dim = { 3, 2 } },\n"
	"\t{ .type = HONE_F32, .rank = 2, .dim = { 3, 2 } },\n"
	"}, .ncalls = 2, .calls = (const struct hone_region_call[]){\n"
	"\t{ .op = \"add\", .ninputs = 2, .inputs = (const int[]){ 0, 1 }, .output = 2 },\n"
	"\t{ .op = \"relu\", .ninputs = 1, .inputs = (const int[]){ 2 }, .output = 3 },\n"
	"}, .ninputs = 1, .noutputs = 1, .inputs = (const int[]){ 0 }, .outputs = (const int[]){ 3 } };\n"
	"\n"
	"typedef int kernel(const struct hone_region *region, int call, const void *const *inputs, "
	"void *output,\n"
	"\t\t   int threads);\n"
	"kernel kernel_add;\n"
	"kernel kernel_relu;\n"
	"\n"
	"/* AT: by tensor of the region, its elements. */\n"
	"int region_run(void *const *at, int threads)\n"
	"{\n"
	"\tif (kernel_add(&region, 0, (const void *const[]){ at[0], at[1], NULL }, at[2], threads))\n"
	"\t\treturn 1;\n"
	"\tif (kernel_relu(&region, 1, (const void *const[]){ at[2], NULL }, at[3], threads))\n"
	"\t\treturn 2;\n"
	"\treturn 0;\n"
	"}\n";

/* What users include is in the source, which compiles alone and without a warning. */
static void test_text(void **state)
{
	struct graph_maker m = graph_maker_new();
	struct backend b = with(*state, "kernels.so");
	struct text artifact = { 0 };
	char why[HONE_WHY_BYTES] = "";
	size_t size;
	const char *file = path_of(m.a, "alone.c");

	finish(&m, small(&m));
	assert_int_equal(b.generator->compile(&whole_view(&m)->region, generator_write, &artifact, why), 0);
	const char *header = file_read(m.a, TOP_SRCDIR "/include/hone_generator.h", (size_t)1 << 20, &size);
	const char *rest = strstr(artifact.s, "static const struct hone_region region");

	assert_non_null(header);
	assert_non_null(strstr(artifact.s, header));
	assert_non_null(rest);
	assert_string_equal(rest, small_source);
	assert_int_equal(file_write(file, artifact.s, artifact.n), 0);
	assert_int_equal(system(arena_printf(m.a, "cc -std=c11 -Wall -Wextra -Werror -fPIC -c -o %s.o %s", file,
					     file)), 0);
	text_free(&artifact);
	arena_free(m.a);
}

/* --- what is refused */

static int tanhs(struct graph_maker *m)
{
	return build(&m->b, &core_tanh, input(m, 4));
}

static int line(struct graph_maker *m)
{
	int x = input(m, 1, 2, 9);

	return build(&m->b, &core_conv, x, weight(m, 2, 2, 3));
}

static int doubles(struct graph_maker *m)
{
	int x = build_param(&m->b, "", type_shaped(m->a, ELEMENT_F64, DIMS(4)));

	return build(&m->b, &core_relu, x);
}

static int padded(struct graph_maker *m)
{
	struct attr_vec attrs = { 0 };
	int x = input(m, 1, 2, 9, 9);

	attrs_string(m->a, &attrs, "auto_pad", "same_upper");
	return build_with(&m->b, &core_conv, &attrs, x, weight(m, 2, 2, 3, 3));
}

/* Claims of MAKE's graph by B fail with what they say. */
static void assert_unclaimed(const struct backend *b, int (*make)(struct graph_maker *m), const char *says)
{
	struct graph_maker m = graph_maker_new();
	char why[HONE_WHY_BYTES] = "";

	finish(&m, make(&m));
	assert_int_not_equal(b->generator->claims(&whole_view(&m)->region, why), 0);
	if (!strstr(why, says))
		fail_msg("'%s' says nothing of '%s'", why, says);
	arena_free(m.a);
}

static void test_refusals(void **state)
{
	struct backend b = with(*state, "kernels.so");

	assert_unclaimed(&b, tanhs, "the user's kernels have no tanh");
	assert_unclaimed(&b, line, "the user's kernels have no conv1d");
	assert_unclaimed(&b, doubles, "elements that are not f32");
	assert_unclaimed(&b, padded, "padding that is not written out");
	b = with(*state, "nowhere.so");
	assert_string_equal(b.version, "csource 1, without kernels");
	assert_unclaimed(&b, tanhs, "there is no file ");
	b = with(*state, "kernels.c");
	assert_unclaimed(&b, tanhs, "HONE_CSOURCE_KERNELS: ");
	unsetenv("HONE_CSOURCE_KERNELS");
	assert_unclaimed(&b, tanhs, "set it to the path of a shared object");
}

/* Its times are those of one library. */
static void test_version(void **state)
{
	const char *first = arena_strdup(*state, with(*state, "kernels.so").version);
	const char *second = arena_strdup(*state, with(*state, "failing.so").version);

	assert_string_not_equal(first, second);
	assert_string_equal(first, with(*state, "kernels.so").version);
}

enum { WHOLE = INT_MAX };

/* Preparing a small region, whose source is cut after SIZE bytes, or -SIZE before its end, fails with what it
 * says. */
static void assert_unprepared(const struct backend *b, int size, const char *says)
{
	struct graph_maker m = graph_maker_new();
	struct text artifact = { 0 };
	char why[HONE_WHY_BYTES] = "";
	void *handle = NULL;

	finish(&m, small(&m));
	const struct hone_region *r = &whole_view(&m)->region;

	assert_int_equal(b->generator->compile(r, generator_write, &artifact, why), 0);
	size_t n = size == WHOLE ? artifact.n : size < 0 ? artifact.n - (size_t)-size : (size_t)size;

	assert_int_not_equal(b->generator->init(r, artifact.s, n, 1, &handle, why), 0);
	if (!strstr(why, says))
		fail_msg("'%s' says nothing of '%s'", why, says);
	text_free(&artifact);
	arena_free(m.a);
}

static void test_bad_sources(void **state)
{
	struct backend b = with(*state, "kernels.so");

	assert_unprepared(&b, 0, "no whole source of a region");
	assert_unprepared(&b, 100, "the C compiler cc refuses the region's source: ");
	assert_unprepared(&b, -4, "refuses the region's source: ");
	setenv("CC", "/nowhere/cc -O1", 1);
	assert_unprepared(&b, WHOLE, "/nowhere/cc");
	setenv("CC", "false", 1);
	assert_unprepared(&b, WHOLE, "the C compiler false refuses");
	setenv("CC", "true", 1);
	assert_unprepared(&b, WHOLE, "what was compiled cannot be loaded: ");
	unsetenv("CC");
	assert_nothing_left(*state);
}

/* A kernel that fails ends the run, by its name. */
static void test_failing_kernel(void **state)
{
	struct graph_maker m = graph_maker_new();
	struct backend b = with(*state, "failing.so");
	float x[4] = { 0 }, y[4];
	char why[HONE_WHY_BYTES] = "";
	void *handle;

	finish(&m, build(&m.b, &core_relu, input(&m, 4)));
	if (generator_prepare(&b, whole_view(&m), 1, &handle, why) != 0)
		fail_msg("%s", why);
	assert_int_not_equal(b.generator->run(handle, (const void *[]){ x }, (void *[]){ y }, why), 0);
	assert_string_equal(why, "kernel_relu, call 1 of the region, failed");
	b.generator->release(handle);
	assert_nothing_left(*state);
	arena_free(m.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_bad_sources),
		cmocka_unit_test(test_failing_kernel),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
