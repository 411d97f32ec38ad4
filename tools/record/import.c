/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/import.c - hone import: records of logs and archives from elsewhere, marked as such. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "search/log/log.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/record/archive.h"

enum {
	AT_ONCE = 4096,		/* records that are saved in one transaction */
	TOLD_MOST = 20,		/* reasons of a file that a person wants to read; --json has all */
};
#define LOG_MOST ((size_t)1 << 36)

struct import_args {
	const char *db_path;
	char **files;
	int n_files;
	bool json;
};

/* A file that is imported. */
struct importing {
	struct arena *a;		/* of the records that are not saved yet */
	struct db *db;
	const char *file;
	bool quiet;
	struct log_reader *reader;
	struct db_import_vec VEC(struct db_import) waiting;
	int64_t added, known, refused;
	json_t *reasons;
};

static const char doc[] =
	"Takes the records of logs and archives that hone export wrote into the database DB, made where it is missing. "
	"They are marked: what is found here counts before them, best, show and status print \"imported\" beside their "
	"times, and no campaign believes these; hone tune tries their schedules first, and then knows. A record that "
	"does not fit is left out, and the reason told. What is known already is not added again.\v"
	"Example:\n  hone import tuned.jsonl resnet18.tar.gz --db tune.db && hone best resnet18.onnx --db tune.db\n";

static const struct argp_option options[] = {
	{ "db", 'd', "FILE", 0, "database to take them into (required)", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of a line for each file", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct import_args *args = state->input;

	switch (key) {
	case 'd':
		args->db_path = arg;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARGS:
		args->files = state->argv + state->next;
		args->n_files = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		if (!args->n_files)
			argp_error(state, "which FILE? give a log or an archive");
		if (!args->db_path)
			argp_error(state, "which database? give --db FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = { options, parse, "FILE...", doc, NULL, NULL, NULL };

static void refuse(struct importing *im, int64_t line, const char *why)
{
	json_array_append_new(im->reasons, json_pack("{s:I, s:o}", "line", (json_int_t)line, "why", json_label(why)));
	if (im->refused++ < TOLD_MOST && !im->quiet)
		fprintf(stderr, "hone: %s:%jd: not imported: %s\n", im->file, (intmax_t)line, why);
}

static int save(struct importing *im)
{
	int64_t added;

	if (db_import(im->db, im->waiting.at, im->waiting.n, &added) < 0)
		return -1;
	im->added += added;
	im->known += im->waiting.n - added;
	im->waiting.n = im->waiting.cap = 0;
	im->waiting.at = NULL;
	arena_reset(im->a);
	return 0;
}

static int take_line(struct importing *im, int64_t number, const char *line, size_t n, bool ended)
{
	struct db_import record;
	const char *why = log_read(im->reader, im->a, line, n, &record);

	if (why && !ended)
		why = "the log ends inside of this line: it was cut off";
	if (why)
		refuse(im, number, why);
	else
		vec_push(im->a, &im->waiting, record);
	return im->waiting.n == AT_ONCE ? save(im) : 0;
}

/* The N bytes of a log. */
static int take_log(struct importing *im, const char *text, size_t n)
{
	const char *end = text + n;
	int rc = 0;

	for (int64_t number = 1; text < end && rc == 0; number++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		if (stop > text)
			rc = take_line(im, number, text, (size_t)(stop - text), newline != NULL);
		text = stop + 1;
	}
	return rc < 0 ? -1 : save(im);
}

static int take_file(struct importing *im)
{
	struct arena *a = arena_new();
	size_t n;
	const char *text = (const char *)file_map(a, im->file, LOG_MOST, &n);
	int rc = text || n == 0 ? 0 : -1;

	if (rc == 0 && archive_is(text, n))
		rc = (text = archive_records(a, im->file, &n)) ? 0 : -1;
	if (rc == 0)
		rc = take_log(im, text, n);
	arena_free(a);
	return rc;
}

static void print(const struct importing *im)
{
	if (im->refused > TOLD_MOST)
		fprintf(stderr, "hone: %s: %jd more records are not imported; --json has the reasons\n", im->file,
			(intmax_t)(im->refused - TOLD_MOST));
	printf("%s: %jd records imported (%jd were there), %jd do not fit\n", im->file, (intmax_t)im->added,
	       (intmax_t)im->known, (intmax_t)im->refused);
}

static int import_file(struct db *db, const struct import_args *args, const char *file, json_t *table)
{
	struct importing im = { .a = arena_new(), .db = db, .file = file, .quiet = args->json,
				.reader = log_reader_new(), .reasons = json_array() };
	int rc = take_file(&im);

	if (rc == 0)
		json_array_append_new(table, json_pack("{s:o, s:I, s:I, s:O}", "from", json_label(file), "records",
						       (json_int_t)im.added, "duplicates", (json_int_t)im.known,
						       "refused", im.reasons));
	if (rc == 0 && !args->json)
		print(&im);
	json_decref(im.reasons);
	log_reader_free(im.reader);
	arena_free(im.a);
	return rc < 0 ? -1 : im.refused > 0;
}

static int import_all(struct db *db, const struct import_args *args)
{
	json_t *table = json_array();
	int rc = EXIT_OK;

	for (int i = 0; i < args->n_files; i++) {
		int one = import_file(db, args, args->files[i], table);

		if (one < 0)
			command_failed();
		if (one != 0)
			rc = EXIT_FAILED;
	}
	if (args->json)
		json_print(table);
	else
		json_decref(table);
	return rc;
}

static int run(int argc, char **argv)
{
	struct import_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	struct db *db = db_open(args.db_path, DB_WRITE);

	if (!db)
		return command_failed();
	int rc = import_all(db, &args);

	db_close(db);
	return rc;
}

const struct command command_import = {
	.name = "import",
	.summary = "records of logs and archives from elsewhere, marked as such",
	.argp = &argp,
	.run = run,
};
