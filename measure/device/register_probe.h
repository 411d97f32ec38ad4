/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/register_probe.h - the table of register kernels of this machine.
 *
 * In:   a target that runs here, and its compiler.
 * Out:  the rate of each of some tiles of registers; those between are as the nearest.
 * Holds: each is a nest of the tile alone, lowered, printed and compiled as candidates are. */
#ifndef HONE_MEASURE_DEVICE_REGISTER_PROBE_H
#define HONE_MEASURE_DEVICE_REGISTER_PROBE_H

#include "costmodel/register_kernels.h"
#include "target/target.h"

/* How many tiles REGISTER_ROWS by REGISTER_VECTORS of KIND code for TARGET is timed with: 0 where this machine
 * cannot have that. Into ROWS and VECTORS, which have room for REGISTER_TILES. */
enum { REGISTER_TILES = 64 };
int register_tiles(const struct target *target, enum register_kind kind, int rows[REGISTER_TILES],
		   int vectors[REGISTER_TILES]);

/* Compiles and times them: some seconds, most of them the compiler's. Operands take half of L1 bytes, at most. -1 and a
 * message, with OUT as it was, where nothing compiles for TARGET. */
int register_probe(const struct target *target, double l1, struct register_kernels *out);

#endif
