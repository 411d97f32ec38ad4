/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/node_recurrent.c - RNN, GRU and LSTM as loops over the steps of a sequence.
 *
 * Inside, the order is that of ONNX's layout 0: inputs [length, batch, input], states [directions,
 * batch, size]. The product of all inputs with their weights is outside of the loop. */
#include "graph/onnx/node/neural/cell.h"

enum { ARG_X, ARG_W, ARG_R, ARG_BIAS, ARG_LENGTHS, ARG_H, ARG_C, ARG_PEEPHOLES };

/* A node that is being read. */
struct recurrence {
	const struct cell_kind *kind;
	int directions;
	bool reversed;		/* the first direction is from the end */
	bool batch_first;	/* layout 1 */
	int x;			/* [length, batch, input] */
	int64_t size;
};

/* What the body of the loop is given behind iteration and states. */
enum { GIVEN_X, GIVEN_WEIGHT, GIVEN_RESET_BIAS, GIVEN_PEEPHOLES, GIVEN_LENGTHS, GIVEN };

static int read_recurrence(struct node *n, const struct cell_kind *kind, struct recurrence *r)
{
	const char *direction = node_string(n, "direction", "forward");
	const struct type *weight = node_type(n, ARG_R);

	*r = (struct recurrence){ .kind = kind, .directions = 1, .x = node_arg(n, ARG_X) };
	if (strcmp(direction, "bidirectional") == 0)
		r->directions = 2;
	else if (strcmp(direction, "reverse") == 0)
		r->reversed = true;
	else if (strcmp(direction, "forward") != 0)
		return node_error(n, "direction is '%s'", direction);
	r->size = node_int(n, "hidden_size", 0);
	if (type_is_ranked(weight) && weight->rank == 3 && dim_is_number(weight->dim[2]))
		r->size = weight->dim[2].n;
	if (r->size < 1)
		return node_error(n, "the size of the hidden state is not known (set hidden_size)");
	r->batch_first = node_int(n, "layout", 0) != 0;
	if (r->batch_first)
		r->x = compose_transpose(n->b, r->x, INTS(1, 0, 2));
	return 0;
}

/* Direction D of operand I, which has one slice for each; VALUE_NONE where it was left out. */
static int of_direction(struct node *n, int i, int d)
{
	if (!node_has(n, i))
		return VALUE_NONE;
	return compose_gather(n->b, node_arg(n, i), 0, build_int(n->b, d));
}

/* State S of direction D before the first step [batch, size]. */
static int first_state(struct node *n, const struct recurrence *r, int s, int d)
{
	struct builder *b = n->b;
	int given = node_arg(n, ARG_H + s);

	if (given != VALUE_NONE)
		return compose_gather(b, given, r->batch_first ? 1 : 0, build_int(b, d));
	int shape[] = { compose_extent(b, r->x, 1), build_ints(b, 1, &r->size) };

	return build(b, &core_fill, compose_concat(b, 0, 2, shape), compose_number(b, r->x, 0));
}

/* The weighted inputs of direction D with all biases but those that a reset is to scale, which are
 * *RESET_BIAS. */
static int weigh_inputs(struct node *n, const struct recurrence *r, const struct recurrent_cell *cell,
			int d, int x, int *reset_bias)
{
	struct builder *b = n->b;
	int64_t half = r->kind->gates * r->size;
	int bias = of_direction(n, ARG_BIAS, d);

	x = build_with(b, &core_matmul, with_int(b, "trans_b", 1), x, of_direction(n, ARG_W, d));
	*reset_bias = VALUE_NONE;
	if (bias == VALUE_NONE)
		return x;
	int of_input = compose_slice(b, bias, 0, 0, half);
	int of_state = compose_slice(b, bias, 0, half, 2 * half);

	x = build(b, &core_add, x, of_input);
	if (!cell->reset_after)
		return build(b, &core_add, x, of_state);
	int64_t before = half - r->size;
	int shape = build_ints(b, 1, &r->size);
	int parts[] = { compose_slice(b, of_state, 0, 0, before),
			build(b, &core_fill, shape, compose_number(b, bias, 0)) };

	*reset_bias = compose_slice(b, of_state, 0, before, half);
	return build(b, &core_add, x, compose_concat(b, 0, 2, parts));
}

/* NEW where the step is one of the sequence's, else OLD. */
static int while_alive(struct builder *b, int alive, int new, int old)
{
	return alive == VALUE_NONE ? new : build(b, &core_where, alive, new, old);
}

/* (iteration, states..., given...) -> (true, states..., hidden state) */
static int make_body(struct graph *graph, const struct recurrent_cell *cell,
		     const struct type *const *states, const struct type *const *types)
{
	struct builder b = builder_begin(graph, cell->kind->name);
	struct cell_step s = { .cell = cell, .b = &b };
	int i = build_param(&b, "step", type_shaped(b.arena, ELEMENT_I64, 0, NULL));
	int old[CELL_STATES], given[GIVEN], results[2 + CELL_STATES], n = 0, alive = VALUE_NONE;

	for (int k = 0; k < cell->kind->states; k++)
		s.state[k] = old[k] = build_param(&b, k ? "c" : "h", states[k]);
	for (int k = 0; k < GIVEN; k++)
		given[k] = types[k] ? build_param(&b, "", types[k]) : VALUE_NONE;
	s.x = compose_gather(&b, given[GIVEN_X], 0, i);
	s.weight = given[GIVEN_WEIGHT];
	s.reset_bias = given[GIVEN_RESET_BIAS];
	s.peepholes = given[GIVEN_PEEPHOLES];
	if (given[GIVEN_LENGTHS] != VALUE_NONE)
		alive = compose_unsqueeze(&b, build(&b, &core_less, i, given[GIVEN_LENGTHS]), 1);
	cell->kind->step(&s);
	results[n++] = build_scalar(&b, ELEMENT_BOOL, 1);
	for (int k = 0; k < cell->kind->states; k++)
		results[n++] = while_alive(&b, alive, s.state[k], old[k]);
	results[n++] = while_alive(&b, alive, s.state[0], compose_number(&b, s.state[0], 0));
	return builder_end(&b, n, results);
}

