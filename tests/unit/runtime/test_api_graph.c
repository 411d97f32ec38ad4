/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_api_graph.c - the public library's graphs: of a text, line by line, what is refused and where, models
 * of them, operators. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "include/hone_graph.h"

static const char text[] = "graph \"mlp\" @main\n"
			   "\n"
			   "fn @main(%x: f32[2, 3]) -> f32[2] {\n"
			   "\t%1 = const f32[3] [1, 2, 3]\n"
			   "\t%y: f32[2, 3] = mul(%x, %1)\n"
			   "\t%3 = const i64[1] [1]\n"
			   "\t%z: f32[2] = reduce_sum(%y, %3) {keepdims = 0} @\"sum\"\n"
			   "\treturn %z\n"
			   "}\n";

static DLTensor dense(void *data, int ndim, int64_t *shape)
{
	return (DLTensor){ .data = data, .device = { kDLCPU, 0 }, .ndim = ndim, .dtype = { kDLFloat, 32, 1 },
			   .shape = shape };
}

static void must(int rc)
{
	if (rc < 0)
		fail_msg("%s", hone_error());
}

static void must_say(int rc, int status, const char *part)
{
	assert_int_equal(rc, status);
	if (!strstr(hone_error(), part))
		fail_msg("'%s' lacks '%s'", hone_error(), part);
}

/* What M makes of 1, 1, 1 and 2, 0, 1. */
static void check_run(const struct hone_model *m)
{
	struct hone_instance *i;
	float x[] = { 1, 1, 1, 2, 0, 1 }, z[2];
	DLTensor input = dense(x, 2, (int64_t[]){ 2, 3 }), output = dense(z, 1, (int64_t[]){ 2 });

	must(hone_instance_new(m, &i));
	must(hone_run_into(i, &input, 1, &output, 1));
	assert_true(z[0] == 6 && z[1] == 5);
	hone_instance_free(i);
}

static void check_text(const struct hone_graph *g)
{
	char *printed = hone_graph_text(g, 1);

	assert_non_null(printed);
	assert_string_equal(printed, text);
	hone_graph_text_free(printed);
}

static struct hone_graph *parse(void)
{
	struct hone_graph *g;

	must(hone_graph_parse(text, "text", &g));
	return g;
}

static struct hone_graph *make(void)
{
	struct hone_graph *g;
	const char *type;
	float factors[] = { 1, 2, 3 };
	DLTensor c = dense(factors, 1, (int64_t[]){ 3 });

	must(hone_graph_begin("mlp", "(%x: f32[2, 3])", &g));
	must(hone_graph_constant(g, "1", &c, &type));
	assert_string_equal(type, "f32[3]");
	factors[0] = 7;		/* they were copied */
	must(hone_graph_line(g, "%y = mul(%x, %1)", &type));
	assert_string_equal(type, "f32[2, 3]");
	must(hone_graph_line(g, "%3 = const i64[1] [1]", NULL));
	must(hone_graph_line(g, "%z = reduce_sum(%y, %3) {keepdims = 0} @\"sum\"", &type));
	assert_string_equal(type, "f32[2]");
	assert_null(hone_graph_text(g, 1));
	must(hone_graph_end(g, "%z"));
	return g;
}

static void test_same(void **state)
{
	struct hone_graph *graphs[] = { parse(), make() };

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct hone_model *m;
		struct hone_tensor t;

		check_text(graphs[k]);
		for (int again = 0; again < 2; again++) {	/* made, and found again */
			must(hone_graph_open(graphs[k], &(struct hone_options){ .threads = 1 }, &m));
			if (again)
				hone_graph_free(graphs[k]);	/* the model stays */
			must(hone_input(m, 0, &t));
			assert_string_equal(t.name, "x");
			check_run(m);
			hone_close(m);
		}
	}
}

static void test_refuses_texts(void **state)
{
	struct hone_graph *g = (struct hone_graph *)&g;

	(void)state;
	must_say(hone_graph_parse("graph g\nfn @main(%x: f32[2]) {\n\t%y = reluu(%x)\n\treturn %y\n}\n", "a.graph", &g),
		 HONE_INVALID, "a.graph:3:7: there is no operator reluu");
	assert_null(g);
	assert_int_equal(hone_graph_parse(NULL, "a", &g), HONE_INVALID);
	assert_int_equal(hone_graph_parse(text, "a", NULL), HONE_INVALID);
	hone_graph_free(NULL);
}

