/* SPDX-License-Identifier: Apache-2.0 */
/* tests/caller/test_generator.c - examples/generator/, built by its own Makefile with nothing but the headers
 * that are installed, computes regions of graphs as the interpreter does; and shared objects that are none
 * are told so. */
#include "tests/fixture/run_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "graph/build/check.h"
#include "graph/eval/compare.h"
#include "partition/offload.h"
#include "partition/view.h"
#include "tests/skip.h"

/* Once more is once too often where a header has no guard. */
#define HEADERS                                                                                    \
	"#include <hone_generator_sums.h>\n"                                                       \
	"#include <hone_generator_sums.h>\n"                                                       \
	"#include <hone_generator_read.h>\n"                                                       \
	"#include <hone_generator.h>\n"

#ifdef __SANITIZE_ADDRESS__
#define CHECKERS " -fsanitize=address,undefined -fno-sanitize-recover=undefined"
#else
#define CHECKERS ""
#endif

static const struct tolerance close = { .relative = 1e-5, .absolute = 1e-5 };	/* sums of 100 products */

/* A new folder with the headers as they are installed. */
static const char *folder_new(struct arena *a)
{
	const char *folder = dir_temp(a);

	if (!folder || system(arena_printf(a, "cp " TOP_SRCDIR "/include/hone_generator*.h %s", folder)) != 0)
		fail_msg("%s", err_get());
	return folder;
}

static struct backend example(struct arena *a, const char *folder)
{
	struct backend b;

	if (system(arena_printf(a, "cp " TOP_SRCDIR "/examples/generator/* %s && make -s -C %s CPPFLAGS=-I. "
				   "CFLAGS='-O2 -std=c11 -Wall -Wextra -Werror" CHECKERS "'",
				folder, folder)) != 0)
		fail_msg("examples/generator does not compile");
	if (backend_load(a, arena_printf(a, "%s/example.so", folder), &b) < 0)
		fail_msg("%s", err_get());
	return b;
}

/* --- the interpreter, with the generator in the place of regions */

struct region_player {
	struct arena *a;
	const struct backend *backend;
	int played;
};

/* Runs VIEW on ARGS, twice with one handle: what a run leaves behind does not matter. */
static void play(const struct region_player *p, const struct region_view *view, const struct value *args,
		 struct array *const *results)
{
	const struct hone_generator *g = p->backend->generator;
	const void **inputs = arena_many(p->a, const void *, view->inputs.n + 1);
	void **outputs = arena_many(p->a, void *, view->outputs.n + 1);
	char why[HONE_WHY_BYTES] = "";
	void *handle;

	for (int i = 0; i < view->inputs.n; i++)
		inputs[i] = args[view->inputs.at[i]].array->data;
	for (int i = 0; i < view->outputs.n; i++)
		outputs[i] = results[i]->data;
	if (g->init(&view->region, NULL, 0, 1, &handle, why) != 0)
		fail_msg("%s", why);
	for (int run = 0; run < 2; run++) {
		for (int i = 0; i < view->outputs.n; i++)
			memset(outputs[i], 0xff, array_bytes(results[i]));
		if (g->run(handle, inputs, outputs, why) != 0)
			fail_msg("%s", why);
	}
	g->release(handle);
}

/* Results in the function's order. */
static struct value results_of(struct region_player *p, const struct function *f, const struct region_view *view,
			       struct array *const *arrays)
{
	struct value *results = arena_many(p->a, struct value, f->nresults);

	assert_int_equal(f->nresults, view->outputs.n);
	for (int i = 0; i < f->nresults; i++)
		for (int j = 0; j < view->outputs.n; j++)
			if (view->outputs.at[j] == f->results[i])
				results[i] = value_of_array(arrays[j]);
	return f->nresults == 1 ? results[0] : value_of_items(VALUE_TUPLE, f->nresults, results);
}

static int play_function(void *user, struct interp *x, int function, const struct value *args, int nargs,
			 struct value *result)
{
	struct region_player *p = user;
	const struct function *f = x->graph->functions.at[function];

	(void)nargs;
	if (!function_generator(f))
		return 0;
	const struct flow flow = flow_new(p->a, f);
	const struct value_vec calls = function_calls(p->a, f);
	const struct region_view *view = region_view_new(p->a, &flow, region_view_room(p->a, f), &calls, NULL);
	struct array **arrays = arena_many(p->a, struct array *, f->nresults);

