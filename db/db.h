/* SPDX-License-Identifier: Apache-2.0 */
/* db/db.h - the store of what was measured: devices, toolchains, tasks, records, campaigns.
 *
 * In:   trials, as batches, each together with the search state needed to go on after it.
 * Out:  the best record of a task, the records to learn from, the campaign to continue.
 * Holds: a batch is saved whole or not at all, also under kill -9 and power loss; no record is ever
 *        deleted but by db_prune and with its campaign (db/delete.h); a record of another device or toolchain is
 *        skipped, not used; so is one that is damaged, and which and why is told.
 *
 * The file is sqlite3 in WAL mode; FILE-campaigns beside it says which campaigns are at work. Several processes may append to one file; a handle belongs to
 * one thread at a time and must not be carried over a fork. Functions return -1 (or NULL) with
 * err_set() on failure; nothing is half done then. Strings given in are copied; results live in the
 * arena. */
#ifndef HONE_DB_DB_H
#define HONE_DB_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/tell.h"
#include "base/vec.h"
#include "db/cache.h"
#include "db/status.h"

struct db;

enum db_mode {
	DB_READ,	/* the file must exist; nothing in it changes */
	DB_MODIFY,	/* the file must exist */
	DB_WRITE,	/* made where it is missing */
};

/* Opens PATH, and brings an older schema up to date where the mode allows to write. */
struct db *db_open(const char *path, enum db_mode mode);
/* NULL is allowed. */
void db_close(struct db *db);
const char *db_path(const struct db *db);
/* Who is told of records that are skipped; nobody at first. */
void db_listen(struct db *db, const struct listener *to);
/* Tells, once for each, that record ID is skipped because of WHY. */
void db_skip(struct db *db, int64_t id, const char *why);
/* The schema version of the file, which is the newest this library knows. */
int db_version(void);

/* How fast a device was, to compare times that it took on different days. 0: not known. */
struct db_calibration {
	double fixed_us;	/* of the fixed kernel, which runs from registers, when it began */
	int64_t probed;		/* when the rates below were; seconds since 1970 */
	double peak[2];		/* f32 multiply-add, GFLOP/s; with one thread, with all */
	double l1[2], l2[2], mem[2];	/* reading, GB/s; as above */
};

/* Records of a device whose peak was further from that of now than this factor are of another
 * machine, although the descriptions agree. Turbo and heat move the clock of one machine by up to 1.3
 * or so; a guest on a larger share of a core, or on another host under the same name, is beyond. */
#define DB_SAME_MACHINE 1.5

/* ---- Devices, toolchains, tasks: each is found, or added where it is new; returns its id. */

struct db_device {
	int64_t id;
	const char *fingerprint;	/* hex text, the identity */
	const char *description;	/* JSON; the newest one given for the fingerprint is kept */
};
struct db_device_vec VEC(struct db_device);

struct db_task {
	int64_t id;
	const char *key;	/* 32 hex digits: structure, shapes and types */
	const char *name;	/* a label for people; the first one given is kept */
	const char *text;	/* the DAG in .te form; "": it is none, but something that was timed as a whole */
	double flop;		/* operations of one run */
};
struct db_task_vec VEC(struct db_task);

int64_t db_device(struct db *db, const char *fingerprint, const char *description);
/* TEXT names compiler, version and flags, for example "gcc 12.2.0 -O3 -march=native". */
int64_t db_toolchain(struct db *db, const char *text);
/* The id in TASK is not read. */
int64_t db_task(struct db *db, const struct db_task *task);
/* N at once, those that are new in one transaction; IDS gets their ids. 0, or -1 and a message. */
int db_add_tasks(struct db *db, const struct db_task *tasks, int n, int64_t *ids);

int db_devices(struct db *db, struct arena *a, struct db_device_vec *out);
int db_tasks(struct db *db, struct arena *a, struct db_task_vec *out);
/* 1 and *OUT, or 0 where KEY is not known. */
int db_find_task(struct db *db, struct arena *a, const char *key, struct db_task *out);

/* ---- Records */

