/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/control/node_scan.c - Scan: a loop along axes of tensors, of which the body takes a slice each. */
#include "graph/onnx/closed.h"
#include "graph/onnx/node/control/loop.h"

struct scan_node {
	const Onnx__GraphProto *body;
	struct captured_vec captured;
	int nstate, nscanned, nstacked;	/* states; inputs that are cut; outputs that are stacked */
	const int64_t *axes;		/* of the inputs; none: 0 */
	const int64_t *backward;	/* 1: from their end */
	int naxes, nbackward;
};

/* The lists of attributes are shorter than what they are about, or absent: zeros then. */
static int64_t listed(const int64_t *list, int n, int i)
{
	return i < n ? list[i] : 0;
}

static int gather(struct builder *b, int x, int index, int64_t axis)
{
	struct attr_vec attrs = { 0 };

	attrs_int(b->arena, &attrs, "axis", axis);
	return build_with(b, &core_gather, &attrs, x, index);
}

/* The extent of X along AXIS, as i64[]. */
static int extent(struct builder *b, int x, int64_t axis)
{
	return gather(b, build(b, &core_shape_of, x), build_int(b, axis), 0);
}

/* What the body takes of input I in an iteration. */
static int slice(struct builder *b, const struct scan_node *x, int i, int whole, int iteration)
{
	int64_t axis = listed(x->axes, x->naxes, i);
	int index = iteration;

	if (listed(x->backward, x->nbackward, i))
		index = build(b, &core_sub, build(b, &core_sub, extent(b, whole, axis), build_int(b, 1)),
			      iteration);
	return gather(b, whole, index, axis);
}

static int read_body(struct node *n, const struct type *const *states, void *user)
{
	const struct scan_node *x = user;
	struct arena *a = n->reader->scratch;
	int *whole = arena_many(a, int, x->nscanned);
	int count = (int)x->body->n_output;
	int *results = arena_many(a, int, 1 + count);
	struct closed c;

	closed_begin(&c, n, x->body, "body");
	int iteration = closed_param(&c, -1, type_tensor(n->b->arena, ELEMENT_I64, 0, NULL));

	for (int i = 0; i < x->nstate; i++)
		closed_param(&c, i, states[i]);
	for (int i = 0; i < x->nscanned; i++)
		whole[i] = closed_param(&c, -1, node_type(n, x->nstate + i));
	if (closed_capture(&c, &x->captured) < 0)
		return FUNCTION_NONE;
	for (int i = 0; i < x->nscanned; i++) {
		int part = slice(&c.builder, x, i, whole[i], iteration);

		if (part == VALUE_FAILED || closed_define(&c, x->nstate + i, part) < 0)
			return FUNCTION_NONE;
	}
	int *outputs = closed_read(&c);

	if (!outputs)
		return FUNCTION_NONE;
	results[0] = build_scalar(&c.builder, ELEMENT_BOOL, 1);
	memcpy(results + 1, outputs, (size_t)count * sizeof(*outputs));
	return builder_end(&c.builder, 1 + count, results);
}

/* Y, stacked along a new first dim, with that dim at AXIS and from its end where BACKWARD. */
static int arrange(struct node *n, int y, int64_t axis, bool backward)
{
	struct builder *b = n->b;
	int64_t perm[GRAPH_MAX_RANK];
	struct attr_vec attrs = { 0 };

	if (backward)
		y = build(b, &core_slice, y, build_ints(b, 1, (int64_t[]){ -1 }),
			  build_ints(b, 1, (int64_t[]){ INT64_MIN }),
			  build_ints(b, 1, (int64_t[]){ 0 }), build_ints(b, 1, (int64_t[]){ -1 }));
	if (axis == 0 || y < 0)
		return y;
	int rank = build_type(b, y)->rank;

	if (!type_is_ranked(build_type(b, y)) || axis < -rank || axis >= rank) {
		node_error(n, "an output is stacked along axis %lld, which it has not, or its rank is "
			   "not known", (long long)axis);
		return VALUE_FAILED;
	}
	axis += axis < 0 ? rank : 0;
	for (int i = 0; i < rank; i++)
		perm[i] = i < axis ? i + 1 : i == axis ? 0 : i;
	attrs_ints(b->arena, &attrs, "perm", rank, perm);
	return build_with(b, &core_transpose, &attrs, y);
}

static int give(struct node *n, const struct scan_node *x, int loop)
{
	int naxes, nbackward;
	const int64_t *axes = node_ints(n, "scan_output_axes", &naxes);
	const int64_t *backward = node_ints(n, "scan_output_directions", &nbackward);

	for (int i = 0; i < n->nouts; i++) {
		int stacked = i - x->nstate;
		int y = build_field(n->b, loop, i);

		if (stacked >= 0)
			y = arrange(n, y, listed(axes, naxes, stacked),
				    listed(backward, nbackward, stacked));
		if (node_give(n, i, y) < 0)
			return -1;
	}
	return 0;
}

int node_scan(struct node *n)
{
	struct scan_node x = { .body = node_graph(n, "body"),
			       .nscanned = (int)node_int(n, "num_scan_inputs", 0) };

	if (!x.body)
		return -1;
	x.nstate = n->nargs - x.nscanned;
	x.nstacked = (int)x.body->n_output - x.nstate;
	x.axes = node_ints(n, "scan_input_axes", &x.naxes);
	x.backward = node_ints(n, "scan_input_directions", &x.nbackward);
	if (x.nscanned < 1 || x.nstate < 0 || x.nstacked < 0 || n->nargs != (int)x.body->n_input ||
	    n->nouts > (int)x.body->n_output)
		return node_error(n, "the inputs and outputs of its body do not fit its own");
	const struct type **states = arena_many(n->reader->scratch, const struct type *, x.nstate);
	int count;

	for (int i = 0; i < x.nstate; i++)
		states[i] = node_type(n, i);
	capture(n, x.body, &x.captured);
	int *captured = captured_values(n, &x.captured, &count);
	int *extra = arena_many(n->reader->scratch, int, x.nscanned + count);
	int body = loop_body(n, x.nstate, states, read_body, &x);

	if (body == FUNCTION_NONE)
		return -1;
	for (int i = 0; i < x.nscanned; i++)
		extra[i] = n->args[x.nstate + i];
	memcpy(extra + x.nscanned, captured, (size_t)count * sizeof(*captured));
	int trips = extent(n->b, extra[0], listed(x.axes, x.naxes, 0));

	return give(n, &x, build_loop(n->b, body, trips, VALUE_NONE, x.nstate, n->args,
				      x.nscanned + count, extra));
}
