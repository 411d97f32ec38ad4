/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/partition/test_configure.c - generators that are configured: once for each text, side by side in one process. */
#include "tests/fake/fake_object.h"

#include <limits.h>
#include <math.h>
#include <unistd.h>

#include "partition/generators.h"

static const struct fake_object teller = { "HONE_KERNELS", "relu", .cost = "8", .configured = true };
static const struct fake_object plain = { "HONE_KERNELS", "relu", .cost = "8" };

static struct backend loaded(struct fixture *f, const char *asked)
{
	struct backend b;

	if (backend_load(f->a, asked, &b) < 0)
		fail_msg("%s", err_get());
	return b;
}

static void assert_refused(struct fixture *f, const char *asked, const char *says)
{
	struct backend b;

	assert_int_equal(backend_load(f->a, asked, &b), -1);
	if (!strstr(err_get(), says))
		fail_msg("%s: '%s', not '%s'", asked, err_get(), says);
}

/* B is VERSION, and each part of what it tells is as large as it is to be. */
static void assert_is(const struct backend *b, const char *version, double us)
{
	const struct hone_region none = { 0 };
	const struct hone_cost c = backend_cost(b, &none, 1);

	assert_string_equal(b->version, version);
	assert_float_equal(c.kernels_us, us / 2, 0);
	assert_float_equal(c.launches_us, us / 4, 0);
	assert_float_equal(c.transfers_us, us / 4, 0);
	assert_float_equal(cost_us(c), us, 0);
}

/* Who asks for the same gets the same; others have variables of their own. */
static void test_side_by_side(void **state)
{
	struct fixture *f = *state;
	const char *path = fake_object(f, "teller", &teller), *log = arena_printf(f->a, "%s/log", f->folder);
	const char *twice = arena_printf(f->a, "%s=2", path), *thrice = arena_printf(f->a, "%s=3", path);
	size_t n;

	setenv("FAKE_LOG", log, 1);
	const struct backend two = loaded(f, twice), three = loaded(f, thrice), as_it_is = loaded(f, path);
	const struct backend again = loaded(f, twice), once_more = loaded(f, path);

	unsetenv("FAKE_LOG");
	assert_is(&two, "fake 1, 2 times", 16);
	assert_is(&three, "fake 1, 3 times", 24);
	assert_is(&as_it_is, "fake 1", 8);
	assert_ptr_equal(again.generator, two.generator);
	assert_ptr_equal(once_more.generator, as_it_is.generator);
	assert_string_equal(two.text, "2");
	assert_string_equal(two.asked, twice);
	assert_null(as_it_is.text);
	assert_string_equal(file_read(f->a, log, 4096, &n), "configure 2\nconfigure 3\n");
}

/* What a text that was refused leaves behind is nobody's. */
static void test_refused(void **state)
{
	struct fixture *f = *state;
	const char *path = fake_object(f, "refusing", &teller), *other = fake_object(f, "plain", &plain);

	assert_refused(f, arena_printf(f->a, "%s=two", path), "configured by 'two': 'two' is no number");
	assert_refused(f, arena_printf(f->a, "%s=", path), "configured by '': '' is no number");
	const struct backend b = loaded(f, path), half = loaded(f, arena_printf(f->a, "%s=0.5", path));

	assert_is(&b, "fake 1", 8);
	assert_is(&half, "fake 1, 0.5 times", 4);
	assert_refused(f, arena_printf(f->a, "%s=2", other), "takes no configuration");
	assert_refused(f, "no_such=a/b", "generator 'no_such': hone-no_such.so is neither");
}

/* The first = behind the name, or behind what is a file. */
static void test_equals_signs(void **state)
{
	struct fixture *f = *state;
	const char *folder = arena_printf(f->a, "%s/k=v", f->folder), *path = arena_printf(f->a, "%s/f.so", folder);

	assert_ok(dir_make(folder));
	assert_int_equal(rename(fake_object(f, "equals", &teller), path), 0);
	const struct backend b = loaded(f, path), two = loaded(f, arena_printf(f->a, "%s=2", path));

	assert_is(&b, "fake 1", 8);
	assert_is(&two, "fake 1, 2 times", 16);
	assert_refused(f, arena_printf(f->a, "%s=2=3", path), "'2=3' is no number");
	assert_refused(f, arena_printf(f->a, "%s/none.so=2", folder), "none.so=2: cannot open");
}

/* It is found from another folder; its configuration is as it was written. */
static void test_again(void **state)
{
	struct fixture *f = *state;
	const char *path = fake_object(f, "moved", &teller);
	char here[PATH_MAX];

	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(f->folder), 0);
	const struct backend b = loaded(f, "./moved.so"), two = loaded(f, "./moved.so=+2");
	const char *again = backend_again(f->a, &b), *again_two = backend_again(f->a, &two);

	assert_int_equal(chdir(here), 0);
	assert_string_equal(again, path);
	assert_string_equal(again_two, arena_printf(f->a, "%s=+2", path));
	assert_string_equal(backend_again(f->a, &(struct backend){ .asked = "x=a/b", .name = "x", .text = "a/b" }), "x=a/b");
	assert_string_equal(backend_again(f->a, &(struct backend){ .asked = "x", .name = "x" }), "x");
}

static double part;

static struct hone_cost odd(const struct hone_region *r, int threads)
{
	(void)r, (void)threads;
	return (struct hone_cost){ .kernels_us = 1, .transfers_us = part };
}

/* What is no time is not known. */
static void test_odd_costs(void **state)
{
	static const double parts[] = { -1, NAN, INFINITY };
	const struct hone_generator g = { .cost = odd }, silent = { 0 };
	const struct hone_region none = { 0 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		part = parts[i];
		assert_float_equal(cost_us(backend_cost(&(struct backend){ .generator = &g }, &none, 1)), 0, 0);
	}
	part = 2;
	assert_float_equal(cost_us(backend_cost(&(struct backend){ .generator = &g }, &none, 1)), 3, 0);
	assert_float_equal(cost_us(backend_cost(&(struct backend){ .generator = &silent }, &none, 1)), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_side_by_side),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_equals_signs),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_odd_costs),
	};

	return cmocka_run_group_tests(tests, fixture_new, fixture_free);
}
