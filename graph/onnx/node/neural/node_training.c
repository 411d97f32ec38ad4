/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/neural/node_training.c - optimizers of ai.onnx.preview.training: one step of each.
 *
 * Operands are the rate, the number of the step, then for all tensors their values, their gradients
 * and each of their moments; outputs the new values and each of the moments. */
#include "graph/onnx/compose.h"

enum { RATE, STEP, FIRST };

struct optimizer {
	struct node *node;
	struct builder *b;
	int tensors;	/* how many */
	int moments;	/* of each */
	int rate, number;
};

/* Operand KIND (0: the values, 1: the gradients, 2: the first moments) of tensor I. */
static int operand(const struct optimizer *s, int kind, int i)
{
	return node_arg(s->node, FIRST + kind * s->tensors + i);
}

/* Output KIND (0: the values, 1: the first moments) of tensor I. */
static int give(const struct optimizer *s, int kind, int i, int value)
{
	return node_give(s->node, kind * s->tensors + i, value);
}

/* The gradient with that of norm / 2 * x^2 added. */
static int regularized(const struct optimizer *s, int i)
{
	int pull = compose_with_number(s->b, &core_mul, operand(s, 0, i),
				       node_float(s->node, "norm_coefficient", 0));

	return build(s->b, &core_add, pull, operand(s, 1, i));
}

/* x * a + y * b */
static int blend(struct builder *b, int x, double a, int y, double c)
{
	return build(b, &core_add, compose_with_number(b, &core_mul, x, a),
		     compose_with_number(b, &core_mul, y, c));
}

/* x - rate * direction */
static int moved(const struct optimizer *s, int i, int rate, int direction)
{
	int x = operand(s, 0, i);
	int change = build(s->b, &core_mul, compose_cast_like(s->b, rate, x), direction);

	return build(s->b, &core_sub, x, change);
}

static int each(struct node *n, int moments, int (*update)(const struct optimizer *s, int i))
{
	struct optimizer s = { .node = n, .b = n->b, .moments = moments,
			  .tensors = (n->nargs - FIRST) / (moments + 2),
			  .rate = node_arg(n, RATE) };

	if (n->nargs < FIRST || (n->nargs - FIRST) % (moments + 2))
		return node_error(n, "%d operands: those of each tensor are %d", n->nargs,
				  moments + 2);
	s.number = compose_cast_like(s.b, node_arg(n, STEP), s.rate);
	for (int i = 0; i < s.tensors; i++)
		if (update(&s, i) < 0)
			return -1;
	return 0;
}

/* --- Adagrad [Duchi et al. 2011] */

static int adagrad(const struct optimizer *s, int i)
{
	struct builder *b = s->b;
	int decay = compose_with_number(b, &core_mul, s->number,
					node_float(s->node, "decay_factor", 0));
	int rate = build(b, &core_div, s->rate, compose_with_number(b, &core_add, decay, 1));
	int gradient = regularized(s, i);
	int squares = build(b, &core_add, operand(s, 2, i), compose_power(b, gradient, 2));
	int scale = compose_with_number(b, &core_add, build(b, &core_sqrt, squares),
					node_float(s->node, "epsilon", 1e-6f));
	int direction = build(b, &core_div, gradient, scale);

	return give(s, 0, i, moved(s, i, rate, direction)) < 0 ? -1 : give(s, 1, i, squares);
}

int node_adagrad(struct node *n)
{
	return each(n, 1, adagrad);
}

/* --- Adam [Kingma and Ba 2015] */

/* 1 - factor^step */
static int warmed(const struct optimizer *s, double factor)
{
	int power = build(s->b, &core_pow, compose_number(s->b, s->number, factor), s->number);

	return build(s->b, &core_sub, compose_number(s->b, power, 1), power);
}

static int adam(const struct optimizer *s, int i)
{
	struct builder *b = s->b;
	struct node *n = s->node;
	double alpha = node_float(n, "alpha", 0.9f), beta = node_float(n, "beta", 0.999f);
	int gradient = regularized(s, i);
	int mean = blend(b, operand(s, 2, i), alpha, gradient, 1 - alpha);
	int squares = blend(b, operand(s, 3, i), beta, compose_power(b, gradient, 2), 1 - beta);
	int scale = compose_with_number(b, &core_add, build(b, &core_sqrt, squares),
					node_float(n, "epsilon", 1e-6f));
	int bias = build(b, &core_div, build(b, &core_sqrt, warmed(s, beta)), warmed(s, alpha));
	int later = compose_greater(b, s->number, compose_number(b, s->number, 0));
	int rate = build(b, &core_where, later, build(b, &core_mul, s->rate, bias), s->rate);
	int x = moved(s, i, rate, build(b, &core_div, mean, scale));
	double shrink = node_float(n, "norm_coefficient_post", 0);

	if (give(s, 0, i, compose_with_number(b, &core_mul, x, 1 - shrink)) < 0 ||
	    give(s, 1, i, mean) < 0)
		return -1;
	return give(s, 2, i, squares);
}

int node_adam(struct node *n)
{
	return each(n, 2, adam);
}

/* --- momentum, as it is and as Nesterov has it */

static int momentum(const struct optimizer *s, int i)
{
	struct builder *b = s->b;
	struct node *n = s->node;
	double alpha = node_float(n, "alpha", 0);
	bool nesterov = strcmp(node_string(n, "mode", "standard"), "nesterov") == 0;
	int gradient = regularized(s, i);
	int later = compose_greater(b, s->number, compose_number(b, s->number, 0));
	int weight = build(b, &core_where, later,
			   compose_number(b, gradient, node_float(n, "beta", 1)),
			   compose_number(b, gradient, 1));
	int speed = build(b, &core_add,
			  compose_with_number(b, &core_mul, operand(s, 2, i), alpha),
			  build(b, &core_mul, weight, gradient));
	int direction = nesterov ? build(b, &core_add, gradient,
					 compose_with_number(b, &core_mul, speed, alpha)) : speed;

	return give(s, 0, i, moved(s, i, s->rate, direction)) < 0 ? -1 : give(s, 1, i, speed);
}

int node_momentum(struct node *n)
{
	return each(n, 1, momentum);
}
