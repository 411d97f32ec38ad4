/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/stream.h - the instructions of a kernel for a simulated device. */
#ifndef HONE_TOOLS_RECORD_STREAM_H
#define HONE_TOOLS_RECORD_STREAM_H

#include "measure/device/device.h"
#include "schedule/nest.h"

/* P for D, which is simulated, as a text that `hone vdla` reads, in A: all but the data of constants. NULL and a message. */
const char *stream_of(struct arena *a, const struct device *d, const struct program *p);

#endif
