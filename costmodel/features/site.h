/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/site.h - a store, the loops around it and its accesses: what the feature files share.
 *
 * Level L of a site with n loops is the execution of its loops L..n-1 with all outer ones fixed:
 * level 0 is all of it, level n one turn. */
#ifndef HONE_COSTMODEL_FEATURES_SITE_H
#define HONE_COSTMODEL_FEATURES_SITE_H

#include "costmodel/aim.h"
#include "costmodel/features/access.h"
#include "costmodel/features/feature.h"

enum {
	SITE_MAX_ACCESSES = 16,	/* of one store; what is beyond has no features */
	OP_FEATURES = (int)FEATURE_X_CHOICE + 1,
};

struct site_loop {
	const struct nest *nest;	/* its identity */
	double extent;
	enum annotation annotation;
	bool reduce;
};

static inline bool loop_is_written_out(const struct site_loop *l)
{
	return l->annotation == ANNOTATION_VECTOR || l->annotation == ANNOTATION_UNROLL;
}

struct site {
	const struct nest *store;
	struct site_loop *loops;	/* of more than one turn, outermost first */
	int n_loops;
	int conditions;
	double taken;		/* share of turns in which they hold */
	double left;		/* share of the body's turns that a compiler leaves, which knows what conditions of these alone say */
	double turns;		/* extents times taken */
	double prefetched;	/* lines, over all turns, since the store before it */
	double alloc_times;	/* of the store's buffer */
	double ops[OP_FEATURES];	/* of one turn, by feature */
	double flop;		/* of one turn */
	struct access *access[SITE_MAX_ACCESSES];
	int n_accesses;
	/* Derived by site_finish. */
	double *inside;		/* by level: turns of its loops */
	double *bytes;		/* by level: working set in memory */
	int body;		/* its level */
	int fresh;		/* that of a turn of the body's innermost loop whose turns load anew; the body's where there is none */
	int vector;		/* the innermost vector loop; -1: none */
	double vector_lanes;	/* its extent, or 1 */
	double lanes;		/* elements of a register, for the type stored */
	int group;		/* the loop whose turns an intrinsic of vectors multiplies at once; -1: none */
	double registers;	/* that the lanes of the vector loop take; 1 where there is none */
};

/* Is S a product of matrices? Its sums and operands are in tiles. */
static inline bool site_is_of_matrices(const struct site *s)
{
	return s->store->buffer->scratchpad == SCOPE_MATRIX && s->store->reducer != REDUCE_NONE;
}

struct site_vec VEC(struct site *);

/* All sites of P, in A. False where a nest is too deep. */
bool collect_sites(struct arena *a, const struct program *p, struct site_vec *out);
/* Fills what is derived, footprints of all accesses among it. */
void site_finish(struct arena *a, struct site *s, const struct aim *d);

/* The mean work of THREADS threads that share the turns of LOOP over that of the one with most, at
 * most 1. */
double loop_balance(const struct nest *loop, int threads);

/* --- operations (costmodel/features/ops.c) */

/* Adds the operation that E is (not its arguments) to OPS, so many TIMES a turn; nothing for leaves. */
void ops_count(const struct expr *e, double times, double ops[OP_FEATURES]);
/* Whether E takes an instruction within an index: sums and products are folded into addresses. */
bool ops_is_of_index(const struct expr *e);
/* The same as ops_count() for such a one. */
void ops_count_index(const struct expr *e, double times, double ops[OP_FEATURES]);
/* What a store that combines by R into type T adds. */
void ops_count_reducer(enum reducer r, enum dtype t, double ops[OP_FEATURES]);
double ops_flop(const double ops[OP_FEATURES]);
/* Arithmetic instructions of one turn on one vector, as weighted by what they take. */
double ops_instructions(const double ops[OP_FEATURES]);

/* --- groups: each fills its columns of ROW with plain values */

void features_ops(const struct site *s, float *row);
void features_loops(const struct site *s, const struct site *before, const struct aim *d,
		    float *row);	/* BEFORE: the store before it; NULL at the first */
void features_access(const struct site_vec *all, const struct site *s, const struct aim *d,
		     float *row);
void features_fit(const struct site *s, const struct aim *d, float *row);
/* Of all rows at once, after the other groups, for a program that is GIVEN so many bytes of arguments. */
void features_prior(const struct site_vec *sites, const struct aim *d, double given, const struct feature_matrix *m);

/* One execution of a body that is a register tile, as it was measured on the device. */
struct measured_tile {
	double ns;	/* 0: it is none, or nothing was measured */
	double ops, loads;	/* instructions that are part of that */
};

struct measured_tile features_tile(const struct site *s, const struct aim *d);

/* The same for a target with scratchpads, of the program as a whole. */
void features_units(const struct site_vec *sites, const struct aim *d, const struct feature_matrix *m);

/* Instructions that load or store ELEMENTS of X, a vector at a time where lanes are contiguous. */
double access_vectors(const struct site *s, const struct access *x, double elements);
/* Is X loaded or stored vectors at a time? How many registers' width one takes. */
bool access_is_of_vectors(const struct site *s, const struct access *x);
double access_registers(const struct site *s, const struct access *x);
static inline bool site_has_vector(const struct site *s)
{
	return s->vector >= s->body && s->vector < s->n_loops && s->vector >= 0;
}

/* The level whose working set fits a cache of BYTES; and the bytes of the lines of X that come into
 * the cache that LEVEL fits, over all turns. */
int site_fit_level(const struct site *s, double bytes);
double access_miss(const struct site *s, const struct access *x, int level);

#endif
