/* SPDX-License-Identifier: Apache-2.0 */
/* graph/eval/compare.c - values element by element. */
#include "graph/eval/compare.h"

#include <math.h>

/* onnx/backend/test/runner: rtol, atol; two units in the last place of bf16. */
const struct tolerance tolerance_of_onnx = { 1e-3, 1e-7, 0x1p-6 };

static bool is_close(double got, double want, const struct tolerance *t)
{
	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	if (isinf(want) || isinf(got))
		return got == want;
	return fabs(got - want) <= t->absolute + t->relative * fabs(want);
}

static bool floats_agree(const struct array *got, const struct array *want,
			 const struct tolerance *t, struct text *why)
{
	struct tolerance of = *t;
	int64_t wrong = 0, first = 0;

	if (want->element == ELEMENT_BF16 && of.bf16 > of.relative)
		of.relative = of.bf16;
	for (int64_t i = 0; i < want->count; i++)
		if (!is_close(array_float(got, i), array_float(want, i), &of) && wrong++ == 0)
			first = i;
	if (wrong)
		text_printf(why, "%lld of %lld elements differ, the first at %lld: %.9g, expected "
			    "%.9g", (long long)wrong, (long long)want->count, (long long)first,
			    array_float(got, first), array_float(want, first));
	return !wrong;
}

static bool others_agree(const struct array *got, const struct array *want, struct text *why)
{
	bool strings = want->element == ELEMENT_STRING;

	for (int64_t i = 0; i < want->count; i++) {
		if (strings && strcmp(array_string(got, i), array_string(want, i)) != 0) {
			text_printf(why, "element %lld is '%.100s', expected '%.100s'",
				    (long long)i, array_string(got, i), array_string(want, i));
			return false;
		}
		if (!strings && array_int(got, i) != array_int(want, i)) {
			text_printf(why, "element %lld is %lld, expected %lld", (long long)i,
				    (long long)array_int(got, i), (long long)array_int(want, i));
			return false;
		}
	}
	return true;
}

static bool arrays_agree(const struct array *got, const struct array *want,
			 const struct tolerance *t, struct text *why)
{
	if (got->element == want->element && array_same_shape(got, want))
		return element_is_float(want->element) ? floats_agree(got, want, t, why)
						       : others_agree(got, want, why);
	struct arena *a = arena_new();

	type_print(why, type_of_array(a, got));
	text_puts(why, ", expected ");
	type_print(why, type_of_array(a, want));
	arena_free(a);
	return false;
}

bool value_agrees(struct value got, struct value want, const struct tolerance *t,
		  struct text *why)
{
	static const char *const kinds[] = {
		[VALUE_EMPTY] = "nothing", [VALUE_ARRAY] = "a tensor", [VALUE_TUPLE] = "a tuple",
		[VALUE_SEQUENCE] = "a sequence", [VALUE_CLOSURE] = "a function",
	};

	if (got.kind != want.kind) {
		text_printf(why, "%s, expected %s", kinds[got.kind], kinds[want.kind]);
		return false;
	}
	if (got.kind == VALUE_EMPTY)
		return true;
	if (got.kind == VALUE_ARRAY)
		return arrays_agree(got.array, want.array, t, why);
	if (got.items->n != want.items->n) {
		text_printf(why, "%d values, expected %d", got.items->n, want.items->n);
		return false;
	}
	for (int i = 0; i < want.items->n; i++) {
		if (!value_agrees(got.items->at[i], want.items->at[i], t, why)) {
			text_printf(why, " (in value %d of %s)", i, kinds[want.kind]);
			return false;
		}
	}
	return true;
}
