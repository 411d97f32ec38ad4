/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/trees.h - boosted trees as they are once they were learned: a table in one piece.
 *
 * A campaign learns again and again, and keeps only the last trees. As XGBoost's objects they would lie among the
 * memory of learning, which could not be given back for them; and a thread that has asked such an object for a
 * prediction keeps what it was told until it ends, even where the object was freed by another. */
#ifndef HONE_COSTMODEL_TREES_H
#define HONE_COSTMODEL_TREES_H

struct trees;

/* Room for MOST trees with at most DEPTH decisions from root to leaf. To be made before what learning needs is. */
struct trees *trees_new(int most, int depth);
/* Takes N trees as XGBoost dumps them as text. -1 and a message where a text is no tree that fits. */
int trees_read(struct trees *t, const char *const *text, int n);
/* SUMS[i]: of the trees' leaves for row i of N, COLUMNS floats each, none of them NaN. To the bit what XGBoost predicts
 * with a base score of 0. */
void trees_sum(const struct trees *t, const float *rows, int n, int columns, float *sums);
void trees_free(struct trees *t);

#endif
