/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suites/again.c - winners measured again, in the way in which they were confirmed: does the
 * figure hold on another day?
 *
 * Holds: times are compared in units of the fixed kernel that both were interleaved with, so that
 * the device may run at another speed; what was taken then stays in the table. */
#include <stdio.h>

#include "base/err.h"
#include "bench/suite.h"
#include "measure/timing/counted.h"
#include "measure/timing/verdict.h"
#include "search/best.h"
#include "search/measurers/ask.h"
#include "tools/args/query.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/record/speed.h"

struct again_args {
	struct query q;
	const char *cc;
};

static const char doc[] =
	"Builds, verifies and times the best kernel of every task of SOURCE again, as hone tune "
	"does when it confirms, and compares with the recorded time, calibrated: scaled by how the "
	"device's speed has changed since. The ratio is the recorded time over that of now, with the 95% "
	"interval that the samples of both leave: now it is FASTER or SLOWER where the whole interval lies "
	"beyond 3%, SAME where it lies within, else UNCLEAR.\v"
	"Example:\n  hone bench --suite again model.onnx --db tune.db\n";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct again_args *args = state->input;

	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = &args->q;
	state->child_inputs[1] = &args->cc;
	return 0;
}

static const struct argp_child children[] = {
	{ &query_argp, 0, NULL, 0 },
	{ &cc_argp, 0, NULL, 0 },
	{ &suite_argp, 0, NULL, 0 },
	{ 0 },
};
static const struct argp argp = { NULL, parse, "SOURCE", doc, children, NULL, NULL };

/* One task. Times in microseconds. */
struct again_row {
	const struct task *task;
	double then_us;		/* as recorded; 0: there is no record */
	double calibrated_us;	/* what that comes to now */
	double now_us;		/* 0: it did not run */
	struct comparison with;	/* of the recorded time with that of now; 0 pairs: none */
	const char *note;	/* why not, or what differs; "" */
};

/* Measures C, which is the best kernel B, as a confirmation does. -1 and a message. */
static int measure(const struct again_args *args, const struct task *t, const struct best *b,
		   struct candidate *c, struct again_row *out)
{
	const struct query *q = &args->q;
	const struct hardware_options o = {
		.cc = args->cc,
		.threads = b->record.threads,
		.cache = cache_state_alone(b->record.cache),
		.device = q->device,
		.seed = 1,
		.listener = { command_hear, NULL },
	};
	struct measurer *m = measurer_hardware(&o);

	if (!m)
		return -1;
	if (strcmp(m->toolchain, b->record.toolchain_text) != 0)
		out->note = arena_printf(q->arena, "recorded with %s", b->record.toolchain_text);
	int rc = ask_and_wait(m, q->arena, t, 0, c, 1, true) != 0 ? -1 : 0;

	m->free(m);
	return rc;
}

/* R at the speed of NOW, which SCALE makes of it, with NOW. */
static struct comparison compare(struct arena *a, const struct db_record *r, double scale,
				 const struct trial *now)
{
	int n, m;
	const double *theirs = samples_counted(a, r->samples, r->counted, r->n_samples, scale, &n);
	const double *ours = samples_counted(a, now->samples, now->counted, now->n_samples, 1, &m);

	return n && m ? compare_apart(ours, m, theirs, n, MARGIN_DAYS) : (struct comparison){ 0 };
}

static int judge(const struct query *q, const struct best *b, const struct trial *trial,
		 struct again_row *out)
{
	const struct db_record *r = &b->record;
	struct db_calibration now = q->now;
	double scale;

	if (trial->status != TRIAL_OK) {
		out->note = arena_printf(q->arena, "%s: %s", trial_status_name(trial->status),
					 trial->text ? trial->text : "");
		return 0;
	}
	now.fixed_us = trial->reference_us;
	if (speed_scale(q, out->task, r, r->ratio > 0 ? r->time_us / r->ratio : 0, &now, &scale) < 0)
		return -1;
	out->calibrated_us = r->time_us * scale;
	out->now_us = trial->time_us;
	if (2 * trial->disturbed > trial->n_samples)
		out->note = arena_printf(q->arena, "%d of %d samples were disturbed",
					 trial->disturbed, trial->n_samples);
	out->with = compare(q->arena, r, scale, trial);
	return 0;
}

static int look_up(const struct again_args *args, const struct task *t, struct again_row *out)
{
	const struct query *q = &args->q;
	struct candidate c = { 0 };
	struct best best;
	int found = task_best(q->arena, q->db, t, query_want(q), q->device->target, &best);

	*out = (struct again_row){ .task = t, .note = found ? "" : "there is no record" };
	if (found <= 0)
		return found;
	out->then_us = best.record.time_us;
	c.steps = best.record.steps;
	c.trial.source = best.source;
	if (measure(args, t, &best, &c, out) < 0)
		return -1;
	return judge(q, &best, &c.trial, out);
}

static json_t *row_json(const struct again_row *r)
{
	bool compared = r->with.pairs > 0;

	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:s?, s:b, s:s}", "task",
			 r->task->key, "name", r->task->name, "recorded_us",
			 json_positive(r->then_us), "calibrated_us",
			 json_positive(r->calibrated_us), "best_us", json_positive(r->now_us),
			 "ratio", json_positive(r->with.ratio), "low", json_positive(r->with.low),
			 "high", json_positive(r->with.high), "verdict",
			 compared ? verdict_name(r->with.verdict) : NULL, "holds",
			 compared && r->with.verdict == VERDICT_SAME, "note", r->note);
}

static void print_row(const struct again_row *r)
{
	if (r->with.pairs > 0)
		printf("%12.4g %12.4g %12.4g %7.3f (%.3f to %.3f)  %-7s", r->then_us,
		       r->calibrated_us, r->now_us, r->with.ratio, r->with.low, r->with.high,
		       verdict_name(r->with.verdict));
	else
		printf("%12.4g %12s %12s %-24s  %-7s", r->then_us, "-", "-", "", "-");
	printf("  %s%s%s\n", r->task->name, *r->note ? ": " : "", r->note);
	fflush(stdout);
}

static int bench(const struct again_args *args)
{
	const struct query *q = &args->q;
	json_t *rows = json_array();
	struct again_row r;

	if (!q->json)
		printf("%12s %12s %12s %-24s  %-7s  task\n", "recorded us", "calibrated", "now",
		       "   ratio", "now");
	for (int i = 0; i < q->tasks.n; i++) {
		if (look_up(args, q->tasks.at[i], &r) < 0) {
			json_decref(rows);
			return -1;
		}
		json_array_append_new(rows, row_json(&r));
		if (!q->json)
			print_row(&r);
	}
	if (q->json)
		json_print(rows);
	else
		json_decref(rows);
	return 0;
}

static int run(int argc, char **argv)
{
	struct again_args args = { .cc = NULL };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	int rc = query_open(&args.q) < 0 || bench(&args) < 0 ? command_failed() : EXIT_OK;

	query_close(&args.q);
	return rc;
}

const struct command suite_again = {
	.name = "again",
	.summary = "winners measured again, against their recorded times at today's speed",
	.argp = &argp,
	.run = run,
};
