/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/partition/test_generator_narrow.c - integers of 8 bits and bf16 by oneDNN's generator, images with channels last:
 * sums of integers are exact, so what comes out is the interpreter's number, or the next where it was made an
 * integer again and lay between two. */
#include "tests/fixture/graph_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/eval/interp.h"
#include "partition/generators.h"
#include "partition/pattern.h"
#include "partition/view.h"
#include "tests/generator/generator_kernels.h"
#include "tests/skip.h"

#ifdef __SANITIZE_ADDRESS__
/* LeakSanitizer takes thread-local storage of oneDNN, which dlopen() brought, for something else, and stops. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

/* --- graphs */

static int param(struct graph_maker *m, enum element e, int rank, const int64_t *dim)
{
	return build_param(&m->b, "", type_shaped(m->a, e, rank, dim));
}

static int cast(struct graph_maker *m, int x, enum element e)
{
	struct attr_vec attrs = { 0 };

	attrs_element(m->a, &attrs, "to", e);
	return build_with(&m->b, &core_cast, &attrs, x);
}

/* A constant with elements from LOW to HIGH. */
static int constant(struct graph_maker *m, enum element e, double low, double high, int rank, const int64_t *dim)
{
	struct array *x = array_in(m->a, e, rank, dim);

	for (int64_t i = 0; i < x->count; i++) {
		double v = low + (high - low) * rng_unit(&m->rng);

		element_store(e, x->data, i, element_is_float(e) ? v : floor(v));
	}
	return build_const(&m->b, x);
}

static int conv_of(struct graph_maker *m, enum element e, int x, int64_t oc, int64_t ic, int64_t k, int64_t groups)
{
	struct attr_vec attrs = { 0 };
	int w = constant(m, e, e == ELEMENT_I8 ? -127 : -1, e == ELEMENT_I8 ? 128 : 1, DIMS(oc, ic / groups, k, k));

	attrs_ints(m->a, &attrs, "pads", 4, (int64_t[]){ k / 2, k / 2, k / 2, k / 2 });
	attrs_int(m->a, &attrs, "groups", groups);
	return build_with(&m->b, &core_conv, &attrs, x, w);
}

/* Sums of integers as numbers: biases, scales of each channel. */
static int scaled(struct graph_maker *m, int x, int64_t oc)
{
	x = build(&m->b, &core_add, x, constant(m, ELEMENT_I32, -40000, 40000, DIMS(oc, 1, 1)));
	return build(&m->b, &core_mul, cast(m, x, ELEMENT_F32), constant(m, ELEMENT_F32, 1e-5, 1e-4, DIMS(oc, 1, 1)));
}

static int on_grid(struct graph_maker *m, int x, enum element e, double scale, double zero)
{
	double low = e == ELEMENT_U8 ? 0 : -128;

	x = build(&m->b, &core_round, build(&m->b, &core_div, x, build_scalar(&m->b, ELEMENT_F32, scale)));
	if (zero != 0)
		x = build(&m->b, &core_add, x, build_scalar(&m->b, ELEMENT_F32, zero));
	x = build(&m->b, &core_clip, x, build_scalar(&m->b, ELEMENT_F32, low),
		  build_scalar(&m->b, ELEMENT_F32, low + 255));
	return cast(m, x, e);
}

static int to_u8(struct graph_maker *m)
{
	int x = param(m, ELEMENT_U8, DIMS(1, 16, 9, 9));

	return on_grid(m, build(&m->b, &core_relu, scaled(m, conv_of(m, ELEMENT_I8, x, 32, 16, 3, 1), 32)), ELEMENT_U8,
		       0.11, 0);
}

static int with_zero(struct graph_maker *m)
{
	int x = param(m, ELEMENT_U8, DIMS(2, 32, 5, 6));

	return on_grid(m, scaled(m, conv_of(m, ELEMENT_I8, x, 16, 32, 1, 1), 16), ELEMENT_U8, 0.1, 117);
}

