/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/export.c - hone export: what was found of a model or an operator, as C files, as a log of records, or
 * as an archive of all that it takes to build and check it. */
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "codegen/export.h"
#include "search/best.h"
#include "search/trust/exported.h"
#include "tools/args/query.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/record/archive.h"
#include "tools/record/export_archive.h"
#include "tools/record/export_uses.h"
#include "tools/source.h"

enum export_format { FORMAT_BY_NAME, FORMAT_C, FORMAT_LOG, FORMAT_ARCHIVE };

struct export_args {
	struct query q;		/* first: query_argp's input */
	const char *output;
	const char *dir;	/* that C files are written to */
	const char *packed;	/* the folder that becomes an archive; NULL: none does */
	enum export_format format;
	int top;		/* records of each task in a log; 0: not given */
};

static const char doc[] =
	"Writes what was found of SOURCE. Into a folder: the fastest verified kernel of every task on this device, "
	"a C file each, hone_kernels.h and manifest.json; of a model also the weights that each "
	"kernel takes at each of its nodes, with scales and constants folded in. Each file compiles alone with the "
	"command that it begins with; so compiled, it is run against the task's reference before it counts as "
	"written, and left out where it is wrong.\n\n"
	"Into a file NAME.jsonl: the records, one a line, of all devices, and of the whole database where no SOURCE is "
	"given; docs/log.md says what is in a line. Into a file NAME.tar.gz or NAME.tar.zst: of a model a C library, "
	"as hone build writes it, with a check of its results (make check), of operators their kernels; with the "
	"records and a manifest. hone import takes both back. The same records give the same bytes.\v"
	"Example:\n  hone export mobilenet_v2.onnx --db tune.db -o kernels\n"
	"  hone export mobilenet_v2.onnx --db tune.db -o mobilenet_v2.tar.gz\n"
	"  hone export --db tune.db -o tuned.jsonl\n";

enum { KEY_FORMAT = 256, KEY_TOP, TOP_MOST = 1000000 };

