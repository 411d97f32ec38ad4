/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/sample.h - one random case: a DAG, a state of it, its program, and buffers.
 *
 * Everything follows from the seed, so that a failure is replayed with HONE_SEED=seed. */
#ifndef HONE_TESTS_PROPERTY_SAMPLE_H
#define HONE_TESTS_PROPERTY_SAMPLE_H

#include "schedule/nest.h"
#include "tests/property/library.h"
#include "tests/property/random_steps.h"

/* A buffer between two canaries; data is 64-byte aligned. */
struct guarded {
	unsigned char *memory;
	void *data;
	size_t bytes;
};

struct schedule_sample {
	uint64_t seed;
	struct arena *arena;
	const char *text;	/* of the DAG */
	const struct dag *dag;
	enum closeness agreement;	/* of its results with those of the DAG */
	const struct target *target;	/* target_at(seed % TARGET_COUNT) */
	const struct state *state;
	const struct program *program;	/* NULL before sample_lower, or where lower() refused */
	const char *why;		/* then */
	int nargs;
	struct guarded *raw;	/* the arguments of dag_eval; outputs: what it computed */
	struct guarded *args;	/* the arguments of a kernel: packed, outputs poisoned */
	struct guarded workspace;	/* of the kernel that ran; no memory where it needs none */
};

struct schedule_sample *sample_new(uint64_t seed, struct step_counts *counts);
/* False where lower() refuses. */
bool sample_lower(struct schedule_sample *s);
void sample_free(struct schedule_sample *s);
/* On stderr: how to replay it, DAG, steps and nest. */
void sample_print(const struct schedule_sample *s);

/* The steps survive both text forms, and replaying them gives the same state and program. */
bool sample_round_trips(const struct schedule_sample *s);
/* Evaluates the DAG and packs the constants: makes raw and args. */
void sample_prepare(struct schedule_sample *s);
/* The arguments anew, packed as the program takes them now. */
void sample_pack(struct schedule_sample *s);
/* Poisons the outputs, for the next run. */
void sample_poison(struct schedule_sample *s);
/* A workspace of BYTES; NULL where they are 0. */
void *sample_workspace(struct schedule_sample *s, size_t bytes);
/* After a run on args: the outputs are those of dag_eval, inputs and canaries as they were. False
 * with the first difference on stderr. */
bool sample_matches(const struct schedule_sample *s, const char *what);

#endif
