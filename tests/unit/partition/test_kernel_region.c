/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/partition/test_kernel_region.c - what generators of HONE_KERNELS see of a fused function as it is
 * applied, and who takes it. */
#include "tests/fake/fake_generator.h"
#include "tests/fixture/pass_fixture.h"

#include "graph/task/storage.h"
#include "partition/kernels.h"

/* A fused function: two operands that are computed, with a weight and a bias between them. */
#define BLOCK                                                                                      \
	"fn @main(%x: f32[1, 8, 4, 4], %w: f32[8, 8, 1, 1], %b: f32[8, 1, 1], %y: f32[1, 8, 4, 4]) {\n" \
	"\t%c = conv(%x, %w)\n"                                                                    \
	"\t%d = add(%c, %b)\n"                                                                     \
	"\t%e = add(%d, %y)\n"                                                                     \
	"\t%f = relu(%e)\n"                                                                        \
	"\treturn %f\n}\n"

enum { X, WEIGHT, BIAS, Y, PARAMS };

/* A constant for parameter I of F. */
static const struct array *constant(struct arena *a, const struct function *f, int i)
{
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(function_at(f, i)->type, dim);
	struct array *x = array_in(a, ELEMENT_F32, function_at(f, i)->type->rank, dim);

	for (int64_t k = 0; k < x->count; k++)
		element_store(ELEMENT_F32, x->data, k, (double)(i + k));
	return x;
}

/* BLOCK with weight and bias given. */
static struct cut_from block(struct arena *a)
{
	const struct function *f = graph_main(pass_parsed(a, BLOCK));
	const struct array **given = arena_many(a, const struct array *, PARAMS);

	given[WEIGHT] = constant(a, f, WEIGHT);
	given[BIAS] = constant(a, f, BIAS);
	return (struct cut_from){ .function = f, .given = given };
}

/* Constants are tensors with data, in the order in which calls read them; the rest are arguments. */
static void test_constants_inside(void **state)
{
	struct arena *a = arena_new();
	const struct cut_from from = block(a);
	const struct kernel_region *r = kernel_region_new(a, &from);

	(void)state;
	assert_non_null(r);
	const struct hone_region *region = &r->view->region;

	assert_int_equal(region->ncalls, 4);
	assert_string_equal(region->calls[0].op, "conv");
	assert_int_equal(region->ninputs, 2);
	assert_int_equal(region->noutputs, 1);
	assert_int_equal(region->outputs[0], region->calls[3].output);
	assert_int_equal(r->argument[r->view->inputs.at[0]], X);
	assert_int_equal(r->argument[r->view->inputs.at[1]], Y);
	const struct hone_region_tensor *w = &region->tensors[region->calls[0].inputs[1]];
	const struct hone_region_tensor *b = &region->tensors[region->calls[1].inputs[1]];

	assert_int_equal(w->rank, 4);
	assert_memory_equal(w->data, from.given[WEIGHT]->data, 64 * sizeof(float));
	assert_memory_equal(b->data, from.given[BIAS]->data, 8 * sizeof(float));
	for (int i = 0; i < region->ninputs; i++)
		assert_null(region->tensors[region->inputs[i]].data);
	arena_free(a);
}

/* Two calls read the same argument: one input. One that no call reads is none. */
static void test_arguments(void **state)
{
	struct arena *a = arena_new();
	const struct function *f = graph_main(pass_parsed(a,
		"fn @main(%u: f32[4], %x: f32[4], %y: f32[4]) {\n"
		"\t%a = mul(%y, %x)\n\t%b = add(%a, %y)\n\treturn %b\n}\n"));
	const struct cut_from from = { .function = f, .given = arena_many(a, const struct array *, 3) };
	const struct kernel_region *r = kernel_region_new(a, &from);

	(void)state;
	assert_int_equal(r->view->inputs.n, 2);
	assert_int_equal(r->argument[r->view->inputs.at[0]], 2);
	assert_int_equal(r->argument[r->view->inputs.at[1]], 1);
	arena_free(a);
}

/* Images at the border say how they are stored; what lies between is nobody's business. */
static void test_storages(void **state)
{
	static const int64_t stored[] = { [X] = STORE_NHWC, [Y] = 8, [PARAMS] = 8 };
	struct arena *a = arena_new();
	struct cut_from from = block(a);

	(void)state;
	from.stored = stored;
	const struct kernel_region *r = kernel_region_new(a, &from);
	const struct hone_region *region = &r->view->region;

	assert_int_equal(region->tensors[region->inputs[0]].channels, HONE_CHANNELS_LAST);
	assert_int_equal(region->tensors[region->inputs[1]].channels, 8);
	assert_int_equal(region->tensors[region->outputs[0]].channels, 8);
	assert_int_equal(region->tensors[region->calls[0].inputs[1]].channels, HONE_CHANNELS_FIRST);
	assert_int_equal(region->tensors[region->inputs[0]].dim[1], 8);	/* dims are as written */
	arena_free(a);
}

