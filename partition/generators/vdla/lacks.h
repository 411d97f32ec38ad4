/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/lacks.h - forms of operators that no VDLA has. */
#ifndef HONE_PARTITION_GENERATORS_VDLA_LACKS_H
#define HONE_PARTITION_GENERATORS_VDLA_LACKS_H

#include "include/hone_generator.h"

/* What a VDLA lacks for call C of R; NULL: nothing that is seen by the call alone. */
const char *vdla_lacks(const struct hone_region *r, const struct hone_region_call *c);

#endif
