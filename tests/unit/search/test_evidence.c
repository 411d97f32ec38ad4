/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_evidence.c - which texts are the same to a record: those that differ in the names of variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "search/trust/evidence.h"

#define TEXT(x, y, type, call) "const " type " *" x "_0 = args[0];\n" type " " y "_1_2;\n" y "_1_2 = " call "(" x "_0 + 16);\n"

static bool same(const char *x, const char *y)
{
	struct arena *a = arena_new();
	struct db_record r = { .source_hash = evidence_hash(a, x) };
	bool is = evidence_of(&r, y) == EVIDENCE_SAME;

	assert_int_equal(evidence_of(&r, x), EVIDENCE_SAME);
	assert_int_equal(is, strcmp(evidence_hash(a, x), evidence_hash(a, y)) == 0);
	arena_free(a);
	return is;
}

static void test_names(void **state)
{
	const char *text = TEXT("X", "conv_local", "f32x8", "every2_f32x8_1");

	(void)state;
	assert_true(same(text, TEXT("Relu_12", "acc", "f32x8", "every2_f32x8_1")));
	assert_true(same(text, TEXT("a", "b_7", "f32x8", "every2_f32x8_1")));
	assert_false(same(text, TEXT("X", "conv_local", "f32x16", "every2_f32x8_1")));
	assert_false(same(text, TEXT("X", "conv_local", "f32x8", "every2_f32x8_0")));
	assert_false(same(text, TEXT("X", "conv_local", "f32x8", "every3_f32x8_1")));
}

static void test_places(void **state)
{
	(void)state;
	assert_true(same("x_0 = y_1 - z_2;", "a_0 = b_1 - c_2;"));
	assert_false(same("x_0 = y_1 - z_2;", "x_0 = z_2 - x_0;"));
	assert_false(same("x_0 = y_1 - y_1;", "x_0 = y_1 - z_2;"));
	assert_false(same("x_0[16];", "x_0[17];"));
	assert_false(same("x_0 = 0.5f;", "x_0 = 0.25f;"));
}

/* Records of hone 0.2 have the hash of the text as it is. */
static void test_named(void **state)
{
	const char *text = TEXT("X", "acc", "f32x8", "load");
	char hash[HASH_TEXT];
	struct db_record r = { .source_hash = hash_text(hash_bytes(text, strlen(text)), hash) };

	(void)state;
	assert_int_equal(evidence_of(&r, text), EVIDENCE_SAME);
	assert_int_equal(evidence_of(&r, TEXT("Y", "acc", "f32x8", "load")), EVIDENCE_CHANGED);
	r.source_hash = NULL;
	assert_int_equal(evidence_of(&r, text), EVIDENCE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
