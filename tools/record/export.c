/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/export.c - hone export: what was found of a model or an operator, as C files, as a log of records, or
 * as an archive of all that it takes to build and check it. */
#include <stdio.h>

#include "base/err.h"
#include "base/file.h"
#include "measure/device/simulated.h"
#include "tools/args/query.h"
#include "tools/args/words.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/record/archive.h"
#include "tools/record/export_archive.h"
#include "tools/record/export_kernels.h"
#include "tools/source.h"

enum export_format { FORMAT_BY_NAME, FORMAT_C, FORMAT_LOG, FORMAT_ARCHIVE };

struct export_args {
	struct query q;		/* first: query_argp's input */
	struct export_wants wants;
	const char *output;
	const char *packed;	/* the folder that becomes an archive; NULL: none does */
	enum export_format format;
	int top;		/* records of each task in a log; 0: not given */
};

static const char doc[] =
	"Writes what was found of SOURCE. Into a folder: the fastest verified kernel of every task on this device, "
	"a C file each, hone_kernels.h and manifest.json; of a model also the weights that each "
	"kernel takes at each of its nodes, with scales and constants folded in. Each file compiles alone with the "
	"command that it begins with; so compiled, it is run against the task's reference before it counts as "
	"written, and left out where it is wrong. A task is a hit where the database has a kernel of it, a miss "
	"where it has none, and else has a fallback. docs/builds.md is about builds that call this.\n\n"
	"Into a file NAME.jsonl: the records, one a line, of all devices, and of the whole database where no SOURCE is "
	"given; docs/log.md says what is in a line. Into a file NAME.tar.gz or NAME.tar.zst: of a model a C library, "
	"as hone build writes it, with a check of its results (make check), of operators their kernels; with the "
	"records and a manifest. hone import takes both back. The same records give the same bytes.\v"
	"Example:\n  hone export mobilenet_v2.onnx --db tune.db -o kernels\n"
	"  hone export mobilenet_v2.onnx --db tune.db -o mobilenet_v2.tar.gz\n"
	"  hone export --db tune.db -o tuned.jsonl\n";

enum { KEY_FORMAT = 256, KEY_TOP, KEY_COMPLETE, KEY_FALLBACK, KEY_DEPFILE };

/* Records of a task in a log, and C files of one in a folder, at most. */
enum { TOP_MOST = 1000000, TOP_FILES = 100 };

static const struct argp_option options[] = {
	{ "output", 'o', "OUTPUT", 0,
	  "folder or file to write to, whose name says what it is; a folder is made where it is missing (required)", 0 },
	{ "format", KEY_FORMAT, "c|log|archive", 0, "whatever OUTPUT is named", 0 },
	{ "top", KEY_TOP, "K", 0,
	  "the K best records of each task, device, toolchain, number of threads and cache state (default: all in a "
	  "log, 1 in an archive); folder: the K best kernels of each task (default: 1)", 0 },
	{ "complete", KEY_COMPLETE, NULL, 0,
	  "all tasks or none: where one has no kernel, write nothing and exit with 5", 0 },
	{ "fallback", KEY_FALLBACK, NULL, 0,
	  "where nothing that was measured fits, the cost model's guess, which nobody tuned", 0 },
	{ "depfile", KEY_DEPFILE, "FILE", 0,
	  "folder: a rule for make: manifest.json depends on what was read", 0 },
	{ 0 },
};

static enum export_format format_named(struct argp_state *state, const char *name)
{
	if (strcmp(name, "c") == 0)
		return FORMAT_C;
	if (strcmp(name, "log") == 0)
		return FORMAT_LOG;
	if (strcmp(name, "archive") != 0)
		argp_error(state, "--format '%s': give c, log or archive", name);
	return FORMAT_ARCHIVE;
}

static enum export_format format_of(const char *output)
{
	if (text_ends_with(output, ".jsonl"))
		return FORMAT_LOG;
	return archive_is_name(output) ? FORMAT_ARCHIVE : FORMAT_C;
}

