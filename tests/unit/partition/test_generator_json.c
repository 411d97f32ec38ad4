/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/partition/test_generator_json.c - the reference generator: what it computes of what it wrote, that hone
 * reads what it wrote, and that it runs nothing else. */
#include "tests/generator/generator_check.h"

#include <jansson.h>

#include "base/file.h"
#include "graph/build/check.h"
#include "graph/model.h"
#include "graph/text/text.h"
#include "tests/generator/generator_cases.h"

static struct backend load(struct arena *a)
{
	struct backend b;

	if (backend_load(a, "./hone-json.so", &b) < 0)
		fail_msg("%s", err_get());
	return b;
}

/* --- results */

static void test_results(void **state)
{
	struct arena *a = arena_new();
	struct backend b = load(a);

	(void)state;
	check_generator_cases(&b);
	arena_free(a);
}

/* Two results, an integer operand that is constant, one that is left out, elements that are no f32. */
static void two_results(struct graph_maker *m, int *results)
{
	struct attr_vec to = { 0 };
	int x = input(m, 2, 6);

	attrs_element(m->a, &to, "to", ELEMENT_I32);
	results[0] = build_with(&m->b, &core_cast, &to,
				build(&m->b, &core_mul, x, build_scalar(&m->b, ELEMENT_F32, 100)));
	results[1] = build(&m->b, &core_clip, build(&m->b, &core_reshape, x, build_ints(&m->b, 1, (int64_t[]){ 12 })),
			   VALUE_NONE, build_scalar(&m->b, ELEMENT_F32, 0.25));
	if (builder_end(&m->b, 2, results) == FUNCTION_NONE)
		fail_msg("%s", err_get());
}

/* The region need not be there any more when what was written is run. */
static void test_two_results(void **state)
{
	struct graph_maker m = graph_maker_new();
	struct backend b = load(m.a);
	int results[2];

	(void)state;
	two_results(&m, results);
	const struct region_view *view = whole_view(&m);
	struct text artifact = generator_artifact(&b, view);
	struct interp interp = interp_begin(m.a, m.g, interp_usual_limits);
	struct value *args = generator_args(&m, 3), want;
	const void *inputs[1] = { args[0].array->data };
	int32_t whole[12] = { 0 };
	float clipped[12] = { 0 };
	void *handle, *outputs[2];
	char why[HONE_WHY_BYTES] = "";

	assert_int_equal(view->region.noutputs, 2);
	for (int i = 0; i < 2; i++)
		outputs[i] = view->outputs.at[i] == results[0] ? (void *)whole : (void *)clipped;
	if (b.generator->init(NULL, artifact.s, artifact.n, 1, &handle, why) != 0 ||
	    b.generator->run(handle, inputs, outputs, why) != 0)
		fail_msg("%s", why);
	b.generator->release(handle);
	assert_int_equal(interp_run(&interp, m.g->main, args, 1, &want), 0);
	assert_memory_equal(whole, want.items->at[0].array->data, sizeof(whole));
	assert_memory_equal(clipped, want.items->at[1].array->data, sizeof(clipped));
	value_release(want);
	interp_end(&interp);
	text_free(&artifact);
	arena_free(m.a);
}

/* --- what is written */

static int small(struct graph_maker *m)
{
	struct array *w = array_in(m->a, ELEMENT_F32, DIMS(2));
	struct attr_vec axis = { 0 };

	attrs_int(m->a, &axis, "axis", 0);
	((float *)w->data)[0] = 1;
	((float *)w->data)[1] = 2;
	int sum = build(&m->b, &core_add, input(m, 3, 2), build_const(&m->b, w));

	return build(&m->b, &core_softmax, build_with(&m->b, &core_softmax, &axis, sum));
}

/* Attributes at their defaults are not written. */
static const char small_artifact[] =
	"{\n"
	" \"graph\": \"region\",\n"
	" \"main\": \"main\",\n"
	" \"functions\": [\n"
	"  {\n"
	"   \"name\": \"main\",\n"
	"   \"params\": [\n"
	"    {\n"
	"     \"type\": \"f32[3, 2]\"\n"
	"    }\n"
	"   ],\n"
	"   \"type\": \"f32[3, 2]\",\n"
	"   \"bindings\": [\n"
	"    {\n"
	"     \"kind\": \"const\",\n"
	"     \"type\": \"f32[2]\",\n"
	"     \"base64\": \"AACAPwAAAEA=\"\n"
	"    },\n"
	"    {\n"
	"     \"kind\": \"call\",\n"
	"     \"type\": \"f32[3, 2]\",\n"
	"     \"args\": [\n"
	"      0,\n"
	"      1\n"
	"     ],\n"
	"     \"op\": \"add\"\n"
	"    },\n"
	"    {\n"
	"     \"kind\": \"call\",\n"
	"     \"type\": \"f32[3, 2]\",\n"
	"     \"args\": [\n"
	"      2\n"
	"     ],\n"
	"     \"op\": \"softmax\",\n"
	"     \"attrs\": [\n"
	"      {\n"
	"       \"name\": \"axis\",\n"
	"       \"int\": 0\n"
	"      }\n"
	"     ]\n"
	"    },\n"
	"    {\n"
	"     \"kind\": \"call\",\n"
	"     \"type\": \"f32[3, 2]\",\n"
	"     \"args\": [\n"
	"      3\n"
	"     ],\n"
	"     \"op\": \"softmax\"\n"
	"    }\n"
	"   ],\n"
	"   \"results\": [\n"
	"    4\n"
	"   ]\n"
	"  }\n"
	" ]\n"
	"}";

