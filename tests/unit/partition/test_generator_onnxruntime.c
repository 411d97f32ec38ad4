/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/partition/test_generator_onnxruntime.c - what the generator of ONNX Runtime computes, operator by
 * operator, against the interpreter; what it refuses; that it writes a model of ONNX; sessions at once. */
#include "tests/generator/generator_check.h"

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "graph/build/check.h"
#include "graph/model.h"
#include "graph/text/text.h"
#include "tests/generator/generator_cases.h"
#include "tests/skip.h"

/* LeakSanitizer does not know the thread-local storage of threads of a library that was opened at run time;
 * it looks everywhere else. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
	return "use_tls=0";
}

/* The generator; skips the test where it was not built. */
static struct backend load(struct arena *a)
{
	struct backend b;

	if (access("./hone-onnxruntime.so", R_OK) != 0) {
		arena_free(a);
		skip_part("onnxruntime", "its library was not found by configure");
		skip();
	}
	if (backend_load(a, "./hone-onnxruntime.so", &b) < 0)
		fail_msg("%s", err_get());
	return b;
}

/* --- operators */

#define I64(name, n, ...) "%" name " = const i64[" #n "] [" #__VA_ARGS__ "]\n"

/* A function of f32 whose result, of f32, is %r. */
struct text_case {
	const char *params, *bindings;
};

