/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/shape/node_sequence.c - sequences and optionals; SequenceMap, which is a loop. */
#include "graph/onnx/closed.h"
#include "graph/onnx/node/control/loop.h"

int node_sequence_construct(struct node *n)
{
	return node_give(n, 0, build_call(n->b, &core_sequence, n->nargs, n->args, NULL));
}

int node_sequence_empty(struct node *n)
{
	struct attr_vec attrs = { 0 };

	attrs_element(n->b->arena, &attrs, "element", node_element_attr(n, "dtype", ELEMENT_F32));
	return node_give(n, 0, build_call(n->b, &core_sequence, 0, NULL, &attrs));
}

int node_concat_from_sequence(struct node *n)
{
	struct attr_vec attrs = { 0 };

	attrs_int(n->b->arena, &attrs, "axis", node_int(n, "axis", 0));
	attrs_int(n->b->arena, &attrs, "new_axis", node_int(n, "new_axis", 0));
	return node_give(n, 0, build_with(n->b, &core_concat_sequence, &attrs, node_arg(n, 0)));
}

int node_split_to_sequence(struct node *n)
{
	struct attr_vec attrs = { 0 };

	attrs_int(n->b->arena, &attrs, "axis", node_int(n, "axis", 0));
	attrs_int(n->b->arena, &attrs, "keepdims", node_int(n, "keepdims", 1));
	return node_give(n, 0, build_with(n->b, &core_split_sequence, &attrs, node_arg(n, 0),
					  node_arg(n, 1)));
}

/* --- SequenceMap */

struct sequence_map {
	const Onnx__GraphProto *body;
	struct captured_vec captured;
};

/* An operand: the element of a sequence in this iteration, a tensor as it is. */
static int part(struct builder *b, int whole, int iteration)
{
	return build_type(b, whole)->kind == TYPE_SEQUENCE
		       ? build(b, &core_sequence_at, whole, iteration)
		       : whole;
}

/* The states are the sequences of results so far. */
static int read_body(struct node *n, const struct type *const *states, void *user)
{
	const struct sequence_map *x = user;
	struct arena *a = n->reader->scratch;
	int count = (int)x->body->n_output;
	int *so_far = arena_many(a, int, count), *whole = arena_many(a, int, n->nargs);
	int *results = arena_many(a, int, 1 + count);
	struct closed c;

	closed_begin(&c, n, x->body, "body");
	int iteration = closed_param(&c, -1, type_tensor(n->b->arena, ELEMENT_I64, 0, NULL));

	for (int i = 0; i < count; i++)
		so_far[i] = closed_param(&c, -1, states[i]);
	for (int i = 0; i < n->nargs; i++)
		whole[i] = closed_param(&c, -1, node_type(n, i));
	if (closed_capture(&c, &x->captured) < 0)
		return FUNCTION_NONE;
	for (int i = 0; i < n->nargs; i++) {
		int value = part(&c.builder, whole[i], iteration);

		if (value == VALUE_FAILED || closed_define(&c, i, value) < 0)
			return FUNCTION_NONE;
	}
	int *outputs = closed_read(&c);

	if (!outputs)
		return FUNCTION_NONE;
	results[0] = build_scalar(&c.builder, ELEMENT_BOOL, 1);
	for (int i = 0; i < count; i++)
		results[1 + i] = build(&c.builder, &core_sequence_insert, so_far[i], outputs[i]);
	return builder_end(&c.builder, 1 + count, results);
}

/* An empty sequence for output I of the body, of the elements that it is declared to have. */
static int nothing_yet(struct node *n, const Onnx__ValueInfoProto *output)
{
	const struct type *t = onnx_type(n->reader, output->type);
	struct attr_vec attrs = { 0 };

	if (!t)
		return VALUE_FAILED;
	if (type_is_tensor(t) && t->element != ELEMENT_COUNT)
		attrs_element(n->b->arena, &attrs, "element", t->element);
	return build_call(n->b, &core_sequence, 0, NULL, &attrs);
}

int node_sequence_map(struct node *n)
{
	struct sequence_map x = { .body = node_graph(n, "body") };
	struct arena *a = n->reader->scratch;
	int count;

	if (!x.body)
		return -1;
	int nout = (int)x.body->n_output;

	if (n->nargs < 1 || n->nargs != (int)x.body->n_input || n->nouts > nout)
		return node_error(n, "the inputs and outputs of its body do not fit its own");
	const struct type **states = arena_many(a, const struct type *, nout);
	int *first = arena_many(a, int, nout);

	for (int i = 0; i < nout; i++) {
		first[i] = nothing_yet(n, x.body->output[i]);
		states[i] = build_type(n->b, first[i]);
	}
	capture(n, x.body, &x.captured);
	int *captured = captured_values(n, &x.captured, &count);
	int *extra = arena_many(a, int, n->nargs + count);
	int body = loop_body(n, nout, states, read_body, &x);

	if (body == FUNCTION_NONE)
		return -1;
	memcpy(extra, n->args, (size_t)n->nargs * sizeof(*extra));
	memcpy(extra + n->nargs, captured, (size_t)count * sizeof(*extra));
	int trips = build(n->b, &core_sequence_length, n->args[0]);

	return node_give_fields(n, build_loop(n->b, body, trips, VALUE_NONE, nout, first,
					      n->nargs + count, extra));
}
