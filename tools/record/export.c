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
#include "tools/record/export_uses.h"
#include "tools/source.h"

struct export_args {
	struct query q;		/* first: query_argp's input */
	const char *dir;
};

static const char doc[] =
	"Writes the fastest verified kernel of every task of SOURCE on this device into a folder: "
	"a C file each, hone_kernels.h and manifest.json; of a model also the weights that each "
	"kernel takes at each of its nodes, with scales and constants folded in. Each file compiles alone with the "
	"command that it begins with; so compiled, it is run against the task's reference before it counts as "
	"written, and left out where it is wrong.\v"
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

static int export_found(const struct export_args *args, struct exports *x)
{
	const struct query *q = &args->q;
	const struct export_set set = { .kernels = x->kernels, .n = x->n,
					.command = command_line(q) };
	json_t *manifest =
		write_kernels(args, &set, x) < 0 || write_uses(args, &set, x) < 0
			? NULL
			: export_index(args->dir, &set);

	if (!manifest)
		return command_failed();
	int n = (int)json_array_size(json_object_get(manifest, "kernels"));

	if (q->json) {
		json_print(manifest);
	} else {
		json_decref(manifest);
		printf("%d of %d kernel%s written to %s\n", n, q->tasks.n,
		       q->tasks.n > 1 ? "s" : "", args->dir);
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
