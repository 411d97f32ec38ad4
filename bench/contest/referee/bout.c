/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/bout.c - the order of a bout: started, checked, timed in turns, ended. */
#include "bench/contest/referee/bout.h"

#include <sched.h>
#include <unistd.h>

#include "base/file.h"
#include "base/workdir.h"
#include "measure/timing/pin.h"

const char *row_kind_name(enum row_kind k)
{
	switch (k) {
	case ROW_TIMED:
		return "timed";
	case ROW_CANNOT:
		return "cannot";
	case ROW_WRONG:
		return "wrong";
	case ROW_LOST:
		return "failed";
	}
	return "";
}

/* A bout that goes on. */
struct floor {
	struct arena *a;
	const struct bout *bout;
	const char *folder;
	const char *const *env;
	struct row *rows;
	struct player *players;	/* by row */
};

/* OpenMP's runtimes read these: each thread on its core, as hone's runner has them; as many as the
 * task says, for libraries, where our kernel has an argument. */
static const char *const *environment(struct arena *a, int threads)
{
	const char **env = arena_many(a, const char *, 6);

	env[0] = arena_printf(a, "OMP_NUM_THREADS=%d", threads);
	env[1] = "OMP_PROC_BIND=true";
	env[2] = "OMP_DYNAMIC=false";
	env[3] = "OMP_PLACES=threads";
	env[4] = "OMP_DISPLAY_ENV=false";
	return env;
}

static void dismiss(struct row *row, enum row_kind kind, const char *why)
{
	row->kind = kind;
	row->why = why;
}

/* Starts the player of row I and has it prepare; *TEXT is what it says of that. */
static bool start(struct floor *s, int i, const char **text)
{
	struct row *row = &s->rows[i];
	const char *log = arena_printf(s->a, "%s/player%d.log", s->folder, i);

	player_start(s->a, &s->players[i], row->who->argv, s->env, log, s->bout->limit_s);
	enum answer got = player_prepare(s->a, &s->players[i], s->folder, row->who->entry,
					 s->bout->threads, text);

	if (got != ANSWER_OK)
		dismiss(row, got == ANSWER_CANNOT ? ROW_CANNOT : ROW_LOST, *text);
	return got == ANSWER_OK;
}

static bool rehearse(struct floor *s, int i)
{
	bool went_well = start(s, i, &s->rows[i].rehearsal);

	if (went_well)
		player_end(&s->players[i]);
	return went_well;
}

static bool check(struct floor *s, int i)
{
	const char *file = arena_printf(s->a, "%s/output%d", s->folder, i);
	const struct exercise *exercise = &s->bout->exercise;
	const char *text, *fault;

	if (player_check(s->a, &s->players[i], file, &text) != ANSWER_OK) {
		dismiss(&s->rows[i], ROW_LOST, text);
		return false;
	}
	fault = exercise->fault(exercise->user, s->a, file);
	dir_remove(file);
	if (fault)
		dismiss(&s->rows[i], ROW_WRONG, fault);
	return !fault;
}

static void run_together(struct floor *s)
{
	int n = s->bout->competitors->n, playing = 0;
	struct player **players = arena_many(s->a, struct player *, n);
	struct score *scores = arena_many(s->a, struct score, n);
	int *row_of = arena_many(s->a, int, n);

	for (int i = 0; i < n; i++) {
		if (s->rows[i].kind != ROW_TIMED)
			continue;
		if ((!s->bout->rehearse || rehearse(s, i)) && start(s, i, &s->rows[i].kernel) &&
		    check(s, i)) {
			players[playing] = &s->players[i];
			row_of[playing++] = i;
		} else {
			player_end(&s->players[i]);
		}
	}
	referee_play(s->a, &s->bout->rules, players, playing, scores);
	for (int p = 0; p < playing; p++) {
		struct row *row = &s->rows[row_of[p]];

		row->score = scores[p];
		row->peak_kb = player_peak_kb(players[p]);
		if (scores[p].lost)
			dismiss(row, ROW_LOST, scores[p].lost);
		if (s->rows[0].kind != ROW_TIMED) /* player 0 is somebody else */
			row->score.versus = (struct comparison){0};
		player_end(players[p]);
	}
}

/* Binds this thread, and with it all that it starts from now on. */
static int bind(struct arena *a, int threads, cpu_set_t *before, const char **cpus)
{
	struct pin *p = pin_new(NULL);

	*cpus = NULL;
	if (p && sched_getaffinity(0, sizeof(*before), before) == 0)
		*cpus = pin_process(a, p, getpid(), threads);
	pin_free(p);
	return *cpus ? 0 : -1;
}

struct row *bout_hold(struct arena *a, const struct bout *b, const char **cpus)
{
	int n = b->competitors->n;
	struct floor s = {
		.a = a,
		.bout = b,
		.env = environment(a, b->threads),
		.rows = arena_many(a, struct row, n),
		.players = arena_many(a, struct player, n),
	};
	struct workdir w;
	cpu_set_t before;

	if (workdir_open(a, &w) < 0)
		return NULL;
	s.folder = w.path;
	for (int i = 0; i < n; i++)
		s.rows[i].who = &b->competitors->at[i];
	int rc = b->exercise.write(b->exercise.user, w.path);

	if (rc == 0 && (rc = bind(a, b->threads, &before, cpus)) == 0) {
		run_together(&s);
		sched_setaffinity(0, sizeof(before), &before);
	}
	workdir_close(&w);
	return rc == 0 ? s.rows : NULL;
}
