/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/limits.h - what leaves may be for a VDLA, and what is in them as its instructions have it. */
#ifndef HONE_CODEGEN_VDLA_LIMITS_H
#define HONE_CODEGEN_VDLA_LIMITS_H

#include "codegen/leaf/leaf.h"
#include "target/vdla/instruction.h"

struct leaf_limits vdla_limits(const struct vdla_machine *m);
enum vdla_scratchpad vdla_scratchpad_of(const struct buffer *b);
enum vdla_form vdla_form_of(const struct leaf *l);
extern const enum vdla_alu vdla_alu_of[LEAF_OPERATIONS];

#endif