struct db_record {
	int64_t id;		/* given by the database */
	int64_t sitting;	/* given by the batch; 0 for none */
	int64_t task, device, toolchain;
	int64_t campaign;	/* given by the batch; 0 for none */
	const char *task_key;	/* these three are filled when read; db_append ignores them */
	const char *fingerprint;
	const char *toolchain_text;
	int64_t trial;		/* number in its campaign; final: how many trials were before it (or, of hone
				 * 0.2.0, down to -5) */
	int64_t seq;		/* order of records, also after a merge; given by the database, of an
				 * imported record by its log */
	bool final;		/* measured again among the best few; not a trial of its own */
	int others;		/* final: measured in turn with so many; -1: not known */
	bool estimate;		/* the guess of a stand-in: nothing was measured */
	bool imported;		/* said by a log from elsewhere; db_append ignores it, db_import sets it */
	const char *source_hash;	/* 32 hex digits, of the C text that was measured; NULL:
					 * not known */
	const char *hone;	/* the version that measured it; NULL: not known */
	int threads;
	const char *steps;	/* text form of the step list */
	struct hash128 steps_hash;	/* of the text; db_append computes it */
	enum trial_status status;	/* not TRIAL_PENDING */
	const char *message;	/* what the compiler, runner or verifier said; NULL is "" */
	const double *samples;	/* microseconds, every one taken */
	int n_samples;
	const char *counted;	/* a 1 for each sample that time_us is taken from (in a model their median), a 0 for each
				 * other; NULL: not known */
	double time_us;		/* the figure it is ranked by; 0 unless ok */
	double ratio;		/* our time over the reference kernel's; 0 where not known */
	const char *counters;	/* JSON; NULL is "{}" */
	const char *cache;	/* a name of db/cache.def; NULL is "warm" */
	double build_ms, run_ms;
	int64_t created;	/* seconds since 1970; 0 is now */
	const char *fault;	/* why it must not be used; NULL: it is sound. Only db_check and
				 * its like get to see those */
};
struct db_record_vec VEC(struct db_record);

enum round_phase {
#define X(name, text, meaning) PHASE_##name,
#include "db/phase.def"
#undef X
	PHASE_COUNT
};
const char *round_phase_name(enum round_phase p);

/* How well scores ordered what was then measured; see costmodel/quality.h. */
struct db_quality {
	int64_t samples;	/* compared; 0: none, and nothing below is known */
	double recall, rank, accuracy;	/* recall_at_k, rank_correlation, pairwise_accuracy; NAN
					 * where not known */
};

/* What a batch was and cost. */
struct db_round {
	int64_t campaign, number;	/* from 1; given by db_append */
	int64_t task;
	const char *task_key;	/* filled when read; db_append ignores it */
	int64_t created;	/* seconds since 1970; 0 is now */
	int64_t trials, failed;	/* of this batch */
	int64_t refused;	/* samples that did not lower: no trials */
	double best_us;		/* of the task after this batch; 0 for none */
	double seconds[PHASE_COUNT];	/* NAN where not known */
	double beside_s;	/* compiled while the phases went on, in none of them; NAN as before */
	struct db_quality quality;	/* of the model on this batch, before it learned from it */
};
struct db_round_vec VEC(struct db_round);

struct db_batch {
	int64_t campaign;	/* started or resumed by this handle; 0 for none */
	const struct db_record *records;
	int n;
	const void *state;	/* search state after this, without row ids; NULL: unchanged */
	size_t state_bytes;
	const struct db_round *round;	/* NULL: none; needs a campaign */
};

/* Saves all of it in one transaction, durable when it returns. Fails where another process went on
 * with the same campaign in the meantime. */
int db_append(struct db *db, const struct db_batch *batch);

/* R and all that it points at, in A. */
struct db_record db_record_copy(struct arena *a, const struct db_record *r);

/* What toolchains begin with whose records are no search's: of code generators, whose kernels have no
 * steps, and of hone's own beside them, with the cache state "model" where a model ran (runtime/offload). */
#define DB_OFFLOAD "offload "

/* Who measured a record. */
enum db_whence {
	DB_ANYWHERE,
	DB_HERE,	/* this database's campaigns, or those of one that was merged into it */
	DB_ELSEWHERE,	/* a log that was imported says so */
};

/* Which records are meant; NULL and 0 stand for any. */
struct db_want {
	bool offload;		/* of toolchains that begin with DB_OFFLOAD; otherwise none of these */
	const char *task_key;
	const char *fingerprint;
	bool elsewhere;		/* of any device but that one; not for db_skipped */
	const char *toolchain;
	const char *target;	/* that toolchains are marked with; "": of those without a mark */
	const char *cache;	/* NULL: of a kernel alone, warm or cold */
	int threads;
	int64_t until;		/* the last record, by id: not for db_skipped */
	bool measured;		/* no estimates */
	enum db_whence from;
	bool exact;		/* no kernels that derive another algorithm, whose roundings are others */
	/* How fast the device is: records of another machine, by DB_SAME_MACHINE, are left out, and
	 * times of sittings at another speed are put in order by what they come to now, as the
	 * fixed kernel does. */
	const struct db_calibration *now;
};

