/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/agreement.h - how many rows must be seen to keep their class before one may say that a part does.
 *
 * Rows are independent, so that the number of those that change is binomial. An agreement counts as shown
 * where, were it the least bit smaller, so few changes would be seen one time in five at most: the bound of
 * Clopper and Pearson, The use of confidence or fiducial limits, Biometrika 26, 1934. */
#ifndef HONE_RUNTIME_QUANTIZE_AGREEMENT_H
#define HONE_RUNTIME_QUANTIZE_AGREEMENT_H

#define AGREEMENT_CONFIDENCE 0.8

/* The most of ROWS that may change with AGREEMENT shown; -1: not even none would show it. */
int agreement_may_change(int rows, double agreement);

/* The fewest rows that a check of AGREEMENT should have: of fewer, so few may change that one that is well
 * above it often fails. At most AGREEMENT_MOST_ROWS, which may be too few to show it. */
int agreement_rows(double agreement);
enum { AGREEMENT_MOST_ROWS = 4096 };

#endif
