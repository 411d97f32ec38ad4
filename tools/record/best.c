/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/best.c - hone best: what was found for a model or an operator, a line a task. */
#include <math.h>
#include <stdio.h>

#include "measure/device/calibration.h"
#include "search/best.h"
#include "tools/args/query.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/record/speed.h"

static const char doc[] =
	"Prints the fastest verified kernel of every task of SOURCE on this device.\v"
	"Example:\n  hone best mobilenet_v2.onnx --db tune.db\n";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key == ARGP_KEY_INIT)
		state->child_inputs[0] = state->input;
	return key == ARGP_KEY_INIT ? 0 : ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = { { &query_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { NULL, parse, "SOURCE", doc, children, NULL, NULL };

struct best_row {
	const struct task *task;
	double best_us;		/* 0: none */
	double calibrated_us;	/* what it comes to at the device's present speed */
	bool estimate;		/* that is a guess */
	bool in_model;		/* that was taken inside a model */
	const char *caveat;	/* what one must know of it; "" */
	json_t *evidence;	/* null where there is none */
	int threads;
	double amplification;	/* of a derived kernel; 0 */
	double gflops, peak_share;
	int64_t trials, failed;
	const char *skipped;	/* why records of the task do not count; "" */
};

/* Says so where the device runs at another speed than when R was taken. */
static int calibrate(const struct query *q, const struct db_record *r, struct best_row *out)
{
	double scale;

	if (speed_scale(q, out->task, r, 0, &q->now, &scale) < 0)
		return -1;
	out->calibrated_us = r->time_us * scale;
	if (fabs(scale - 1) > CALIBRATION_DRIFT)
		out->caveat = arena_printf(q->arena, "%s%smeasured at another speed of the device: "
					   "about %.4g us now", out->caveat,
					   *out->caveat ? ", " : "", out->calibrated_us);
	return 0;
}

static int look_up(const struct query *q, const struct task *t, struct best_row *out)
{
	struct db_want want = query_want(q);
	struct best best;
	struct db_skipped skipped = { .why = "" };
	int64_t counts[TRIAL_STATUS_COUNT];

	want.task_key = t->key;
	int found = query_best(q, t, &best);

	if (found < 0 || db_counts(q->db, &want, counts) < 0 ||
	    db_skipped(q->db, q->arena, &want, &skipped) < 0)
		return -1;
	*out = (struct best_row){ .task = t, .skipped = skipped.why, .caveat = "" };
	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++) {
		out->trials += counts[i];
		out->failed += i != TRIAL_OK && i != TRIAL_LOST_RACE ? counts[i] : 0;
	}
	out->evidence = found ? evidence_json(&best.record, best.evidence) : json_null();
	if (found == 0)
		return 0;
	out->best_us = best.record.time_us;
	out->estimate = best.record.estimate;
	out->in_model = strcmp(best.record.cache, cache_state_name(CACHE_MODEL)) == 0;
	out->caveat = evidence_caveat(q->arena, &best.record, best.evidence);
	out->threads = best.record.threads;
	out->amplification = best.state->amplification;
	if (calibrate(q, &best.record, out) < 0)
		return -1;
	out->gflops = t->flop / out->best_us * 1e-3;
	out->peak_share = out->gflops / device_peak(q->device, out->threads);
	return 0;
}

/* All that a record tells is null without one. */
static json_t *row_json(const struct best_row *r)
{
	bool found = r->best_us > 0;
	const struct task *t = r->task;

	return json_pack("{s:s, s:o, s:o, s:o, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o}",
			 "task", t->key, "name", json_label(t->name), "op", json_label(t->op),
			 "shape", json_label(t->shape), "weight", t->weight, "flop", t->flop,
			 "best_us", json_positive(r->best_us), "calibrated_us",
			 json_positive(r->calibrated_us), "gflops", json_positive(r->gflops),
			 "peak_share", json_positive(r->peak_share), "threads",
			 json_count(r->threads), "amplification",
			 json_positive(r->amplification), "trials", (json_int_t)r->trials, "failed",
			 (json_int_t)r->failed, "estimate",
			 found ? json_boolean(r->estimate) : json_null(), "caveat",
			 json_label(found ? r->caveat : NULL), "evidence", r->evidence);
}

static void print_row(const struct best_row *r)
{
	printf("%-22s %-50.50s %6.0f %10.3f", r->task->op, r->task->shape, r->task->weight,
	       r->task->flop * 1e-6);
	if (r->best_us > 0)
		printf(" %s%*.4g %8.1f %5.1f%% %3d", r->estimate ? "~" : "", r->estimate ? 9 : 10,
		       r->best_us, r->gflops, 100 * r->peak_share, r->threads);
	else
		printf(" %10s %8s %6s %3s", "-", "-", "-", "-");
	printf(" %6jd %6jd%s%s%s%s%s\n", (intmax_t)r->trials, (intmax_t)r->failed,
	       *r->caveat ? "  " : "", r->caveat, *r->skipped ? "  skipped: " : "", r->skipped,
	       r->trials || *r->skipped ? "" : "  no record of it; run hone tune");
}

static int print_best(const struct query *q)
{
	json_t *rows = json_array();
	double total = 0;
	int missing = 0, uncertain = 0, in_model = 0;

	if (!q->json)
		printf("%-22s %-50s %6s %10s %10s %8s %6s %3s %6s %6s\n", "op", "shape", "weight",
		       "MFLOP", "best us", "GFLOP/s", "peak", "thr", "trials", "failed");
	for (int i = 0; i < q->tasks.n; i++) {
		struct best_row r;

		if (look_up(q, q->tasks.at[i], &r) < 0) {
			json_decref(rows);
			return -1;
		}
		json_array_append_new(rows, row_json(&r));
		if (!q->json)
			print_row(&r);
		total += r.task->weight * r.best_us;
		in_model += r.in_model;
		missing += r.best_us <= 0;
		uncertain += *r.caveat != '\0';
	}
	if (q->json) {
		json_print(rows);
		return 0;
	}
	json_decref(rows);
	printf("sum of weight x best: %.3f ms", total * 1e-3);
	if (in_model)
		printf(", %d of %d timed inside a model", in_model, q->tasks.n);
	if (missing)
		printf(", without %d task%s that no kernel was found for yet", missing,
		       missing > 1 ? "s" : "");
	if (uncertain)
		printf(", %d of them not confirmed: see their lines", uncertain);
	puts("");
	return 0;
}

static int run(int argc, char **argv)
{
	struct query q = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &q);
	int rc = query_open(&q) < 0 || print_best(&q) < 0 ? command_failed() : EXIT_OK;

	query_close(&q);
	return rc;
}

const struct command command_best = {
	.name = "best",
	.summary = "the fastest kernel of every task, as found so far",
	.run = run,
};