	for (int i = 0; i < view->outputs.n; i++) {
		const struct hone_region_tensor *t = &view->region.tensors[view->region.outputs[i]];

		arrays[i] = array_new(ELEMENT_F32, t->rank, t->dim);
	}
	play(p, view, args, arrays);
	*result = results_of(p, f, view, arrays);
	p->played++;
	return 1;
}

/* --- graphs */

static struct attr_vec strided(struct graph_maker *m, int64_t stride, int64_t before, int64_t after)
{
	struct attr_vec attrs = { 0 };

	attrs_ints(m->a, &attrs, "strides", 2, (int64_t[]){ stride, 1 });
	attrs_ints(m->a, &attrs, "pads", 4, (int64_t[]){ before, before, after, after });
	return attrs;
}

/* A block with a shortcut, as residual networks have them, that another activation leaves. */
static int residual_block(struct graph_maker *m)
{
	int x = input(m, 2, 3, 9, 7);
	struct attr_vec attrs = strided(m, 2, 1, 0);
	int top = build_with(&m->b, &core_conv, &attrs, x, weight(m, 5, 3, 3, 2));

	top = build(&m->b, &core_relu, build(&m->b, &core_add, top, weight(m, 5, 1, 1)));
	int side = build(&m->b, &core_add, conv(m, top, 5, 5, 3, 1), weight(m, 1, 5, 1, 1));

	return build(&m->b, &core_relu, build(&m->b, &core_add, side, top));
}

/* Sums that repeat either operand, some dims of it, or lack them. */
static int repeated_sums(struct graph_maker *m)
{
	int x = input(m, 2, 1, 4), y = input(m, 3, 1);
	int sum = build(&m->b, &core_add, x, y);

	sum = build(&m->b, &core_add, weight(m, 4), sum);
	return build(&m->b, &core_relu, build(&m->b, &core_add, sum, weight(m, 1, 1, 1, 1)));
}

/* Two results of a region, one of which the host reads in between. */
static int two_results(struct graph_maker *m)
{
	int top = conv(m, input(m, 1, 2, 4, 4), 2, 2, 1, 0);
	int host = build(&m->b, &core_tanh, build(&m->b, &core_relu, top));

	return build(&m->b, &core_add, host, build(&m->b, &core_relu, build(&m->b, &core_add, top, weight(m, 2, 1, 1))));
}

/* What the example leaves to the host: groups, dilation, other elements. */
static int left_to_host(struct graph_maker *m)
{
	struct attr_vec attrs = { 0 };
	int x = input(m, 1, 4, 6, 6);

	attrs_int(m->a, &attrs, "groups", 2);
	int y = build_with(&m->b, &core_conv, &attrs, x, weight(m, 2, 2, 1, 1));
	struct attr_vec wide = { 0 };

	attrs_ints(m->a, &wide, "dilations", 2, (int64_t[]){ 2, 2 });
	return build_with(&m->b, &core_conv, &wide, y, weight(m, 3, 2, 2, 2));
}

static const struct example_case {
	const char *name;
	int (*make)(struct graph_maker *m);
	int regions, on_host;
} cases[] = {
	{ "a residual block", residual_block, 1, 0 },
	{ "repeated sums", repeated_sums, 1, 0 },
	{ "two results", two_results, 2, 1 },
	{ "left to the host", left_to_host, 0, 2 },
};

static void check_case(const struct example_case *c, const struct backend *b)
{
	struct graph_maker m = graph_maker_new();
	const struct offload_options o = { .backends = b, .n = 1 };
	struct text why = { 0 };
	struct offload cut;
	int on_host = 0;

	finish(&m, c->make(&m));
	if (offload_all(m.a, m.g, &o, &cut) < 0 || graph_check(cut.graph) < 0)
		fail_msg("%s: %s", c->name, err_get());
	for (int i = 0; i < cut.calls.n; i++)
		on_host += cut.calls.at[i].backend == REGION_HOST;
	assert_int_equal(on_host, c->on_host);

	struct region_player p = { .a = m.a, .backend = b };
	const struct array *want = graph_result(m.a, m.g);
	const struct array *got = graph_result_by(m.a, cut.graph, (struct interp_kernels){ play_function, &p });

	assert_int_equal(p.played, c->regions);
	if (!value_agrees(value_of_array(got), value_of_array(want), &close, &why))
		fail_msg("%s: %s", c->name, why.s);
	text_free(&why);
	array_release(want);
	array_release(got);
	arena_free(m.a);
}

