/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/vdla_case.h - one random kernel for a random VDLA: an operator of bytes, a state, its program, its
 * instructions, and what the operator computes.
 *
 * Everything follows from the seed, so that a failure is replayed with HONE_SEED=seed. */
#ifndef HONE_TESTS_PROPERTY_VDLA_CASE_H
#define HONE_TESTS_PROPERTY_VDLA_CASE_H

#include "costmodel/aim.h"
#include "schedule/nest.h"
#include "target/vdla/simulator.h"

/* Operators of more products than that are not made. */
enum { VDLA_CASE_PRODUCTS = 400000 };

struct vdla_case {
	uint64_t seed;
	struct arena *arena;
	const char *text;	/* of the DAG */
	const struct dag *dag;
	int64_t products;	/* that it sums */
	struct vdla_machine machine;
	struct aim aim;		/* threads: the virtual ones, at most */
	const struct state *state;	/* NULL: no sample was found */
	struct program *program;	/* NULL: lower() refuses */
	struct vdla_binary *binary;	/* NULL: there are no instructions for it */
	const char *why;		/* of the first that is NULL */
	int nargs;
	void **args;		/* of dag_eval: inputs, then what it computed */
};

/* THREADS virtual threads at most; 0: up to four. MOST products. */
struct vdla_case *vdla_case_new(uint64_t seed, int threads, int64_t most);
void vdla_case_free(struct vdla_case *c);
/* On stderr: how to replay it, DAG, machine, steps, nest. */
void vdla_case_print(const struct vdla_case *c);

/* A memory for B, which C's program P became, with inputs and packed constants; free() it. */
uint8_t *vdla_case_memory(const struct vdla_case *c, const struct program *p, const struct vdla_binary *b);
/* NULL where the outputs in MEMORY are those of the DAG; else the name of one that is not. */
const char *vdla_case_differs(const struct vdla_case *c, const struct vdla_binary *b, const uint8_t *memory);
/* The same of program P, interpreted. */
const char *vdla_case_interpreted(const struct vdla_case *c, const struct program *p);

#endif
