/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/tune_json.c - the events of docs/json.schema.json's `tune`. */
#include "tools/campaign/tune_json.h"

#include <stdio.h>

#include "tools/json.h"

/* Whoever reads waits for it. */
static void print(json_t *event)
{
	json_print_line(event);
	fflush(stdout);
}

static json_t *progress_json(const struct progress *p)
{
	return json_pack("{s:s, s:s, s:s, s:o, s:i, s:i, s:I, s:o, s:I, s:o, s:o, s:b, s:f, s:o}", "event",
			 "progress", "phase", p->phase, "task", p->task->key, "name", json_label(p->task->name),
			 "task_number", p->task_number, "tasks", p->tasks, "trials", (json_int_t)p->trials, "budget",
			 json_count(p->budget), "failed", (json_int_t)p->failed, "best_us", json_positive(p->best_us),
			 "gflops", json_positive(p->gflops), "estimate", (int)p->estimate, "seconds", p->seconds,
			 "seconds_left", p->seconds_left < 0 ? json_null() : json_figure(p->seconds_left));
}

void tune_json_tell(const struct tell *t)
{
	if (t->kind == TELL_PROGRESS)
		print(progress_json(t->about));
	else if (tell_is_line(t))
		print(json_pack("{s:s, s:o}", "event",
				t->kind == TELL_NOTE ? "note" : t->kind == TELL_STUCK ? "stuck" : "warning", "line",
				json_label(t->line)));
}

void tune_json_end(const struct notice *what, bool barren)
{
	json_t *best = what->best ? json_loads(what->best, 0, NULL) : NULL;

	print(json_pack("{s:s, s:s, s:o, s:b, s:I, s:o}", "event", "end", "status", what->event, "why",
			json_label(what->why), "barren", (int)barren, "trials", (json_int_t)what->trials, "best",
			best ? best : json_null()));
}
