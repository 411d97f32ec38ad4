/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/assembly.h - the machine code of a kernel. */
#ifndef HONE_TOOLS_RECORD_ASSEMBLY_H
#define HONE_TOOLS_RECORD_ASSEMBLY_H

#include "measure/device/device.h"

/* What the compiler CC (NULL: the builder's own choice) makes of the kernel SOURCE for D, which must be this
 * machine, as objdump prints it; of a simulated device, the program as target/vdla/assembler.h has it. In A. NULL and a
 * message. */
const char *assembly_of(struct arena *a, const struct device *d, const char *cc, const char *source);

#endif
