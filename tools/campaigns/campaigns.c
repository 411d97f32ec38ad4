/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaigns/campaigns.c - hone campaigns: looks after the campaigns of a database, a deed at a time. */
#include "tools/campaigns/campaigns.h"

#include <argp.h>
#include <string.h>

#include "tools/command.h"

enum { KEY_YES = 256, MANY = 1000 };

/* What a deed is run with, and how many words it takes. */
struct campaigns_call {
	struct campaigns_args args;
	int least, most;
	const char *words;	/* as its usage has them; NULL: none */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct campaigns_call *c = state->input;

	switch (key) {
	case 'd':
		c->args.db_path = arg;
		return 0;
	case 'j':
		c->args.json = true;
		return 0;
	case KEY_YES:
		c->args.yes = true;
		return 0;
	case ARGP_KEY_ARG:
		return ARGP_ERR_UNKNOWN;	/* all come as ARGP_KEY_ARGS */
	case ARGP_KEY_ARGS:
		c->args.words = state->argv + state->next;
		c->args.n = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		if (!c->args.db_path)
			argp_error(state, "which database? give --db FILE");
		if (c->args.n < c->least || c->args.n > c->most)
			argp_error(state, "write: %s %s --db FILE", state->name, c->words ? c->words : "");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Parses the line of a deed by ARGP, LEAST to MOST words, and does it; the exit status. */
static int act(int argc, char **argv, const struct argp *argp, int least, int most, enum db_mode mode,
	       int (*deed)(const struct campaigns_args *args))
{
	struct campaigns_call c = { .least = least, .most = most, .words = argp->args_doc };

	argp_parse(argp, argc, argv, 0, NULL, &c);
	c.args.db = db_open(c.args.db_path, mode);
	if (!c.args.db)
		return command_failed();
	db_listen(c.args.db, &(struct listener){ command_hear, NULL });
	c.args.arena = arena_new();
	int rc = deed(&c.args);

	db_close(c.args.db);
	arena_free(c.args.arena);
	return rc < 0 ? command_failed() : rc;
}

#define DB { "db", 'd', "FILE", 0, "database of records (required)", 0 }
#define JSON { "json", 'j', NULL, 0, "JSON instead of text", 0 }

static const struct argp_option options[] = { DB, JSON, { 0 } };
static const struct argp_option deleting[] = {
	DB, JSON, { "yes", KEY_YES, NULL, 0, "without asking", 0 }, { 0 },
};

#define MEANT "A CAMPAIGN is meant by its name, its number, or the beginning of its uid (4 digits or more)."

static const struct argp list_argp = {
	options, parse, NULL, "Lists the campaigns of a database, the newest last, in as many columns as the terminal has (or $COLUMNS). "
	"The gain is what the first valid trial of each task takes over what the best that the campaign found takes, weight x "
	"time of kernels alone, over all tasks that have both; ~ marks guesses of a replay.\vExample:\n  hone campaigns list --db tune.db\n",
	NULL, NULL, NULL,
};

static int list(int argc, char **argv)
{
	return act(argc, argv, &list_argp, 0, 0, DB_READ, campaigns_list);
}

static const struct command campaigns_command_list = {
	.name = "list", .summary = "all of them, the newest last", .argp = &list_argp, .run = list,
};

static const struct argp show_argp = {
	options, parse, "CAMPAIGN", "Says what a campaign is, where it stands (as hone status does), and what it found of each task: its own "
	"first and best times, whatever other campaigns found. " MEANT
	"\vExample:\n  hone campaigns show 3 --db tune.db\n", NULL, NULL, NULL,
};

static int show(int argc, char **argv)
{
	return act(argc, argv, &show_argp, 1, 1, DB_READ, campaigns_show);
}

static const struct command campaigns_command_show = {
	.name = "show", .summary = "where one stands, with its note", .argp = &show_argp, .run = show,
};

static const struct argp name_argp = {
	options, parse, "CAMPAIGN NAME", "Calls a campaign NAME from now on; '' takes its name away. hone tune --name does so, "
	"too. " MEANT "\vExample:\n  hone campaigns name 3 before-the-upgrade --db tune.db\n", NULL, NULL, NULL,
};

static int name(int argc, char **argv)
{
	return act(argc, argv, &name_argp, 2, 2, DB_MODIFY, campaigns_name);
}

static const struct command campaigns_command_name = {
	.name = "name", .summary = "call one by a name", .argp = &name_argp, .run = name,
};

static const struct argp note_argp = {
	options, parse, "CAMPAIGN TEXT", "Remembers TEXT of a campaign, in the place of what was noted before; '' takes the "
	"note away. hone tune --note does so, too. " MEANT
	"\vExample:\n  hone campaigns note before-the-upgrade 'gcc 12, old kernel' --db tune.db\n", NULL, NULL, NULL,
};

static int note(int argc, char **argv)
{
	return act(argc, argv, &note_argp, 2, 2, DB_MODIFY, campaigns_note);
}

static const struct command campaigns_command_note = {
	.name = "note", .summary = "remember something of one", .argp = &note_argp, .run = note,
};

static const struct argp delete_argp = {
	deleting, parse, "CAMPAIGN...", "Removes campaigns with all that they measured, all of them or none: records, so that "
	"hone best and others go by what is left; rounds; sittings. Records stay, as those of no campaign, that prove a "
	"kernel wrong of which another campaign has a time. Devices, toolchains and tasks stay. It says what goes and asks "
	"first; where nobody is there to be asked it needs --yes. What a process works on stays, with an error. Other files "
	"that have the campaign keep it, and hone db merge brings it back from there. " MEANT
	"\vExample:\n  hone campaigns delete 3 4 --db tune.db\n", NULL, NULL, NULL,
};

static int delete(int argc, char **argv)
{
	return act(argc, argv, &delete_argp, 1, MANY, DB_MODIFY, campaigns_delete);
}

static const struct command campaigns_command_delete = {
	.name = "delete", .summary = "remove some with all that they measured", .argp = &delete_argp, .run = delete,
};

static const struct argp compare_argp = {
	options, parse, "CAMPAIGN CAMPAIGN", "Compares what the second campaign found with what the first did, as hone compare "
	"does (which has more options) of FILE#campaign=CAMPAIGN. " MEANT
	"\vExample:\n  hone campaigns compare before-the-upgrade 4 --db tune.db\n", NULL, NULL, NULL,
};

static int compare(int argc, char **argv)
{
	return act(argc, argv, &compare_argp, 2, 2, DB_READ, campaigns_compare);
}

static const struct command campaigns_command_compare = {
	.name = "compare", .summary = "what one found against what another did", .argp = &compare_argp, .run = compare,
	.exits = (const struct command_exit[]){ { EXIT_SLOWER, "A task, or all together, got slower." }, { 0 } },
};

static const struct command *const deeds[] = {
	&campaigns_command_list, &campaigns_command_show, &campaigns_command_name, &campaigns_command_note,
	&campaigns_command_delete, &campaigns_command_compare, NULL,
};

static const struct argp argp = {
	.parser = command_parse_parts,
	.args_doc = "list|show|name|note|delete|compare",
	.doc = "Looks after the campaigns of a database. " MEANT "\v"
	       "Examples:\n  hone campaigns --db tune.db\n  hone campaigns show 3 --db tune.db\n",
	.help_filter = command_list_parts,
};

/* Options before any deed are those of the list. */
static int run(int argc, char **argv)
{
	struct command parts = command_campaigns;
	bool asks = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "--usage") == 0 ||
				 strcmp(argv[1], "-?") == 0);

	if (argc < 2 || (argv[1][0] == '-' && !asks))
		return list(argc, argv);
	parts.run = NULL;
	return command_start(&parts, argc, argv);
}

const struct command command_campaigns = {
	.name = "campaigns",
	.summary = "list, name, note, delete, compare the campaigns of a database",
	.argp = &argp,
	.parts = deeds,
	.run = run,
};
