/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/register_text.h - a register tile as a tensor expression with its schedule, and so as C. */
#ifndef HONE_MEASURE_DEVICE_REGISTER_TEXT_H
#define HONE_MEASURE_DEVICE_REGISTER_TEXT_H

#include "base/arena.h"
#include "costmodel/register_kernels.h"
#include "schedule/nest.h"
#include "target/target.h"

struct register_tile {
	enum register_kind kind;
	int rows, vectors;
	int lanes;	/* of a vector of sums */
	int64_t terms;	/* of each sum */
};

/* With sums as long as operands may be that take half of L1 bytes. */
struct register_tile register_tile_of(const struct target *target, enum register_kind kind, int rows, int vectors,
				      double l1);
/* Of a run, a product and its sum being two. */
double register_tile_operations(const struct register_tile *t);
/* The most that an argument of its kernel takes. */
size_t register_tile_bytes(const struct register_tile *t);
/* The nest and the C text of TRIAL_SYMBOL, in A. What TARGET lacks an intrinsic for is a bug of the caller's. */
struct program *register_tile_program(struct arena *a, const struct register_tile *t, const struct target *target);
const char *register_tile_source(struct arena *a, const struct register_tile *t, const struct target *target);

#endif