/* What does not fit together. */
static void settle_format(struct export_args *args, struct argp_state *state)
{
	if (!args->output || !*args->output)
		argp_error(state, "where to? give -o OUTPUT");
	if (args->format == FORMAT_BY_NAME)
		args->format = format_of(args->output);
	if (!args->q.source && args->format != FORMAT_LOG)
		argp_error(state, "which SOURCE? only a log (-o NAME.jsonl) is of a whole database");
	if (args->top > TOP_FILES && args->format == FORMAT_C)
		argp_error(state, "--top %d: a folder has %d C files of each task at most", args->top, TOP_FILES);
	args->wants.top = args->top && args->format == FORMAT_C ? args->top : 1;
	if (args->wants.depfile && args->format != FORMAT_C)
		argp_error(state, "--depfile belongs to a folder of C files");
	if ((args->wants.complete || args->wants.fallback) && args->format == FORMAT_LOG)
		argp_error(state, "a log is of records alone: no --complete, no --fallback");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct export_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->q;
		args->q.source_optional = true;
		return 0;
	case 'o':
		args->output = arg;
		return 0;
	case KEY_FORMAT:
		args->format = format_named(state, arg);
		return 0;
	case KEY_TOP:
		args->top = argp_int(state, "--top", arg, 1, TOP_MOST);
		return 0;
	case KEY_COMPLETE:
		args->wants.complete = true;
		return 0;
	case KEY_FALLBACK:
		args->wants.fallback = true;
		return 0;
	case KEY_DEPFILE:
		args->wants.depfile = arg;
		return 0;
	case ARGP_KEY_END:
		settle_format(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &query_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { options, parse, "[SOURCE]", doc, children, NULL, NULL };

/* Of a model that is packed: its library. */
static int write_archive(const struct export_args *args, json_t *manifest)
{
	int top = args->top ? args->top : 1;

	json_object_set_new(manifest, "folder", json_string(ARCHIVE_KERNELS));
	if (source_is_model(args->q.source) ? export_library(&args->q, args->packed) < 0
					    : export_makefile(&args->q, args->packed) < 0)
		return -1;
	return export_pack(&args->q, top, manifest, args->packed, args->output);
}

static void print(const struct export_args *args, const struct exports *x, const json_t *manifest)
{
	int n = (int)json_array_size(json_object_get(manifest, "kernels"));
	int all = x->n + args->q.tasks.n - x->found;

	exports_print(&args->q, x);
	printf("%d of %d kernel%s written to %s\n", n, all, all > 1 ? "s" : "", args->output);
}

static int write_found(const struct export_args *args, struct exports *x)
{
	json_t *manifest = exports_write(&args->q, &args->wants, x);

	if (!manifest || (args->packed && write_archive(args, manifest) < 0)) {
		json_decref(manifest);
		return command_failed();
	}
	if (args->q.json) {
		json_print(manifest);
	} else {
		print(args, x, manifest);
		json_decref(manifest);
	}
	return x->refused ? EXIT_FAILED : EXIT_OK;
}

/* With --complete, before anything is written. */
static int refuse_incomplete(const struct export_args *args, const struct exports *x)
{
	fprintf(stderr, "hone: %s: %d of %d tasks have no kernel, so nothing is written to %s\n",
		args->q.source, args->q.tasks.n - x->found, args->q.tasks.n, args->output);
	return EXIT_BARREN;
}

static int export_all(const struct export_args *args)
{
	struct exports x;
	int rc;

	if (exports_find(&args->q, &args->wants, &x) < 0)
		rc = command_failed();
	else if (args->wants.complete && x.found < args->q.tasks.n)
		rc = refuse_incomplete(args, &x);
	else
		rc = write_found(args, &x);
	exports_release(&x);
	return rc;
}

static int write_log(const struct export_args *args)
{
	int64_t n = export_log(&args->q, args->top, args->output);

	if (n < 0)
		return command_failed();
	if (args->q.json)
		json_print(json_pack("{s:o, s:I}", "log", json_label(args->output), "records", (json_int_t)n));
	else
		printf("%jd record%s written to %s\n", (intmax_t)n, n > 1 ? "s" : "", args->output);
	return EXIT_OK;
}

/* Into a folder that is packed then; beside a model's library its kernels, each alone. */
static int export_archive(struct export_args *args)
{
	args->packed = dir_temp(args->q.arena);
	if (!args->packed)
		return command_failed();
	args->wants.dir = arena_printf(args->q.arena, "%s/" ARCHIVE_KERNELS, args->packed);
	args->wants.alone = true;	/* weights are in the library */
	int rc = export_all(args);

	dir_remove(args->packed);
	return rc;
}

static int export(struct export_args *args)
{
	if (query_open(&args->q) < 0)
		return command_failed();
	if (args->format == FORMAT_LOG)
		return write_log(args);
	if (device_is_simulated(args->q.device)) {
		err_set("%s: kernels of a simulated device are no C: write a log of its records (NAME.jsonl), or print programs for "
			"hone vdla by hone show --stage asm", args->output);
		return command_failed();
	}
	if (args->format == FORMAT_ARCHIVE)
		return export_archive(args);
	args->wants.dir = args->output;
	return export_all(args);
}

static int run(int argc, char **argv)
{
	struct export_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	int rc = export(&args);

	query_close(&args.q);
	return rc;
}

static const struct word words[] = {
	{ "OUTPUT", "*", false, NULL },
	{ 0 },
};

const struct command command_export = {
	.name = "export",
	.summary = "what was found, as C files, a log or an archive",
	.argp = &argp,
	.words = words,
	.exits = (const struct command_exit[]){
		{ EXIT_BARREN, "With --complete: a task has no kernel, and nothing was written." },
		{ 0 },
	},
	.run = run,
};