enum db_order {
	DB_FASTEST,	/* by time alone: how far a search has come */
	/* Confirmed times first, then those of trials, imported ones, estimates last, each by time:
	 * the first is the best. A trial's time is the least of many noisy ones, so that it is no match for one
	 * that was taken again. */
	DB_SUREST,
	DB_LATEST,	/* the newest first, imported ones behind all others */
};

/* Calls FN, as db_each does, for the record that stands for each step list: of its ok records for
 * the same task, device, toolchain, threads and cache state a measurement rather than an estimate,
 * one of here rather than an imported one, a confirmation rather than a trial, the latest; none where
 * a later run of it crashed or was wrong. */
int db_each_standing(struct db *db, const struct db_want *want, enum db_order order,
		     int (*fn)(void *ctx, const struct db_record *record), void *ctx);
/* The first N of these. */
int db_top(struct db *db, struct arena *a, const struct db_want *want, enum db_order order, int n,
	   struct db_record_vec *out);
/* The first of DB_SUREST: 1 and *OUT, or 0 where nothing fits. */
int db_best(struct db *db, struct arena *a, const struct db_want *want, struct db_record *out);

/* The ok records of the task that WANT leaves out, and why. */
struct db_skipped {
	int64_t n;
	const char *why;	/* a phrase such as "3 of another device"; "" where n is 0 */
};
int db_skipped(struct db *db, struct arena *a, const struct db_want *want, struct db_skipped *out);

/* Calls FN for every record wanted, oldest first; what RECORD points at lives for the call. Stops
 * early, with that value, where FN returns other than 0. FN must not write to DB. */
int db_each(struct db *db, const struct db_want *want,
	    int (*fn)(void *ctx, const struct db_record *record), void *ctx);
/* The same as an array. */
int db_records(struct db *db, struct arena *a, const struct db_want *want,
	       struct db_record_vec *out);

/* A record with what it belongs to. Task and device live for the whole iteration, and are the same
 * objects for all of their records. */
struct db_past {
	const struct db_record *record;
	const struct db_task *task;
	const struct db_device *device;
};
/* As db_each, for what is worth learning from: the newest LIMIT records, the newest first. */
int db_each_past(struct db *db, const struct db_want *want, int64_t limit,
		 int (*fn)(void *ctx, const struct db_past *past), void *ctx);

/* The record with this ID: 1 and *OUT, or 0 where there is none that is sound. */
int db_find_record(struct db *db, struct arena *a, int64_t id, struct db_record *out);

/* The id of the last record; 0 where there is none. */
int db_last_record(struct db *db, int64_t *id);

/* Trials by how they ended, without re-measurements. */
int db_counts(struct db *db, const struct db_want *want, int64_t counts[TRIAL_STATUS_COUNT]);

/* ---- Campaigns */

enum campaign_state {
	CAMPAIGN_RUNNING,	/* a process is at work on it now */
	CAMPAIGN_DONE,
	CAMPAIGN_STOPPED,	/* ended early; can go on */
	CAMPAIGN_KILLED,	/* running in the file, but its process is gone; can go on */
	CAMPAIGN_STATE_COUNT
};
const char *campaign_state_name(enum campaign_state s);

struct db_campaign {
	int64_t id;
	const char *uid;	/* random; the same after a merge into another file */
	int64_t device;
	int64_t created, ended;	/* seconds since 1970; ended is 0 while running */
	int64_t seen;		/* when it began, went on or saved a batch last */
	const char *name, *note;	/* no other of the file is called so; NULL, "": none (db/label.h) */
	const char *source;	/* what the user asked to tune */
	const char *options;	/* JSON */
	uint64_t seed;
	enum campaign_state state;
	int64_t rounds;		/* batches saved */
	const void *search;	/* the state of the last batch; NULL before the first */
	size_t search_bytes;
};
struct db_campaign_vec VEC(struct db_campaign);

/* A run of a process on a campaign. */
struct db_sitting {
	int64_t id;		/* given by the database */
	int64_t campaign;
	const char *host;
	int64_t pid, began, ended;	/* seconds since 1970; ended is 0 where it was not told */
	struct db_calibration calibration;
};
struct db_sitting_vec VEC(struct db_sitting);

enum db_entered {
	DB_ENTER_FAILED = -1,	/* a message is set, as for the next one */
	DB_ENTER_HELD,		/* another process is at work on it; the message says which */
	DB_ENTER_NEW,
	DB_ENTER_OLD,		/* one that was interrupted goes on */
};

