/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/images.h - a region of integers as a VDLA has it: all tensors are images with channels in whole
 * blocks.
 *
 * In:   a graph of one function: convolutions, products, sums, limits, shifts, pools of bytes and their sums of 32 bits.
 * Out:  the same of images [n, c, h, w] with c a multiple of 16, what is beyond the tensor's own channels being anything.
 *       Rows and columns [n, c] are images of one pixel, a product a convolution whose window is all of the image. Groups of
 *       few channels are groups of whole blocks, with weights of 0 where channels do not see each other.
 * Holds: in the channels that a tensor has it computes the same, to the bit. */
#ifndef HONE_PARTITION_GENERATORS_VDLA_IMAGES_H
#define HONE_PARTITION_GENERATORS_VDLA_IMAGES_H

#include "graph/ir/ir.h"

/* A tensor of rank 4 or 2 as an image. */
struct image_dims {
	int64_t n, c, h, w;
};

/* False where T, of static dims, is none. */
bool image_dims_of(const struct type *t, struct image_dims *out);
/* Channels in whole blocks. */
int64_t image_channels(const struct image_dims *d);
/* Parameters and results are in the order of G's. NULL and a message that says what a VDLA has not. */
struct graph *images_of(struct arena *a, const struct graph *g);

#endif
