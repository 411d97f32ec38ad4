/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/fields.h - how wide the fields of a VDLA's instructions are. */
#ifndef HONE_TARGET_VDLA_FIELDS_H
#define HONE_TARGET_VDLA_FIELDS_H

#include "target/vdla/instruction.h"

/* Of GEMM and ALU. */
int vdla_count_bits(const struct vdla_machine *m, enum vdla_op op);
int vdla_stride_bits(const struct vdla_machine *m, enum vdla_op op, enum vdla_scratchpad s);
/* NULL, or what of I is more than its bits can say. */
const char *vdla_lacks_bits(const struct vdla_machine *m, const struct vdla_instruction *i);

#endif