static const struct text_case operators[] = {
	/* element by element */
	{ "%x: f32[3, 1, 5], %y: f32[4, 1]", "%r = add(%x, %y)" },
	{ "%x: f32[3, 5], %y: f32[5]", "%r = sub(%x, %y)" },
	{ "%x: f32[5], %y: f32[3, 1]", "%r = mul(%x, %y)" },
	{ "%x: f32[3, 5], %y: f32[]", "%z = exp(%y)\n%r = div(%x, %z)" },
	{ "%x: f32[3, 5], %y: f32[3, 5]", "%z = exp(%x)\n%r = pow(%z, %y)" },
	{ "%x: f32[3, 5], %y: f32[5]", "%r = min(%x, %y)" },
	{ "%x: f32[3, 5], %y: f32[5]", "%r = max(%x, %y)" },
	{ "%x: f32[40]", "%r = relu(%x)" },
	{ "%x: f32[40]", "%r = sigmoid(%x)" },
	{ "%x: f32[40]", "%r = hard_sigmoid(%x) {alpha = 1.5, beta = 0.4}" },
	{ "%x: f32[40]", "%s = const f32[] [10]\n%y = mul(%x, %s)\n%r = hard_swish(%y)" },
	{ "%x: f32[40]", "%r = leaky_relu(%x) {alpha = 0.3}" },
	{ "%x: f32[40]", "%r = leaky_relu(%x)" },
	{ "%x: f32[40]", "%r = elu(%x) {alpha = 0.7}" },
	{ "%x: f32[40]", "%r = selu(%x)" },
	{ "%x: f32[40]", "%r = celu(%x) {alpha = 0.7}" },
	{ "%x: f32[40]", "%r = softplus(%x)" },
	{ "%x: f32[40]", "%r = softsign(%x)" },
	{ "%x: f32[40]", "%r = gelu(%x)" },
	{ "%x: f32[40]", "%r = silu(%x)" },
	{ "%x: f32[40]", "%r = silu(%x) {alpha = 1.702}" },
	{ "%x: f32[2, 5, 3], %s: f32[5, 1]", "%r = prelu(%x, %s)" },
	{ "%x: f32[40]", "%l = const f32[] [-0.25]\n%h = const f32[] [0.125]\n%r = clip(%x, %l, %h)" },
	{ "%x: f32[40]", "%h = const f32[] [0.125]\n%r = clip(%x, _, %h)" },
	{ "%x: f32[40], %l: f32[]", "%r = clip(%x, %l)" },
	{ "%x: f32[40]", "%l = const f32[] [0.25]\n%h = const f32[] [0.125]\n%r = clip(%x, %l, %h)" },
	{ "%x: f32[40]", "%y = neg(%x)\n%z = abs(%y)\n%r = sub(%z, %y)" },
	{ "%x: f32[40]", "%s = const f32[] [9]\n%y = mul(%x, %s)\n%r = floor(%y)" },
	{ "%x: f32[40]", "%s = const f32[] [9]\n%y = mul(%x, %s)\n%r = ceil(%y)" },
	{ "%x: f32[40]", "%s = const f32[] [9]\n%y = mul(%x, %s)\n%r = round(%y)" },
	{ "%x: f32[40]", "%r = sign(%x)" },
	{ "%x: f32[40]", "%y = exp(%x)\n%z = log(%y)\n%w = sqrt(%y)\n%r = add(%z, %w)" },
	{ "%x: f32[40]", "%y = sin(%x)\n%z = cos(%y)\n%r = tan(%z)" },
	{ "%x: f32[40]", "%y = asin(%x)\n%z = acos(%x)\n%w = atan(%y)\n%r = sub(%z, %w)" },
	{ "%x: f32[40]", "%y = sinh(%x)\n%z = cosh(%y)\n%r = tanh(%z)" },
	{ "%x: f32[40]", "%y = asinh(%x)\n%z = cosh(%y)\n%w = acosh(%z)\n%v = atanh(%x)\n%r = add(%w, %v)" },
	{ "%x: f32[40]", "%r = erf(%x)" },
	{ "%x: f32[40]", "%y = identity(%x)\n%r = erf(%y)" },
	/* what is true */
	{ "%x: f32[3, 5], %y: f32[5]", "%b = less(%x, %y)\n%c = not(%b)\n%r = where(%c, %y, %x)" },
	{ "%x: f32[3, 5], %y: f32[5]", "%b = less_equal(%x, %y)\n%c = equal(%x, %x)\n%d = and(%b, %c)\n"
				       "%r = cast(%d) {to = f32}" },
	{ "%x: f32[9], %y: f32[9]", "%b = less(%x, %y)\n%z = neg(%y)\n%c = less(%x, %z)\n%d = xor(%b, %c)\n"
				    "%e = or(%d, %b)\n%r = cast(%e) {to = f32}" },
	{ "%x: f32[9]", "%y = log(%x)\n%b = is_nan(%y)\n%r = where(%b, %x, %y)" },
	{ "%x: f32[9]", "%z = const f32[9] [0, 1, 0, -1, 0, 1, 2, 3, 0]\n%y = div(%x, %z)\n"
			"%b = is_inf(%y) {negative = 0}\n%c = is_inf(%y) {positive = 0}\n"
			"%d = where(%b, %x, %z)\n%r = where(%c, %x, %d)" },
	/* combining */
	{ "%x: f32[3, 4, 5]", I64("a", 2, 0, -1) "%r = reduce_sum(%x, %a)" },
	{ "%x: f32[3, 4, 5]", I64("a", 1, 1) "%r = reduce_mean(%x, %a) {keepdims = 0}" },
	{ "%x: f32[3, 4, 5]", "%r = reduce_max(%x)" },
	{ "%x: f32[3, 4, 5]", "%r = reduce_min(%x) {keepdims = 0}" },
	{ "%x: f32[3, 4, 5]", I64("a", 1, 2) "%r = reduce_prod(%x, %a)" },
	{ "%x: f32[3, 4]", "%y = reduce_sum(%x) {noop = 1}\n%r = neg(%y)" },
	{ "%x: f32[3, 4, 5]", "%i = arg_max(%x) {axis = 1}\n%r = cast(%i) {to = f32}" },
	{ "%x: f32[3, 4, 5]", "%y = sign(%x)\n%i = arg_min(%y) {axis = 2, keepdims = 0, last = 1}\n"
			      "%r = cast(%i) {to = f32}" },
	{ "%x: f32[3, 4]", "%a = const i64[] [1]\n%r = cumsum(%x, %a) {exclusive = 1}" },
	{ "%x: f32[3, 4]", "%a = const i64[] [0]\n%r = cumsum(%x, %a) {reverse = 1}" },
	{ "%x: f32[3, 4, 5]", "%r = softmax(%x)" },
	{ "%x: f32[3, 4, 5]", "%r = softmax(%x) {axis = 1}" },
	{ "%x: f32[3, 4, 5]", "%r = log_softmax(%x) {axis = 0}" },
	{ "%x: f32[3, 4, 16], %s: f32[16]",
	  "%y = normalize(%x) {axes = [2], epsilon = 0.001}\n%r = mul(%y, %s)" },
	{ "%x: f32[2, 3, 4, 5]", "%r = normalize(%x) {axes = [2, 3]}" },
	{ "%x: f32[3, 16]", "%r = normalize(%x) {axes = [-1], center = 0}" },
	/* moving */
	{ "%x: f32[3, 4, 5]", I64("s", 2, 0, -1) "%y = reshape(%x, %s)\n%r = neg(%y)" },
	{ "%x: f32[3, 4, 5]", "%r = transpose(%x) {perm = [2, 0, 1]}" },
	{ "%x: f32[3, 4]", "%r = transpose(%x)" },
	{ "%x: f32[3, 1, 5, 1]", I64("a", 1, 1) "%r = squeeze(%x, %a)" },
	{ "%x: f32[3, 1, 5, 1]", "%r = squeeze(%x)" },
	{ "%x: f32[3, 5]", I64("a", 2, 0, -1) "%r = unsqueeze(%x, %a)" },
	{ "%x: f32[3, 1]", I64("s", 3, 2, 1, 5) "%r = expand(%x, %s)" },
	{ "%x: f32[3, 2]", I64("n", 2, 2, 3) "%r = tile(%x, %n)" },
	{ "%x: f32[3, 2], %y: f32[3, 4], %z: f32[3, 1]", "%r = concat(%x, %y, %z) {axis = -1}" },
	{ "%x: f32[5, 6]", I64("b", 2, 1, -1) I64("e", 2, 9, 0) I64("a", 2, 0, 1) I64("s", 2, 2, -2)
			   "%r = slice(%x, %b, %e, %a, %s)" },
	{ "%x: f32[5, 6]", I64("b", 1, 1) I64("e", 1, -1) "%r = slice(%x, %b, %e)" },
	{ "%x: f32[3, 4]", I64("p", 4, 1, 0, 2, -1) "%v = const f32[] [0.5]\n%r = pad(%x, %p, %v)" },
	{ "%x: f32[3, 4]", I64("p", 2, 2, 1) I64("a", 1, 1) "%r = pad(%x, %p, _, %a) {mode = \"reflect\"}" },
	{ "%x: f32[3, 4]", I64("p", 4, 1, 2, 0, 1) "%r = pad(%x, %p) {mode = \"edge\"}" },
	{ "%x: f32[3, 4]", I64("p", 4, 1, 2, 0, 1) "%r = pad(%x, %p) {mode = \"wrap\"}" },
	{ "%x: f32[3, 4]", I64("i", 3, 2, 0, -1) "%r = gather(%x, %i) {axis = 1}" },
	{ "%x: f32[6]", "%i = const i32[2, 2] [2, 0, -1, 1]\n%r = gather(%x, %i)" },
	{ "%x: f32[2, 3]", "%i = const i64[2, 2] [2, 0, -1, 1]\n%r = gather_elements(%x, %i) {axis = 1}" },
	{ "%x: f32[2, 3, 2]", "%i = const i64[2, 1] [2, 0]\n%r = gather_nd(%x, %i) {batch_dims = 1}" },
	{ "%x: f32[2, 3], %u: f32[2, 1]", "%i = const i64[2, 1] [2, 0]\n"
				"%r = scatter_elements(%x, %i, %u) {axis = 1, reduction = \"add\"}" },
	{ "%x: f32[4, 3], %u: f32[2, 3]", "%i = const i64[2, 1] [2, 0]\n%r = scatter_nd(%x, %i, %u)" },
	/* integers that are moved */
	{ "%x: f32[3, 4]", "%i = arg_max(%x) {axis = 1}\n" I64("n", 2, 2, 2) "%t = tile(%i, %n)\n"
			   "%u = concat(%t, %t) {axis = 0}\n%v = transpose(%u)\n%w = cast(%v) {to = i32}\n"
			   "%r = cast(%w) {to = f32}" },
	/* images */
	{ "%x: f32[1, 2, 4, 6]", "%s = const f32[4] [1, 1, 2, 2]\n"
			"%r = resize(%x, _, %s) {coordinates = \"asymmetric\", nearest = \"floor\"}" },
	{ "%x: f32[1, 2, 4, 6]",
	  "%s = const f32[4] [1, 1, 2, 1.5]\n%r = resize(%x, _, %s) {mode = \"linear\"}" },
	{ "%x: f32[1, 2, 4, 6]", I64("n", 4, 1, 2, 7, 9) "%r = resize(%x, _, _, %n) {mode = \"linear\", "
				 "coordinates = \"align_corners\"}" },
	{ "%x: f32[1, 2, 4, 6]",
	  "%s = const f32[4] [1, 1, 2, 2]\n%r = resize(%x, _, %s) {mode = \"cubic\"}" },
	{ "%x: f32[1, 2, 9, 9]",
	  "%r = max_pool(%x) {kernel = [3, 2], strides = [2, 2], dilations = [2, 1]}" },
	{ "%x: f32[1, 2, 9, 9]",
	  "%r = avg_pool(%x) {kernel = [3, 2], strides = [2, 2], dilations = [2, 1]}" },
	{ "%x: f32[1, 2, 9]", "%r = max_pool(%x) {kernel = [4], strides = [3], auto_pad = \"same_upper\"}" },
	{ "%x: f32[1, 2, 10, 10]",
	  "%r = avg_pool(%x) {kernel = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1], "
				   "ceil = 1}" },
	{ "%x: f32[1, 2, 10, 10]",
	  "%r = avg_pool(%x) {kernel = [3, 3], pads = [1, 1, 1, 1], count_include_pad = 1}" },
	{ "%x: f32[1, 4, 6, 6], %w: f32[6, 2, 3, 3]",
	  "%r = conv(%x, %w) {groups = 2, auto_pad = \"same_lower\", "
						      "strides = [2, 1]}" },
	/* products */
	{ "%x: f32[2, 7, 5], %y: f32[2, 3, 7]", "%r = matmul(%x, %y) {trans_a = 1, trans_b = 1}" },
	{ "%x: f32[2, 3, 5, 7], %y: f32[4, 7]", "%r = matmul(%x, %y) {trans_b = 1}" },
	{ "%x: f32[3, 7, 5], %y: f32[7, 4]", "%z = transpose(%x) {perm = [0, 2, 1]}\n%r = matmul(%z, %y)" },
};