static const struct argp_option options[] = {
	{ "output", 'o', "OUTPUT", 0,
	  "folder or file to write to, whose name says what it is; a folder is made where it is missing (required)", 0 },
	{ "format", KEY_FORMAT, "FORMAT", 0, "c, log or archive, whatever OUTPUT is named", 0 },
	{ "top", KEY_TOP, "K", 0,
	  "log, archive: the K best records of each task, device, toolchain, number of threads and cache state "
	  "(default: all in a log, 1 in an archive)", 0 },
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
	if (args->top && args->format == FORMAT_C)
		argp_error(state, "--top belongs to logs and archives");
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
	case ARGP_KEY_END:
		settle_format(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &query_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { options, parse, "[SOURCE]", doc, children, NULL, NULL };

static struct export_kernel kernel_of(const struct query *q, const struct task *t,
				      const struct best *b)
{
	return (struct export_kernel){
		.program = b->program,
		.task = t->name,
		.key = t->key,
		.op = t->op,
		.shape = t->shape,
		.steps = b->record.steps,
		.device = q->device->name,
		.fingerprint = b->record.fingerprint,
		.toolchain = b->record.toolchain_text,
		.threads = b->record.threads,
		.time_us = b->record.time_us,
		.caveat = evidence_caveat(q->arena, &b->record, b->evidence),
		.evidence = evidence_json(&b->record, b->evidence),
	};
}

/* What is exported, by its task. */
struct exports {
	struct export_kernel *kernels;
	const struct task **tasks;
	int n, refused;
};

static void refuse(struct exports *x, const struct task *t, const char *why)
{
	fprintf(stderr, "hone: %s: not exported: %s\n", t->name, why);
	x->refused++;
}

/* The best of every task that has one; a line on stderr for each that has none. */
static int find_kernels(const struct query *q, struct exports *x)
{
	for (int i = 0; i < q->tasks.n; i++) {
		const struct task *t = q->tasks.at[i];
		struct best b;
		int found = query_best(q, t, &b);

		if (found < 0)
			return -1;
		if (found == 0) {
			fprintf(stderr, "hone: %s: not exported, for no kernel was found yet; run "
					"hone tune\n", t->name);
		} else if (b.record.estimate) {
			refuse(x, t, "its time is an estimate, nothing was measured; run hone tune "
				     "without --replay");
		} else {
			x->tasks[x->n] = t;
			x->kernels[x->n++] = kernel_of(q, t, &b);
		}
	}
	if (x->n == 0 && x->refused == 0)
		return err_set("%s: %s has no kernel of it for this device%s; run hone tune",
			       q->source, q->db_path,
			       q->threads ? " and this number of threads" : "");
	return 0;
}

/* Writes kernel I, and takes it back where it does not do what it should. */
static int write_kernel(const struct export_args *args, const struct export_set *set, int i,
			struct exports *x, struct exported *checker)
{
	struct arena *a = args->q.arena;
	const char *path = export_kernel(a, args->dir, set, i), *why = "";

	if (!path)
		return -1;
	int right = exported_check(checker, a, x->tasks[i], x->kernels[i].threads, path,
				   export_symbol_of(a, set, i), &why);

	if (right == 1)
		return 0;
	unlink(path);
	if (right < 0)
		return -1;
	x->kernels[i].refused = why;
	refuse(x, x->tasks[i], why);
	return 0;
}

static int write_kernels(const struct export_args *args, const struct export_set *set,
			 struct exports *x)
{
	struct exported *checker = exported_new(args->q.device->target);
	int rc = checker ? 0 : -1;

	for (int i = 0; i < set->n && rc == 0; i++)
		rc = write_kernel(args, set, i, x, checker);
	exported_free(checker);
	return rc;
}

/* For a model: where it needs each kernel that was written, and the weights there. */
static int write_uses(const struct export_args *args, const struct export_set *set,
		      struct exports *x)
{
	struct arena *a = args->q.arena;
	struct model_uses *u =
		source_is_model(args->q.source) ? uses_open(a, args->q.source, &args->q.times.costs) : NULL;

	if (!u)
		return source_is_model(args->q.source) ? -1 : 0;
	for (int i = 0; i < set->n; i++) {
		if (x->kernels[i].refused)
			continue;
		x->kernels[i].uses = uses_write(a, u, x->kernels[i].key, args->dir,
						export_symbol_of(a, set, i));
		if (!x->kernels[i].uses)
			return -1;
	}
	return 0;
}

/* What asked for it, as far as the files depend on it. */
static const char *command_line(const struct query *q)
{
	return arena_printf(q->arena, q->threads ? "hone export %s --threads %d" : "hone export %s",
			    q->source, q->threads);
}

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

static int export_found(const struct export_args *args, struct exports *x)
{
	const struct query *q = &args->q;
	const struct export_set set = { .kernels = x->kernels, .n = x->n,
					.command = command_line(q) };
	/* In an archive the weights are in the library. */
	json_t *manifest = write_kernels(args, &set, x) < 0 || (!args->packed && write_uses(args, &set, x) < 0)
				   ? NULL
				   : export_index(args->dir, &set);

	if (!manifest || (args->packed && write_archive(args, manifest) < 0)) {
		json_decref(manifest);
		return command_failed();
	}
	int n = (int)json_array_size(json_object_get(manifest, "kernels"));

	if (q->json) {
		json_print(manifest);
	} else {
		json_decref(manifest);
		printf("%d of %d kernel%s written to %s\n", n, q->tasks.n,
		       q->tasks.n > 1 ? "s" : "", args->output);
	}
	return x->refused ? EXIT_FAILED : EXIT_OK;
}

static int export_all(const struct export_args *args)
{
	const struct query *q = &args->q;
	struct exports x = {
		.kernels = arena_many(q->arena, struct export_kernel, q->tasks.n),
		.tasks = arena_many(q->arena, const struct task *, q->tasks.n),
	};
	int rc = find_kernels(q, &x) < 0 ? command_failed() : export_found(args, &x);

	for (int i = 0; i < x.n; i++) {
		json_decref(x.kernels[i].evidence);
		json_decref(x.kernels[i].uses);
	}
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
	args->dir = arena_printf(args->q.arena, "%s/" ARCHIVE_KERNELS, args->packed);
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
	if (args->format == FORMAT_ARCHIVE)
		return export_archive(args);
	args->dir = args->output;
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

const struct command command_export = {
	.name = "export",
	.summary = "what was found, as C files, a log or an archive",
	.run = run,
};