static int signed_data(struct graph_maker *m)
{
	int x = param(m, ELEMENT_I8, DIMS(1, 16, 8, 8));

	return on_grid(m, scaled(m, conv_of(m, ELEMENT_I8, x, 16, 16, 3, 1), 16), ELEMENT_I8, 0.1, -3);
}

static int to_floats(struct graph_maker *m)
{
	int x = param(m, ELEMENT_U8, DIMS(1, 16, 7, 7));

	return scaled(m, conv_of(m, ELEMENT_I8, x, 48, 16, 1, 1), 48);
}

static int residual_sum(struct graph_maker *m)
{
	int x = param(m, ELEMENT_U8, DIMS(1, 16, 9, 9)), y = param(m, ELEMENT_F32, DIMS(1, 16, 9, 9));

	x = build(&m->b, &core_add, scaled(m, conv_of(m, ELEMENT_I8, x, 16, 16, 3, 1), 16), y);
	return on_grid(m, build(&m->b, &core_relu, x), ELEMENT_U8, 0.13, 0);
}

static int depthwise(struct graph_maker *m)
{
	int x = param(m, ELEMENT_U8, DIMS(1, 32, 9, 9));

	return on_grid(m, build(&m->b, &core_relu, scaled(m, conv_of(m, ELEMENT_I8, x, 32, 32, 3, 32), 32)), ELEMENT_U8,
		       0.05, 0);
}

static int dense(struct graph_maker *m)
{
	int x = param(m, ELEMENT_U8, DIMS(3, 64)), w = constant(m, ELEMENT_I8, -127, 128, DIMS(64, 10));

	x = build(&m->b, &core_add, build(&m->b, &core_matmul, x, w), constant(m, ELEMENT_I32, -9999, 9999, DIMS(10)));
	return build(&m->b, &core_mul, cast(m, x, ELEMENT_F32), constant(m, ELEMENT_F32, 1e-5, 1e-4, DIMS(10)));
}

static int halves(struct graph_maker *m)
{
	int x = param(m, ELEMENT_BF16, DIMS(1, 16, 9, 9));

	x = cast(m, conv_of(m, ELEMENT_BF16, x, 32, 16, 3, 1), ELEMENT_F32);
	x = build(&m->b, &core_add, x, constant(m, ELEMENT_F32, -1, 1, DIMS(1, 32, 1, 1)));
	return cast(m, build(&m->b, &core_relu, x), ELEMENT_BF16);
}

static int halves_of_products(struct graph_maker *m)
{
	int x = param(m, ELEMENT_BF16, DIMS(3, 64)), w = constant(m, ELEMENT_BF16, -1, 1, DIMS(64, 10));

	x = cast(m, build(&m->b, &core_matmul, x, w), ELEMENT_F32);
	return build(&m->b, &core_add, x, constant(m, ELEMENT_F32, -1, 1, DIMS(10)));
}

/* The quotient is a part of the scales. */
static int rescaled(struct graph_maker *m)
{
	int x = scaled(m, conv_of(m, ELEMENT_I8, param(m, ELEMENT_U8, DIMS(1, 16, 9, 9)), 16, 16, 1, 1), 16);

	x = build(&m->b, &core_add, build(&m->b, &core_round, x), build_scalar(&m->b, ELEMENT_F32, 90));
	x = build(&m->b, &core_clip, x, build_scalar(&m->b, ELEMENT_F32, 0), build_scalar(&m->b, ELEMENT_F32, 255));
	return cast(m, x, ELEMENT_U8);
}

/* A clip to less than the type has is no grid, and a quotient that nothing rounds neither. */
static int clipped(struct graph_maker *m)
{
	int x = scaled(m, conv_of(m, ELEMENT_I8, param(m, ELEMENT_U8, DIMS(1, 16, 9, 9)), 16, 16, 3, 1), 16);

	x = build(&m->b, &core_round, build(&m->b, &core_div, x, build_scalar(&m->b, ELEMENT_F32, 0.1)));
	x = build(&m->b, &core_clip, x, build_scalar(&m->b, ELEMENT_F32, 0), build_scalar(&m->b, ELEMENT_F32, 127));
	return cast(m, x, ELEMENT_U8);
}

