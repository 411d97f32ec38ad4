/* SPDX-License-Identifier: Apache-2.0 */
/* target/cpu.c - unit costs of the processors that hone is used on.
 *
 * They start two vector operations a cycle; a device's peak rate gives the cycle. The costs have to order
 * candidates, not to be right. */
#include "target/cpu.h"

const struct unit_costs cpu_costs = {
	/* Agner Fog's tables: Intel from Haswell on, AMD from Zen 2 on, Arm from the A76 on. */
	.pipes = 2,
	.latency = 4,
	.memory_latency = 10,
	.decode = 4,
	.cached_code = 1500,
	.loop_instructions = 3,
	.loads = 1.7,	/* of two, some wait */
	/* 1003 kernels of 18 operators, clang 14: docs/performance.md. */
	.spill = 3,
	.spill_share = 0.2,
	.start_ns = 250,	/* hone bench --suite team, 2 threads */
};
