/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/site.h - a store, the loops around it and its accesses: what the feature files share.
 *
 * Level L of a site with n loops is the execution of its loops L..n-1 with all outer ones fixed:
 * level 0 is all of it, level n one turn. */
#ifndef HONE_COSTMODEL_SITE_H
#define HONE_COSTMODEL_SITE_H

#include "costmodel/features.h"

enum {
	SITE_MAX_LOOPS = 64,	/* bits of access.moves */
	SITE_MAX_ACCESSES = 16,	/* of one store; what is beyond has no features */
	MOTION_MAX_TERMS = 12,	/* of one index; more loops than that never move it */
	OP_FEATURES = (int)FEATURE_X_CHOICE + 1,
};

struct site_loop {
	const struct nest *nest;	/* its identity */
	double extent;
	enum annotation annotation;
	bool reduce;
};

/* How an index moves: turning loop LOOP, it takes COUNT values STEP apart. */
struct motion_term {
	int loop;
	int64_t step, count;
};

/* Of distinct loops; by rising step where it is complete. */
struct motion {
	int64_t constant;
	int n;
	struct motion_term at[MOTION_MAX_TERMS];
};

/* What an access touches in one execution of a level. */
struct footprint {
	double elements;
	double lines;
	double bytes;		/* of the lines; 0 in registers */
};

/* How the lanes of a vector loop access something. */
enum lanes { LANES_SAME, LANES_UNIT, LANES_APART };

struct access {
	const struct buffer *buffer;
	bool packed;
	bool reads, writes;
	int n;			/* loads and stores that it stands for */
	uint64_t moves;		/* bit L: loop L moves it */
	enum lanes lanes;	/* where the site has a vector loop */
	struct motion *dim;	/* of each dim of the buffer */
	int64_t *top;		/* of each dim: greatest constant; motion.constant is the least */
	struct footprint *at;	/* by level, n_loops + 1 of them */
};

struct site {
	const struct nest *store;
	struct site_loop *loops;	/* of more than one turn, outermost first */
	int n_loops;
	int conditions;
	double taken;		/* share of turns in which they hold */
	double turns;		/* extents times taken */
	double alloc_times;	/* of the store's buffer */
	double ops[OP_FEATURES];	/* of one turn, by feature */
	double flop;		/* of one turn */
	struct access *access[SITE_MAX_ACCESSES];
	int n_accesses;
	/* Derived by site_finish. */
	double *inside;		/* by level: turns of its loops */
	double *bytes;		/* by level: working set in memory */
	int body;		/* its level */
	int vector;		/* the innermost vector loop; -1: none */
	double vector_lanes;	/* its extent, or 1 */
	double lanes;		/* elements of a register, for the type stored */
	double registers;	/* that the lanes of the vector loop take; 1 where there is none */
};

struct site_vec VEC(struct site *);

static inline bool access_moves(const struct access *x, int loop)
{
	return (x->moves >> loop & 1) != 0;
}

/* All sites of P, in A. False where a nest is too deep. */
bool collect_sites(struct arena *a, const struct program *p, struct site_vec *out);
/* Fills what is derived, footprints of all accesses among it. */
void site_finish(struct arena *a, struct site *s, const struct cost_device *d);

/* The mean work of THREADS threads that share the turns of LOOP over that of the one with most, at
 * most 1. */
double loop_balance(const struct nest *loop, int threads);

/* --- motions (costmodel/motion.c) */

/* The loops, and lets with the motion of their values, that are open; innermost last. */
struct variable {
	const struct axis *axis;
	int loop;			/* its number; -1 where let says how it moves */
	const struct motion *let;	/* NULL: a loop of one turn */
};

struct variables VEC(struct variable);

/* Terms are not touched: a motion is made for every index of every candidate. */
static inline void motion_clear(struct motion *m)
{
	m->constant = 0;
	m->n = 0;
}

static inline void motion_copy(struct motion *to, const struct motion *from)
{
	memcpy(to, from, offsetof(struct motion, at) + (size_t)from->n * sizeof(*from->at));
}

/* m += factor * e. */
void motion_add(const struct variables *v, struct motion *m, const struct expr *e, int64_t factor);
bool motion_equal(const struct motion *x, const struct motion *y);
/* By rising step, all steps positive. */
void motion_sort(struct motion *m);

/* Derives moves and the footprints by level of an access with N loops; INSIDE as in site. */
void access_finish(struct arena *a, struct access *x, int n_loops, const double *inside);
/* Elements from one turn of LOOP to the next; negative values are made positive. */
int64_t access_stride(const struct access *x, int loop);

/* --- operations (costmodel/ops.c) */

/* Adds the operation that E is (not its arguments) to OPS; nothing for leaves. */
void ops_count(const struct expr *e, double ops[OP_FEATURES]);
/* The same for an operation within an index. */
void ops_count_index(const struct expr *e, double ops[OP_FEATURES]);
/* What a store that combines by R into type T adds. */
void ops_count_reducer(enum reducer r, enum dtype t, double ops[OP_FEATURES]);
double ops_flop(const double ops[OP_FEATURES]);
/* Arithmetic instructions of one turn on one vector, as weighted by what they take. */
double ops_instructions(const double ops[OP_FEATURES]);

/* --- groups: each fills its columns of ROW with plain values */

void features_ops(const struct site *s, float *row);
void features_loops(const struct site *s, const struct site *before, const struct cost_device *d,
		    float *row);	/* BEFORE: the store before it; NULL at the first */
void features_access(const struct site_vec *all, const struct site *s, const struct cost_device *d,
		     float *row);
void features_fit(const struct site *s, const struct cost_device *d, float *row);
/* Of all rows at once, after the other groups. */
void features_prior(const struct cost_device *d, const struct feature_matrix *m);

/* Instructions that load or store ELEMENTS of X, a vector at a time where lanes are contiguous. */
double access_vectors(const struct site *s, const struct access *x, double elements);
static inline bool site_has_vector(const struct site *s)
{
	return s->vector >= s->body && s->vector < s->n_loops && s->vector >= 0;
}

/* The level whose working set fits a cache of BYTES; and the bytes of the lines of X that come into
 * the cache that LEVEL fits, over all turns. */
int site_fit_level(const struct site *s, double bytes);
double access_miss(const struct site *s, const struct access *x, int level);

#endif