/* --- one kernel */

struct narrow_kernel {
	struct graph_maker m;
	const struct region_view *view;
	const char *pattern;	/* that all of it matches; NULL: none */
};

static struct narrow_kernel kernel_of(int (*make)(struct graph_maker *m), const struct backend *b)
{
	struct narrow_kernel k = { .m = graph_maker_new() };

	finish(&k.m, make(&k.m));
	const struct function *f = graph_main(k.m.g);
	struct flow *flow = arena_one(k.m.a, struct flow);
	const struct value_vec calls = function_calls(k.m.a, f);
	int *channels = arena_many(k.m.a, int, f->bindings.n);

	*flow = flow_new(k.m.a, f);
	for (int v = 0; v < f->bindings.n; v++)
		channels[v] = function_at(f, v)->kind != BIND_CONST && function_at(f, v)->type->rank == 4;
	k.view = region_view_new(k.m.a, flow, region_view_room(k.m.a, f), &calls, channels);
	assert_non_null(k.view);
	for (int i = 0; i < b->npatterns && !k.pattern; i++) {
		struct value_vec members;

		if (pattern_match(k.m.a, b->patterns[i], flow, calls.at[0], &members) && members.n == calls.n)
			k.pattern = b->generator->patterns[i].name;
	}
	return k;
}

