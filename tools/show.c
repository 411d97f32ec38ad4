/* SPDX-License-Identifier: Apache-2.0 */
/* tools/show.c - hone show: the stages of a record, from the DAG to the assembly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "measure/builder.h"
#include "search/best.h"
#include "te/text.h"
#include "tools/command.h"
#include "tools/query.h"

struct show_args {
	struct query q;		/* first: query_argp's input */
	const char *stage;	/* NULL: all but asm */
	const char *cc;
};

static const char doc[] =
	"Prints the stages of the best record of every task of SOURCE: its DAG, steps, loop nest, C "
	"source and assembly.\v"
	"Example:\n  hone show matmul:m=512,n=512,k=512 --db tune.db --stage nest\n";

static const char *const stages[] = { "dag", "steps", "nest", "c", "asm" };

static const struct argp_option options[] = {
	{ "stage", 's', "dag|steps|nest|c|asm", 0, "only this one (default: all but asm)", 0 },
	{ "cc", 'c', "COMPILER", 0, "for asm (default clang, else gcc)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct show_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->q;
		return 0;
	case 's':
		args->stage = arg;
		for (size_t i = 0; i < sizeof(stages) / sizeof(*stages); i++)
			if (strcmp(arg, stages[i]) == 0)
				return 0;
		argp_error(state, "--stage '%s': there are dag, steps, nest, c, asm", arg);
		return 0;
	case 'c':
		args->cc = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &query_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { options, parse, "SOURCE", doc, children, NULL, NULL };

static bool wants(const struct show_args *args, const char *stage)
{
	if (!args->stage)
		return strcmp(stage, "asm") != 0;
	return strcmp(args->stage, stage) == 0;
}

/* The kernel as objdump shows it. */
static int show_asm(const struct show_args *args, const struct best *b)
{
	struct builder_options build = { .cc = args->cc };
	struct builder *builder = builder_new(&build);
	struct trial trial = { .source = b->source, .parallel = b->parallel };
	int rc = -1;

	if (!builder)
		return -1;
	if (build_all(args->q.arena, builder, &trial, 1) == 0 && trial.object) {
		char *command = arena_printf(args->q.arena, "objdump -d --no-show-raw-insn "
					     "--disassemble=hone_kernel '%s'", trial.object);

		fflush(stdout);
		rc = system(command) == 0 ? 0 : err_set("objdump failed (package binutils)");
	} else {
		err_set("the kernel does not compile: %s", trial.text ? trial.text : "");
	}
	trial_discard(&trial);
	builder_free(builder);
	return rc;
}

static int show_best(const struct show_args *args, const struct task *t, const struct best *b)
{
	struct text out = { 0 };

	if (wants(args, "dag"))
		text_puts(&out, t->text);
	if (wants(args, "steps")) {
		text_puts(&out, args->stage ? "" : "\n# >>> steps\n");
		state_print(&out, b->state);
	}
	if (wants(args, "nest")) {
		text_puts(&out, args->stage ? "" : "\n# >>> nest\n");
		program_print(&out, b->program);
	}
	if (wants(args, "c")) {
		text_puts(&out, args->stage ? "" : "\n# >>> c\n");
		text_puts(&out, b->source);
	}
	fputs(text_str(&out), stdout);
	text_free(&out);
	return wants(args, "asm") ? show_asm(args, b) : 0;
}

/* The figure, what must be known of it, and what it rests on. */
static void print_record(const struct query *q, const struct best *b)
{
	const struct db_record *r = &b->record;
	const char *caveat = evidence_caveat(q->arena, r, b->evidence);

	printf("# record %jd: %s%.4g us%s%s%s, %d thread%s, %s\n", (intmax_t)r->id,
	       r->estimate ? "~" : "", r->time_us, *caveat ? " (" : "", caveat, *caveat ? ")" : "",
	       r->threads, r->threads > 1 ? "s" : "", r->toolchain_text);
	printf("# evidence: hone %s, text %.8s, %d sample%s", r->hone ? r->hone : "of old",
	       r->source_hash ? r->source_hash : "unknown", r->n_samples,
	       r->n_samples == 1 ? "" : "s");
	if (r->final && r->others >= 0)
		printf(" in turn with %d other%s", r->others, r->others == 1 ? "" : "s");
	puts("");
}

static int show_all(const struct show_args *args)
{
	const struct query *q = &args->q;

	for (int i = 0; i < q->tasks.n; i++) {
		const struct task *t = q->tasks.at[i];
		struct best b;
		int found = task_best(q->arena, q->db, t, query_want(q), q->device->vector_bytes,
			      &b);

		if (found < 0)
			return -1;
		printf("# task %s %s\n", t->key, t->name);
		if (found == 0)
			puts("# no kernel was found yet; run hone tune");
		else
			print_record(q, &b);
		if (found == 1 && show_best(args, t, &b) < 0)
			return -1;
	}
	return 0;
}

static int run(int argc, char **argv)
{
	struct show_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	int rc = query_open(&args.q) < 0 || show_all(&args) < 0 ? command_failed() : EXIT_OK;

	query_close(&args.q);
	return rc;
}

const struct command command_show = {
	.name = "show",
	.summary = "the stages of a record: dag, steps, nest, C, assembly",
	.run = run,
};