static void test_text(void **state)
{
	struct graph_maker m = graph_maker_new();
	struct backend b = load(m.a);

	(void)state;
	finish(&m, small(&m));
	struct text artifact = generator_artifact(&b, whole_view(&m));

	assert_string_equal(artifact.s, small_artifact);
	text_free(&artifact);
	arena_free(m.a);
}

/* A model to every command; written again it is the same. */
static void test_is_a_model(void **state)
{
	struct graph_maker m = graph_maker_new();
	struct backend b = load(m.a);
	const char *folder = dir_temp(m.a);
	const char *file = arena_printf(m.a, "%s/region.json", folder);

	(void)state;
	finish(&m, residual(&m));
	struct text artifact = generator_artifact(&b, whole_view(&m));

	assert_int_equal(file_write(file, artifact.s, artifact.n), 0);
	const struct graph *g = model_read(m.a, file, NULL);

	if (!g || graph_check(g) < 0)
		fail_msg("%s", err_get());
	json_t *json = graph_to_json(g, true);
	char *again = json_dumps(json, JSON_INDENT(1));

	assert_string_equal(again, artifact.s);
	const struct array *want = graph_result(m.a, m.g), *got = graph_result(m.a, g);

	assert_same_bits(got, want);
	array_release(want);
	array_release(got);
	free(again);
	json_decref(json);
	text_free(&artifact);
	dir_remove(folder);
	arena_free(m.a);
}

/* --- what is refused */

static void assert_bad(const struct backend *b, const char *artifact, size_t size, const char *says)
{
	char why[HONE_WHY_BYTES] = "";
	void *handle = NULL;

	assert_int_not_equal(b->generator->init(NULL, artifact, size, 1, &handle, why), 0);
	if (!strstr(why, says))
		fail_msg("'%s' says nothing of '%s'", why, says);
}

static void test_bad_artifacts(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "", "artifact:1:0: " },
		{ "{}", "artifact: " },
		{ "{\"functions\": [{\"name\": \"main\", \"params\": [{\"type\": \"f32[?]\"}], \"results\": [0]}]}",
		  "parameter 0 has no static type" },
		{ "{\"functions\": [{\"name\": \"main\", \"bindings\": [{\"kind\": \"call\", \"op\": \"konv\"}]}]}",
		  "there is no operator konv" },
	};
	struct graph_maker m = graph_maker_new();
	struct backend b = load(m.a);

	(void)state;
	finish(&m, small(&m));
	struct text artifact = generator_artifact(&b, whole_view(&m));

	for (size_t n = 0; n < artifact.n; n++)
		assert_bad(&b, artifact.s, n, "have it compiled again");
	assert_bad(&b, NULL, 0, "have it compiled again");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_bad(&b, bad[i].text, strlen(bad[i].text), bad[i].says);
	text_free(&artifact);
	arena_free(m.a);
}

static int noise(struct graph_maker *m)
{
	return build(&m->b, &core_random_normal, build_ints(&m->b, 1, (int64_t[]){ 4 }));
}

static int strings(struct graph_maker *m)
{
	int x = build_param(&m->b, "", type_shaped(m->a, ELEMENT_STRING, DIMS(4)));

	return build(&m->b, &core_string_concat, x, x);
}

static void test_refusals(void **state)
{
	static const struct {
		int (*make)(struct graph_maker *m);
		const char *says;
	} refused[] = {
		{ noise, "each run of it differs" },
		{ strings, "elements of a type that generators do not know" },
	};
	struct arena *a = arena_new();
	struct backend b = load(a);

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct graph_maker m = graph_maker_new();

		finish(&m, refused[i].make(&m));
		check_refusal(&m, &b, refused[i].says, refused[i].says);
		arena_free(m.a);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_results),
		cmocka_unit_test(test_two_results),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_is_a_model),
		cmocka_unit_test(test_bad_artifacts),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
