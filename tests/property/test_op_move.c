/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_op_move.c - random calls of operators that move data: the type relation agrees
 * with what comes out however much it knows, symbols included; the tensor expression gives the same;
 * the gradient is that of finite differences. HONE_SEED=n runs one case alone. */
#include <stdlib.h>

#include "tests/op_check.h"

/* A call with random operands; the element type of all floats is ELEMENT. */
struct move_call {
	struct op_case c;
	enum element element;
	const struct core_op *op;
	struct attr_vec attrs;
	int n;
	int args[8];
	int rank;
	int64_t dim[GRAPH_MAX_RANK];	/* of the first operand */
};

static int64_t below(struct move_call *m, int64_t n)
{
	return rng_below(&m->c.rng, n);
}

static void push_arg(struct move_call *m, int arg)
{
	m->args[m->n++] = arg;
}

static void push_ints(struct move_call *m, int n, const int64_t *v)
{
	push_arg(m, build_ints(&m->c.builder, n, v));
}

static void push_floats(struct move_call *m, int rank, const int64_t *dim)
{
	push_arg(m, random_of(&m->c, m->element, rank, dim, -2, 2));
}

/* Indices of EXTENT, some of them from the end. */
static void push_indices(struct move_call *m, int rank, const int64_t *dim, int64_t extent)
{
	struct array *x = array_in(m->c.arena, ELEMENT_I64, rank, dim);

	for (int64_t i = 0; i < x->count; i++)
		((int64_t *)x->data)[i] = below(m, 2 * extent) - extent;
	push_arg(m, build_const(&m->c.builder, x));
}

/* The first operand: rank LOW to 4, extents from LEAST to 4. */
static void push_x(struct move_call *m, int low, int64_t least)
{
	m->rank = low + (int)below(m, 5 - low);
	for (int i = 0; i < m->rank; i++)
		m->dim[i] = least + below(m, 5 - least);
	push_floats(m, m->rank, m->dim);
}

static int push_axis(struct move_call *m)
{
	int axis = (int)below(m, m->rank);

	attrs_int(m->c.arena, &m->attrs, "axis", axis - (int)below(m, 2) * m->rank);
	return axis;
}

/* Every second axis or so, each named from either end; their number. */
static int some_axes(struct move_call *m, int64_t *axes)
{
	int n = 0;

	for (int i = 0; i < m->rank; i++)
		if (below(m, 2))
			axes[n++] = i - below(m, 2) * m->rank;
	return n;
}

/* --- the operators */

static void make_transpose(struct move_call *m)
{
	int64_t perm[GRAPH_MAX_RANK];

	m->op = &core_transpose;
	push_x(m, 0, 0);
	for (int i = 0; i < m->rank; i++) {
		int j = (int)below(m, i + 1);

		perm[i] = perm[j];
		perm[j] = i;
	}
	if (below(m, 4))
		attrs_ints(m->c.arena, &m->attrs, "perm", m->rank, perm);
}

static void make_slice(struct move_call *m)
{
	int64_t axes[GRAPH_MAX_RANK], list[3][GRAPH_MAX_RANK];

	m->op = &core_slice;
	push_x(m, 1, 0);
	int n = some_axes(m, axes);

	for (int i = 0; i < n; i++) {
		list[0][i] = below(m, 12) - 6;
		list[1][i] = below(m, 4) ? below(m, 12) - 6 : below(m, 2) ? INT64_MAX : INT64_MIN;
		list[2][i] = below(m, 2) ? 1 + below(m, 3) : -1 - below(m, 3);
	}
	push_ints(m, n, list[0]);
	push_ints(m, n, list[1]);
	push_ints(m, n, axes);
	if (below(m, 2))
		push_ints(m, n, list[2]);
}

static void make_concat(struct move_call *m)
{
	int64_t dim[GRAPH_MAX_RANK];

	m->op = &core_concat;
	push_x(m, 1, 1);
	int axis = push_axis(m);

	memcpy(dim, m->dim, sizeof(dim));
	for (int i = (int)below(m, 3); i > 0; i--) {
		dim[axis] = 1 + below(m, 4);
		push_floats(m, m->rank, dim);
	}
}