static struct graph_maker maker_of(const struct text_case *c)
{
	struct graph_maker m = { .a = arena_new() };
	const char *text = arena_printf(m.a, "graph \"test\"\nfn @main(%s) {\n%s\nreturn %%r\n}\n", c->params,
					c->bindings);

	m.g = graph_parse(m.a, text, text);
	if (!m.g)
		fail_msg("%s", err_get());
	return m;
}

static void test_operators(void **state)
{
	struct arena *a = arena_new();
	struct backend b = load(a);

	(void)state;
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		struct graph_maker m = maker_of(&operators[i]);

		check_generator(&m, &b, operators[i].bindings);
		arena_free(m.a);
	}
	arena_free(a);
}

/* Layers and blocks, as they hang together. */
static void test_results(void **state)
{
	struct arena *a = arena_new();
	struct backend b = load(a);

	(void)state;
	check_generator_cases(&b);
	arena_free(a);
}

/* --- what is refused */

static const struct {
	struct text_case made;
	const char *says;
} refused[] = {
	{ { "%x: f32[4]", "%r = fmod(%x, %x)" }, "fmod is not written as ONNX" },
	{ { "%x: f64[4]", "%r = neg(%x)" }, "neg of other types" },
	{ { "%x: i64[4]", "%r = add(%x, %x)" }, "add of other types" },
	{ { "%x: f16[4, 4]", "%r = transpose(%x)" }, "transpose of other types" },
	{ { "%x: f32[4], %i: i32[2, 1]", "%r = gather_nd(%x, %i)" }, "gather_nd of other types" },
	{ { "%x: f32[0, 4]", "%r = relu(%x)" }, "without elements" },
	{ { "%x: f32[4], %l: f32[4]", "%r = clip(%x, %l)" }, "limits that have dims" },
	{ { "%x: f32[4]", "%r = cast(%x) {to = i64}" }, "floats that become integers" },
	{ { "%x: f64[4]", "%r = cast(%x) {to = bool}" }, "floats that become integers" },
	{ { "%x: f32[7, 5], %y: f32[7]", "%r = matmul(%x, %y) {trans_a = 1}" }, "with a vector" },
	{ { "%x: f32[7], %y: f32[7, 3]", "%r = matmul(%x, %y)" }, "with a vector" },
	{ { "%x: f32[4], %s: f32[3, 4]", "%r = prelu(%x, %s)" }, "slopes that repeat x" },
	{ { "%x: f32[1, 4], %s: f32[3, 4]", "%r = prelu(%x, %s)" }, "slopes that repeat x" },
	{ { "%x: f32[4, 4]", "%s = const f32[2] [2, 2]\n%r = resize(%x, _, %s)" }, "other than pixels" },
	{ { "%x: f32[1, 2, 4, 4]",
	    "%s = const f32[4] [1, 2, 2, 2]\n%r = resize(%x, _, %s)" }, "other than pixels" },
	{ { "%x: f32[1, 2, 4, 4]", "%s = const f32[4] [1, 1, 0.5, 0.5]\n"
		"%r = resize(%x, _, %s) {mode = \"linear\", antialias = 1}" }, "other than pixels" },
	{ { "%x: f32[1, 2, 4, 4]", "%s = const f32[4] [1, 1, 2, 2]\n"
		"%r = resize(%x, _, %s) {coordinates = \"tf_half_pixel_for_nn\"}" }, "obsolete" },
	{ { "%x: f32[1, 2, 4, 4], %w: f32[2, 2, 1, 1]", "%r = conv(%x, %w) {pads = [-1, 0, 0, 0]}" },
	  "negative padding" },
	{ { "%x: f32[1, 2, 2, 2, 2, 2], %w: f32[2, 2, 1, 1, 1, 1]", "%r = conv(%x, %w)" }, "three dims" },
	{ { "%x: f32[1, 2, 4, 4]",
	    "%r = max_pool(%x) {kernel = [1, 1], pads = [1, 1, 0, 0]}" }, "padding alone" },
	{ { "%x: f32[1, 2, 4, 4]",
	    "%r = max_pool(%x) {kernel = [2, 2], dilations = [3, 1], pads = [2, 0, 0, 0]}" },
	  "as wide as its windows" },
	{ { "%x: f32[1, 2, 10, 10]",
	    "%r = avg_pool(%x) {kernel = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1], "
				   "ceil = 1, count_include_pad = 1}" }, "not what is beyond it" },
};

