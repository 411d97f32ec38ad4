/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/winograd.h - a sum over windows as products of transformed tiles, on the level of tensor expressions.
 *
 * In:   an op, out[space] = sum over reduce of data[...] * weight[...], where data moves by windows.
 * Out:  ordinary ops that compute the same tensor with fewer products (F(m, r), te/derive/cook_toom.h).
 * Holds: in exact arithmetic they give what the op gives; every access is in bounds, provably.
 *
 * For windows over y and x, whose taps are ky and kx, of n products a dim for m outputs (m + r - 1 where they move by one):
 *	U1[uy, weight but ky]		row uy of the weight's transform over ky
 *	U[uy, ux, weight but ky, kx]	the same over kx
 *	V1[uy, data]			row uy of the data's transform, of tile ty in the place of y
 *	V[uy, ux, data]			the same over x
 *	P[uy, ux, space]		sum over channels, and what other reduce axes there are, of V U
 *	Y1[ux, space]			row y % m of the output's transform of tile y / m
 *	out[space]			the same over x
 * One window dim has U, V, P and out, the taps of the other are summed over with the channels then. Where windows are along the innermost dims, as in plain nchw, X[data] copies the
 * data with its channels innermost, and Y[space] is the result so, which out copies. Which row it is, is asked by a chain of selects on u < 1, u < 2, ..., so that
 * lowering (schedule/pass/borders.c) can give each turn of u a plain sum. Narrow floats are f32 in between.
 *
 * Where an extent is no multiple of m, the last tile of y or x computes for nothing. Ragged, it is one of the l outputs that are
 * left, by an algorithm whose products are the first rows u of the same weight's transform: V of that tile has other
 * numbers, and P is 0 in its other rows, so that U, Y1 and out are what they are. N outputs in T tiles take
 * N + T (r - 1) products a dim, and 7x7 by F(4, 3) 121 for 144. */
#ifndef HONE_TE_DERIVE_WINOGRAD_H
#define HONE_TE_DERIVE_WINOGRAD_H

#include "te/derive/cook_toom.h"
#include "te/derive/derived.h"

enum { WINOGRAD_LEAST = 2 };	/* the smallest tiles there are */

struct winograd_tiles {
	int64_t m;	/* outputs a dim, 2 to 6 */
	bool ragged;	/* the last one in each dim that is no multiple of M is smaller */
	bool one_dim;	/* the outer one of two window dims alone has tiles */
};

/* OP as products of transformed TILES; new ops and tensors in A. At most two dims are transformed: of dilation 1, with M places or
 * more and windows that overlap, for which cook_toom_has() an algorithm. The others stay windows. False, with the reason in *WHY (may
 * be NULL), where OP is no such sum, none of its tiles would be smaller, or it has one window dim of two. */
bool winograd_derive(struct arena *a, const struct op *op, struct winograd_tiles tiles, struct derived *out, const char **why);

#endif
