/* SPDX-License-Identifier: Apache-2.0 */
/* Pointwise operators: against libm, in all element types, as tensor expressions, and by their types. */
#include "tests/op_fixture.h"

#include <math.h>

static void arithmetic(void **state)
{
	(void)state;
	struct op_case c = op_case_new();
	int x = numbers_of(&c, ELEMENT_F32, SHAPE(2, 3), LIST(1, -2, 3, -4, 5, -6));
	int y = numbers_of(&c, ELEMENT_F32, SHAPE(3), LIST(2, 4, 8));
	int i = numbers_of(&c, ELEMENT_I32, SHAPE(4), LIST(7, -7, 7, -7));
	int j = numbers_of(&c, ELEMENT_I32, SHAPE(4), LIST(2, 2, -2, 0));

	EXPECT(&c, "f32[2, 3] 3 2 11 -2 9 2", &core_add, NULL, x, y);
	EXPECT(&c, "f32[2, 3] -1 -6 -5 -6 1 -14", &core_sub, NULL, x, y);
	EXPECT(&c, "f32[2, 3] 2 -8 24 -8 20 -48", &core_mul, NULL, x, y);
	EXPECT(&c, "f32[2, 3] 0.5 -0.5 0.375 -2 1.25 -0.75", &core_div, NULL, x, y);
	EXPECT(&c, "f32[2, 3] 1 -2 3 -4 4 -6", &core_min, NULL, x, y);
	EXPECT(&c, "f32[2, 3] 1 0 3 0 5 0", &core_relu, NULL, x);
	EXPECT(&c, "f32[2, 3] 2 4 8 2 5 8", &core_clip, NULL, x, y);
	EXPECT(&c, "i32[4] 1 1 -1 0", &core_mod, NULL, i, j);
	EXPECT(&c, "i32[4] 1 -1 1 0", &core_fmod, NULL, i, j);
	EXPECT(&c, "bool[2, 3] 1 1 1 1 0 1", &core_less, NULL, x, y);
	op_case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
