/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/cell.h - recurrent cells: what one step of RNN, GRU and LSTM computes. */
#ifndef HONE_GRAPH_ONNX_NODE_NEURAL_CELL_H
#define HONE_GRAPH_ONNX_NODE_NEURAL_CELL_H

#include "graph/onnx/compose.h"

enum { CELL_STATES = 2, CELL_ACTIVATIONS = 3 };

/* A function of one number, with the parameters that it may have. */
struct cell_activation {
	int (*make)(struct builder *b, int x, double alpha, double beta);
	double alpha, beta;
};

/* A cell of one direction. */
struct recurrent_cell {
	const struct cell_kind *kind;
	struct cell_activation activation[CELL_ACTIVATIONS];
	int64_t size;		/* of a state */
	double clip;		/* bound on the sums of gates; 0: none */
	bool coupled;		/* LSTM: what is not let in is forgotten, no more */
	bool reset_after;	/* GRU: the reset is behind the product, not before */
};

/* One step: values of the loop's body. */
struct cell_step {
	const struct recurrent_cell *cell;
	struct builder *b;
	int x;			/* weighted inputs and biases [batch, gates * size] */
	int weight;		/* of the hidden state [gates * size, size] */
	int reset_bias;		/* GRU with reset_after: [size], else VALUE_NONE */
	int peepholes;		/* LSTM: [3 * size]; VALUE_NONE */
	int state[CELL_STATES];	/* hidden state, cell's state; [batch, size], replaced by the next */
};

struct cell_kind {
	const char *name;
	int gates, states, activations;
	const char *usual[CELL_ACTIVATIONS];
	void (*step)(struct cell_step *s);
};

extern const struct cell_kind cell_rnn, cell_gru, cell_lstm;

/* The activations of direction D of DIRECTIONS of a node. -1 and a message. */
int cell_activations(struct node *n, struct recurrent_cell *cell, int d, int directions);

#endif
