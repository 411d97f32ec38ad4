/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/show.c - hone show: the stages of a record, from the DAG to the assembly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "schedule/text/nest_text.h"
#include "schedule/pass/pass.h"
#include "schedule/text/step_text.h"
#include "search/best.h"
#include "te/text/text.h"
#include "tools/args/query.h"
#include "tools/args/words.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/record/assembly.h"

struct show_args {
	struct query q;
	const char *stage;	/* NULL: all but asm, and but c of a simulated device, which is its nest */
	const struct nest_pass *after;	/* of the nest; NULL: all passes */
	const char *cc;		/* for asm; NULL: the builder's own choice */
};

static const char doc[] =
	"Prints the stages of the best record of every task of SOURCE: its DAG, steps, loop nest, C "
	"source and assembly.\v"
	"Example:\n  hone show matmul:m=512,n=512,k=512 --db tune.db --stage nest\n";

static const char *const stages[] = { "dag", "steps", "nest", "c", "asm" };

enum { N_STAGES = sizeof(stages) / sizeof(*stages) };

static const struct argp_option options[] = {
	{ "after", 'a', "PASS", 0, "the nest behind this pass of lowering alone (place: the first; "
	  "an unknown name lists them)", 0 },
	{ "stage", 's', "dag|steps|nest|c|asm", 0, "only this one (default: all but asm)", 0 },
	{ 0 },
};

static void list_passes(struct text *out)
{
	for (int i = 0; i < NEST_PASSES; i++)
		text_printf(out, "%s%s", i ? ", " : "", nest_passes[i].name);
}

/* It exits. */
static void no_pass(struct argp_state *state, const char *name)
{
	struct text names = { 0 };

	list_passes(&names);
	argp_error(state, "--after '%s': there are %s", name, text_str(&names));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct show_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->q;
		state->child_inputs[1] = &args->cc;
		return 0;
	case 'a':
		args->stage = "nest";
		args->after = nest_pass_find(arg);
		if (!args->after)
			no_pass(state, arg);
		return 0;
	case 's':
		args->stage = arg;
		for (int i = 0; i < N_STAGES; i++)
			if (strcmp(arg, stages[i]) == 0)
				return 0;
		argp_error(state, "--stage '%s': there are dag, steps, nest, c, asm", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &query_argp, 0, NULL, 0 },
	{ &cc_argp, 0, NULL, 0 },
	{ 0 },
};
static const struct argp argp = { options, parse, "SOURCE", doc, children, NULL, NULL };

static bool wants(const struct show_args *args, const char *stage)
{
	if (!args->stage)
		return strcmp(stage, "asm") != 0 && !(args->q.simulated.given && strcmp(stage, "c") == 0);
	return strcmp(args->stage, stage) == 0;
}

/* STAGE of B, in the query's arena; NULL and a message. */
static const char *stage_text(const struct show_args *args, const struct task *t,
			      const struct best *b, const char *stage)
{
	struct text out = { 0 };

	if (strcmp(stage, "dag") == 0)
		return t->text;
	if (strcmp(stage, "c") == 0)
		return b->source;
	if (strcmp(stage, "asm") == 0)
		return assembly_of(args->q.arena, args->q.device, args->cc, b->source);
	if (strcmp(stage, "steps") == 0)
		state_print(&out, b->state);
	else
		program_print(&out, args->after ? lower_to(args->q.arena, b->state,
							   b->program->target, args->after, NULL)
						: b->program);
	const char *text = arena_strdup(args->q.arena, text_str(&out));

	text_free(&out);
	return text;
}

/* --- as text */

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
	if (b->state->amplification > 0)
		printf("# derived: roundings are at most %.3g times those of sums as written\n",
		       b->state->amplification);
}

static int print_stages(const struct show_args *args, const struct task *t, const struct best *b)
{
	print_record(&args->q, b);
	for (int i = 0; i < N_STAGES; i++) {
		const char *text = wants(args, stages[i]) ? stage_text(args, t, b, stages[i]) : "";

		if (!text)
			return -1;
		if (!wants(args, stages[i]))
			continue;
		if (!args->stage && i > 0)
			printf("\n# >>> %s\n", stages[i]);
		fputs(text, stdout);
	}
	return 0;
}

/* --- as JSON */

/* Null without a record, and of a stage that was not asked for. */
static json_t *task_json(const struct show_args *args, const struct task *t, const struct best *b)
{
	json_t *one = json_object();

	json_object_set_new(one, "task", json_label(t->key));
	json_object_set_new(one, "name", json_label(t->name));
	json_object_set_new(one, "best_us", json_positive(b ? b->record.time_us : 0));
	json_object_set_new(one, "threads", json_count(b ? b->record.threads : 0));
	json_object_set_new(one, "amplification",
			    json_positive(b ? b->state->amplification : 0));
	json_object_set_new(one, "caveat", json_label(b ? evidence_caveat(args->q.arena, &b->record,
									  b->evidence)
							: NULL));
	json_object_set_new(one, "evidence",
			    b ? evidence_json(&b->record, b->evidence) : json_null());
	for (int i = 0; i < N_STAGES; i++) {
		const char *text = NULL;

		if (b && wants(args, stages[i]) && !(text = stage_text(args, t, b, stages[i]))) {
			json_decref(one);
			return NULL;
		}
		json_object_set_new(one, stages[i], json_label(text));
	}
	return one;
}

/* A task's stages; ROWS is NULL where they are to be printed. */
static int show_task(const struct show_args *args, const struct task *t, json_t *rows)
{
	const struct query *q = &args->q;
	struct best b;
	int found = query_best(q, t, &b);

	if (found < 0)
		return -1;
	if (rows)
		return json_array_append_new(rows, task_json(args, t, found ? &b : NULL));
	printf("# task %s %s\n", t->key, t->name);
	if (found)
		return print_stages(args, t, &b);
	puts("# no kernel was found yet; run hone tune");
	return 0;
}

static int show_all(const struct show_args *args)
{
	const struct query *q = &args->q;
	json_t *rows = q->json ? json_array() : NULL;
	int rc = 0;

	for (int i = 0; i < q->tasks.n && rc == 0; i++)
		rc = show_task(args, q->tasks.at[i], rows);
	if (rc == 0 && rows)
		return json_print(rows);
	json_decref(rows);
	return rc;
}

static int run(int argc, char **argv)
{
	struct show_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	int rc = query_open(&args.q) < 0 || show_all(&args) < 0 ? command_failed() : EXIT_OK;

	query_close(&args.q);
	return rc;
}

static const struct word words[] = {
	{ "PASS", NULL, false, list_passes },
	{ 0 },
};

const struct command command_show = {
	.name = "show",
	.summary = "the stages of a record: dag, steps, nest, C, assembly",
	.argp = &argp,
	.words = words,
	.run = run,
};
