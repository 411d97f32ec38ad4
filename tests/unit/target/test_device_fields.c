/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/target/test_device_fields.c - descriptions and instructions of a device that is made up: as texts, as bits, and what
 * they must not say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "target/device/description.h"
#include "target/device/fields.h"

/* --- descriptions */

struct trinket {
	int other;
	int lanes, depth;
};

static const struct described toy_fields[] = {
	{ "lanes", offsetof(struct trinket, lanes), 2, 64, DESCRIBED_POWER },
	{ "depth", offsetof(struct trinket, depth), -1, 9, DESCRIBED_ANY },
};
static const struct description toy = { .what = "a toy", .n = 2, .field = toy_fields };

static void test_description(void **state)
{
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{ "lanes 12", "t:1:9: lanes: a whole number from 2 to 64, a power of two" },
		{ "lanes 128", "a power of two" },
		{ "\n# no\ndepth 10", "t:3:9: depth: a whole number from -1 to 9" },
		{ "depth", "depth: a whole number" },
		{ "depth 1 2", "expected the end of the line" },
		{ "width 1", "t:1:1: expected a field of a toy (lanes depth)" },
	};
	struct trinket x = { 7, 4, 5 };
	struct text t = { 0 };

	(void)state;
	assert_int_equal(description_parse(&toy, &x, "t", "# a toy\n\n depth -1 # shallow\nlanes 32\n"), 0);
	assert_true(x.other == 7 && x.lanes == 32 && x.depth == -1);
	description_print(&t, &toy, &x);
	assert_string_equal(text_str(&t), "lanes 32\ndepth -1\n");
	assert_null(description_wrong(&toy, &x));
	x.depth = 10;
	assert_string_equal(description_wrong(&toy, &x), "depth");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(description_parse(&toy, &x, "t", wrong[i].text), -1);
		if (!strstr(err_get(), wrong[i].says))
			fail_msg("%s, and not '%s'", err_get(), wrong[i].says);
	}
	assert_int_equal(description_load(&toy, &x, "/nowhere/at/all"), -1);
	text_free(&t);
}

/* --- fields */

struct errand {
	int what, count, by;
	bool twice;
};

enum { ORDER_BITS = 24, USED_BITS = 2 + 5 + 1 + 13 };

static void describe(struct fields *v, struct errand *o)
{
	static const char *const names[] = { "go", "stop", "turn" };

	o->what = field_name(v, 2, 3, names, o->what);
	o->count = (int)field_number(v, "", 5, 1, o->count);
	if (!fields_are_text(v) || o->what != 1)
		o->by = (int)field_number(v, "x", 13, -100, o->by);
	o->twice = field_flag(v, "twice", o->twice);
}

static void test_fields(void **state)
{
	static const struct errand all[] = { { 0, 1, -100, false }, { 1, 32, 0, true }, { 2, 17, 8091, true } };
	static const char *const texts[] = { "go 1x-100", "stop 32 twice", "turn 17x8091 twice" };
	static const uint8_t bits[][3] = { { 0, 0, 0 }, { 0x7d, 0x32, 0x10 }, { 0xc2, 0xff, 0x1f } };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct errand o = all[i], decoded = { 0 }, parsed = { 0 };
		uint8_t bytes[ORDER_BITS / 8] = { 0 };
		struct text t = { 0 };
		struct scan s = scan_text("t", texts[i]);
		struct fields check = { .way = FIELDS_CHECK }, encode = { .way = FIELDS_ENCODE, .bytes = bytes },
			      decode = { .way = FIELDS_DECODE, .bytes = bytes }, print = { .way = FIELDS_PRINT, .out = &t },
			      parse = { .way = FIELDS_PARSE, .scan = &s };

		describe(&check, &o);
		assert_null(check.why);
		describe(&encode, &o);
		assert_int_equal(encode.at, USED_BITS);
		assert_memory_equal(bytes, bits[i], sizeof(bytes));
		describe(&decode, &decoded);
		assert_null(decode.why);
		assert_true(fields_end(&decode, ORDER_BITS));
		assert_memory_equal(&decoded, &o, sizeof(o));
		describe(&print, &o);
		assert_string_equal(text_str(&t), texts[i]);
		describe(&parse, &parsed);
		assert_null(parse.why);
		assert_true(scan_at_end(&s));
		assert_true(parsed.what == o.what && parsed.count == o.count && parsed.by == o.by && parsed.twice == o.twice);
		text_free(&t);
	}
}

/* What has no bits, bits that mean nothing, texts that are none. */
static void test_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{ "run 1x1", "expected one of go, ..., turn" },
		{ "go 33x1", "expected a number from 1 to 32" },
		{ "go 3 1", "expected x a number from -100 to 8091" },
	};
	struct errand o = { 0, 33, 0, false };
	struct fields check = { .way = FIELDS_CHECK };
	uint8_t bytes[ORDER_BITS / 8] = { 3, 0, 0x20 };
	struct fields decode = { .way = FIELDS_DECODE, .bytes = bytes };

	(void)state;
	describe(&check, &o);
	assert_string_equal(check.why, "a number that has no bits");
	describe(&decode, &o);
	assert_string_equal(decode.why, "a number that means nothing");
	bytes[0] = 0;
	decode = (struct fields){ .way = FIELDS_DECODE, .bytes = bytes };
	describe(&decode, &o);
	assert_null(decode.why);
	assert_false(fields_end(&decode, ORDER_BITS));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct scan s = scan_text("t", wrong[i].text);
		struct fields parse = { .way = FIELDS_PARSE, .scan = &s };

		describe(&parse, &o);
		assert_non_null(parse.why);
		if (!strstr(err_get(), wrong[i].says))
			fail_msg("%s, and not '%s'", err_get(), wrong[i].says);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_description), cmocka_unit_test(test_fields), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
