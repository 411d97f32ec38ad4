/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/base/test_version.c - the version that records keep, and who is meant by a part of it. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/version.h"
#include "config.h"

static void test_stamp(void **state)
{
	const char *stamp = version_stamp(), *rest = stamp + strlen(PACKAGE_VERSION);

	(void)state;
	assert_int_equal(strncmp(stamp, PACKAGE_VERSION, strlen(PACKAGE_VERSION)), 0);
	assert_true(*rest == '\0' || strncmp(rest, "+g", 2) == 0);	/* of a tarball, or of a clone */
	if (*rest) {
		size_t digits = strspn(rest + 2, "0123456789abcdef");

		assert_true(digits >= 7);
		assert_true(rest[2 + digits] == '\0' || strcmp(rest + 2 + digits, ".changed") == 0);
	}
	assert_true(version_matches(stamp, stamp) && version_matches(stamp, PACKAGE_VERSION));
}

static void test_matches(void **state)
{
	static const struct {
		const char *stamp, *wanted;
		bool matches;
	} cases[] = {
		{ "0.2.0", "0.2.0", true },
		{ "0.2.0", "0.2", false },
		{ "0.2.0", "0.2.0+g0123", false },
		{ "0.2.0", "0123", false },
		{ "0.2.0", "", false },
		{ "0.2.0+g0123456789ab", "0.2.0", true },
		{ "0.2.0+g0123456789ab", "0.2", false },
		{ "0.2.0+g0123456789ab", "0123", true },
		{ "0.2.0+g0123456789ab", "012", false },
		{ "0.2.0+g0123456789ab", "g01234", true },
		{ "0.2.0+g0123456789ab", "g1234", false },
		{ "0.2.0+g0123456789ab", "0.2.0+g0123", true },
		{ "0.2.0+g0123456789ab", "0.3.0+g0123", false },
		{ "0.2.0+g0123456789ab", "0.2.0+g0123456789abcdef", false },
		{ "0.2.0+g0123456789ab.changed", "0123456789ab", true },
		{ "0.2.0+g0123456789ab.changed", "0.2.0+g0123456789ab.changed", true },
		{ "0.2.0+g0123456789ab", "0.2.0+g0123456789ab.changed", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (version_matches(cases[i].stamp, cases[i].wanted) != cases[i].matches)
			fail_msg("'%s' and '%s'", cases[i].stamp, cases[i].wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_stamp), cmocka_unit_test(test_matches) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
