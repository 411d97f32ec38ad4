/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/register_kernels.c - the nearest of the register tiles that were measured. */
#include "costmodel/register_kernels.h"

static const struct register_products products[] = {
#define X(id, name, a, b, sum, lanes, meaning) { name, DTYPE_##a, DTYPE_##b, DTYPE_##sum, lanes },
#include "costmodel/register_kind.def"
#undef X
};

const struct register_products *register_products(enum register_kind k)
{
	return &products[k];
}

/* The rate with ROWS; where it was not measured that with the nearest number, the lesser of two as near. */
static double nearest_rows(const float gops[REGISTER_ROWS][REGISTER_VECTORS], int64_t rows, int vectors)
{
	for (int64_t away = 0; away < REGISTER_ROWS; away++)
		for (int64_t r = rows - away; r <= rows + away; r += away ? 2 * away : 1)
			if (r >= 1 && r <= REGISTER_ROWS && gops[r - 1][vectors - 1] > 0)
				return (double)gops[r - 1][vectors - 1];
	return 0;
}

double register_rate(const struct register_kernels *k, enum register_kind kind, int64_t rows, int64_t vectors)
{
	if (!k || k->spread <= 0)
		return 0;
	rows = rows > REGISTER_ROWS ? REGISTER_ROWS : rows;
	vectors = vectors > REGISTER_VECTORS ? REGISTER_VECTORS : vectors;
	for (int away = 0; away < REGISTER_VECTORS; away++)
		for (int v = (int)vectors - away; v <= vectors + away; v += away ? 2 * away : 1) {
			double rate = v >= 1 && v <= REGISTER_VECTORS ? nearest_rows(k->gops[kind], rows, v) : 0;

			if (rate > 0)
				return rate;
		}
	return 0;
}

double register_best(const struct register_kernels *k, enum register_kind kind)
{
	double best = 0;

	for (int r = 0; r < REGISTER_ROWS; r++)
		for (int v = 0; v < REGISTER_VECTORS; v++)
			best = (double)k->gops[kind][r][v] > best ? (double)k->gops[kind][r][v] : best;
	return best;
}
