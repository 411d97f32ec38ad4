/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/onednn/window.h - windows that slide over images, as oneDNN has them. */
#ifndef HONE_PARTITION_GENERATORS_ONEDNN_WINDOW_H
#define HONE_PARTITION_GENERATORS_ONEDNN_WINDOW_H

#include "partition/generators/onednn/maker.h"

struct onednn_window {
	int nd;
	dnnl_dims_t kernel, stride, dilation, before, after;
	bool beyond;	/* the last window reads behind the padding, as ceil has it */
	bool apart;	/* a window may see nothing but padding */
};

/* The window of C. KERNEL: its extents; NULL: they are an attribute. */
int window_read(struct region_maker *m, const struct hone_region_call *c, const int64_t *kernel,
		struct onednn_window *s);

#endif
