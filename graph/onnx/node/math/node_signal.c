/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/math/node_signal.c - windows, Fourier transforms, weights of the mel scale. */
#include <math.h>

#include "graph/onnx/compose.h"

/* --- windows: a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n) [Harris 1978] */

/* COEFFICIENT * cos(TURNS * 2 pi * share) */
static int wave(struct builder *b, int share, double turns, double coefficient)
{
	int angle = compose_with_number(b, &core_mul, share, turns * 2 * M_PI);

	return compose_with_number(b, &core_mul, build(b, &core_cos, angle), coefficient);
}

static int window(struct node *n, double a0, double a1, double a2)
{
	struct builder *b = n->b;
	int size = compose_cast(b, node_arg(n, 0), ELEMENT_I64);
	int last = node_int(n, "periodic", 1) ? size : build(b, &core_sub, size, build_int(b, 1));
	int share = build(b, &core_div, compose_cast(b, compose_iota(b, size), ELEMENT_F64),
			  compose_cast(b, compose_reshape(b, last, 0, NULL), ELEMENT_F64));
	int y = build(b, &core_sub, build_scalar(b, ELEMENT_F64, a0), wave(b, share, 1, a1));

	if (a2 != 0)
		y = build(b, &core_add, y, wave(b, share, 2, a2));
	return node_give(n, 0, compose_cast(b, y, node_element_attr(n, "output_datatype",
								    ELEMENT_F32)));
}

int node_hann_window(struct node *n)
{
	return window(n, 0.5, 0.5, 0);
}

int node_hamming_window(struct node *n)
{
	return window(n, 25. / 46, 21. / 46, 0);
}

int node_blackman_window(struct node *n)
{
	return window(n, 0.42, 0.5, 0.08);
}

/* --- transforms */

static int transform(struct builder *b, int x, int length, int axis, bool inverse, bool onesided)
{
	struct attr_vec attrs = { 0 };

	attrs_int(b->arena, &attrs, "inverse", inverse);
	attrs_int(b->arena, &attrs, "onesided", onesided);
	return build_with(b, &core_dft, &attrs, x, length, axis);
}

int node_dft(struct node *n)
{
	struct builder *b = n->b;
	/* an attribute before version 20 */
	int64_t otherwise = n->opset < 20 ? node_int(n, "axis", 1) : -2;
	int axis = node_has(n, 2) ? node_arg(n, 2) : build_int(b, otherwise);

	return node_give(n, 0, transform(b, node_arg(n, 0), node_arg(n, 1), axis,
					 node_int(n, "inverse", 0), node_int(n, "onesided", 0)));
}

/* Transforms of frames of a signal [batch, length, 1 or 2], each a step further. */
int node_stft(struct node *n)
{
	struct builder *b = n->b;
	int x = node_arg(n, 0), window = node_arg(n, 2);

	if (!node_has(n, 2) && !node_has(n, 3))
		return node_error(n, "it has neither a window nor a frame length");
	if (compose_rank(b, x) == 2)
		x = compose_unsqueeze(b, x, 2);
	int step = compose_cast(b, compose_reshape(b, node_arg(n, 1), 0, NULL), ELEMENT_I64);
	int given = node_has(n, 3) ? node_arg(n, 3) : compose_extent(b, window, 0);
	int length = compose_cast(b, compose_reshape(b, given, 0, NULL), ELEMENT_I64);
	int rest = build(b, &core_sub, compose_extent(b, x, 1), length);
	int frames = build(b, &core_add, build(b, &core_div, rest, step), build_int(b, 1));
	int begins = build(b, &core_mul, compose_iota(b, frames), step);
	int places = build(b, &core_add, compose_unsqueeze(b, begins, 1), compose_iota(b, length));
	int cut = compose_gather(b, x, 1, places);

	if (node_has(n, 2))
		cut = build(b, &core_mul, cut, compose_unsqueeze(b, window, 1));
	return node_give(n, 0, transform(b, cut, VALUE_NONE, build_int(b, 2), false,
					 node_int(n, "onesided", 1)));
}

/* --- mel scale: 2595 log10(1 + f / 700) [O'Shaughnessy 1987] */

static int to_mel(struct builder *b, int hertz)
{
	int ratio = compose_with_number(b, &core_add,
					compose_with_number(b, &core_div, hertz, 700), 1);

	return compose_with_number(b, &core_mul, build(b, &core_log, ratio), 2595 / M_LN10);
}

static int from_mel(struct builder *b, int mel)
{
	int ratio = build(b, &core_exp, compose_with_number(b, &core_div, mel, 2595 / M_LN10));

	return compose_with_number(b, &core_mul,
				   compose_with_number(b, &core_sub, ratio, 1), 700);
}

/* Operand I as a number of f64 without dims. */
static int number(struct node *n, int i)
{
	return compose_reshape(n->b, compose_cast(n->b, node_arg(n, i), ELEMENT_F64), 0, NULL);
}

/* [spectrum, mels]: for each mel a triangle from 0 at the mel before it to 1 at it, and back to 0
 * at the one behind it. Mels are at whole places of the spectrum, two of which may be the same. */
int node_mel_weight_matrix(struct node *n)
{
	struct builder *b = n->b;
	int mels = compose_cast(b, node_arg(n, 0), ELEMENT_I64);
	int length = compose_cast(b, node_arg(n, 1), ELEMENT_I64);
	int low = to_mel(b, number(n, 3)), high = to_mel(b, number(n, 4));
	int points = build(b, &core_add, mels, build_int(b, 2));
	int step = build(b, &core_div, build(b, &core_sub, high, low),
			 compose_cast(b, points, ELEMENT_F64));
	int mel = build(b, &core_add, low,
			build(b, &core_mul, step,
			      compose_cast(b, compose_iota(b, points), ELEMENT_F64)));
	int bins = build(b, &core_mul, from_mel(b, mel),
			 compose_with_number(b, &core_add, number(n, 1), 1));
	int place = build(b, &core_floor, build(b, &core_div, bins, number(n, 2)));
	int left = compose_slice(b, place, 0, 0, -2), middle = compose_slice(b, place, 0, 1, -1);
	int right = compose_slice(b, place, 0, 2, INT64_MAX);
	int half = build(b, &core_div, length, build_int(b, 2));
	int rows = compose_iota(b, build(b, &core_add, half, build_int(b, 1)));
	int at = compose_unsqueeze(b, compose_cast(b, rows, ELEMENT_F64), 1);
	int zero = build_scalar(b, ELEMENT_F64, 0), one = build_scalar(b, ELEMENT_F64, 1);
	int rise = build(b, &core_div, build(b, &core_sub, at, left),
			 build(b, &core_max, build(b, &core_sub, middle, left), one));
	int fall = build(b, &core_div, build(b, &core_sub, right, at),
			 build(b, &core_max, build(b, &core_sub, right, middle), one));
	int slope = build(b, &core_max, build(b, &core_min, rise, fall), zero);
	int y = build(b, &core_where, build(b, &core_equal, at, middle), one, slope);

	return node_give(n, 0, compose_cast(b, y, node_element_attr(n, "output_datatype",
								    ELEMENT_F32)));
}