static void test_example(void **state)
{
	struct arena *a = arena_new();
	const char *folder = folder_new(a);
	struct backend b = example(a, folder);

	(void)state;
	assert_string_equal(b.generator->name, "example");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_case(&cases[i], &b);
	dir_remove(folder);
	arena_free(a);
}

/* --- the headers */

/* Both compile alone and without a warning, as C and as C++. */
static void test_headers(void **state)
{
	static const char *const compilers[] = {
		"cc -x c -std=c99 -pedantic", "cc -x c -std=c11", "c++ -x c++ -std=c++11 -pedantic",
	};
	struct arena *a = arena_new();
	const char *folder = folder_new(a);

	(void)state;
	assert_int_equal(file_write(arena_printf(a, "%s/all", folder), HEADERS, strlen(HEADERS)), 0);
	for (size_t i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++)
		if (strncmp(compilers[i], "c++", 3) == 0 && system("command -v c++ >/dev/null") != 0)
			skip_part("headers in C++", "there is no c++");
		else if (system(arena_printf(a, "%s -Wall -Wextra -Werror -I%s -fsyntax-only %s/all",
					     compilers[i], folder, folder)) != 0)
			fail_msg("%s does not compile the headers", compilers[i]);
	dir_remove(folder);
	arena_free(a);
}

/* --- what is no generator */

#define GENERATOR(abi, patterns, more)                                                             \
	"#include <hone_generator.h>\n"                                                            \
	"static const char *version(void) { return \"1\"; }\n"                                     \
	"static int init(const struct hone_region *r, const void *a, size_t n, int t, void **h, char *why)\n" \
	"{ return -1; }\n"                                                                         \
	"static int run(void *h, const void *const *i, void *const *o, char *why) { return -1; }\n" \
	"static void release(void *h) { }\n"                                                       \
	"static const struct hone_pattern list[] = { " patterns " { 0 } };\n"                      \
	"const struct hone_generator hone_generator = { .abi = " abi ", .name = \"bad\",\n"        \
	".patterns = list, .version = version, .init = init, .release = release, " more "};\n"

static const struct bad_object {
	const char *name, *text, *says;
} bad_objects[] = {
	{ "nothing", "int nothing;\n", "nothing.so' is no code generator: it has no symbol 'hone_generator'" },
	{ "abi", GENERATOR("HONE_GENERATOR_ABI + 1", "", ".run = run"), "abi.so' is of ABI 4, this hone has 3" },
	{ "pattern", GENERATOR("HONE_GENERATOR_ABI", "{ \"p\", \"conv2d bias?\" },", ".run = run"),
	  "pattern 'conv2d bias?', column 8: 'bias' is no operator" },
	{ "incomplete", GENERATOR("HONE_GENERATOR_ABI", "", ""), "incomplete.so' has no 'run'" },
};

static void assert_refused(struct arena *a, const char *path, const char *says)
{
	struct backend b;

	assert_int_equal(backend_load(a, path, &b), -1);
	if (!strstr(err_get(), says))
		fail_msg("%s: '%s', not '%s'", path, err_get(), says);
}

static void test_bad_objects(void **state)
{
	struct arena *a = arena_new();
	const char *folder = folder_new(a);

	(void)state;
	for (size_t i = 0; i < sizeof(bad_objects) / sizeof(bad_objects[0]); i++) {
		const struct bad_object *b = &bad_objects[i];
		const char *path = arena_printf(a, "%s/%s", folder, b->name);

		if (file_write(arena_printf(a, "%s.c", path), b->text, strlen(b->text)) < 0 ||
		    system(arena_printf(a, "cc -I%s -fPIC -shared -o %s.so %s.c", folder, path, path)) != 0)
			fail_msg("%s does not compile", b->name);
		assert_refused(a, arena_printf(a, "%s.so", path), b->says);
	}
	assert_refused(a, arena_printf(a, "%s/absent.so", folder), "absent.so: cannot open shared object");
	assert_int_equal(file_write(arena_printf(a, "%s/text.so", folder), "text", 4), 0);
	assert_refused(a, arena_printf(a, "%s/text.so", folder), "text.so: file too short");
	assert_refused(a, "no_such_one", "generator 'no_such_one': hone-no_such_one.so is neither");
	dir_remove(folder);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_bad_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
