/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/assembler.h - a VDLA's program as a text that says all of it, but for constants' data, and is read back. */
#ifndef HONE_TARGET_VDLA_ASSEMBLER_H
#define HONE_TARGET_VDLA_ASSEMBLER_H

#include "target/vdla/binary.h"

/* One line, as
 *	load inputs 0 memory 4096 14x14 every 224 zeros 1,1,1,1 pop behind push behind
 *	gemm 14x14 sum 0+14,1 input 32+16,1 weight 3+0,0 pop before push behind */
void vdla_instruction_print(struct text *out, const struct vdla_instruction *i);
/* One that fits M; -1 and a message. */
int vdla_instruction_scan(struct scan *s, const struct vdla_machine *m, struct vdla_instruction *out);
/* The machine, tensors (data of constants is left out), instructions. */
void vdla_binary_print(struct text *out, const struct vdla_binary *b);
/* NULL and a message with FILE, line and column. */
struct vdla_binary *vdla_binary_parse(struct arena *a, const char *file, const char *text);

#endif