static void test_refusals(void **state)
{
	struct arena *a = arena_new();
	struct backend b = load(a);

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct graph_maker m = maker_of(&refused[i].made);
		const struct hone_region *r = &whole_view(&m)->region;
		struct text artifact = { 0 };
		char why[HONE_WHY_BYTES] = "";

		if (b.generator->claims(r, why) == 0)
			fail_msg("%s: it is claimed", refused[i].made.bindings);
		check_refusal(&m, &b, refused[i].made.bindings, refused[i].says);
		assert_int_not_equal(b.generator->compile(r, generator_write, &artifact, why), 0);
		if (artifact.n || !strstr(why, refused[i].says))
			fail_msg("%zu bytes are written, '%s'", artifact.n, why);
		text_free(&artifact);
		arena_free(m.a);
	}
	arena_free(a);
}

/* --- artifacts */

/* It is a model to every command, and the same one each time. */
static void test_is_a_model(void **state)
{
	struct arena *a = arena_new();
	struct backend b = load(a);
	struct graph_maker m = graph_maker_new();
	const char *folder = dir_temp(a), *file = arena_printf(a, "%s/region.onnx", folder);

	(void)state;
	finish(&m, residual(&m));
	struct text artifact = generator_artifact(&b, whole_view(&m)), again = generator_artifact(&b, whole_view(&m));

	assert_int_equal(artifact.n, again.n);
	assert_memory_equal(artifact.s, again.s, again.n);
	assert_int_equal(file_write(file, artifact.s, artifact.n), 0);
	const struct graph *g = model_read(a, file, NULL);

	if (!g || graph_check(g) < 0)
		fail_msg("%s", err_get());
	const struct array *want = graph_result(m.a, m.g), *got = graph_result(m.a, g);

	assert_int_equal(got->count, want->count);
	assert_close("read again", got->data, want);
	array_release(want);
	array_release(got);
	text_free(&artifact);
	text_free(&again);
	dir_remove(folder);
	arena_free(m.a);
	arena_free(a);
}

