/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/best_row.c - the best of a task, and the figures that belong to it. */
#include "tools/record/best_row.h"

#include "tools/json.h"

static int count_trials(const struct query *q, const struct task *t, struct best_row *out)
{
	struct db_want want = query_want(q);
	struct db_skipped skipped = { .why = "" };
	int64_t counts[TRIAL_STATUS_COUNT];

	want.task_key = t->key;
	if (db_counts(q->db, &want, counts) < 0 ||
	    db_skipped(q->db, q->arena, &want, &skipped) < 0)
		return -1;
	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++) {
		out->trials += counts[i];
		out->failed += i != TRIAL_OK && i != TRIAL_LOST_RACE ? counts[i] : 0;
	}
	out->skipped = skipped.why;
	return 0;
}

int best_row_read(const struct query *q, const struct task *t, struct best_row *out)
{
	*out = (struct best_row){ .task = t, .caveat = "" };
	int found = query_best(q, t, &out->best);

	if (found < 0 || count_trials(q, t, out) < 0)
		return -1;
	if (found == 0)
		return 0;
	const struct db_record *r = &out->best.record;

	out->found = true;
	out->best_us = r->time_us;
	out->estimate = r->estimate;
	out->in_model = strcmp(r->cache, cache_state_name(CACHE_MODEL)) == 0;
	out->caveat = evidence_caveat(q->arena, r, out->best.evidence);
	out->threads = r->threads;
	out->amplification = out->best.state->amplification;
	out->gflops = t->flop / out->best_us * 1e-3;
	out->peak_share = out->gflops / device_peak(q->device, out->threads);
	return 0;
}

json_t *best_row_json(const struct best_row *r)
{
	const struct task *t = r->task;

	return json_pack("{s:s, s:o, s:o, s:o, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o}",
			 "task", t->key, "name", json_label(t->name), "op", json_label(t->op),
			 "shape", json_label(t->shape), "weight", t->weight, "flop", t->flop,
			 "best_us", json_positive(r->best_us), "gflops", json_positive(r->gflops),
			 "peak_share", json_positive(r->peak_share), "threads",
			 json_count(r->threads), "amplification",
			 json_positive(r->amplification), "trials", (json_int_t)r->trials, "failed",
			 (json_int_t)r->failed, "estimate",
			 r->found ? json_boolean(r->estimate) : json_null(), "caveat",
			 json_label(r->found ? r->caveat : NULL), "evidence",
			 r->found ? evidence_json(&r->best.record, r->best.evidence) : json_null());
}