static void make_pad(struct move_call *m)
{
	static const char *const modes[] = { "constant", "reflect", "edge", "wrap" };
	int64_t axes[GRAPH_MAX_RANK], pads[2 * GRAPH_MAX_RANK];

	m->op = &core_pad;
	push_x(m, 1, 1);
	int n = some_axes(m, axes);

	for (int i = 0; i < 2 * n; i++)
		pads[i] = below(m, 5) - (i < n && m->dim[(axes[i] + m->rank) % m->rank] > 1);
	push_ints(m, 2 * n, pads);
	push_arg(m, VALUE_NONE);
	push_ints(m, n, axes);
	attrs_string(m->c.arena, &m->attrs, "mode", modes[below(m, 4)]);
}

static void make_expand(struct move_call *m)
{
	int64_t shape[GRAPH_MAX_RANK];

	m->op = &core_expand;
	push_x(m, 0, 1);
	int more = (int)below(m, 3);

	for (int i = 0; i < more + m->rank; i++) {
		int64_t have = i < more ? 1 : m->dim[i - more];

		shape[i] = have == 1 ? 1 + below(m, 3) : below(m, 2) ? have : 1;
	}
	push_ints(m, more + m->rank, shape);
}

static void make_tile(struct move_call *m)
{
	int64_t repeats[GRAPH_MAX_RANK];

	m->op = &core_tile;
	push_x(m, 0, 1);
	for (int i = 0; i < m->rank; i++)
		repeats[i] = 1 + below(m, 3);
	push_ints(m, m->rank, repeats);
}

static void make_view(struct move_call *m)
{
	int64_t axes[GRAPH_MAX_RANK] = { 0, -1 };
	int n = (int)below(m, 3);

	m->op = &core_unsqueeze;
	push_x(m, 1, 0);
	push_ints(m, n, axes);
}

static void make_reshape(struct move_call *m)
{
	int64_t shape[3];

	m->op = &core_reshape;
	push_x(m, 3, 1);
	shape[0] = m->dim[0] * m->dim[1];	/* two become one, one becomes two */
	shape[1] = m->dim[2] % 2 ? 1 : 2;
	shape[2] = -1;
	push_ints(m, 3, shape);
}

static void make_gather(struct move_call *m)
{
	m->op = &core_gather;
	push_x(m, 1, 1);
	int64_t extent = m->dim[push_axis(m)];

	push_indices(m, (int)below(m, 3), (const int64_t[]){ 1 + below(m, 3), 2 }, extent);
}

static void make_gather_elements(struct move_call *m)
{
	int64_t dim[GRAPH_MAX_RANK];

	m->op = &core_gather_elements;
	push_x(m, 1, 1);
	int axis = push_axis(m);

	for (int i = 0; i < m->rank; i++)
		dim[i] = i == axis ? 1 + below(m, 5) : 1 + below(m, m->dim[i]);
	push_indices(m, m->rank, dim, m->dim[axis]);
}

static void make_scatter_elements(struct move_call *m)
{
	int64_t dim[GRAPH_MAX_RANK];

	make_gather_elements(m);
	m->op = &core_scatter_elements;
	memcpy(dim, build_array(&m->c.builder, m->args[1])->dim, sizeof(dim));
	push_floats(m, m->rank, dim);
	attrs_string(m->c.arena, &m->attrs, "reduction", "add");
}

/* Rows of indices for the first one or two axes, all of one extent. */
static int push_rows(struct move_call *m, int64_t rows)
{
	m->rank = 1 + (int)below(m, 3);
	for (int i = 0; i < m->rank; i++)
		m->dim[i] = 3;
	push_floats(m, m->rank, m->dim);
	int64_t depth = 1 + below(m, m->rank < 2 ? 1 : 2);

	push_indices(m, 2, (const int64_t[]){ rows, depth }, 3);
	return (int)depth;
}

static void make_gather_nd(struct move_call *m)
{
	m->op = &core_gather_nd;
	push_rows(m, 1 + below(m, 4));
}