static void test_bad_artifacts(void **state)
{
	struct arena *a = arena_new();
	struct backend b = load(a);
	struct graph_maker m = graph_maker_new();

	(void)state;
	finish(&m, residual(&m));
	const struct region_view *view = whole_view(&m);
	struct text artifact = generator_artifact(&b, view);

	for (size_t n = 0; n < artifact.n; n += artifact.n / 7) {
		char why[HONE_WHY_BYTES] = "";
		void *handle = NULL;

		assert_int_not_equal(b.generator->init(&view->region, artifact.s, n, 1, &handle, why), 0);
		assert_null(handle);
		assert_true(strlen(why) > 0);
	}
	text_free(&artifact);
	arena_free(m.a);
	arena_free(a);
}

/* --- results of several types, sessions at once */

/* The elements of outputs are where hone has them, whatever their types. */
static void test_two_results(void **state)
{
	struct arena *a = arena_new();
	struct backend b = load(a);
	struct graph_maker m = { .a = a };
	float x[6] = { 1, 3, -2, 0, -1, -5 }, halves[6] = { 0 };
	int64_t at[2] = { -1, -1 };
	void *handle = NULL, *outputs[2];
	char why[HONE_WHY_BYTES] = "";

	(void)state;
	m.g = graph_parse(a, "two", "graph \"two\"\nfn @main(%x: f32[2, 3]) {\n%h = const f32[] [0.5]\n"
			  "%y = mul(%x, %h)\n%i = arg_max(%y) {axis = 1, keepdims = 0}\n"
			  "return %y, %i\n}\n");
	if (!m.g)
		fail_msg("%s", err_get());
	const struct region_view *view = whole_view(&m);

	assert_int_equal(view->region.noutputs, 2);
	for (int i = 0; i < 2; i++)
		outputs[i] = view->region.tensors[view->region.outputs[i]].type == HONE_I64 ? (void *)at :
											      (void *)halves;
	if (generator_prepare(&b, view, 1, &handle, why) != 0 ||
	    b.generator->run(handle, (const void *[]){ x }, outputs, why) != 0)
		fail_msg("%s", why);
	b.generator->release(handle);
	for (int i = 0; i < 6; i++)
		assert_true(halves[i] == x[i] / 2);
	assert_int_equal(at[0], 1);
	assert_int_equal(at[1], 0);
	arena_free(a);
}

