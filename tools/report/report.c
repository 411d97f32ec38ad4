/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/report.c - hone report: what campaigns came to, as one page. */
#include "tools/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "tools/args/query.h"
#include "tools/args/words.h"
#include "tools/command.h"
#include "tools/json.h"

enum { KEY_ASSEMBLY = 0x3100, KEY_CAMPAIGN, KEY_DEVICE, KEY_TASK, KEY_EXACT };

struct report_args {
	struct report_query query;
	const char *db;
	const char *output;	/* NULL: standard output */
	bool json;
};

static const char doc[] =
	"Writes what campaigns came to on a device: one page of HTML that needs nothing beside itself, from the "
	"database alone. docs/report.md explains it.\v"
	"Example:\n  hone report --db tune.db -o report.html\n";

static const struct argp_option options[] = {
	{ "db", 'd', "FILE", 0, "database of records (required)", 0 },
	{ "output", 'o', "FILE", 0, "write to FILE (default: standard output)", 0 },
	{ "task", KEY_TASK, "TASK", 0, "this one alone: its name, or the beginning of its key", 0 },
	{ "campaign", KEY_CAMPAIGN, "CAMPAIGN", 0,
	  "trials of this campaign alone: its number, name, or the beginning of its uid", 0 },
	{ "device", KEY_DEVICE, "FINGERPRINT", 0,
	  "records of the device whose fingerprint begins so (default: that of the campaign, else that measured "
	  "last)", 0 },
	{ "threads", 't', "N", 0, "records of kernels with N threads (default: any)", 0 },
	{ "exact", KEY_EXACT, NULL, 0, "no kernels that derive another algorithm", 0 },
	{ "assembly", KEY_ASSEMBLY, NULL, 0,
	  "also the machine code of each kernel, compiled here: the page then depends on the compiler, too", 0 },
	{ "json", 'j', NULL, 0, "the figures as JSON instead of a page", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_args *args = state->input;
	struct report_query *q = &args->query;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &q->cc;
		return 0;
	case 'd':
		args->db = arg;
		return 0;
	case 'o':
		args->output = arg;
		return 0;
	case 't':
		q->threads = argp_int(state, "--threads", arg, 1, DEVICE_MAX_THREADS);
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case KEY_TASK:
		q->task = arg;
		return 0;
	case KEY_CAMPAIGN:
		q->campaign = arg;
		return 0;
	case KEY_DEVICE:
		q->device = arg;
		return 0;
	case KEY_EXACT:
		q->exact = true;
		return 0;
	case KEY_ASSEMBLY:
		q->assembly = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s': a report is of a database: give --db, and --task NAME for one task", arg);
		return 0;
	case ARGP_KEY_END:
		if (!args->db)
			argp_error(state, "which database? give --db FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &cc_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { options, parse, NULL, doc, children, NULL, NULL };

static int print_json(struct db *db, const struct report_query *q)
{
	json_t *json = report_json(db, q);

	return json ? json_print(json) : -1;
}

/* Made in memory first, so that a failure leaves an earlier file as it was. */
static int write_file(struct db *db, const struct report_args *args)
{
	char *page = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&page, &bytes);
	int rc;

	if (!to)
		return err_set("the report: %s", strerror(errno));
	rc = report_write(to, db, &args->query);
	if (fclose(to) != 0 && rc == 0)
		rc = err_set("the report: %s", strerror(errno));
	if (rc == 0)
		rc = file_write(args->output, page, bytes);
	free(page);
	return rc;
}

static int write_report(struct db *db, const struct report_args *args)
{
	db_listen(db, &(struct listener){ command_hear, NULL });
	if (args->json)
		return print_json(db, &args->query);
	return args->output ? write_file(db, args) : report_write(stdout, db, &args->query);
}

static int run(int argc, char **argv)
{
	struct report_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	struct db *db = db_open(args.db, DB_READ);
	int rc = !db || write_report(db, &args) < 0 ? command_failed() : EXIT_OK;

	db_close(db);
	return rc;
}

static const struct word words[] = {
	{ "TASK", NULL, false, NULL },
	{ "FINGERPRINT", NULL, false, NULL },
	{ 0 },
};

const struct command command_report = {
	.name = "report",
	.summary = "what campaigns came to, as one page of HTML",
	.argp = &argp,
	.words = words,
	.run = run,
};
