/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/partition/test_region_source.c - what a compiler makes of a region's source is the region. */
#include "tests/fixture/graph_fixture.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "partition/region_source.h"

/* --- regions */

static const float elements[4];

static const struct hone_region small = {
	.ntensors = 4,
	.tensors = (const struct hone_region_tensor[]){
		{ HONE_F32, 4, { 1, 16, 3, 5 }, 8, NULL },
		{ HONE_I64, 0, { 0 }, 0, &elements[1] },
		{ HONE_BF16, 8, { 1, 2, 3, INT64_MAX, 5, 6, 7, 8 }, 0, &elements[3] },
		{ HONE_OTHER, 1, { 0 }, 0, NULL },
	},
	.ncalls = 2,
	.calls = (const struct hone_region_call[]){
		{ "conv", 4, (const int[]){ 0, -1, 2, -1 }, 3, 6, (const struct hone_region_attr[]){
			{ .name = "strides" },
			{ .name = "pads", .n = 3, .ints = (const int64_t[]){ -1, INT64_MIN, INT64_MAX } },
			{ .name = "scales", .n = 8, .floats = (const double[]){
				0.1, -0.0, 1, 1e300, 4.9406564584124654e-324, INFINITY, -INFINITY, NAN } },
			{ .name = "empty", .text = "" },
			{ .name = "what", .text = "a \"quoted\" \\ ?\?/ \t\n line, \303\251" "1 %s" },
			{ .name = "number", .n = 1, .ints = (const int64_t[]){ 0 } } } },
		{ .op = "random", .output = 1 },
	},
	.ninputs = 1, .noutputs = 2,
	.inputs = (const int[]){ 0 },
	.outputs = (const int[]){ 3, 1 },
};

static const struct hone_region bare = {
	.ntensors = 1,
	.tensors = (const struct hone_region_tensor[]){ { .type = HONE_F64 } },
	.ncalls = 1,
	.calls = (const struct hone_region_call[]){ { .op = "nothing" } },
};

/* --- equal */

static void assert_ints_equal(const int *got, const int *want, int n)
{
	for (int i = 0; i < n; i++)
		assert_int_equal(got[i], want[i]);
}

static void assert_attr_equal(const struct hone_region_attr *got, const struct hone_region_attr *want)
{
	assert_string_equal(got->name, want->name);
	assert_int_equal(got->n, want->n);
	assert_int_equal(!got->text, !want->text);
	if (want->text)
		assert_string_equal(got->text, want->text);
	for (int i = 0; i < want->n && want->ints; i++)
		assert_true(got->ints[i] == want->ints[i]);
	for (int i = 0; i < want->n && want->floats; i++)
		assert_true(isnan(want->floats[i]) ? isnan(got->floats[i]) :
			    memcmp(&got->floats[i], &want->floats[i], sizeof(double)) == 0);
}

static void assert_call_equal(const struct hone_region_call *got, const struct hone_region_call *want)
{
	assert_string_equal(got->op, want->op);
	assert_int_equal(got->ninputs, want->ninputs);
	assert_ints_equal(got->inputs, want->inputs, want->ninputs);
	assert_int_equal(got->output, want->output);
	assert_int_equal(got->nattrs, want->nattrs);
	for (int i = 0; i < want->nattrs; i++)
		assert_attr_equal(&got->attrs[i], &want->attrs[i]);
}

