/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/finals/finals_play.h - the best few kernels of each task of a model, timed while it runs.
 *
 * In:   a model, a database with confirmed records of its tasks, seconds.
 * Out:  what a run of each contender took inside the model, round by round, and who won.
 * Holds: in a round every lineup runs; contenders of a task are compared within rounds. There are as
 *        many lineups as the time suffices for, and that of a round and a compilation apart it ends
 *        with the time. */
#ifndef HONE_RUNTIME_FINALS_FINALS_PLAY_H
#define HONE_RUNTIME_FINALS_FINALS_PLAY_H

#include "runtime/finals/lineup.h"
#include "runtime/open.h"
#include "search/campaign/contenders.h"
#include "search/campaign/ending.h"

/* A task of the model that has contenders. */
struct final_task {
	int index;			/* among the model's */
	struct best_vec records;	/* of its contenders: who won before, then the fastest alone */
	int alone;			/* which of them is the fastest alone; -1: none that plays */
	struct contender *contenders;	/* as many */
	struct choice choices[CONTENDERS];	/* as many */
	int winner;
};

struct final_task_vec VEC(struct final_task);

struct model_finals {
	struct arena *arena;
	double until_s;			/* in clock_s() */
	struct opened model;
	struct finals_work work;	/* once the contenders are built */
	struct final_task_vec tasks;	/* once played, those that ran */
	struct session **sessions;	/* by lineup */
	int lineups;
	struct value *inputs;
	double *model_us;		/* a run of the model, by round: the median over all lineups */
	int rounds;
};

/* Builds the contenders of O's model and a session for each lineup, for finals that may take SECONDS
 * from now on. -1 and a message. */
int finals_open(struct model_finals *f, const struct open_options *o, double seconds);
/* Plays until the time is over, and decides; PLAYED is told of each round. -1 and a message, as where
 * the model is too slow. */
int finals_play(struct model_finals *f, void (*played)(const struct model_finals *f));
void finals_close(struct model_finals *f);

#endif
