/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/player.h - a contestant's process, as the referee sees it.
 *
 * Holds: it sleeps, blocked in a read, but for the time between a request and its answer; what
 *        fails makes the player `lost`, with the reason, and never the contest. */
#ifndef HONE_BENCH_CONTEST_REFEREE_PLAYER_H
#define HONE_BENCH_CONTEST_REFEREE_PLAYER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"
#include "base/vec.h"

struct player {
	pid_t pid;		/* 0: no process */
	int socket;
	const char *log;	/* the file of what it says on standard error */
	double limit_s;		/* for one answer */
	struct text heard;	/* after the last whole line */
	bool lost;		/* it died, hung, or did not keep to the protocol */
};

/* An answer, by its first word. */
enum answer {
	ANSWER_OK,
	ANSWER_CANNOT,		/* a normal answer of `prepare` */
	ANSWER_LOST,		/* the player is lost now, or was */
};

struct entry {
	const char *name, *clock;
};
struct entry_vec VEC(struct entry);

/* Starts ARGV with ENV's variables set (NULL at its end) on the cores of the calling thread. What
 * fails is in TEXT below, at the first request. */
void player_start(struct arena *a, struct player *p, const char *const *argv,
		  const char *const *env, const char *log, double limit_s);
/* The most memory that its process has had, in KiB; 0 where it has ended. */
int64_t player_peak_kb(const struct player *p);
/* Ends it, by force where quit does not. */
void player_end(struct player *p);

/* Its entries and version. */
enum answer player_entries(struct arena *a, struct player *p, struct entry_vec *entries,
			   const char **text);
/* In all of these TEXT, in A, is what came with the answer: the kernel, or the reason. */
enum answer player_prepare(struct arena *a, struct player *p, const char *folder,
			   const char *entry, int threads, const char **text);
enum answer player_check(struct arena *a, struct player *p, const char *file, const char **text);
/* N evaluations, which took NS nanoseconds by the player's clock. */
enum answer player_run(struct arena *a, struct player *p, int64_t n, int64_t *ns,
		       const char **text);

#endif