static void test_refuses_lines(void **state)
{
	struct hone_graph *g;
	struct hone_model *m;
	DLTensor c = dense(NULL, 0, NULL);

	(void)state;
	must_say(hone_graph_begin("g", "(%x: f33[2])", &g), HONE_INVALID, "line:1:6: expected a type");
	assert_null(g);
	must_say(hone_graph_begin("g", "(%x: f32[2]) more", &g), HONE_INVALID, "expected nothing more");
	must(hone_graph_begin("g", "(%x: f32[2], %y: f32[3])", &g));
	must_say(hone_graph_open(g, NULL, &m), HONE_INVALID, "no end yet");
	must_say(hone_graph_line(g, "%z = add(%x, %y)", NULL), HONE_INVALID, "line:1:1: add: ");
	must_say(hone_graph_line(g, "%z = add(%x, %w)", NULL), HONE_INVALID, "line:1:14: there is no value %w above");
	must_say(hone_graph_line(g, "%z = neg(%x)\n%w = neg(%x)", NULL), HONE_INVALID, "one binding, and no more");
	must_say(hone_graph_line(g, "%x = neg(%x)", NULL), HONE_INVALID, "there is a value %x already");
	must_say(hone_graph_line(g, "%w: f32[9] = neg(%x)", NULL), HONE_INVALID, "the value is f32[2]");
	must_say(hone_graph_line(g, "", NULL), HONE_INVALID, "line:1:1");
	must_say(hone_graph_constant(g, "c", &c, NULL), HONE_INVALID, "no data");
	c = dense(&(uint8_t){ 7 }, 0, NULL);
	c.dtype = (DLDataType){ 6, 8, 1 };
	must_say(hone_graph_constant(g, "c", &c, NULL), HONE_INVALID, "%c has an element that is none of its type");
	must_say(hone_graph_end(g, "%u"), HONE_INVALID, "there is no value %u above");
	must_say(hone_graph_end(g, "%x\n%y"), HONE_INVALID, "expected one line");
	must(hone_graph_line(g, "%v = neg(%x)", NULL));	/* all of that left it as it was */
	must(hone_graph_end(g, "%v, %y"));
	must_say(hone_graph_line(g, "%w = neg(%x)", NULL), HONE_INVALID, "its end already");
	must_say(hone_graph_end(g, "%v"), HONE_INVALID, "its end already");
	must_say(hone_graph_open(g, &(struct hone_options){ .dims = &(struct hone_dim){ "N", 2 }, .ndims = 1 }, &m),
		 HONE_INVALID, "dims are for models in ONNX");
	hone_graph_free(g);
}

static void *open_and_run(void *user)
{
	struct hone_model *m;

	if (hone_graph_open(user, &(struct hone_options){ .threads = 1 }, &m) < 0)
		return NULL;
	check_run(m);
	hone_close(m);
	return user;
}

static void test_opened_at_once(void **state)
{
	struct hone_graph *g = parse();
	pthread_t threads[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, open_and_run, g), 0);
	for (int i = 0; i < 3; i++) {
		void *done;

		pthread_join(threads[i], &done);
		assert_ptr_equal(done, g);
	}
	check_text(g);
	hone_graph_free(g);
}

static void test_operators(void **state)
{
	struct hone_operator op;
	struct hone_attribute attr;
	int found = 0, i = 0;

	(void)state;
	for (; hone_operator(i, &op) == HONE_OK; i++) {
		assert_true(*op.name && *op.summary && (op.most < 0 || op.most >= op.least));
		for (int k = 0; k < op.attributes; k++)
			must(hone_operator_attribute(i, k, &attr));
		if (strcmp(op.name, "leaky_relu") == 0) {
			assert_true(op.pointwise && op.least == 1 && op.most == 1 && op.attributes == 1);
			assert_string_equal(attr.name, "alpha");
			assert_true(attr.kind == HONE_FLOAT && attr.number == 0.01);
			must_say(hone_operator_attribute(i, 1, &attr), HONE_INVALID, "leaky_relu has 1");
			found++;
		}
	}
	assert_int_equal(found, 1);
	assert_int_equal(hone_operator(-1, &op), HONE_INVALID);
	assert_int_equal(hone_operator_attribute(i, 0, &attr), HONE_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_refuses_texts),
		cmocka_unit_test(test_refuses_lines),
		cmocka_unit_test(test_opened_at_once),
		cmocka_unit_test(test_operators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
