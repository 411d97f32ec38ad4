/* SPDX-License-Identifier: Apache-2.0 */
/* target/matrix.h - what generated code calls of a unit that multiplies matrices: AMX.
 *
 * Generated code says
 *
 *	uint32_t matrices = 0;				nothing is configured yet
 *	matrices = matrix_shape(matrices, 16, 16);	rows, groups of a product: of all tiles from here on, which are lost
 *	matrix_zero(0); matrix_load(4, from, bytes); amx_dpbusd(0, 4, 6); matrix_store(0, to, bytes);
 *	matrix_end(matrices);				whatever it was
 *
 * with tiles by number, MATRIX_SUMS of sums, then MATRIX_OPERANDS of each operand, and bytes from row to row. */
#ifndef HONE_TARGET_MATRIX_H
#define HONE_TARGET_MATRIX_H

/* Four products, each of which takes as long as three more to begin, have sums of their own, and two of them an operand in
 * common: Intel's optimization manual, on AMX. */
enum { MATRIX_SUMS = 4, MATRIX_OPERANDS = 2 };

/* C text by which all compilers' macros are those of target/extension.def. */
extern const char matrix_macros[];
/* C text of these functions, but for the products. */
extern const char matrix_functions[];

#endif
