/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/cell.c - one step of RNN, GRU and LSTM in core operators, and their activations. */
#include "graph/onnx/node/neural/cell.h"

#include <strings.h>

/* --- activations */

#define PLAIN(name)                                                                                \
	static int build_##name(struct builder *b, int x, double alpha, double beta)               \
	{                                                                                          \
		(void)alpha;                                                                       \
		(void)beta;                                                                        \
		return build(b, &core_##name, x);                                                  \
	}

PLAIN(relu)
PLAIN(tanh)
PLAIN(sigmoid)
PLAIN(softsign)
PLAIN(softplus)

static int build_affine(struct builder *b, int x, double alpha, double beta)
{
	return compose_with_number(b, &core_add, compose_with_number(b, &core_mul, x, alpha), beta);
}

static int build_leaky_relu(struct builder *b, int x, double alpha, double beta)
{
	(void)beta;
	return build_with(b, &core_leaky_relu, with_float(b, "alpha", alpha), x);
}

static int build_elu(struct builder *b, int x, double alpha, double beta)
{
	(void)beta;
	return build_with(b, &core_elu, with_float(b, "alpha", alpha), x);
}

static int build_thresholded_relu(struct builder *b, int x, double alpha, double beta)
{
	(void)beta;
	int below = build(b, &core_less, x, compose_number(b, x, alpha));

	return build(b, &core_where, below, compose_number(b, x, 0), x);
}

static int build_scaled_tanh(struct builder *b, int x, double alpha, double beta)
{
	int inner = build(b, &core_tanh, compose_with_number(b, &core_mul, x, beta));

	return compose_with_number(b, &core_mul, inner, alpha);
}

static int build_hard_sigmoid(struct builder *b, int x, double alpha, double beta)
{
	struct attr_vec attrs = { 0 };

	attrs_float(b->arena, &attrs, "alpha", alpha);
	attrs_float(b->arena, &attrs, "beta", beta);
	return build_with(b, &core_hard_sigmoid, &attrs, x);
}

/* Which parameters of the node's lists an activation takes, and what it has where they end. */
static const struct {
	const char *name;
	int (*make)(struct builder *b, int x, double alpha, double beta);
	bool has_alpha, has_beta;
	double alpha, beta;
} activations[] = {
	{ "Relu", build_relu, false, false, 0, 0 },
	{ "Tanh", build_tanh, false, false, 0, 0 },
	{ "Sigmoid", build_sigmoid, false, false, 0, 0 },
	{ "Softsign", build_softsign, false, false, 0, 0 },
	{ "Softplus", build_softplus, false, false, 0, 0 },
	{ "Affine", build_affine, true, true, 1, 0 },
	{ "LeakyRelu", build_leaky_relu, true, false, 0.01, 0 },
	{ "Elu", build_elu, true, false, 1, 0 },
	{ "ThresholdedRelu", build_thresholded_relu, true, false, 1, 0 },
	{ "ScaledTanh", build_scaled_tanh, true, true, 1, 1 },
	{ "HardSigmoid", build_hard_sigmoid, true, true, 0.2, 0.5 },
};

int cell_activations(struct node *n, struct recurrent_cell *cell, int d, int directions)
{
	int count, alphas, betas, alpha = 0, beta = 0, each = cell->kind->activations;
	const char *const *names = node_strings(n, "activations", &count);
	const double *a = node_floats(n, "activation_alpha", &alphas);
	const double *b = node_floats(n, "activation_beta", &betas);

	if (count && count < each * directions)
		return node_error(n, "%d activations instead of %d", count, each * directions);
	for (int i = 0; i < each * (d + 1); i++) {
		const char *name = count ? names[i] : cell->kind->usual[i % each];
		int k = 0;

		while (k < ARRAY_LEN(activations) && strcasecmp(activations[k].name, name) != 0)
			k++;
		if (k == ARRAY_LEN(activations))
			return node_error(n, "the activation '%s' is not known", name);
		cell->activation[i % each] = (struct cell_activation){
			.make = activations[k].make,
			.alpha = activations[k].has_alpha && alpha < alphas ? a[alpha++]
									    : activations[k].alpha,
			.beta = activations[k].has_beta && beta < betas ? b[beta++]
									: activations[k].beta,
		};
	}
	return 0;
}

/* --- cells */

static int activate(const struct cell_step *s, int i, int x)
{
	const struct cell_activation *f = &s->cell->activation[i];

	return f->make(s->b, x, f->alpha, f->beta);
}

/* Activation I of the sums of a gate, which are clipped; a cell's state is not. */
static int gate(const struct cell_step *s, int i, int x)
{
	double clip = s->cell->clip;

	if (clip > 0)
		x = build(s->b, &core_clip, x, compose_number(s->b, x, -clip),
			  compose_number(s->b, x, clip));
	return activate(s, i, x);
}

/* Gates [from, to) of X, along whose AXIS they are one after the other. */
static int slice_gates(const struct cell_step *s, int x, int axis, int from, int to)
{
	if (to - from == s->cell->kind->gates)
		return x;
	return compose_slice(s->b, x, axis, from * s->cell->size, to * s->cell->size);
}

static int gates_of(const struct cell_step *s, int x, int from, int to)
{
	return slice_gates(s, x, -1, from, to);
}

/* The hidden state H times the weights of gates [from, to). */
static int weighted(const struct cell_step *s, int h, int from, int to)
{
	return build_with(s->b, &core_matmul, with_int(s->b, "trans_b", 1), h,
			  slice_gates(s, s->weight, 0, from, to));
}

/* Those gates before their activations. */
static int gate_sums(const struct cell_step *s, int from, int to)
{
	return build(s->b, &core_add, gates_of(s, s->x, from, to),
		     weighted(s, s->state[0], from, to));
}

static void rnn_step(struct cell_step *s)
{
	s->state[0] = gate(s, 0, gate_sums(s, 0, 1));
}

const struct cell_kind cell_rnn = {
	.name = "rnn", .gates = 1, .states = 1, .activations = 1, .usual = { "Tanh" },
	.step = rnn_step,
};

/* 1 - X */
static int rest(struct builder *b, int x)
{
	return build(b, &core_sub, compose_number(b, x, 1), x);
}

/* Gates: update, reset, hidden. */
static void gru_step(struct cell_step *s)
{
	struct builder *b = s->b;
	int h = s->state[0], both = gate(s, 0, gate_sums(s, 0, 2)), hidden;
	int update = gates_of(s, both, 0, 1), reset = gates_of(s, both, 1, 2);

	if (s->cell->reset_after) {
		hidden = weighted(s, h, 2, 3);
		if (s->reset_bias != VALUE_NONE)
			hidden = build(b, &core_add, hidden, s->reset_bias);
		hidden = build(b, &core_mul, reset, hidden);
	} else {
		hidden = weighted(s, build(b, &core_mul, reset, h), 2, 3);
	}
	hidden = gate(s, 1, build(b, &core_add, gates_of(s, s->x, 2, 3), hidden));
	s->state[0] = build(b, &core_add, build(b, &core_mul, rest(b, update), hidden),
			    build(b, &core_mul, update, h));
}

const struct cell_kind cell_gru = {
	.name = "gru", .gates = 3, .states = 1, .activations = 2, .usual = { "Sigmoid", "Tanh" },
	.step = gru_step,
};

/* Gate I of SUMS, with peephole P of the cell's state C. */
static int peeped(const struct cell_step *s, int sums, int i, int p, int c)
{
	int x = gates_of(s, sums, i, i + 1);

	if (s->peepholes == VALUE_NONE)
		return x;
	return build(s->b, &core_add, x,
		     build(s->b, &core_mul, gates_of(s, s->peepholes, p, p + 1), c));
}

/* Gates: input, output, forget, cell; peepholes: input, output, forget. */
static void lstm_step(struct cell_step *s)
{
	struct builder *b = s->b;
	int sums = gate_sums(s, 0, 4), c = s->state[1];
	int input = gate(s, 0, peeped(s, sums, 0, 0, c));
	int forget = s->cell->coupled ? rest(b, input) : gate(s, 0, peeped(s, sums, 2, 2, c));
	int new = gate(s, 1, gates_of(s, sums, 3, 4));

	c = build(b, &core_add, build(b, &core_mul, forget, c), build(b, &core_mul, input, new));
	int output = gate(s, 0, peeped(s, sums, 1, 1, c));

	s->state[0] = build(b, &core_mul, output, activate(s, 2, c));
	s->state[1] = c;
}

const struct cell_kind cell_lstm = {
	.name = "lstm", .gates = 4, .states = 2, .activations = 3,
	.usual = { "Sigmoid", "Tanh", "Tanh" },
	.step = lstm_step,
};
