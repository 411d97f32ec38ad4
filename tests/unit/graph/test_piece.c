/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/test_piece.c - concatenations and slices that are said to move nothing, in all storages,
 * against what the interpreter makes of them. */
#include "tests/fixture/graph_fixture.h"

#include "graph/eval/interp.h"
#include "graph/task/fused.h"
#include "graph/task/piece.h"
#include "graph/task/variant.h"

enum { CASES = 400, CHANNEL_UNIT = 8, RANK = 4 };

struct piece_case {
	struct arena *a;
	struct graph *g;
	struct rng rng;
	int axis;
	int64_t whole[RANK], part[RANK];	/* dims of images */
	int64_t store;
};

static int64_t one_of(struct piece_case *x, int64_t a, int64_t b)
{
	return rng_chance(&x->rng, 0.5) ? a : b;
}

static struct piece_case random_case(int seed)
{
	struct piece_case x = { .a = arena_new(), .rng = rng_seed((uint64_t)seed) };
	const int64_t stores[] = { STORE_NCHW, STORE_NHWC, CHANNEL_UNIT, 2 * CHANNEL_UNIT };

	x.g = graph_new(x.a, "test");
	x.axis = (int)rng_below(&x.rng, RANK);
	x.store = stores[rng_below(&x.rng, 4)];
	x.part[0] = one_of(&x, 1, 2);
	x.part[1] = 2 * CHANNEL_UNIT;
	x.part[2] = one_of(&x, 1, 3);
	x.part[3] = one_of(&x, 1, 2);
	memcpy(x.whole, x.part, sizeof(x.whole));
	x.whole[x.axis] *= 2;
	return x;
}

static struct array *image(struct piece_case *x, const int64_t *dim)
{
	const struct type *t = storage_type(x->a, type_shaped(x->a, ELEMENT_F32, RANK, dim), (int)x->store);
	int64_t stored[GRAPH_MAX_RANK];

	type_shape(t, stored);
	struct array *y = array_in(x->a, ELEMENT_F32, t->rank, stored);

	for (int64_t i = 0; i < y->count; i++)
		element_store(ELEMENT_F32, y->data, i, rng_unit(&x->rng));
	return y;
}

static int end(struct piece_case *x, struct builder *b, int y)
{
	int index = builder_end(b, 1, &y);

	if (index == FUNCTION_NONE)
		fail_msg("%s", err_get());
	fused_mark(x->g, index);
	return index;
}

/* What FUNCTION gives when it is stored so; the caller releases it. */
static const struct array *stored_result(struct piece_case *x, int function, int n, const struct array *const *arg)
{
	const int64_t stored[] = { x->store, x->store, x->store };
	int variant = variant_make(x->g, function, stored);
	struct interp interp = interp_begin(x->a, x->g, interp_usual_limits);
	struct value args[2], out;

	for (int i = 0; i < n; i++)
		args[i] = value_of_array(array_hold(arg[i]));
	if (interp_run(&interp, variant, args, n, &out) < 0)
		fail_msg("%s", err_get());
	interp_end(&interp);
	return out.array;
}

static void test_concatenations(void **state)
{
	int claimed = 0, in_blocks = 0;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct piece_case x = random_case(i);
		const struct array *arg[2] = { image(&x, x.part), image(&x, x.part) };
		struct builder b = builder_begin(x.g, "concat");
		struct attr_vec attrs = { 0 };
		const int64_t stored[] = { x.store, x.store, x.store };
		int *params;

		for (int p = 0; p < 2; p++)
			build_param(&b, "", type_shaped(x.a, ELEMENT_F32, RANK, x.part));
		attrs_int(x.a, &attrs, "axis", x.axis);
		int f = end(&x, &b, build_with(&b, &core_concat, &attrs, 0, 1));
		int n = concat_pieces(x.a, x.g->functions.at[f], stored, &params);

		if (n) {
			const struct array *got = stored_result(&x, f, 2, arg);

			assert_int_equal(n, 2);
			for (int p = 0; p < n; p++)
				assert_memory_equal((const float *)got->data + p * arg[0]->count,
						    arg[params[p]]->data,
						    (size_t)arg[0]->count * sizeof(float));
			array_release(got);
		}
		claimed += n > 0;
		in_blocks += n > 0 && x.store > STORE_NHWC && x.axis == 1;
		arena_free(x.a);
	}
	assert_true(claimed > CASES / 4 && in_blocks > CASES / 32);
}

static void test_slices(void **state)
{
	int claimed = 0, in_blocks = 0;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		struct piece_case x = random_case(i);
		const struct array *arg = image(&x, x.whole);
		struct builder b = builder_begin(x.g, "slice");
		const int64_t stored[] = { x.store, x.store };
		int64_t unit = x.axis == 1 ? one_of(&x, 1, CHANNEL_UNIT) : 1;
		int64_t first = rng_below(&x.rng, x.part[x.axis] / unit + 1) * unit;
		int param;

		build_param(&b, "", type_shaped(x.a, ELEMENT_F32, RANK, x.whole));
		int starts = build_ints(&b, 1, &first), axes = build_ints(&b, 1, (int64_t[]){ x.axis });
		int ends = build_ints(&b, 1, (int64_t[]){ first + x.part[x.axis] });
		int f = end(&x, &b, build(&b, &core_slice, 0, starts, ends, axes));
		int64_t begin = slice_piece(x.g->functions.at[f], stored, &param);

		if (begin >= 0) {
			const struct array *got = stored_result(&x, f, 1, &arg);

			assert_memory_equal(got->data, (const float *)arg->data + begin,
					    (size_t)got->count * sizeof(float));
			array_release(got);
		}
		claimed += begin >= 0;
		in_blocks += begin > 0 && x.store > STORE_NHWC;
		arena_free(x.a);
	}
	assert_true(claimed > CASES / 16 && in_blocks > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_concatenations),
		cmocka_unit_test(test_slices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
