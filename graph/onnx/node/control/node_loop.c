/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/control/node_loop.c - Loop: its body becomes a function of the iteration, the state and what it
 * reads. */
#include "graph/onnx/closed.h"

#include "graph/onnx/node/control/loop.h"

/* A body is read again where its state has another type after an iteration. */
enum { MAX_READINGS = 4 };
/* In loops within loops bodies are read that many times to the power of the depth; deeper ones are
 * read once, with states of which only the element type is known. */
enum { MAX_PRECISE_DEPTH = 3 };

/* What is sure of a state of type T whatever an iteration makes of it. */
static const struct type *weakest(struct arena *a, const struct type *t)
{
	switch (t->kind) {
	case TYPE_TENSOR:
		return type_unranked(a, t->element);
	case TYPE_SEQUENCE:
		return type_sequence(a, weakest(a, t->field[0]));
	case TYPE_OPTIONAL:
		return type_optional(a, weakest(a, t->field[0]));
	default:
		return &type_unknown;
	}
}

/* Widens the STATES to what the results of function F, from the second on, are too. Did they
 * change? */
static bool widen(struct node *n, const struct function *f, int nstate, const struct type **states,
		  bool far)
{
	struct arena *a = n->reader->arena;
	bool changed = false;

	for (int i = 0; i < nstate; i++) {
		const struct type *next = f->nresults == 1 ? f->result : f->result->field[1 + i];
		const struct type *both = type_join(a, states[i], next);

		if (type_equal(both, states[i]))
			continue;
		states[i] = far ? weakest(a, both) : both;
		changed = true;
	}
	return changed;
}

int loop_body(struct node *n, int nstate, const struct type **states,
	      int (*read)(struct node *n, const struct type *const *states, void *user), void *user)
{
	struct onnx_reader *r = n->reader;
	int functions = r->graph->functions.n, problems = problem_count(r);
	bool precise = r->loops_deep < MAX_PRECISE_DEPTH;
	int index = FUNCTION_NONE;

	if (!precise)
		for (int i = 0; i < nstate; i++)
			states[i] = weakest(r->arena, states[i]);
	for (int i = 0; i < MAX_READINGS; i++) {
		r->graph->functions.n = functions;
		problem_forget(r, problems);
		r->loops_deep++;
		index = read(n, states, user);
		r->loops_deep--;
		if (index == FUNCTION_NONE ||
		    !widen(n, r->graph->functions.at[index], nstate, states,
			   !precise || i + 2 >= MAX_READINGS))
			return index;
	}
	node_error(n, "its state changes its type from iteration to iteration");
	return FUNCTION_NONE;
}

struct loop_graph {
	const Onnx__GraphProto *graph;
	struct captured_vec captured;
};

static int read_body(struct node *n, const struct type *const *states, void *user)
{
	const struct loop_graph *x = user;
	int nstate = (int)x->graph->n_input - 2;
	struct closed c;

	closed_begin(&c, n, x->graph, "body");
	closed_param(&c, 0, type_tensor(n->reader->arena, ELEMENT_I64, 0, NULL));
	for (int i = 0; i < nstate; i++)
		closed_param(&c, 2 + i, states[i]);
	/* The body runs only where the condition holds. */
	if (closed_capture(&c, &x->captured) < 0 ||
	    closed_define(&c, 1, build_scalar(&c.builder, ELEMENT_BOOL, 1)) < 0)
		return FUNCTION_NONE;
	int *results = closed_read(&c);

	return results ? builder_end(&c.builder, (int)x->graph->n_output, results) : FUNCTION_NONE;
}

int node_loop(struct node *n)
{
	struct loop_graph x = { .graph = node_graph(n, "body") };
	int count;

	if (!x.graph)
		return -1;
	int nstate = (int)x.graph->n_input - 2;

	if (nstate < 0 || n->nargs > 2 + nstate || (int)x.graph->n_output < 1 + nstate ||
	    n->nouts > (int)x.graph->n_output - 1)
		return node_error(n, "the inputs and outputs of its body do not fit its own");
	const struct type **states = arena_many(n->reader->scratch, const struct type *, nstate);
	int *first = arena_many(n->reader->scratch, int, nstate);

	for (int i = 0; i < nstate; i++) {
		first[i] = node_arg(n, 2 + i);
		states[i] = node_type(n, 2 + i);
	}
	capture(n, x.graph, &x.captured);
	int *values = captured_values(n, &x.captured, &count);
	int body = loop_body(n, nstate, states, read_body, &x);

	if (body == FUNCTION_NONE)
		return -1;
	return node_give_fields(n, build_loop(n->b, body, node_arg(n, 0), node_arg(n, 1), nstate,
					      first, count, values));
}
