/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/weights.h - constants of a region for images with channels in whole blocks. */
#ifndef HONE_PARTITION_GENERATORS_VDLA_WEIGHTS_H
#define HONE_PARTITION_GENERATORS_VDLA_WEIGHTS_H

#include "graph/ir/array.h"

/* How a convolution of GROUPS groups is one of BLOCKS, each of some of the groups side by side and of whole blocks of 16
 * channels, in and out. */
struct weight_shape {
	int64_t ic, oc, groups;	/* of the convolution */
	int64_t kernel[2];
	int64_t blocks;
	int64_t ic_each, oc_each;	/* channels of one of the blocks */
};

/* Without its kernel. */
struct weight_shape weight_shape_of(int64_t ic, int64_t oc, int64_t groups);
/* [blocks * oc_each, ic_each, kernel...], 0 where S's groups do not see each other or there is no such channel: of W [oc, ic /
 * groups, kernel...]; of a matrix [ic * kernel..., oc], or turned; of weights that are 1, where each group has one channel. */
const struct array *weight_in_blocks(struct arena *a, const struct array *w, const struct weight_shape *s);
const struct array *matrix_in_blocks(struct arena *a, const struct array *w, bool turned, const struct weight_shape *s);
const struct array *ones_in_blocks(struct arena *a, const struct weight_shape *s);
/* C as an operand of what has RANK and so many channels: a number of 16 bits as it is; a larger one, or one for each channel,
 * [c, 1, 1] with zeros up to a whole block; NULL where C is neither. */
const struct array *channels_in_blocks(struct arena *a, const struct array *c, int rank, int64_t channels);

#endif
