/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/graph/op/test_recurrent.c - RNN, GRU and LSTM against loops that say what the standard says, in
 * all combinations of what they may be given. */
#include "tests/fixture/node_fixture.h"

#include <math.h>

#include "base/rng.h"

enum { LENGTH = 4, BATCH = 3, INPUT = 2, SIZE = 3 };

static const int64_t lengths[BATCH] = { 4, 1, 3 };

/* A node of random weights; what was left out is NULL. */
struct recurrent_case {
	struct node_model m;
	const char *direction;
	bool reset_after;	/* GRU: linear_before_reset */
	int gates, directions;
	const float *x, *weight, *recurrent, *bias, *hidden, *cell, *peephole;
	bool cut;	/* sequences have lengths of their own */
	struct rng rng;
};

static const float *operand(struct recurrent_case *c, bool given, int rank, const int64_t *dim)
{
	struct array *x = given ? array_in(c->m.a, ELEMENT_F32, rank, dim) : NULL;

	for (int64_t i = 0; x && i < x->count; i++)
		((float *)x->data)[i] = (float)(2 * rng_unit(&c->rng) - 1);
	node_operand_add(&c->m, x, NULL);
	return x ? x->data : NULL;
}

/* OPTIONS is a bit set: what is given, and how. */
enum { BIAS = 1, CUT = 2, STATES = 4, PEEPHOLES = 8, RESET_AFTER = 16, OPTIONS = 32 };

static struct recurrent_case make_case(const char *op, const char *direction, int options)
{
	struct recurrent_case c = { .m = node_model(op, 14), .direction = direction,
				    .rng = rng_seed(7) };
	bool lstm = strcmp(op, "LSTM") == 0;
	int64_t d = strcmp(direction, "bidirectional") == 0 ? 2 : 1;
	int64_t gates = lstm ? 4 : strcmp(op, "GRU") == 0 ? 3 : 1;

	c.gates = (int)gates;
	c.directions = (int)d;
	c.cut = options & CUT;
	c.reset_after = options & RESET_AFTER;
	c.x = operand(&c, true, DIMS(LENGTH, BATCH, INPUT));
	c.weight = operand(&c, true, DIMS(d, gates * SIZE, INPUT));
	c.recurrent = operand(&c, true, DIMS(d, gates * SIZE, SIZE));
	c.bias = operand(&c, options & BIAS, DIMS(d, 2 * gates * SIZE));
	node_operand_add(&c.m, c.cut ? array_in(c.m.a, ELEMENT_I32, DIMS(BATCH)) : NULL, NULL);
	for (int i = 0; c.cut && i < BATCH; i++)
		((int32_t *)c.m.args[4].value->data)[i] = (int32_t)lengths[i];
	c.hidden = operand(&c, options & STATES, DIMS(d, BATCH, SIZE));
	if (lstm) {
		c.cell = operand(&c, options & STATES, DIMS(d, BATCH, SIZE));
		c.peephole = operand(&c, options & PEEPHOLES, DIMS(d, 3 * SIZE));
	}
	node_attr_int(&c.m, "hidden_size", SIZE);
	node_attr_string(&c.m, "direction", direction);
	if (c.reset_after)
		node_attr_int(&c.m, "linear_before_reset", 1);
	c.m.nouts = lstm ? 3 : 2;
	return c;
}

static double sigmoid(double v)
{
	return 1 / (1 + exp(-v));
}

/* What gate G of unit U gets from the input X and from the state H, each with its bias. */
static double of_input(const struct recurrent_case *c, int d, int g, int u, const float *x)
{
	int row = (d * c->gates + g) * SIZE + u;
	double sum = c->bias ? (double)c->bias[(d * 2 * c->gates + g) * SIZE + u] : 0;

	for (int i = 0; i < INPUT; i++)
		sum += (double)c->weight[row * INPUT + i] * (double)x[i];
	return sum;
}

static double of_state(const struct recurrent_case *c, int d, int g, int u, const double *h)
{
	int row = (d * c->gates + g) * SIZE + u;
	double sum = c->bias ? (double)c->bias[((d * 2 + 1) * c->gates + g) * SIZE + u] : 0;

	for (int i = 0; i < SIZE; i++)
		sum += (double)c->recurrent[row * SIZE + i] * h[i];
	return sum;
}

static double both(const struct recurrent_case *c, int d, int g, int u, const float *x,
		   const double *h)
{
	return of_input(c, d, g, u, x) + of_state(c, d, g, u, h);
}

