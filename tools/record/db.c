/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/db.c - `hone db`: looks after a database of measurements, an action at a time. */
#include <argp.h>

#include "tools/args/query.h"
#include "tools/args/words.h"
#include "tools/command.h"
#include "tools/record/db_actions.h"

enum { KEY_KEEP = 256, KEY_FAILED, NUMBER_MAX = 1000000 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct db_command_options *o = state->input;

	switch (key) {
	case 'j':
		o->json = true;
		return 0;
	case KEY_KEEP:
		o->prune.keep = argp_int(state, "--keep", arg, 1, NUMBER_MAX);
		return 0;
	case KEY_FAILED:
		o->prune.failed_days = argp_int(state, "--failed-days", arg, 0, NUMBER_MAX);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			return ARGP_ERR_UNKNOWN;	/* the rest comes as ARGP_KEY_ARGS */
		o->file = arg;
		return 0;
	case ARGP_KEY_ARGS:
		o->from = state->argv + state->next;
		o->n_from = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		if (!o->file)
			argp_error(state, "which FILE?");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* One FILE and no more. */
static error_t parse_one(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARGS)
		argp_error(state, "one FILE at a time; only merge takes more");
	return parse(key, arg, state);
}

/* Parses the line of an action by ARGP and hands WORK what it is about; the exit status. */
static int act(int argc, char **argv, const struct argp *argp, enum db_mode mode, db_action *work)
{
	struct db_command_options o = { .prune = { .failed_days = -1 } };

	argp_parse(argp, argc, argv, 0, NULL, &o);
	struct db *db = db_open(o.file, mode);

	if (!db)
		return command_failed();
	struct arena *a = arena_new();
	int rc = work(db, a, &o);

	arena_free(a);
	db_close(db);
	return rc;
}

#define JSON { "json", 'j', NULL, 0, "JSON instead of text", 0 }

static const struct argp_option json_option[] = { JSON, { 0 } };

static const struct argp check_argp = {
	.options = json_option,
	.parser = parse_one,
	.args_doc = "FILE",
	.doc = "Lists what in a database of measurements is not as it must be. The exit status is 3 where "
	       "something is.\v"
	       "Example:\n  hone db check tune.db\n",
};

static int check(int argc, char **argv)
{
	return act(argc, argv, &check_argp, DB_READ, db_action_check);
}

static const struct command db_command_check = {
	.name = "check",
	.summary = "find what is not as it must be",
	.argp = &check_argp,
	.run = check,
};

static const struct argp stats_argp = {
	.options = json_option,
	.parser = parse_one,
	.args_doc = "FILE",
	.doc = "Counts the trials of a database of measurements by task, with the best of each.\v"
	       "Example:\n  hone db stats tune.db\n",
};

static int stats(int argc, char **argv)
{
	return act(argc, argv, &stats_argp, DB_READ, db_action_stats);
}

static const struct command db_command_stats = {
	.name = "stats",
	.summary = "count trials by task",
	.argp = &stats_argp,
	.run = stats,
};

/* Without the databases to take in there is nothing to do. */
static error_t parse_merge(int key, char *arg, struct argp_state *state)
{
	struct db_command_options *o = state->input;

	if (key == ARGP_KEY_END && o->file && !o->n_from)
		argp_error(state, "merge needs the databases to take in, after the file");
	return parse(key, arg, state);
}

static const struct argp merge_argp = {
	.options = json_option,
	.parser = parse_merge,
	.args_doc = "FILE FROM...",
	.doc = "Takes all of the databases FROM into FILE, which is made where it is missing. What FILE has "
	       "is not added again.\v"
	       "Example:\n  hone db merge all.db monday.db tuesday.db && hone db stats all.db\n",
};

static int merge(int argc, char **argv)
{
	return act(argc, argv, &merge_argp, DB_WRITE, db_action_merge);
}

static const struct command db_command_merge = {
	.name = "merge",
	.summary = "take others into one",
	.argp = &merge_argp,
	.run = merge,
};

/* Without a condition all would be kept. */
static error_t parse_prune(int key, char *arg, struct argp_state *state)
{
	const struct db_command_options *o = state->input;

	if (key == ARGP_KEY_END && o->file && o->prune.keep == 0 && o->prune.failed_days < 0)
		argp_error(state, "prune needs --keep, --failed-days or both");
	return parse_one(key, arg, state);
}

static const struct argp_option prune_options[] = {
	{ "keep", KEY_KEEP, "N", 0,
	  "keep the N best step lists of each task, device, toolchain and number of threads", 0 },
	{ "failed-days", KEY_FAILED, "D", 0, "remove the failed records older than D days", 0 },
	JSON,
	{ 0 },
};

static const struct argp prune_argp = {
	.options = prune_options,
	.parser = parse_prune,
	.args_doc = "FILE",
	.doc = "Removes records of a database of measurements, and gives the space back.\v"
	       "Example:\n  hone db prune tune.db --keep 20 --failed-days 7\n",
};

static int prune(int argc, char **argv)
{
	return act(argc, argv, &prune_argp, DB_MODIFY, db_action_prune);
}

static const struct command db_command_prune = {
	.name = "prune",
	.summary = "remove records and give the space back",
	.argp = &prune_argp,
	.run = prune,
};

static const struct argp upgrade_argp = {
	.options = json_option,
	.parser = parse_one,
	.args_doc = "FILE",
	.doc = "Brings the file of an older hone up to date.\v"
	       "Example:\n  hone db upgrade tune.db\n",
};

static int upgrade(int argc, char **argv)
{
	return act(argc, argv, &upgrade_argp, DB_MODIFY, db_action_upgrade);
}

static const struct command db_command_upgrade = {
	.name = "upgrade",
	.summary = "bring an older file up to date",
	.argp = &upgrade_argp,
	.run = upgrade,
};

static const struct command *const actions[] = {
	&db_command_check, &db_command_stats, &db_command_merge, &db_command_prune, &db_command_upgrade, NULL,
};

static const struct argp argp = {
	.parser = command_parse_parts,
	.args_doc = "check|stats|merge|prune|upgrade FILE...",
	.doc = "Looks after a database of measurements.\v"
	       "Example:\n"
	       "  hone db merge all.db monday.db tuesday.db && hone db stats all.db\n",
	.help_filter = command_list_parts,
};

static const struct word words[] = {
	{ "D", NULL, false, NULL },
	{ "FROM", "*", false, NULL },
	{ 0 },
};

const struct command command_db = {
	.name = "db",
	.summary = "check, count, merge and prune databases of measurements",
	.argp = &argp,
	.words = words,
	.parts = actions,
};
