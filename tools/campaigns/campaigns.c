/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaigns/campaigns.c - hone campaigns: looks after the campaigns of a database. */
#include "tools/campaigns/campaigns.h"

#include <argp.h>
#include <string.h>

#include "base/err.h"
#include "tools/command.h"

enum { KEY_YES = 256 };

static const struct deed {
	const char *name, *words;
	int least, most;
	bool writes;
	int (*run)(const struct campaigns_args *args);
} deeds[] = {
#define X(name, words, least, most, writes, meaning) { #name, words, least, most, writes, campaigns_##name },
#include "tools/campaigns/deeds.def"
#undef X
};
enum { DEEDS = sizeof(deeds) / sizeof(*deeds) };

struct campaigns_call {
	struct campaigns_args args;
	const struct deed *deed;
};

static const struct argp_option options[] = {
	{ "db", 'd', "FILE", 0, "database of records (required)", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of text (list, show, compare)", 0 },
	{ "yes", KEY_YES, NULL, 0, "delete without asking", 0 },
	{ 0 },
};

static const char doc[] =
	"Looks after the campaigns of a database. A CAMPAIGN is meant by its number, its name or the beginning of its "
	"uid.\v"
	"Actions:\n"
#define X(name, words, least, most, writes, meaning) "  " #name " " words "\n    " meaning "\n"
#include "tools/campaigns/deeds.def"
#undef X
	"\nhone tune --name and --note label a campaign when it begins or goes on.\n\n"
	"Examples:\n"
	"  hone campaigns --db tune.db\n"
	"  hone campaigns name 3 before-the-upgrade --db tune.db\n"
	"  hone campaigns compare before-the-upgrade 4 --db tune.db\n";

static const struct deed *deed_named(struct argp_state *state, const char *name)
{
	for (int i = 0; i < DEEDS; i++)
		if (strcmp(deeds[i].name, name) == 0)
			return &deeds[i];
	argp_error(state, "'%s' is no action; there are: list, show, name, note, delete, compare", name);
	return NULL;
}

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
		if (state->arg_num > 0)
			return ARGP_ERR_UNKNOWN;	/* the rest comes as ARGP_KEY_ARGS */
		c->deed = deed_named(state, arg);
		return 0;
	case ARGP_KEY_ARGS:
		c->args.words = state->argv + state->next;
		c->args.n = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		if (!c->args.db_path)
			argp_error(state, "which database? give --db FILE");
		if (c->args.n < c->deed->least || c->args.n > c->deed->most)
			argp_error(state, "write: hone campaigns %s %s --db FILE", c->deed->name, c->deed->words);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = { options, parse, "[ACTION [CAMPAIGN...]]", doc, NULL, NULL, NULL };

static int run(int argc, char **argv)
{
	struct campaigns_call c = { .deed = &deeds[0] };

	argp_parse(&argp, argc, argv, 0, NULL, &c);
	c.args.db = db_open(c.args.db_path, c.deed->writes ? DB_MODIFY : DB_READ);
	if (!c.args.db)
		return command_failed();
	db_listen(c.args.db, &(struct listener){ command_hear, NULL });
	c.args.arena = arena_new();
	int rc = c.deed->run(&c.args);

	db_close(c.args.db);
	arena_free(c.args.arena);
	return rc < 0 ? command_failed() : rc;
}

const struct command command_campaigns = {
	.name = "campaigns",
	.summary = "list, name, note, delete, compare the campaigns of a database",
	.run = run,
};
