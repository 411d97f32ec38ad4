/* SPDX-License-Identifier: Apache-2.0 */
/* partition/view.h - calls of a function as a generator sees them. */
#ifndef HONE_PARTITION_VIEW_H
#define HONE_PARTITION_VIEW_H

#include "graph/pass/flow.h"
#include "include/hone_generator.h"

struct region_view {
	struct hone_region region;
	struct value_vec inputs, outputs;	/* the values of the function that they are */
};

/* Room for views of F, one at a time; in A. */
int *region_view_room(struct arena *a, const struct function *f);
/* The calls MEMBERS, ascending, of FLOW's function, in A; constants are tensors with data. CHANNELS: by
 * value, how it is stored, as struct hone_region_tensor has it; NULL: all are row-major. ROOM is for the
 * time of the call. NULL, without a message, where a tensor of it has no static type. */
const struct region_view *region_view_new(struct arena *a, const struct flow *flow, int *room,
					  const struct value_vec *members, const int *channels);

#endif
