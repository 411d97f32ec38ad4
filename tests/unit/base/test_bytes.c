/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/base/test_bytes.c - numbers, strings and hashes of files: as they were written, and never beyond the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bytes.h"

struct record {
	int64_t small, negative, large;
	const char *name;
	const void *data;	/* 3 bytes */
};

static void describe(struct bytes *s, struct record *r)
{
	r->small = bytes_number(s, 1, r->small);
	r->negative = bytes_number(s, 4, r->negative);
	r->large = bytes_number(s, 8, r->large);
	r->name = bytes_string(s, r->name);
	r->data = bytes_data(s, 3, r->data);
}

static struct text written(void)
{
	struct record r = { 200, -2, INT64_C(0x0102030405060708), "name", "xyz" };
	struct text t = { 0 };
	struct bytes s = { .out = &t };

	text_puts(&t, "before");	/* is no part of it */
	describe(&s, &r);
	bytes_seal(&t, strlen("before"));
	return t;
}

/* N bytes behind the text's first six. */
static struct bytes reader(struct arena *a, const struct text *t, size_t n)
{
	const uint8_t *at = (const uint8_t *)t->s + strlen("before");

	return (struct bytes){ .begin = at, .at = at, .left = n, .arena = a };
}

static void test_round_trip(void **state)
{
	static const char expected[] = "\310\376\377\377\377\10\7\6\5\4\3\2\1\4\0\0\0namexyz";
	struct arena *a = arena_new();
	struct text t = written();
	size_t n = sizeof(expected) - 1 + BYTES_SEAL;
	struct bytes s = reader(a, &t, n);
	struct record r = { 0 };

	(void)state;
	assert_int_equal(t.n, strlen("before") + n);
	assert_memory_equal(t.s + strlen("before"), expected, sizeof(expected) - 1);
	assert_true(bytes_unseal(&s));
	describe(&s, &r);
	assert_false(s.ended);
	assert_int_equal(s.left, 0);
	assert_int_equal(r.small, 200);
	assert_int_equal(r.negative, -2);
	assert_int_equal(r.large, INT64_C(0x0102030405060708));
	assert_string_equal(r.name, "name");
	assert_memory_equal(r.data, "xyz", 3);
	text_free(&t);
	arena_free(a);
}

/* Whatever is left off, nothing behind it is read, and the hash is another one. */
static void test_cut_off(void **state)
{
	struct arena *a = arena_new();
	struct text t = written();
	size_t all = t.n - strlen("before");

	(void)state;
	for (size_t n = 0; n < all; n++) {
		struct text part = { 0 };	/* of its own, so that sanitizers see its end */

		text_putn(&part, t.s, strlen("before") + n);
		struct bytes s = reader(a, &part, n), again = s;
		struct record r = { 0 };

		assert_false(bytes_unseal(&s));
		describe(&again, &r);
		assert_true(again.ended == (n < all - BYTES_SEAL));
		assert_non_null(r.name);
		assert_true(!again.ended || !r.data);
		text_free(&part);
	}
	text_free(&t);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_round_trip), cmocka_unit_test(test_cut_off) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
