/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/query.h - what commands that look at a SOURCE in a database have in common. */
#ifndef HONE_TOOLS_ARGS_QUERY_H
#define HONE_TOOLS_ARGS_QUERY_H

#include <argp.h>
#include <stdbool.h>

#include "db/db.h"
#include "graph/task/task.h"
#include "measure/device/device.h"
#include "runtime/kernel/task_times.h"
#include "search/best.h"
#include "tools/args/simulated.h"

struct query {
	const char *source;
	const char *db_path;
	const struct target *target;	/* NULL: the device's own */
	struct simulated_choice simulated;	/* in the place of this machine */
	int threads;		/* 0: any */
	const char *cache;	/* NULL: any */
	bool json;
	bool source_optional;
	bool exact;		/* no kernels that derive another algorithm */
	struct occurrence_vec *sequence;	/* filled where it is not NULL */
	/* by query_open; without a source the database alone */
	struct arena *arena;
	struct db *db;
	struct device *device;
	struct db_calibration now;	/* of the device */
	struct task_times times;	/* of the tasks on it */
	struct task_vec tasks;
};

/* A child of a command's argp: SOURCE, --db, --target, --device, --threads, --exact, --json. Its input is the struct query. */
extern const struct argp query_argp;
/* One more: --cc COMPILER. Its input is a const char *, NULL by default. */
extern const struct argp cc_argp;

/* Opens the database for reading, describes the device, makes the tasks. -1 and a message. */
int query_open(struct query *q);
void query_close(struct query *q);
/* Records of this device that fit the query. */
struct db_want query_want(const struct query *q);
/* The best of T that fits the query: for a model what won inside one, else the fastest alone. 1 and *OUT,
 * 0 or -1, as task_best(). */
int query_best(const struct query *q, const struct task *t, struct best *out);
/* For commands that time B, the best of T, anew: says on stderr where the figure that its record
 * has is not one to compare with. */
void query_warn(const struct query *q, const struct task *t, const struct best *b);

/* ARG, the value of OPTION ("--threads"), as a whole number of at least LEAST; argp_error otherwise. */
long long argp_number(struct argp_state *state, const char *option, const char *arg,
		      long long least);
/* The same up to MOST. */
int argp_int(struct argp_state *state, const char *option, const char *arg, int least, int most);
/* ARG, the value of --cache; argp_error where it is no state of a kernel alone. */
enum cache_state argp_cache(struct argp_state *state, const char *arg);

#endif