static int turned(struct builder *b, int x, int lengths)
{
	return build(b, &core_reverse_sequence, x, lengths);
}

/* The loop of direction D: a tuple of the last states and the hidden states of all steps. */
static int run_direction(struct node *n, const struct recurrence *r,
			 const struct recurrent_cell *cell, int d, int x)
{
	struct builder *b = n->b;
	const struct type *state_types[CELL_STATES], *types[GIVEN];
	int state[CELL_STATES], given[GIVEN], extra[GIVEN], nextra = 0;

	given[GIVEN_X] = weigh_inputs(n, r, cell, d, x, &given[GIVEN_RESET_BIAS]);
	given[GIVEN_WEIGHT] = of_direction(n, ARG_R, d);
	given[GIVEN_PEEPHOLES] =
		r->kind == &cell_lstm ? of_direction(n, ARG_PEEPHOLES, d) : VALUE_NONE;
	given[GIVEN_LENGTHS] = VALUE_NONE;
	if (node_has(n, ARG_LENGTHS))
		given[GIVEN_LENGTHS] = compose_cast(b, node_arg(n, ARG_LENGTHS), ELEMENT_I64);
	for (int i = 0; i < GIVEN; i++) {
		if (given[i] == VALUE_FAILED)
			return VALUE_FAILED;
		types[i] = given[i] == VALUE_NONE ? NULL : build_type(b, given[i]);
		if (types[i])
			extra[nextra++] = given[i];
	}
	for (int i = 0; i < r->kind->states; i++) {
		state[i] = first_state(n, r, i, d);
		state_types[i] = build_type(b, state[i]);
	}
	int body = make_body(b->graph, cell, state_types, types);
	int steps = compose_reshape(b, compose_extent(b, x, 0), 0, NULL);

	if (body == FUNCTION_NONE)
		return VALUE_FAILED;
	return build_loop(b, body, steps, VALUE_NONE, r->kind->states, state, nextra, extra);
}

/* What the directions gave, as outputs: all hidden states, then the last of each kind. */
static int give_outputs(struct node *n, const struct recurrence *r, int parts[][2])
{
	struct builder *b = n->b;
	int all = compose_concat(b, 1, r->directions, parts[0]);

	if (r->batch_first)
		all = compose_transpose(b, all, INTS(2, 0, 1, 3));
	if (node_give(n, 0, all) < 0)
		return -1;
	for (int i = 0; i < r->kind->states; i++) {
		int last = compose_concat(b, 0, r->directions, parts[1 + i]);

		if (r->batch_first)
			last = compose_transpose(b, last, INTS(1, 0, 2));
		if (node_give(n, 1 + i, last) < 0)
			return -1;
	}
	return 0;
}

static int read_recurrent(struct node *n, const struct cell_kind *kind)
{
	struct builder *b = n->b;
	int parts[1 + CELL_STATES][2];	/* all, then the last states, by direction */
	struct recurrence r;

	if (read_recurrence(n, kind, &r) < 0)
		return -1;
	for (int d = 0; d < r.directions; d++) {
		struct recurrent_cell *cell = arena_one(b->arena, struct recurrent_cell);
		bool backwards = r.reversed || d == 1;
		int lengths = node_arg(n, ARG_LENGTHS), x = r.x;

		*cell = (struct recurrent_cell){
			.kind = kind, .size = r.size, .clip = node_float(n, "clip", 0),
			.coupled = node_int(n, "input_forget", 0) != 0,
			.reset_after = node_int(n, "linear_before_reset", 0) != 0 };
		if (cell_activations(n, cell, d, r.directions) < 0)
			return -1;
		if (backwards && lengths == VALUE_NONE)
			lengths = build(b, &core_fill, compose_extent(b, x, 1),
					compose_reshape(b, compose_extent(b, x, 0), 0, NULL));
		if (backwards)
			x = turned(b, x, lengths);
		int loop = run_direction(n, &r, cell, d, x);

		if (loop == VALUE_FAILED)
			return -1;
		int all = build_field(b, loop, kind->states);

		parts[0][d] = compose_unsqueeze(b, backwards ? turned(b, all, lengths) : all, 1);
		for (int i = 0; i < kind->states; i++)
			parts[1 + i][d] = compose_unsqueeze(b, build_field(b, loop, i), 0);
	}
	return give_outputs(n, &r, parts);
}

int node_rnn(struct node *n)
{
	return read_recurrent(n, &cell_rnn);
}

int node_gru(struct node *n)
{
	return read_recurrent(n, &cell_gru);
}

int node_lstm(struct node *n)
{
	return read_recurrent(n, &cell_lstm);
}
