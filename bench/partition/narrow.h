/* SPDX-License-Identifier: Apache-2.0 */
/* bench/partition/narrow.h - models of narrow types beside those of floats. */
#ifndef HONE_BENCH_PARTITION_NARROW_H
#define HONE_BENCH_PARTITION_NARROW_H

#include "runtime/open.h"

/* Writes O's model with sums of AS, as `hone quantize --to AS` makes it without other options, to FOLDER. Its path,
 * in A; NULL and a message. */
const char *narrow_model(struct arena *a, const struct open_options *o, enum element as, const char *folder);

#endif
