/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest_args.h - what suites that let contestants compete have in common. */
#ifndef HONE_BENCH_CONTEST_ARGS_H
#define HONE_BENCH_CONTEST_ARGS_H

#include <argp.h>

#include "bench/contest/referee/roster.h"

struct peer_names VEC(const char *);

/* The input of contest_argp. */
struct contest_args {
	enum roster_kind kind;
	struct arena *arena;	/* of names */
	struct peer_names peers;	/* none: all */
	double seconds;		/* for each task or model; 0: the default */
};

/* A child of a suite's argp: --peer, --seconds. */
extern const struct argp contest_argp;

/* Who takes part, in A. -1 and a message. */
int contest_open(struct arena *a, const struct contest_args *c, struct roster *out);

#endif
