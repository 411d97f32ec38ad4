/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/expression/reads.h - how what a reduction reads moves with its dims, which says how it may be tiled. */
#ifndef HONE_SEARCH_SPACE_EXPRESSION_READS_H
#define HONE_SEARCH_SPACE_EXPRESSION_READS_H

#include "te/dag.h"

/* A shorter axis leaves most of a vector unused. */
enum { MIN_LANES = 8 };

/* What the body of OP divides its dim D by, and takes the remainder, so that places of a period read the same by other weights; 1 where by
 * nothing, or less than a few times. What is read by the remainder alone lanes have again and again. */
int64_t reads_period(const struct op *op, int d);
/* Do the lanes along dim D of OP read nothing but constants, which can be packed side by side, and one value for
 * all of the rest? */
bool reads_suit_lanes(const struct dag *dag, const struct op *op, int d);
/* Does dim D (-1: none) move constants that OP reads? */
bool reads_constant_along(const struct dag *dag, const struct op *op, int d);
/* Does OP reduce elements that lie side by side along its last reduced axis, enough of them for lanes of their own? */
bool reads_rows(const struct op *op);
/* And are these floats that are read for one element of the result alone, and no constants, which could be packed in
 * another order? Then lanes along another axis would have to be gathered. */
bool reads_rows_once(const struct dag *dag, const struct op *op);
/* Does dim D (-1: none) move windows, whose other axis is reduced? */
bool reads_window_along(const struct op *op, int d);
/* Does READER read T along what it reduces, by plain axes, and each element again and again? False where T is too small
 * for its order to matter. */
bool reads_suit_panels(const struct op *reader, const struct tensor *t);
/* Does OP read T (NULL: anything) so that its innermost dim is not that of T: lanes that are apart on one side? */
bool reads_across(const struct op *op, const struct tensor *t);
/* Do OP's lanes read something at a stride? */
bool reads_at_stride(const struct op *op);

#endif