enum { AT_ONCE = 2, RUNS = 20 };

struct ort_worker {
	const struct backend *b;
	struct graph_maker m;
	const struct region_view *view;
	void *handle;
};

static void *work(void *worker)
{
	struct ort_worker *w = worker;

	for (int i = 0; i < RUNS; i++)
		check_run(&w->m, w->b, w->view, w->handle, "at once", (uint64_t)i);
	return NULL;
}

/* Two sessions of two threads each, in threads of their own. */
static void test_at_once(void **state)
{
	static int (*const make[AT_ONCE])(struct graph_maker *m) = { residual, dense_3d };
	struct arena *a = arena_new();
	struct backend b = load(a);
	struct ort_worker w[AT_ONCE];
	pthread_t threads[AT_ONCE];
	char why[HONE_WHY_BYTES] = "";

	(void)state;
	for (int i = 0; i < AT_ONCE; i++) {
		w[i] = (struct ort_worker){ .b = &b, .m = graph_maker_new() };
		finish(&w[i].m, make[i](&w[i].m));
		w[i].view = whole_view(&w[i].m);
		if (generator_prepare(&b, w[i].view, 2, &w[i].handle, why) != 0)
			fail_msg("%s", why);
	}
	for (int i = 0; i < AT_ONCE; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work, &w[i]), 0);
	for (int i = 0; i < AT_ONCE; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < AT_ONCE; i++) {
		b.generator->release(w[i].handle);
		arena_free(w[i].m.a);
	}
	arena_free(a);
}

static void test_version(void **state)
{
	struct arena *a = arena_new();
	struct backend b = load(a);
	int major, minor, patch;

	(void)state;
	assert_int_equal(sscanf(b.generator->version(), "ONNX Runtime %d.%d.%d", &major, &minor, &patch), 3);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_is_a_model),
		cmocka_unit_test(test_bad_artifacts),
		cmocka_unit_test(test_two_results),
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
