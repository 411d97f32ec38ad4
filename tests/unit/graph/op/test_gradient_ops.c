/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of each operator, forwards and in reverse, against central differences; the cases are
 * tests/unit/graph/op/gradients.def. An operator that has neither a case nor a reason to have none fails. */
#include "graph/ir/op.h"
#include "tests/fixture/diff_fixture.h"

struct gradient_case {
	const char *op;
	double low, high;
	const char *params, *bindings;
};

static const struct gradient_case cases[] = {
#define X(op, low, high, params, bindings) { #op, low, high, params, bindings },
#include "tests/unit/graph/op/gradients.def"
#undef X
};

/* Operators whose results are constant: integers, bools, strings, bits, chance. */
static const char *const constant[] = {
	"and", "or", "xor", "not", "bit_and", "bit_or", "bit_xor", "bit_not", "shift_left",
	"shift_right", "equal", "less", "less_equal", "is_nan", "is_inf", "bitcast", "shape_of",
	"range", "arg_max", "arg_min", "nonzero", "unique", "non_max_suppression",
	"random_uniform", "random_normal", "string_concat", "string_split", "string_normalize",
	"regex_match", "sequence_length", "optional_has",
	/* of sequences and optionals, which are not differentiated */
	"sequence", "sequence_at", "sequence_insert", "sequence_erase", "concat_sequence",
	"split_sequence", "optional", "optional_get",
};

/* Of floats, and refused where they are differentiated: nothing says their gradients yet. */
static const char *const refused[] = {
	"deform_conv", "det", "dft", "grid_sample", "max_roi_pool", "roi_align",
};

static bool is_in(const char *const *list, size_t n, const char *op)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(op, list[i]) == 0)
			return true;
	return false;
}

#define IS_IN(list, op) is_in(list, sizeof(list) / sizeof(*(list)), op)

enum { MOST_EXTENT = 4, EXTENTS = 4, TURNS = 4 };

/* TEXT with numbers in the place of extents; %names are of small letters. */
static const char *with_extents(struct arena *a, struct rng *rng, const char *text,
				const int64_t *extent)
{
	struct text out = { 0 };

	for (const char *s = text; *s; s++) {
		bool named = *s >= 'A' && *s < 'A' + EXTENTS;
		bool one = named && s[1] == '?' && rng_below(rng, 2);

		if (!named)
			text_putn(&out, s, 1);
		else
			text_printf(&out, "%lld", one ? 1LL : (long long)extent[*s - 'A']);
		if (named && s[1] == '?')
			s++;
	}
	const char *copy = arena_strdup(a, text_str(&out));

	text_free(&out);
	return copy;
}

static void check_case(const struct gradient_case *of, uint64_t seed)
{
	struct arena *a = arena_new();
	struct rng rng = rng_seed(seed);
	int64_t extent[EXTENTS];

	for (int i = 0; i < EXTENTS; i++)
		extent[i] = 1 + (int64_t)rng_below(&rng, MOST_EXTENT);
	const char *text = with_extents(a, &rng, arena_printf(a, "fn @main(%s) {\n%s\nreturn %%r\n}\n",
							      of->params, of->bindings), extent);
	struct diff_case c = diff_parse(text, text);

	c.rng = rng;
	diff_make(&c);
	diff_check_at(&c, diff_arguments(&c, of->low, of->high));
	diff_free(&c);
	arena_free(a);
}

static void each_gradient_is_that_of_differences(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (int turn = 0; turn < TURNS; turn++)
			check_case(&cases[i], (uint64_t)turn);
}

static void every_operator_has_a_case(void **state)
{
	(void)state;
	for (int i = 0; core_op_at(i); i++) {
		const char *name = core_op_at(i)->name;
		bool found = IS_IN(constant, name) || IS_IN(refused, name);

		for (size_t k = 0; k < sizeof(cases) / sizeof(*cases) && !found; k++)
			found = strcmp(cases[k].op, name) == 0;
		if (!found)
			fail_msg("%s: no case in tests/unit/graph/op/gradients.def", name);
		if (IS_IN(refused, name) && core_op_at(i)->gradient)
			fail_msg("%s: it has a gradient, and no case", name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_gradient_is_that_of_differences),
		cmocka_unit_test(every_operator_has_a_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
