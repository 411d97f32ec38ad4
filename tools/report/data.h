/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/data.h - what a report tells, read from the database and not yet written.
 *
 * In:   an open database, and which of it is meant.
 * Out:  one struct report_data, all of it in one arena.
 * Holds: figures that are not known are NAN, times that are not known 0; nothing depends on a clock. */
#ifndef HONE_TOOLS_REPORT_DATA_H
#define HONE_TOOLS_REPORT_DATA_H

#include "tools/campaign/status.h"
#include "tools/record/best_row.h"
#include "tools/report/noise.h"
#include "tools/report/report.h"
#include "tools/report/trials.h"

/* The best so far from here on. */
struct report_step {
	double x;	/* trials, or seconds at work */
	double us;
};
struct report_step_vec VEC(struct report_step);

/* Something that a kernel is held against. */
struct report_baseline {
	const char *name;	/* what exactly was timed, and how */
	double us;
	double ours_us;		/* the same task's, taken in the same way; 0: there is none */
};
struct report_baseline_vec VEC(struct report_baseline);

/* The best with so many virtual threads. */
struct report_turns {
	int threads;
	double us;
};
struct report_turns_vec VEC(struct report_turns);

/* Trials that have something in common. */
struct report_group {
	const char *label;
	bool of_best;		/* the best kernel is one of them */
	int64_t trials, failed;
	double best_us, median_us;	/* of the ok ones */
};
struct report_group_vec VEC(struct report_group);

/* A split of the best kernel's structure, and how its sizes did. */
struct report_split {
	const char *label;	/* stage and loop */
	double effect;		/* the best of its worst size over the best of its best; 1 where there is one */
	struct report_group_vec sizes;	/* labels are the sizes, in their order */
};
struct report_split_vec VEC(struct report_split);

struct report_task {
	const struct task *task;	/* its weight is 0 where none is known */
	const char *source;	/* of the newest campaign in the report that has it, or its name */
	struct best_row row;	/* as `hone best SOURCE` has it */
	double bytes;		/* of inputs, constants and outputs, each once */
	double roof;		/* GFLOP/s that the probed rates allow: of the multiply-adds, and of the first
				 * level that holds these bytes, of memory where it was not timed warm; NAN */
	struct trial_table trials;
	/* What its trials are compared with: the best as it was timed alone. 0: none */
	double alone_us;
	int alone_threads;
	enum cache_state alone_cache;
	double first_us;	/* the first valid trial that was timed so, too; 0 */
	struct report_step_vec by_trials, by_time;
	struct report_baseline_vec baselines;
	struct report_turns_vec turns;	/* most threads first; of a simulated device alone */
	struct report_group_vec derivations, structures;
	struct report_split_vec splits;	/* those of most effect, in the order of the steps */
	int n_splits;		/* that had several sizes, in all */
};
struct report_task_vec VEC(struct report_task);

/* How well the model had ranked the batches of some rounds: means, by the trials that they are of. */
struct report_ranking {
	int64_t round;		/* the last of them */
	struct db_quality quality;	/* samples: their sum */
};
struct report_ranking_vec VEC(struct report_ranking);

/* A campaign, with what the weights of its tasks make of their kernels. */
struct report_campaign {
	struct status status;	/* what depends on a clock is not to be looked at */
	bool is_model;
	int weighted;		/* tasks with a weight above 0 */
	int missing;		/* of these without a kernel; not in the sums */
	int caveats;		/* of these with one that has a caveat */
	int in_model;		/* of these timed inside a model */
	double best_us;		/* sum of weight x best; NAN where nothing has a weight */
	double alone_us;	/* the same as each was timed alone; NAN where one was not */
	double first_us;	/* sum of weight x first valid trial; NAN where one of them has none */
	struct report_step_vec by_time;	/* sum of weight x best so far, once all have one */
	struct report_ranking_vec rankings;
};
struct report_campaign_vec VEC(struct report_campaign);

/* Trials that failed alike. */
struct report_failure {
	enum trial_status status;
	const char *message;	/* its first line, numbers as # */
	int64_t trials;
	const char *task;	/* the key of the first that had it */
};
struct report_failure_vec VEC(struct report_failure);

/* Records by something that all have. */
struct report_count {
	const char *label;
	int64_t records;
};
struct report_count_vec VEC(struct report_count);

struct report_data {
	struct arena *arena;
	const struct report_query *asked;
	struct query look;	/* as best_row_read() takes it, but for its source */
	struct db_campaign campaign;	/* that was asked for; id 0: none was */
	int64_t device;
	struct db_device_vec devices;	/* of the file */
	struct report_campaign_vec campaigns;
	struct report_task_vec tasks;	/* by their share of the time; those without a weight last */
	int unread;		/* tasks whose text this hone does not read */
	int64_t by_status[TRIAL_STATUS_COUNT];	/* trials of these tasks */
	struct report_failure_vec failures;	/* most trials first */
	struct noise_span_vec noise;
	struct report_count_vec toolchains, versions;
};

/* All of it; -1 and a message. report_data_free() in any case. */
int report_data_read(struct report_data *r, struct db *db, const struct report_query *query);
void report_data_free(struct report_data *r);
/* The task of this key; NULL: it is not in the report. */
const struct report_task *report_task_find(const struct report_data *r, const char *key);

/* --- between the files that read */

/* What a pass over the records leaves, task by task of the database. */
struct report_pass {
	struct report_data *data;
	struct db_task_vec tasks;	/* of the database, those that are asked for; by id */
	struct trial_table *tables;	/* of each */
	struct noise_sample_vec noise;
	struct arena *scratch;	/* for a record; the pass's own */
};
int report_pass_read(struct report_pass *p, struct report_data *r);

/* Whether E is ok and was timed as T's best alone was: caches and threads. */
bool trial_is_like(const struct report_task *t, const struct trial_entry *e);
/* Fill in the rest of a task, whose trials have ended and whose best is there. */
void report_task_curves(const struct report_data *r, struct report_task *t);
int report_task_baselines(const struct report_data *r, struct report_task *t);
/* Its turns, and those of the best's other numbers of threads among the baselines. */
int report_task_turns(const struct report_data *r, struct report_task *t);
const char *report_turns_name(struct arena *a, int threads);	/* "without virtual threads" */
void report_task_spent(const struct report_data *r, struct report_task *t);
/* And of a campaign, when the tasks are there. */
int report_campaign_sums(struct report_data *r, struct report_campaign *c);
void report_campaign_rankings(struct report_data *r, struct report_campaign *c);

#endif