/* Goes on with the campaign that is called as LIKE, else with the one that db_campaign_find gives for LIKE unless that is
 * called otherwise, or starts it where there is none or FRESH; gives it LIKE's name and note, where these are not NULL;
 * and begins a sitting, as one act: of processes that ask for the same campaign at once one gets it, until
 * db_campaign_end, db_close or its death. Of LIKE device, source, options, seed, name and note count; *OUT is the campaign. */
enum db_entered db_campaign_enter(struct db *db, struct arena *a, const struct db_campaign *like,
				  bool fresh, const struct db_calibration *now,
				  struct db_campaign *out);
/* The sitting with this ID, or where that is 0 the last one on DEVICE before the handle's own: 1 and
 * *OUT, or 0 where there is none. */
int db_sitting(struct db *db, struct arena *a, int64_t id, int64_t device, struct db_sitting *out);
/* The sittings of CAMPAIGN, oldest first; none of those before schema 5. */
int db_sittings(struct db *db, struct arena *a, int64_t campaign, struct db_sitting_vec *out);

/* The newest campaign for SOURCE on this device (with these OPTIONS, where not NULL), if it is not
 * done: 1 and *OUT; else 0. */
int db_campaign_find(struct db *db, struct arena *a, const char *source, const char *options,
		     int64_t device, struct db_campaign *out);
int db_campaign_end(struct db *db, int64_t id, enum campaign_state state);
/* All, oldest first, without their search states. */
int db_campaigns(struct db *db, struct arena *a, struct db_campaign_vec *out);
/* The one with this ID, its search state included: 1 and *OUT, or 0 where there is none. */
int db_campaign(struct db *db, struct arena *a, int64_t id, struct db_campaign *out);
/* What CAMPAIGN noted of its batches, in their order; none of those before schema 2. */
int db_rounds(struct db *db, struct arena *a, int64_t campaign, struct db_round_vec *out);
/* ---- Maintenance */

/* A line for everything that is not as it must be; none in a sound file. */
struct db_problem_vec VEC(const char *);
int db_check(struct db *db, struct arena *a, struct db_problem_vec *out);

struct db_task_stats {
	struct db_task task;
	int64_t trials[TRIAL_STATUS_COUNT];
	int64_t n_trials;
	double best_us;		/* on any device, at any number of threads; 0 for none */
	bool confirmed;		/* that one was, here, and is no estimate */
	bool estimate;		/* that one is a guess */
	bool imported;		/* that one was not measured here */
};
struct db_stats {
	int64_t bytes;		/* of the file, its log included */
	int64_t devices, toolchains, records, rounds;
	int64_t campaigns[CAMPAIGN_STATE_COUNT];
	struct db_task_stats *tasks;
	int n_tasks;
};
int db_stats(struct db *db, struct arena *a, struct db_stats *out);
/* "estimate", "imported", "unconfirmed" or "": what to say behind the best of T. */
const char *db_task_caveat(const struct db_task_stats *t);

/* The tasks that CAMPAIGN has records of, with its own trials, and the best as it sees it: on its
 * device, by its toolchain, threads and cache state, in whatever campaign it was found. */
struct db_task_stats_vec VEC(struct db_task_stats);
int db_campaign_tasks(struct db *db, struct arena *a, int64_t campaign,
		      struct db_task_stats_vec *out);
/* The newest record of CAMPAIGN of a kernel alone, which tells its device, toolchain, threads and cache state: 1 and
 * *OUT, or 0 before the first. */
int db_campaign_record(struct db *db, struct arena *a, int64_t campaign, struct db_record *out);

/* How many were added, and how many records were there already. */
struct db_merged {
	int64_t devices, toolchains, tasks, campaigns, rounds, records, duplicates;
};
/* Takes in all of the database FROM, in one transaction. FROM is only read. */
int db_merge(struct db *db, const char *from, struct db_merged *out);

struct db_prune {
	int keep;		/* step lists kept for each task, device, ..., the first of
				 * DB_SUREST; 0: all */
	int failed_days;	/* records that are not ok go when older; -1: none */
	int64_t most;		/* records kept in all, the latest, and only what they name of tasks and
				 * toolchains; 0: any number */
	bool keeps_size;	/* the file is not made smaller: what comes later takes the space */
};
struct db_pruned {
	int64_t ok, failed, old;	/* records removed; those beyond the most */
	int64_t rounds;		/* removed: of ended campaigns without any record left */
	int64_t bytes_before, bytes_after;
};
/* Removes records and gives the space back, or keeps it. What proves a kept step list wrong is kept with it. */
int db_prune(struct db *db, const struct db_prune *prune, struct db_pruned *out);

#endif
