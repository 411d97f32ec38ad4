/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/bench/test_vdla_roof.c - products of 16x16 and bytes of a task, against counting by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/err.h"
#include "bench/vdla/roof.h"
#include "te/text/text.h"

static struct vdla_roof roof_of(const struct dag *d, int dma_bytes)
{
	struct vdla_machine m = vdla_machine_default;

	if (!d)
		fail_msg("%s", err_get());
	m.dma_bytes = dma_bytes;
	return vdla_roof_of(d, &m);
}

static void test_products(void **state)
{
	static const struct {
		const char *text;
		int64_t products, bytes;
	} cases[] = {
		/* blocks of 16 channels: 14 x 14 places, 4 x 2 blocks, 3 x 3 taps */
		{ "input X: i8[2, 16, 16, 16]\nconst W: i8[4, 2, 3, 3, 16, 16]\n"
		  "Y[o < 4, y < 14, x < 14, l < 16] = sum(c < 2, p < 3, q < 3, k < 16) "
		  "i32(X[c, y + p, x + q, k]) * i32(W[o, c, p, q, k, l])\n",
		  14 * 14 * 4 * 2 * 9, 2 * 256 * 16 + 8 * 9 * 256 + 4 * 196 * 16 * 4 },
		/* lanes along n, which leaves less over than along m: 20 rows, 3 blocks, 2 of the sum */
		{ "input A: i8[20, 30]\ninput B: i8[30, 48]\nC[i < 20, j < 48] = sum(k < 30) i32(A[i, k]) * i32(B[k, j])\n",
		  20 * 3 * 2, 600 + 1440 + 20 * 48 * 4 },
		/* along m: 2 blocks for 33 columns are fewer than 3 for 32 rows */
		{ "input A: i8[32, 16]\ninput B: i8[16, 33]\nC[i < 32, j < 33] = sum(k < 16) i32(A[i, k]) * i32(B[k, j])\n",
		  2 * 33, 512 + 528 + 32 * 33 * 4 },
		/* every other place of every other row is read, and bytes past them are not */
		{ "input X: i8[4, 9, 9, 16]\nconst W: i8[2, 4, 16, 16]\n"
		  "Y[o < 2, y < 4, x < 5, l < 16] = sum(c < 4, k < 16) i32(X[c, 2 * y + 1, 2 * x, k]) * i32(W[o, c, k, l])\n",
		  2 * 4 * 5 * 4, 4 * 4 * 5 * 16 + 8 * 256 + 2 * 20 * 16 * 4 },
		/* no lanes of sums: each product is of a row alone */
		{ "input A: i8[32]\ninput B: i8[32]\nC[i < 1] = sum(k < 32) i32(A[k]) * i32(B[k])\n", 0, 64 + 4 },
		{ "input A: i32[100]\nC[i < 100] = max(A[i], 0)\n", 0, 800 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct arena *a = arena_new();
		struct vdla_roof r = roof_of(dag_parse(a, "case", cases[i].text), 7);

		assert_int_equal(r.products, cases[i].products);
		assert_int_equal(r.bytes, cases[i].bytes);
		assert_int_equal(r.memory, (cases[i].bytes + 6) / 7);
		arena_free(a);
	}
}

static void test_bound(void **state)
{
	const struct vdla_roof compute = { .products = 11, .memory = 10 }, memory = { .products = 9, .memory = 10 };

	(void)state;
	assert_int_equal(vdla_roof_cycles(&compute), 11);
	assert_string_equal(vdla_roof_bound(&compute), "compute");
	assert_int_equal(vdla_roof_cycles(&memory), 10);
	assert_string_equal(vdla_roof_bound(&memory), "memory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
