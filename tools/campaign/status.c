/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/status.c - hone status: looks on while a campaign runs, from another terminal. */
#include <argp.h>
#include <signal.h>
#include <stdio.h>

#include "tools/args/query.h"
#include "tools/campaign/status.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/live/serve/serve.h"
#include "tools/live/watch.h"

enum { KEY_UNTIL_DONE = 0x3200, KEY_PORT, KEY_IPV6 };

struct status_args {
	struct status_query query;
	bool watch, until_done, serve, ipv6, json;
	int port;	/* 0: any that is free */
};

static volatile sig_atomic_t interrupted;

static const struct argp_option options[] = {
	{ "db", 'd', "FILE", 0, "database of records (required)", 0 },
	{ "watch", 'w', NULL, 0,
	  "follow it, from when a campaign begins until it ends: full screen in a terminal, else a block each time "
	  "that something has changed", 0 },
	{ "until-done", KEY_UNTIL_DONE, NULL, 0, "with --watch: leave the full screen when the campaign ends", 0 },
	{ "serve", 's', NULL, 0,
	  "serve the page of hone report to this machine, following campaigns, until Ctrl-C; prints its address, "
	  "without which nobody gets in", 0 },
	{ "port", KEY_PORT, "N", 0, "with --serve: at this port (default: one that is free)", 0 },
	{ "ipv6", KEY_IPV6, NULL, 0, "with --serve: on ::1 instead of 127.0.0.1", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of text; with --watch a line each time", 0 },
	{ 0 },
};

static const char doc[] =
	"Says where a campaign stands: trials, the best of each task, failures, the time by phase, "
	"how well the cost model ranks, the time left.\vIt may be given while hone tune works on "
	"the same database, which it does not disturb. Without SOURCE all campaigns of the file "
	"are listed, and the newest one and those at work are shown in full. With SOURCE (as it "
	"was given to hone tune) the newest campaign for it is shown. docs/status.md describes the full screen "
	"and what is served, docs/json.md the JSON.\n\n"
	"Examples:\n  hone status --db tune.db --watch\n  hone status --db tune.db --serve\n";

static void check(const struct status_args *args, struct argp_state *state)
{
	if (args->serve && (args->watch || args->json))
		argp_error(state, "--serve goes without %s", args->watch ? "--watch" : "--json: it has /status.json");
	if (args->until_done && !args->watch)
		argp_error(state, "--until-done is for --watch");
	if ((args->port || args->ipv6) && !args->serve)
		argp_error(state, "%s is for --serve", args->port ? "--port" : "--ipv6");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct status_args *args = state->input;

	switch (key) {
	case 'd':
		args->query.db = arg;
		break;
	case 'w':
		args->watch = true;
		break;
	case KEY_UNTIL_DONE:
		args->until_done = true;
		break;
	case 's':
		args->serve = true;
		break;
	case KEY_PORT:
		args->port = argp_int(state, "--port", arg, 0, UINT16_MAX);
		break;
	case KEY_IPV6:
		args->ipv6 = true;
		break;
	case 'j':
		args->json = true;
		break;
	case ARGP_KEY_ARG:
		if (args->query.source)
			argp_error(state, "one SOURCE at a time");
		args->query.source = arg;
		break;
	case ARGP_KEY_END:
		if (!args->query.db)
			argp_error(state, "which database? give --db FILE");
		check(args, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = { options, parse, "[SOURCE]", doc, NULL, NULL, NULL };

static void print(const struct status_args *args, const struct status_vec *v)
{
	struct text out = { 0 };

	if (args->json) {
		json_print(status_all_json(args->query.db, v));
		return;
	}
	if (!v->n)
		text_printf(&out, "%s: no campaign yet\n", args->query.db);
	for (int i = 0; i < v->n; i++)
		status_print(&out, &v->at[i]);
	fputs(text_str(&out), stdout);
	text_free(&out);
}

static int report(const struct status_args *args)
{
	struct arena *a = arena_new();
	struct status_vec v;
	int rc = status_look(&args->query, a, &v);

	if (rc == 0)
		print(args, &v);
	arena_free(a);
	return rc;
}

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static int serve(const struct status_args *args)
{
	struct live_serve s = { .query = args->query, .port = args->port, .ipv6 = args->ipv6,
				.stop = &interrupted };

	s.query.waits = true;
	return live_serve(&s);
}

static int watch(const struct status_args *args)
{
	struct live_watch w = { .query = args->query, .json = args->json, .until_done = args->until_done,
				.stop = &interrupted };

	w.query.waits = true;
	return live_watch(&w);
}

static int run(int argc, char **argv)
{
	struct status_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (args.watch || args.serve)
		command_catch(interrupt, 0);	/* without SA_RESTART: they end a pause, too */
	int rc = args.serve ? serve(&args) : args.watch ? watch(&args) : report(&args);

	return rc < 0 ? command_failed() : EXIT_OK;
}

const struct command command_status = {
	.name = "status",
	.summary = "where a campaign stands, while it runs and after",
	.argp = &argp,
	.run = run,
};
