/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/base/test_text.c - what is printed into a text is all there, however much it was before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/text.h"

static void integers_are_as_printf_has_them(void **state)
{
	static const int64_t some[] = { 0, 7, -1, 10, -99, INT32_MAX, INT64_MAX, INT64_MIN };
	char expected[32];

	(void)state;
	for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++) {
		struct text t = { 0 };

		text_int(&t, some[i]);
		snprintf(expected, sizeof(expected), "%jd", (intmax_t)some[i]);
		assert_string_equal(text_str(&t), expected);
		text_free(&t);
	}
}

/* Formats that fit into what is left, by one more and by one less. */
static void formats_fit_or_make_room(void **state)
{
	(void)state;
	for (int before = 0; before < 600; before++) {
		struct text t = { 0 };

		for (int i = 0; i < before; i++)
			text_putn(&t, "x", 1);
		text_printf(&t, "%0*d", 40, 5);
		assert_int_equal(t.n, before + 40);
		assert_int_equal(t.s[t.n - 1], '5');
		assert_int_equal(t.s[t.n], '\0');
		text_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_as_printf_has_them),
		cmocka_unit_test(formats_fit_or_make_room),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