static void make_scatter_nd(struct move_call *m)
{
	int64_t dim[GRAPH_MAX_RANK] = { 1 + below(m, 4) };

	m->op = &core_scatter_nd;
	int depth = push_rows(m, dim[0]);

	for (int i = depth; i < m->rank; i++)
		dim[1 + i - depth] = 3;
	push_floats(m, 1 + m->rank - depth, dim);
	attrs_string(m->c.arena, &m->attrs, "reduction", "add");
}

static void make_reverse(struct move_call *m)
{
	m->op = &core_reverse_sequence;
	push_x(m, 2, 1);
	struct array *lengths = array_in(m->c.arena, ELEMENT_I64, 1, &m->dim[1]);

	for (int64_t i = 0; i < lengths->count; i++)
		((int64_t *)lengths->data)[i] = below(m, m->dim[0] + 1);
	push_arg(m, build_const(&m->c.builder, lengths));
}

static void make_resize(struct move_call *m)
{
	static const char *const modes[] = { "nearest", "linear", "cubic" };
	static const char *const coordinates[] = { "half_pixel", "align_corners", "asymmetric",
						   "half_pixel_symmetric" };
	int64_t sizes[GRAPH_MAX_RANK];

	m->op = &core_resize;
	push_x(m, 1, 1);
	for (int i = 0; i < m->rank; i++)
		sizes[i] = below(m, 2) ? m->dim[i] : 1 + below(m, 6);
	push_arg(m, VALUE_NONE);
	push_arg(m, VALUE_NONE);
	push_ints(m, m->rank, sizes);
	attrs_string(m->c.arena, &m->attrs, "mode", modes[below(m, 3)]);
	attrs_string(m->c.arena, &m->attrs, "coordinates", coordinates[below(m, 4)]);
	attrs_int(m->c.arena, &m->attrs, "antialias", below(m, 2));
}

static void (*const makers[])(struct move_call *m) = {
	make_transpose,	 make_slice,	      make_concat,	     make_pad,	     make_expand,
	make_tile,	 make_view,	      make_reshape,	     make_gather,    make_gather_elements,
	make_gather_nd,	 make_scatter_elements, make_scatter_nd,     make_reverse,   make_resize,
};

enum { MAKERS = (int)(sizeof(makers) / sizeof(*makers)) };

static struct move_call make(int seed, enum element e)
{
	struct move_call m = { .c = op_case_new(), .element = e };

	m.c.rng = rng_seed((uint64_t)seed);
	makers[seed % MAKERS](&m);
	return m;
}

/* --- the properties */

/* What is known of the result's extents where those of the first operand are symbols holds for these
 * extents. */
static void check_symbols(struct move_call *m, const struct array *y)
{
	struct builder b = builder_begin(m->c.graph, "symbolic");
	struct dim dim[GRAPH_MAX_RANK];
	const struct axis *symbol[GRAPH_MAX_RANK];
	int args[8];

	for (int i = 0; i < m->rank; i++) {
		symbol[i] = graph_symbol(m->c.graph, (const char[]){ (char)('A' + i), '\0' });
		dim[i] = dim_expr(m->c.arena, expr_axis(m->c.arena, symbol[i]));
	}
	args[0] = build_param(&b, "", type_tensor(m->c.arena, m->element, m->rank, dim));
	for (int i = 1; i < m->n; i++)
		args[i] = m->args[i] == VALUE_NONE
				  ? VALUE_NONE
				  : build_const(&b, build_array(&m->c.builder, m->args[i]));
	int z = build_call(&b, m->op, m->n, args, &m->attrs);

	if (z == VALUE_FAILED)
		return;	/* other extents could not be */
	const struct type *t = build_type(&b, z);

	for (int i = 0; i < m->rank; i++)
		t = type_substitute(m->c.arena, t, symbol[i], dim_number(m->dim[i]));
	if (!type_fits(type_of_array(m->c.arena, y), t)) {
		struct text text = { 0 };

		type_print(&text, t);
		fail_msg("%s: with symbols %s", m->op->name, text_str(&text));
	}
}