static void gru_step(const struct recurrent_case *c, int d, const float *x, const double *h,
		     double *next)
{
	double reset[SIZE], scaled[SIZE];

	for (int u = 0; u < SIZE; u++) {
		reset[u] = sigmoid(both(c, d, 1, u, x, h));
		scaled[u] = reset[u] * h[u];
	}
	for (int u = 0; u < SIZE; u++) {
		double z = sigmoid(both(c, d, 0, u, x, h));
		double state = c->reset_after ? reset[u] * of_state(c, d, 2, u, h)
					      : of_state(c, d, 2, u, scaled);

		next[u] = (1 - z) * tanh(of_input(c, d, 2, u, x) + state) + z * h[u];
	}
}

/* Gates are those for input, output, forgetting and the cell; peepholes those of the first three. */
static void lstm_step(const struct recurrent_case *c, int d, const float *x, const double *h,
		      double *cell, double *next)
{
	for (int u = 0; u < SIZE; u++) {
		const float *p = c->peephole ? c->peephole + d * 3 * SIZE + u : NULL;
		double in = both(c, d, 0, u, x, h), out = both(c, d, 1, u, x, h);
		double forget = both(c, d, 2, u, x, h);

		in += p ? (double)p[0] * cell[u] : 0;
		forget += p ? (double)p[2 * SIZE] * cell[u] : 0;
		cell[u] = sigmoid(forget) * cell[u] + sigmoid(in) * tanh(both(c, d, 3, u, x, h));
		out += p ? (double)p[SIZE] * cell[u] : 0;
		next[u] = sigmoid(out) * tanh(cell[u]);
	}
}

static void step(const struct recurrent_case *c, int d, const float *x, double *h, double *cell)
{
	double next[SIZE];

	for (int u = 0; u < SIZE && c->gates == 1; u++)
		next[u] = tanh(both(c, d, 0, u, x, h));
	if (c->gates == 3)
		gru_step(c, d, x, h, next);
	if (c->gates == 4)
		lstm_step(c, d, x, h, cell, next);
	memcpy(h, next, sizeof(next));
}

static void assert_states(const struct array *got, int64_t at, const double *want)
{
	for (int u = 0; u < SIZE; u++)
		if (!(fabs(array_float(got, at + u) - want[u]) < 1e-5))
			fail_msg("%g, not %g", array_float(got, at + u), want[u]);
}

/* Sequence N in direction D; GOT are the node's outputs. */
static void check_sequence(const struct recurrent_case *c, int d, int n, const struct value *got)
{
	bool backwards = d == 1 || strcmp(c->direction, "reverse") == 0;
	int length = c->cut ? (int)lengths[n] : LENGTH;
	int first = (d * BATCH + n) * SIZE;
	double h[SIZE] = { 0 }, cell[SIZE] = { 0 };
	static const double none[SIZE];

	for (int u = 0; u < SIZE; u++) {
		h[u] = c->hidden ? (double)c->hidden[first + u] : 0;
		cell[u] = c->cell ? (double)c->cell[first + u] : 0;
	}
	for (int i = 0; i < length; i++) {
		int t = backwards ? length - 1 - i : i;

		step(c, d, c->x + (t * BATCH + n) * INPUT, h, cell);
		assert_states(got[0].array, t * c->directions * BATCH * SIZE + first, h);
	}
	for (int t = length; t < LENGTH; t++)
		assert_states(got[0].array, t * c->directions * BATCH * SIZE + first, none);
	assert_states(got[1].array, first, h);
	if (c->gates == 4)
		assert_states(got[2].array, first, cell);
}

/* OP in every direction with all that it may be given but what LEFT_OUT says. */
static void check_node(const char *op, int left_out)
{
	static const char *const directions[] = { "forward", "reverse", "bidirectional" };

	for (int i = 0; i < 3 * OPTIONS; i++) {
		if (i / 3 & left_out)
			continue;
		struct recurrent_case c = make_case(op, directions[i % 3], i / 3);
		struct value y = node_run(&c.m);

		for (int d = 0; d < c.directions; d++)
			for (int n = 0; n < BATCH; n++)
				check_sequence(&c, d, n, y.items->at);
		value_release(y);
		arena_free(c.m.a);
	}
}

static void rnn_is_what_it_says(void **state)
{
	(void)state;
	check_node("RNN", PEEPHOLES | RESET_AFTER);
}

static void gru_is_what_it_says(void **state)
{
	(void)state;
	check_node("GRU", PEEPHOLES);
}

static void lstm_is_what_it_says(void **state)
{
	(void)state;
	check_node("LSTM", RESET_AFTER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rnn_is_what_it_says),
		cmocka_unit_test(gru_is_what_it_says),
		cmocka_unit_test(lstm_is_what_it_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
