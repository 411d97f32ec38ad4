/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/best.c - hone best: what was found for a model or an operator, a line a task. */
#include <math.h>
#include <stdio.h>

#include "measure/device/calibration.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/record/best_row.h"
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

/* What is found now that the machine may run at another speed than when the record was taken. */
static int calibrate(const struct query *q, struct best_row *r, double *calibrated_us)
{
	double scale;

	*calibrated_us = 0;
	if (!r->found)
		return 0;
	if (speed_scale(q, r->task, &r->best.record, 0, &q->now, &scale) < 0)
		return -1;
	*calibrated_us = r->best_us * scale;
	if (fabs(scale - 1) > CALIBRATION_DRIFT)
		r->caveat = arena_printf(q->arena, "%s%smeasured at another speed of the device: "
					 "about %.4g us now", r->caveat,
					 *r->caveat ? ", " : "", *calibrated_us);
	return 0;
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
		double calibrated_us;

		if (best_row_read(q, q->tasks.at[i], &r) < 0 ||
		    calibrate(q, &r, &calibrated_us) < 0) {
			json_decref(rows);
			return -1;
		}
		json_t *row = best_row_json(&r);

		json_object_set_new(row, "calibrated_us", json_positive(calibrated_us));
		json_array_append_new(rows, row);
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
	.argp = &argp,
	.run = run,
};