/* What is yet to be folded, has no size, or gives two results is no region. */
static void test_no_region(void **state)
{
	struct arena *a = arena_new();
	struct cut_from from = block(a);
	const struct array *later = array_around(a, ELEMENT_F32, 4, (int64_t[]){ 8, 8, 1, 1 }, NULL);
	const struct array **given = arena_many(a, const struct array *, PARAMS);

	(void)state;
	given[WEIGHT] = later;
	from.given = given;
	assert_null(kernel_region_new(a, &from));
	from = (struct cut_from){ .given = given };
	assert_null(kernel_region_new(a, &from));
	given = arena_many(a, const struct array *, 1);
	from = (struct cut_from){ graph_main(pass_parsed(a,
		"fn @main(%x: f32[N, 4]) {\n\t%a = relu(%x)\n\treturn %a\n}\n")), given, NULL };
	assert_null(kernel_region_new(a, &from));
	from.function = graph_main(pass_parsed(a,
		"fn @main(%x: f32[4]) {\n\t%a = relu(%x)\n\t%b = add(%a, %x)\n\treturn %a, %b\n}\n"));
	assert_null(kernel_region_new(a, &from));
	arena_free(a);
}

/* --- claims */

static int refuse_silently(const struct hone_region *region, char *why)
{
	(void)region, (void)why;
	return -1;
}

static int refuse_blocks(const struct hone_region *region, char *why)
{
	if (region->tensors[region->inputs[0]].channels <= 1)
		return 0;
	memset(why, 'x', HONE_WHY_BYTES);	/* nothing ends it */
	return -1;
}

/* The pattern of FAKE that has FROM, or why none has. */
static const char *claimed(struct arena *a, const struct cut_from *from, const struct fake *fake)
{
	const char *why = NULL;
	const char *pattern = kernel_claimed(a, &fake->backend, kernel_region_new(a, from), &why);

	assert_true(pattern || why);
	return pattern ? pattern : why;
}

static void test_claims(void **state)
{
	static const struct hone_pattern parts[] = {
		{ "head", "conv bias_add?" }, { "tail", "add relu" }, { "conv", "conv add add" },
		{ NULL, NULL } };
	static const struct hone_pattern whole[] = {
		{ "head", "conv" }, { "sum", "conv bias_add add relu" }, { "any", "any any any any" },
		{ NULL, NULL } };
	struct arena *a = arena_new();
	const struct cut_from from = block(a);
	struct fake *f = fake_claimer(a, "f", parts);

	(void)state;
	assert_string_equal(claimed(a, &from, f), "no pattern matches all of it");
	f = fake_claimer(a, "f", whole);
	assert_string_equal(claimed(a, &from, f), "sum");	/* of those that have all of it, the first */
	f->generator.claims = refuse_silently;
	assert_string_equal(claimed(a, &from, f), "the generator does not say why");
	arena_free(a);
}

/* A predicate sees what is constant in this application, and the generator each storage. */
static void test_claims_see(void **state)
{
	static const int64_t plain[PARAMS + 1] = { 0 }, blocks[] = { [X] = 8, [PARAMS] = 8 };
	static const struct hone_pattern list[] = { { "c", "conv[const] bias_add any any" }, { NULL, NULL } };
	struct arena *a = arena_new();
	struct cut_from from = block(a);
	struct fake *f = fake_claimer(a, "f", list);
	char all[HONE_WHY_BYTES];

	(void)state;
	f->generator.claims = refuse_blocks;
	from.stored = plain;
	assert_string_equal(claimed(a, &from, f), "c");
	from.stored = blocks;
	memset(all, 'x', sizeof(all));
	all[HONE_WHY_BYTES - 1] = 0;
	assert_string_equal(claimed(a, &from, f), all);
	from.stored = NULL;
	from.given = arena_many(a, const struct array *, PARAMS);	/* weights that come in */
	assert_string_equal(claimed(a, &from, f), "no pattern matches all of it");
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constants_inside),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_storages),
		cmocka_unit_test(test_no_region),
		cmocka_unit_test(test_claims),
		cmocka_unit_test(test_claims_see),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