/* Constants are in the array BASE where they are in `elements`; NULL: nowhere. */
static void assert_region_equal(const struct hone_region *got, const struct hone_region *want,
				const float *base)
{
	assert_int_equal(got->ntensors, want->ntensors);
	for (int i = 0; i < want->ntensors; i++) {
		const struct hone_region_tensor *g = &got->tensors[i], *w = &want->tensors[i];

		assert_int_equal(g->type, w->type);
		assert_int_equal(g->rank, w->rank);
		assert_int_equal(g->channels, w->channels);
		for (int d = 0; d < w->rank; d++)
			assert_true(g->dim[d] == w->dim[d]);
		assert_ptr_equal(g->data,
				 w->data && base ? base + ((const float *)w->data - elements) : NULL);
	}
	assert_int_equal(got->ncalls, want->ncalls);
	for (int i = 0; i < want->ncalls; i++)
		assert_call_equal(&got->calls[i], &want->calls[i]);
	assert_int_equal(got->ninputs, want->ninputs);
	assert_int_equal(got->noutputs, want->noutputs);
	assert_ints_equal(got->inputs, want->inputs, want->ninputs);
	assert_ints_equal(got->outputs, want->outputs, want->noutputs);
}

/* --- compiled */

static void put_data(void *user, struct text *out, const struct hone_region *r, int t)
{
	text_printf(out, "%s + %d", (const char *)user, (int)((const float *)r->tensors[t].data - elements));
}

/* Two regions inside of a structure, as a program may have them. */
static void write_source(struct text *out, bool with_data)
{
	text_puts(out, region_source_header);
	text_puts(out, "extern const float elements[];\nconst float elements[4];\n"
		       "extern const struct pair { int number; struct hone_region small, bare; } pair;\n"
		       "const struct pair pair = {\n\t1, ");
	region_source(out, &small, 1, with_data ? put_data : NULL, "elements");
	text_puts(out, ", ");
	region_source(out, &bare, 1, NULL, NULL);
	text_puts(out, "\n};\n");
}

static void check_compiled(const char *cc, bool with_data)
{
	struct arena *a = arena_new();
	const char *folder = dir_temp(a), *path = arena_printf(a, "%s/region", folder);
	struct text out = { 0 };

	write_source(&out, with_data);
	if (file_write(arena_printf(a, "%s.c", path), out.s, out.n) < 0 ||
	    system(arena_printf(a, "%s -Wall -Wextra -Werror -fPIC -shared -o %s.so %s.c", cc, path,
				path)) != 0)
		fail_msg("%s does not compile it", cc);
	void *object = dlopen(arena_printf(a, "%s.so", path), RTLD_NOW | RTLD_LOCAL);

	assert_non_null(object);
	const struct pair { int number; struct hone_region small, bare; } *pair = dlsym(object, "pair");

	assert_non_null(pair);
	assert_int_equal(pair->number, 1);
	assert_region_equal(&pair->small, &small, with_data ? dlsym(object, "elements") : NULL);
	assert_region_equal(&pair->bare, &bare, NULL);
	dlclose(object);
	dir_remove(folder);
	text_free(&out);
	arena_free(a);
}

static void test_compiled(void **state)
{
	(void)state;
	check_compiled("cc -std=c11", true);
	check_compiled("cc -std=gnu11 -O2", false);
}

/* The text itself, which people read, in a few lines. */
static void test_text(void **state)
{
	struct text out = { 0 }, string = { 0 };

	(void)state;
	region_source_string(&string, "a b?\"\\\n\377" "9");
	assert_string_equal(string.s, "\"a b\\077\\042\\134\\012\\3779\"");
	text_free(&string);
	region_source(&out, &bare, 1, NULL, NULL);
	assert_string_equal(out.s, "{ .ntensors = 1, .tensors = (const struct hone_region_tensor[]){\n"
				   "\t\t{ .type = HONE_F64, .rank = 0 },\n"
				   "\t}, .ncalls = 1, .calls = (const struct hone_region_call[]){\n"
				   "\t\t{ .op = \"nothing\", .ninputs = 0, .output = 0 },\n"
				   "\t}, .ninputs = 0, .noutputs = 0 }");
	text_free(&out);
}

/* The header that sources carry is the one that is installed. */
static void test_header(void **state)
{
	struct arena *a = arena_new();
	size_t size;
	const char *header = file_read(a, TOP_SRCDIR "/include/hone_generator.h", (size_t)1 << 20, &size);

	(void)state;
	assert_non_null(header);
	assert_string_equal(region_source_header, header);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compiled),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
