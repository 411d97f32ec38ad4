/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_npy.c - what is written as .npy is read back; what is no such file is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "runtime/values/npy.h"

struct npy_fixture {
	struct arena *a;
	char *dir, *path;
};

static int setup(void **state)
{
	struct arena *a = arena_new();
	struct npy_fixture *f = arena_one(a, struct npy_fixture);

	f->a = a;
	f->dir = dir_temp(a);
	f->path = arena_printf(a, "%s/x.npy", f->dir);
	*state = f;
	return f->dir ? 0 : -1;
}

static int teardown(void **state)
{
	struct npy_fixture *f = *state;

	dir_remove(f->dir);
	arena_free(f->a);
	return 0;
}

/* Elements that differ from each other, as far as E can tell. */
static struct array *sample(struct arena *a, enum element e, int rank, const int64_t *dim)
{
	struct array *x = array_in(a, e, rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		element_store(e, x->data, i, (double)(i % 7) - (element_is_float(e) ? 2.5 : 0));
	return x;
}

static void test_round_trip(void **state)
{
	static const enum element types[] = { ELEMENT_F32, ELEMENT_F64, ELEMENT_F16, ELEMENT_I8,
					      ELEMENT_I16, ELEMENT_I32, ELEMENT_I64, ELEMENT_U8,
					      ELEMENT_U16, ELEMENT_U32, ELEMENT_U64, ELEMENT_BOOL };
	static const int64_t dims[] = { 3, 1, 5, 2 };
	struct npy_fixture *f = *state;

	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
		for (int rank = 0; rank <= 4; rank++) {
			const struct array *x = sample(f->a, types[t], rank, dims);

			assert_int_equal(npy_write(f->path, x), 0);
			const struct array *y = npy_read(f->a, f->path);

			if (!y)
				fail_msg("%s", err_get());
			assert_true(array_equal(x, y));
		}
}

/* NumPy has no bf16: the same numbers as f32. */
static void test_types_of_ours(void **state)
{
	struct npy_fixture *f = *state;
	const struct array *x = sample(f->a, ELEMENT_BF16, 1, &(int64_t){ 9 });

	assert_int_equal(npy_write(f->path, x), 0);
	const struct array *y = npy_read(f->a, f->path);

	assert_non_null(y);
	assert_int_equal(y->element, ELEMENT_F32);
	for (int64_t i = 0; i < x->count; i++)
		assert_true(array_float(x, i) == array_float(y, i));
	assert_int_equal(npy_write(f->path, array_in(f->a, ELEMENT_STRING, 0, NULL)), -1);
	assert_non_null(strstr(err_get(), "strings"));
}

static void refuse(struct npy_fixture *f, const char *bytes, size_t n, const char *why)
{
	assert_int_equal(file_write(f->path, bytes, n), 0);
	assert_null(npy_read(f->a, f->path));
	if (!strstr(err_get(), why))
		fail_msg("'%s' does not say '%s'", err_get(), why);
}

#define HEADER(length, text) "\x93NUMPY\x01\0" length "\0" text

static void test_refused(void **state)
{
	struct npy_fixture *f = *state;
	static const char fortran[] =
		HEADER("\x40", "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }      \n");
	static const char complex[] =
		HEADER("\x40", "{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2), }     \n");
	static const char huge[] =
		HEADER("\x40", "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999,), }\n");
	static const char big_endian[] =
		HEADER("\x40", "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }       \n");

	refuse(f, "no file of numpy", 16, "not an .npy file");
	refuse(f, "", 0, "not an .npy file");
	refuse(f, fortran, sizeof(fortran) - 1, "Fortran");
	refuse(f, complex, sizeof(complex) - 1, "not supported");
	refuse(f, huge, sizeof(huge) - 1, "cut off");
	refuse(f, huge, 30, "cut off");
	refuse(f, big_endian, sizeof(big_endian) - 1, "little-endian");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_types_of_ours),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