static void check_case(int seed)
{
	struct move_call m = make(seed, ELEMENT_F32);
	struct text want = { 0 };
	const struct array *y = need_result(&m.c, m.op, &m.attrs, m.n, m.args);

	print_array(&want, y);
	if (m.op != &core_resize)	/* which rounds */
		expect_call(&m.c, m.op->name, text_str(&want), m.op, &m.attrs, m.n, m.args);
	else if (y->count)
		check_express_close(&m.c, m.op, &m.attrs, m.n, m.args, 1e-5);
	check_symbols(&m, y);
	text_free(&want);
	op_case_free(&m.c);
	m = make(seed, ELEMENT_F64);
	check_gradient(&m.c, m.op, &m.attrs, m.n, m.args);
	op_case_free(&m.c);
}

/* --- operands that nobody meant */

static int any_operand(struct op_case *c)
{
	static const enum element elements[] = { ELEMENT_F32, ELEMENT_I64, ELEMENT_I64, ELEMENT_I64,
						 ELEMENT_BOOL, ELEMENT_STRING };
	enum element e = elements[rng_below(&c->rng, 6)];
	int64_t dim[4];
	int rank = (int)rng_below(&c->rng, 5);

	for (int i = 0; i < rank; i++)
		dim[i] = rng_below(&c->rng, 4);
	if (e == ELEMENT_STRING)
		return build_const(&c->builder, array_in(c->arena, e, rank, dim));
	return random_of(c, e, rank, dim, -4, 5);
}

static struct attr_vec any_attributes(struct op_case *c, const struct core_op *op)
{
	struct attr_vec attrs = { 0 };

	for (const struct attr_spec *a = op->attrs; a && a->name; a++)
		if (a->kind == ATTR_INT && rng_chance(&c->rng, 0.5))
			attrs_int(c->arena, &attrs, a->name, rng_below(&c->rng, 7) - 3);
	return attrs;
}

/* Whatever comes to an operator of which nothing was known before is computed or refused. */
static void test_hostile(void **state)
{
	static const struct core_op *const ops[] = {
		&core_squeeze, &core_unsqueeze, &core_transpose, &core_expand, &core_tile, &core_slice,
		&core_pad, &core_concat, &core_split, &core_fill, &core_range, &core_gather,
		&core_gather_elements, &core_gather_nd, &core_scatter_elements, &core_scatter_nd,
		&core_resize, &core_top_k, &core_nonzero, &core_compress, &core_unique,
		&core_reverse_sequence, &core_non_max_suppression, &core_sequence, &core_sequence_at,
		&core_sequence_insert, &core_concat_sequence, &core_split_sequence, &core_reshape,
		&core_string_concat, &core_string_split, &core_string_normalize, &core_regex_match,
	};
	enum { OPS = (int)(sizeof(ops) / sizeof(*ops)), MOST = 5 };
	int computed = 0;

	(void)state;
	for (int i = 0; i < 300 * OPS; i++) {
		const struct core_op *op = ops[i % OPS];
		struct op_case c = op_case_new();
		enum op_known how[MOST] = { KNOWN_NOTHING, KNOWN_NOTHING, KNOWN_NOTHING,
					    KNOWN_NOTHING, KNOWN_NOTHING };
		int args[MOST], most = op->max_args < MOST ? op->max_args : MOST;
		struct value v;

		c.rng = rng_seed((uint64_t)i);
		int n = op->min_args + (int)rng_below(&c.rng, most - op->min_args + 1);

		for (int k = 0; k < n; k++)
			args[k] = any_operand(&c);
		struct attr_vec attrs = any_attributes(&c, op);

		if (run_known(&c, op, &attrs, n, args, how, &v) == 0) {
			value_release(v);
			computed++;
		}
		op_case_free(&c);
	}
	assert_in_range(computed, 10 * OPS, 250 * OPS);	/* both happen */
}

static int current;	/* the case that is checked; -1: none */

static void test_calls(void **state)
{
	const char *one = getenv("HONE_SEED");
	int cases = getenv("HONE_LONG") ? 20000 : 1500;

	(void)state;
	for (int seed = one ? atoi(one) : 0; seed < (one ? atoi(one) + 1 : cases); seed++) {
		current = seed;
		check_case(seed);
	}
	current = -1;
}

static int name_case(void **state)
{
	(void)state;
	if (current >= 0)
		print_message("HONE_SEED=%d\n", current);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_calls, name_case),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
