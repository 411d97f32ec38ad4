/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/export.c - hone export: the kernels of a model or an operator as C files. */
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "codegen/export.h"
#include "search/best.h"
#include "search/trust/exported.h"
#include "tools/args/query.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/record/export_build.h"
#include "tools/record/export_uses.h"
#include "tools/source.h"

struct export_args {
	struct query q;		/* first: query_argp's input */
	const char *dir;
	bool complete;
	bool fallback;
	const char *depfile;	/* NULL: none */
};

enum { KEY_COMPLETE = 0x3100, KEY_FALLBACK, KEY_DEPFILE };

static const char doc[] =
	"Writes the fastest verified kernel of every task of SOURCE on this device into a folder: "
	"a C file each, hone_kernels.h and manifest.json; of a model also the weights that each "
	"kernel takes at each of its nodes, with scales and constants folded in. Each file compiles alone with the "
	"command that it begins with; so compiled, it is run against the task's reference before it counts as "
	"written, and left out where it is wrong. A task is a hit where the database has a kernel of it, a miss "
	"where it has none, and else has a fallback. docs/builds.md is about builds that call this.\v"
	"Example:\n  hone export mobilenet_v2.onnx --db tune.db -o kernels\n";

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "folder to write to, made where missing (required)", 0 },
	{ "complete", KEY_COMPLETE, NULL, 0,
	  "all tasks or none: where one has no kernel, write nothing and exit with 5", 0 },
	{ "fallback", KEY_FALLBACK, NULL, 0,
	  "where nothing that was measured fits, the cost model's guess, which nobody tuned", 0 },
	{ "depfile", KEY_DEPFILE, "FILE", 0, "a rule for make: manifest.json depends on what was read", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct export_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->q;
		return 0;
	case 'o':
		args->dir = arg;
		return 0;
	case KEY_COMPLETE:
		args->complete = true;
		return 0;
	case KEY_FALLBACK:
		args->fallback = true;
		return 0;
	case KEY_DEPFILE:
		args->depfile = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->dir || !*args->dir)
			argp_error(state, "which folder? give -o DIR");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &query_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { options, parse, "SOURCE", doc, children, NULL, NULL };

/* B, a record's kernel or a fallback, which has no time. */
static struct export_kernel kernel_of(const struct query *q, const struct task *t,
				      const struct best *b)
{
	bool tuned = b->record.time_us > 0;

	return (struct export_kernel){
		.program = b->program,
		.task = t->name,
		.key = t->key,
		.op = t->op,
		.shape = t->shape,
		.steps = b->record.steps,
		.device = q->device->name,
		.fingerprint = b->record.fingerprint,
		.toolchain = tuned ? b->record.toolchain_text : "",
		.threads = b->record.threads,
		.time_us = b->record.time_us,
		.caveat = tuned ? evidence_caveat(q->arena, &b->record, b->evidence) : "untuned",
		.evidence = tuned ? evidence_json(&b->record, b->evidence) : json_null(),
	};
}

/* What is exported, by its task, and what is not. */
struct exports {
	struct export_kernel *kernels;
	const struct task **tasks;
	int n, refused;
	json_t *misses;		/* as in docs/json.md */
};

static void refuse(struct exports *x, const struct task *t, const char *why)
{
	fprintf(stderr, "hone: %s: not exported: %s\n", t->name, why);
	x->refused++;
}

static void take(struct exports *x, const struct task *t, struct export_kernel k)
{
	x->tasks[x->n] = t;
	x->kernels[x->n++] = k;
}

static int miss(const struct query *q, struct exports *x, const struct task *t)
{
	const char *why = miss_reason(q, t);

	if (!why)
		return -1;
	fprintf(stderr, "hone: %s: not exported: %s; run hone tune here, or take an untuned kernel by "
			"--fallback\n", t->name, why);
	json_array_append_new(x->misses, json_pack("{s:s, s:o, s:o}", "task", t->key, "name",
						   json_label(t->name), "why", json_label(why)));
	return 0;
}

static int find_kernel(const struct export_args *args, struct exports *x, const struct task *t)
{
	const struct query *q = &args->q;
	struct best b;
	int found = query_best(q, t, &b);

	if (found < 0)
		return -1;
	if ((found && !b.record.estimate) || (args->fallback && fallback_kernel(q, t, &b)))
		take(x, t, kernel_of(q, t, &b));
	else if (found)
		refuse(x, t, "its time is an estimate, nothing was measured; run hone tune without "
			     "--replay");
	else
		return miss(q, x, t);
	return 0;
}

