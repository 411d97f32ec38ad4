/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/generate.h - a program as a VDLA's instructions.
 *
 * In:   a program for the target vdla, behind all passes.
 * Out:  a binary: arguments and intermediates in memory, instructions with tokens.
 * Holds: what is emitted computes what the nest says, in the order of its statements but for units that need not wait. */
#ifndef HONE_CODEGEN_VDLA_GENERATE_H
#define HONE_CODEGEN_VDLA_GENERATE_H

#include "schedule/nest.h"
#include "target/vdla/binary.h"

/* For M, in A; tensors are P's arguments in their order. NULL and WHY where there are no instructions for it, or too
 * many. */
struct vdla_binary *vdla_generate(struct arena *a, const struct program *p, const struct vdla_machine *m,
				  const char **why);

#endif
