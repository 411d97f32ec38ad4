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
	/* 4800 kernels of 26 operators, Zen 3: docs/performance.md. */
	.operation = 0.35,
	.load = 0.33,
	.store = 0.75,
	.askew = 0.6,
	.spill = 0.8,
	.spill_share = 0.05,
	.start_ns = 250,	/* hone bench --suite team, 2 threads */
};