/* The best of every task that has one; a line on stderr for each that has none. */
static int find_kernels(const struct export_args *args, struct exports *x)
{
	const struct query *q = &args->q;

	for (int i = 0; i < q->tasks.n; i++)
		if (find_kernel(args, x, q->tasks.at[i]) < 0)
			return -1;
	if (x->n == 0 && x->refused == 0 && !args->complete)
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

/* For a model: where it needs each kernel that was written, and the weights there. FILES gets what it was
 * read from. */
static int write_uses(const struct export_args *args, const struct export_set *set,
		      struct exports *x, struct onnx_files *files)
{
	struct arena *a = args->q.arena;
	struct model_uses *u =
		source_is_model(args->q.source)
			? uses_open(a, args->q.source, &args->q.times.costs, files)
			: NULL;

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
static const char *command_line(const struct export_args *args)
{
	const struct query *q = &args->q;
	const char *threads = q->threads ? arena_printf(q->arena, " --threads %d", q->threads) : "";

	return arena_printf(q->arena, "hone export %s%s%s", q->source, threads,
			    args->fallback ? " --fallback" : "");
}

/* All files; the manifest, a new reference, or NULL and a message. With --complete the manifest is not written
 * where a kernel was refused, so that nobody takes the folder for whole. */
static json_t *write_all(const struct export_args *args, const struct export_set *set,
			 struct exports *x)
{
	struct onnx_files files = { .arena = args->q.arena };

	if (write_kernels(args, set, x) < 0 || write_uses(args, set, x, &files) < 0)
		return NULL;
	if (args->complete && x->refused) {
		err_set("%s: a kernel is wrong, so %s gets no manifest.json", args->q.source, args->dir);
		return NULL;
	}
	if (args->depfile && depfile_write(&args->q, &files,
					   arena_printf(args->q.arena, "%s/manifest.json", args->dir),
					   args->depfile) < 0)
		return NULL;
	return export_index(args->dir, set);
}

static void print_task(const struct export_set *set, int i, struct arena *a)
{
	const struct export_kernel *k = &set->kernels[i];

	if (k->refused)
		return;
	printf("%-8s  %s  %s", k->time_us > 0 ? "hit" : "fallback", export_symbol_of(a, set, i), k->task);
	if (k->time_us > 0)
		printf("  %.4g us", k->time_us);
	printf("%s%s\n", *k->caveat ? "  " : "", k->caveat);
}

/* Hits, fallbacks and misses; the number of those that were written. */
static void print_tasks(const struct export_args *args, const struct export_set *set, int written)
{
	size_t i;
	json_t *miss;

	for (int k = 0; k < set->n; k++)
		print_task(set, k, args->q.arena);
	json_array_foreach(set->misses, i, miss)
		printf("%-8s  -  %s\n", "miss", json_string_value(json_object_get(miss, "name")));
	printf("%d of %d kernel%s written to %s\n", written, args->q.tasks.n,
	       args->q.tasks.n > 1 ? "s" : "", args->dir);
}

static int export_found(const struct export_args *args, struct exports *x)
{
	const struct query *q = &args->q;
	const struct export_set set = { .kernels = x->kernels, .n = x->n, .misses = x->misses,
					.command = command_line(args) };
	json_t *manifest = write_all(args, &set, x);

	if (!manifest)
		return command_failed();
	int n = (int)json_array_size(json_object_get(manifest, "kernels"));

	if (q->json) {
		json_print(manifest);
	} else {
		json_decref(manifest);
		print_tasks(args, &set, n);
	}
	return x->refused ? EXIT_FAILED : EXIT_OK;
}

/* With --complete, before anything is written. */
static int refuse_incomplete(const struct export_args *args, const struct exports *x)
{
	fprintf(stderr, "hone: %s: %d of %d tasks have no kernel, so nothing is written to %s\n",
		args->q.source, args->q.tasks.n - x->n, args->q.tasks.n, args->dir);
	return EXIT_BARREN;
}

static int export_all(const struct export_args *args)
{
	const struct query *q = &args->q;
	struct exports x = {
		.kernels = arena_many(q->arena, struct export_kernel, q->tasks.n),
		.tasks = arena_many(q->arena, const struct task *, q->tasks.n),
		.misses = json_array(),
	};
	int rc;

	if (find_kernels(args, &x) < 0)
		rc = command_failed();
	else if (args->complete && x.n < q->tasks.n)
		rc = refuse_incomplete(args, &x);
	else
		rc = export_found(args, &x);
	json_decref(x.misses);
	for (int i = 0; i < x.n; i++) {
		json_decref(x.kernels[i].evidence);
		json_decref(x.kernels[i].uses);
	}
	return rc;
}

static int run(int argc, char **argv)
{
	struct export_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	int rc = query_open(&args.q) < 0 ? command_failed() : export_all(&args);

	query_close(&args.q);
	return rc;
}

const struct command command_export = {
	.name = "export",
	.summary = "the kernels found, as C files for another build",
	.run = run,
};