static struct value argument(struct arena *a, const struct type *t, struct rng *rng)
{
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(t, dim);
	struct array *x = array_in(a, t->element, t->rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(t->element, x->data, i,
			      element_is_float(t->element) ? 2 * rng_unit(rng) - 1
			      : floor(256 * rng_unit(rng)) - (t->element == ELEMENT_I8 ? 128 : 0));
	return value_of_array(x);
}

/* X as T's memory has it, and back. */
static void *stored(const struct hone_region_tensor *t, const struct array *x, bool back, void *memory)
{
	size_t bytes = element_bytes(x->element);

	for (int64_t i = 0; i < x->count; i++) {
		char *here = (char *)memory + (size_t)generator_place(t, i) * bytes;
		char *plain = (char *)x->data + (size_t)i * bytes;

		memcpy(back ? plain : here, back ? here : plain, bytes);
	}
	return memory;
}

static void *room(const struct array *x)
{
	void *p = aligned_alloc(64, (array_bytes(x) + 63) / 64 * 64);

	assert_non_null(p);
	return memset(p, 0x5a, (array_bytes(x) + 63) / 64 * 64);
}

/* Integers may be the next, one of a hundred. Of sums of bf16 the interpreter rounds each before it goes on. Behind
 * an exact sum of integers f32 rounds twice. */
static void compare(const char *name, const struct array *got, const struct array *want, enum element data)
{
	bool integers = !element_is_float(want->element);
	double least = data == ELEMENT_BF16 ? 0x1p-7 : 1e-6, most = 0;
	int64_t other = 0;

	for (int64_t i = 0; i < want->count; i++)
		most = fmax(most, fabs(array_float(want, i)));
	for (int64_t i = 0; i < want->count; i++) {
		double d = fabs(array_float(got, i) - array_float(want, i));

		if (!(integers ? d <= 1 : d <= least * most))
			fail_msg("%s: element %lld is %g instead of %g", name, (long long)i, array_float(got, i),
				 array_float(want, i));
		other += d > 0;
	}
	if (integers && other * 100 > want->count)
		fail_msg("%s: %lld of %lld elements are others", name, (long long)other, (long long)want->count);
}

static void check(const char *name, int (*make)(struct graph_maker *m), const struct backend *b)
{
	struct narrow_kernel k = kernel_of(make, b);
	const struct hone_region *r = &k.view->region;
	const struct function *f = graph_main(k.m.g);
	struct interp interp = interp_begin(k.m.a, k.m.g, interp_usual_limits);
	struct value *args = arena_many(k.m.a, struct value, f->nparams), want;
	const void **inputs = arena_many(k.m.a, const void *, r->ninputs);
	char why[HONE_WHY_BYTES] = "";
	struct rng rng = rng_seed(5);

	if (!k.pattern || b->generator->claims(r, why) != 0)
		fail_msg("%s: %s", name, k.pattern ? why : "no pattern matches all of it");
	for (int i = 0; i < f->nparams; i++)
		args[i] = argument(k.m.a, f->bindings.at[i].type, &rng);
	if (interp_run(&interp, k.m.g->main, args, f->nparams, &want) < 0)
		fail_msg("%s", err_get());
	interp_end(&interp);
	for (int i = 0; i < r->ninputs; i++) {
		const struct array *x = args[k.view->inputs.at[i]].array;

		inputs[i] = stored(&r->tensors[r->inputs[i]], x, false, room(x));
	}
	for (int threads = 1; threads <= 2; threads++) {
		struct array *got = array_in(k.m.a, want.array->element, want.array->rank, want.array->dim);
		void *handle = NULL, *made = room(got);

		if (b->generator->init(r, NULL, 0, threads, &handle, why) != 0)
			fail_msg("%s: %s", name, why);
		generator_run(b, handle, name, inputs, made);
		stored(&r->tensors[r->outputs[0]], got, true, made);
		compare(name, got, want.array, args[0].array->element);
		b->generator->release(handle);
		free(made);
	}
	for (int i = 0; i < r->ninputs; i++)
		free((void *)inputs[i]);
	value_release(want);
	arena_free(k.m.a);
}

/* --- tests */

static struct arena *arena;
static struct backend onednn;

/* Reason not to, or NULL. */
static const char *missing(const char *feature, bool there)
{
	if (access("./hone-onednn.so", R_OK) != 0)
		return "configure found no oneDNN (apt-get install libdnnl-dev)";
	return there ? NULL : feature;
}

static void test_integers(void **state)
{
	const char *not = missing("this CPU has no VNNI of 512 bits",
				  __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw"));

	(void)state;
	if (not)
		skip_test(not);
	check("to_u8", to_u8, &onednn);
	check("with_zero", with_zero, &onednn);
	check("signed_data", signed_data, &onednn);
	check("to_floats", to_floats, &onednn);
	check("residual_sum", residual_sum, &onednn);
	check("depthwise", depthwise, &onednn);
	check("dense", dense, &onednn);
	check("rescaled", rescaled, &onednn);
}

static void test_halves(void **state)
{
	const char *not = missing("this CPU has no AVX-512", __builtin_cpu_supports("avx512bw"));

	(void)state;
	if (not)
		skip_test(not);
	check("halves", halves, &onednn);
	check("halves_of_products", halves_of_products, &onednn);
}

static void test_refuses(void **state)
{
	const char *not = missing("", true);
	char why[HONE_WHY_BYTES] = "";

	(void)state;
	if (not)
		skip_test(not);
	struct narrow_kernel k = kernel_of(clipped, &onednn);

	assert_non_null(k.pattern);
	assert_int_not_equal(onednn.generator->claims(&k.view->region, why), 0);
	assert_non_null(strstr(why, __builtin_cpu_supports("avx512vnni") ? "no integers" : "VNNI"));
	arena_free(k.m.a);
}

static int load(void **state)
{
	(void)state;
	arena = arena_new();
	return access("./hone-onednn.so", R_OK) == 0 ? backend_load(arena, "./hone-onednn.so", &onednn) : 0;
}

static int unload(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_refuses),
	};

	return cmocka_run_group_tests_name("narrow", tests, load, unload);
}
