/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/status.c - hone status: looks on while a campaign runs, from another terminal.
 *
 * Holds: the database is opened for reading, and for the time of a look alone, so that the campaign
 * never waits and its log never grows for it. */
#include <argp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "tools/campaign/status.h"
#include "tools/command.h"
#include "tools/json.h"

enum { WATCH_S = 2 };

struct status_args {
	const char *source;	/* NULL: all campaigns */
	const char *db;
	bool watch, json;
};

static volatile sig_atomic_t interrupted;

static const struct argp_option options[] = {
	{ "db", 'd', "FILE", 0, "database of records (required)", 0 },
	{ "watch", 'w', NULL, 0,
	  "look again every 2 s, from when a campaign begins until it ends, or Ctrl-C", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of text; with --watch a line each time", 0 },
	{ 0 },
};

static const char doc[] =
	"Says where a campaign stands: trials, the best of each task, failures, the time by phase, "
	"how well the cost model ranks, the time left.\vIt may be given while hone tune works on "
	"the same database, which it does not disturb. Without SOURCE all campaigns of the file "
	"are listed, and the newest one and those at work are shown in full. With SOURCE (as it "
	"was given to hone tune) the newest campaign for it is shown. docs/json.md describes the "
	"JSON.\n\n"
	"Example:\n  hone status --db tune.db --watch\n";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct status_args *args = state->input;

	switch (key) {
	case 'd':
		args->db = arg;
		break;
	case 'w':
		args->watch = true;
		break;
	case 'j':
		args->json = true;
		break;
	case ARGP_KEY_ARG:
		if (args->source)
			argp_error(state, "one SOURCE at a time");
		args->source = arg;
		break;
	case ARGP_KEY_END:
		if (!args->db)
			argp_error(state, "which database? give --db FILE");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = { options, parse, "[SOURCE]", doc, NULL, NULL, NULL };

/* The newest campaign of SOURCE, or all, in the order of their age. */
static int choose(const struct status_args *args, const struct db_campaign_vec *all,
		  struct arena *a, struct status_vec *out)
{
	const struct db_campaign *newest = NULL;

	for (int i = 0; i < all->n; i++) {
		if (args->source && strcmp(all->at[i].source, args->source) != 0)
			continue;
		newest = &all->at[i];
		if (!args->source)
			vec_push(a, out, status_brief(newest));
	}
	if (!args->source)
		return 0;
	if (!newest && args->watch)
		return 0;
	if (!newest)
		return err_set("%s has no campaign for '%s': name it as it was given to hone tune, "
			       "or see all with hone status --db %s",
			       args->db, args->source, args->db);
	vec_push(a, out, status_brief(newest));
	return 0;
}

static int look(struct db *db, struct arena *a, const struct status_args *args,
		struct status_vec *out)
{
	struct db_campaign_vec all;

	if (db_campaigns(db, a, &all) < 0 || choose(args, &all, a, out) < 0)
		return -1;
	for (int i = 0; i < out->n; i++) {
		bool full = out->at[i].alive || i == out->n - 1;

		if (full && status_read(db, a, &out->at[i]) < 0)
			return -1;
	}
	return 0;
}

static json_t *all_json(const struct status_args *args, const struct status_vec *v)
{
	json_t *list = json_array();

	for (int i = 0; i < v->n; i++)
		json_array_append_new(list, status_json(&v->at[i]));
	return json_pack("{s:o, s:I, s:o}", "file", json_label(args->db),
			 "time", (json_int_t)clock_wall(), "campaigns", list);
}

static bool any_alive(const struct status_vec *v)
{
	for (int i = 0; i < v->n; i++)
		if (v->at[i].alive)
			return true;
	return false;
}

static void print_text(const struct status_args *args, const struct status_vec *v, bool again)
{
	struct text out = { 0 };

	if (args->watch && isatty(STDOUT_FILENO))
		text_puts(&out, "\033[H\033[J");	/* home, and clear what is below */
	else if (again)
		text_puts(&out, "\n");
	if (!v->n)
		text_printf(&out, "%s: no campaign yet\n", args->db);
	for (int i = 0; i < v->n; i++)
		status_print(&out, &v->at[i]);
	if (args->watch && isatty(STDOUT_FILENO) && !any_alive(v))
		text_puts(&out, "waiting for a campaign to begin; Ctrl-C ends\n");
	fputs(text_str(&out), stdout);
	text_free(&out);
}

static void print(const struct status_args *args, const struct status_vec *v, bool again)
{
	if (!args->json)
		print_text(args, v, again);
	else if (args->watch)
		json_print_line(all_json(args, v));
	else
		json_print(all_json(args, v));
	fflush(stdout);
}

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

/* Without SA_RESTART: they end the pause, too. */
static void catch_signals(void)
{
	command_catch(interrupt, 0);
}

/* The file as it is now: a campaign that has yet to begin makes it. */
static int look_now(const struct status_args *args, struct arena *a, struct status_vec *out)
{
	*out = (struct status_vec){ 0 };
	if (args->watch && access(args->db, F_OK) != 0)
		return 0;
	struct db *db = db_open(args->db, DB_READ);
	int rc = db ? look(db, a, args, out) : -1;

	db_close(db);
	return rc;
}

/* Prints where campaigns stand; while watching again and again, from the first that runs to the end
 * of the last. */
static int report(const struct status_args *args)
{
	const struct timespec pause = { .tv_sec = WATCH_S };
	struct arena *a = arena_new();
	bool on = true, begun = false, quiet = false;
	struct status_vec v;
	int rc = 0;

	for (bool again = false; on && rc == 0; again = true) {
		arena_reset(a);
		rc = look_now(args, a, &v);
		if (rc == 0 && !quiet)
			print(args, &v, again);
		bool alive = rc == 0 && any_alive(&v);

		on = rc == 0 && args->watch && (alive || !begun) && !ferror(stdout);
		begun |= alive;
		quiet = !begun && !isatty(STDOUT_FILENO);	/* once is enough */
		if (on)
			nanosleep(&pause, NULL);
		on = on && !interrupted;
	}
	arena_free(a);
	return rc;
}

static int run(int argc, char **argv)
{
	struct status_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (args.watch)
		catch_signals();
	return report(&args) < 0 ? command_failed() : EXIT_OK;
}

const struct command command_status = {
	.name = "status",
	.summary = "where a campaign stands, while it runs and after",
	.argp = &argp,
	.run = run,
};
