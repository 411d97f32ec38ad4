/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/spare.h - the cores that measuring leaves, and whether compilers may use them meanwhile.
 *
 * In:   the cores that are measured on, and a compiler at work beside them for a moment.
 * Out:  yes or no; the listener hears why. */
#ifndef HONE_SEARCH_MEASURERS_SPARE_H
#define HONE_SEARCH_MEASURERS_SPARE_H

#include "base/tell.h"
#include "measure/build/builder.h"
#include "measure/device/device.h"
#include "measure/timing/pin.h"

struct spare {
	struct pin_shares cores;
	int threads;		/* of the kernels that are measured */
	bool beside;		/* compilers may go on; not before it was tried */
};

/* Compilers while something is measured, where they may: as struct pool_limits wants it, of a struct
 * spare. */
struct pool_room spare_room(void *user);
/* Sets S->beside: not where kernels have more threads than there are cores to spare, for then they take
 * too much of what all cores share; else by what was seen in the last hours, or by a trial, in which B compiles SOURCE, a kernel, over and over; and
 * not where the machine is too busy for that to tell.
 * Nothing else may be at work. B's room is to be set anew. -1 and a message. */
int spare_settle(struct spare *s, struct build_pool *b, const struct device *d, const char *source,
		 const struct listener *listener);

#endif
