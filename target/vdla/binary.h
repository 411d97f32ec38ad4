/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/binary.h - a program for a VDLA with what it reads and writes, and its file.
 *
 * File, numbers little-endian: "VDLA", u32 version, u32 each of the machine's fields, u64 memory_bytes, u32 tensors, u32
 * instructions; each tensor: u32 length of its name, the name, u32 role, u32 has data, u64 address, u64 bytes, the data if it
 * has it; each instruction: its 16 bytes; 16 bytes XXH3 of all before, the low half first.
 * Holds: what is read has been checked whole: a truncated file, one of another version, with impossible fields or a
 *        wrong hash, is refused with the reason. */
#ifndef HONE_TARGET_VDLA_BINARY_H
#define HONE_TARGET_VDLA_BINARY_H

#include <stddef.h>

#include "base/arena.h"
#include "base/vec.h"
#include "target/vdla/instruction.h"

enum vdla_role { VDLA_INPUT, VDLA_OUTPUT, VDLA_CONSTANT, VDLA_ROLES };
extern const char *const vdla_role_names[VDLA_ROLES];

/* A part of memory with a name. */
struct vdla_tensor {
	const char *name;
	enum vdla_role role;
	int64_t address;	/* in units */
	int64_t bytes;
	const void *data;	/* of a constant that the program has; NULL: the caller writes it */
};

struct vdla_binary {
	struct vdla_machine machine;
	int64_t memory_bytes;	/* a multiple of 16; tensors lie inside and apart */
	struct vdla_tensor_vec VEC(struct vdla_tensor) tensors;
	struct vdla_instruction_vec VEC(struct vdla_instruction) code;	/* of all units, in program order */
};

/* 0 where the machine is possible, tensors lie inside of memory and apart, and each instruction fits and stays inside of
 * memory; -1 and a message that begins with FILE. */
int vdla_binary_check(const struct vdla_binary *b, const char *file);
/* B as a file's bytes. */
void vdla_binary_write(struct text *out, const struct vdla_binary *b);
/* From N bytes at DATA, in A; NULL and a message that begins with FILE. */
struct vdla_binary *vdla_binary_read(struct arena *a, const char *file, const void *data, size_t n);

#endif
