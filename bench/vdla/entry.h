/* SPDX-License-Identifier: Apache-2.0 */
/* bench/vdla/entry.h - a task tuned for a VDLA with virtual threads and without, and its best kernels unit by unit.
 *
 * In:   a plan, a task, an open database.
 * Out:  what its best kernels take, under its roofs.
 * Holds: a task with as many trials in the database as the plan has is not tuned again; the same plan and an empty
 *        database give the same figures. */
#ifndef HONE_BENCH_VDLA_ENTRY_H
#define HONE_BENCH_VDLA_ENTRY_H

#include <signal.h>

#include "base/tell.h"
#include "bench/vdla/roof.h"
#include "db/db.h"
#include "measure/device/device.h"
#include "search/task.h"
#include "target/vdla/simulator.h"

enum vdla_turns { VDLA_VIRTUAL, VDLA_ALONE, VDLA_TURNS };	/* with virtual threads; without */

struct vdla_plan {
	const struct device *device;	/* simulated */
	struct vdla_machine machine;	/* that one */
	struct db *db;
	const char *strategy;	/* NULL: the search's default */
	int threads;		/* virtual ones, at least 2 */
	int64_t trials;		/* of a task, each way */
	uint64_t seed;
	const volatile sig_atomic_t *stop;
	struct listener listener;
};

/* The best kernel of one way. */
struct vdla_found {
	bool found;
	int threads;
	int64_t trials, failed;
	struct vdla_cycles cycles;	/* all that follows is 0 unless found */
	int64_t vector;			/* cycles of vector instructions; the compute unit's others are products */
};

struct vdla_entry {
	const struct task *task;
	struct vdla_roof roof;
	struct vdla_found by[VDLA_TURNS];
};

/* 0; 1 where it was stopped, with *OUT as far as it came; -1 and a message. */
int vdla_play(const struct vdla_plan *plan, const struct task *t, struct vdla_entry *out);

/* What F attains of the roof, 1 at most; the share of its cycles in which products were computed, and vector
 * instructions. NAN where nothing was found. */
double vdla_share(const struct vdla_roof *r, const struct vdla_found *f);
double vdla_utilisation(const struct vdla_found *f);
double vdla_vector_share(const struct vdla_found *f);
/* Cycles without virtual threads over those with them; NAN where one is missing. */
double vdla_ratio(const struct vdla_entry *e);

#endif
