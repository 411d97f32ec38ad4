/* SPDX-License-Identifier: Apache-2.0 */
/* tools/export.c - hone export: the kernels of a model or an operator as C files. */
#include <stdio.h>

#include "base/err.h"
#include "codegen/export.h"
#include "search/best.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/query.h"

struct export_args {
	struct query q;		/* first: query_argp's input */
	const char *dir;
	const char *command;	/* as it was typed */
};

static const char doc[] =
	"Writes the fastest verified kernel of every task of SOURCE on this device into a folder: "
	"a C file each, hone_kernels.h and manifest.json. Each file compiles alone with cc -O2 "
	"-march=native -fno-unroll-loops -fopenmp -c.\v"
	"Example:\n  hone export mobilenet_v2.onnx --db tune.db -o kernels\n";

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "folder to write to, made where missing (required)", 0 },
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
		.vector_bytes = q->device->vector_bytes,
	};
}

/* The best of every task that has one; a line on stderr for each that has none. */
static int find_kernels(const struct query *q, struct export_kernel *kernels, int *n)
{
	for (int i = 0; i < q->tasks.n; i++) {
		const struct task *t = q->tasks.at[i];
		struct best b;
		int found = task_best(q->arena, q->db, t, query_want(q), q->device->vector_bytes,
			      &b);

		if (found < 0)
			return -1;
		if (found == 1)
			kernels[(*n)++] = kernel_of(q, t, &b);
		else
			fprintf(stderr, "hone: %s: not exported, for no kernel was found yet; run "
					"hone tune\n", t->name);
	}
	if (*n == 0)
		return err_set("%s: %s has no kernel of it for this device%s; run hone tune",
			       q->source, q->db_path,
			       q->threads ? " and this number of threads" : "");
	return 0;
}

static int export_all(const struct export_args *args)
{
	const struct query *q = &args->q;
	struct export_kernel *kernels = arena_many(q->arena, struct export_kernel, q->tasks.n);
	struct export_set set = { .kernels = kernels, .command = args->command };

	if (find_kernels(q, kernels, &set.n) < 0)
		return -1;
	json_t *manifest = export_write(args->dir, &set);

	if (!manifest)
		return -1;
	if (q->json) {
		json_print(manifest);
		return 0;
	}
	json_decref(manifest);
	printf("%d of %d kernel%s written to %s\n", set.n, q->tasks.n, q->tasks.n > 1 ? "s" : "",
	       args->dir);
	return 0;
}

/* The command line in A. */
static const char *join(struct arena *a, int argc, char **argv)
{
	const char *line = argv[0];

	for (int i = 1; i < argc; i++)
		line = arena_printf(a, "%s %s", line, argv[i]);
	return line;
}

static int run(int argc, char **argv)
{
	struct export_args args = { 0 };
	struct arena *a = arena_new();

	args.command = join(a, argc, argv);	/* before argp moves its words */
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	int rc = query_open(&args.q) < 0 || export_all(&args) < 0 ? command_failed() : EXIT_OK;

	query_close(&args.q);
	arena_free(a);
	return rc;
}

const struct command command_export = {
	.name = "export",
	.summary = "the kernels found, as C files for another build",
	.run = run,
};
