/* SPDX-License-Identifier: Apache-2.0 */
/* tools/run/trace.c - what ran when and in which thread, in the form that Perfetto and Chrome open
 * (the Trace Event Format: docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU). */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "base/err.h"
#include "tools/json.h"
#include "tools/run/args.h"

/* Of this program, which has only one. */
enum { PROCESS = 1 };

static json_t *event_json(const struct session_event *e, int64_t origin)
{
	json_t *args = json_object();
	json_t *one = json_object();

	json_object_set_new(args, "node", json_label(e->label));
	json_object_set_new(one, "name", json_label(e->what));
	json_object_set_new(one, "cat", json_label(e->by));
	json_object_set_new(one, "ph", json_string("X"));
	json_object_set_new(one, "ts", json_real((double)(e->begin - origin) * 1e-3));
	json_object_set_new(one, "dur", json_real((double)(e->end - e->begin) * 1e-3));
	json_object_set_new(one, "pid", json_integer(PROCESS));
	json_object_set_new(one, "tid", json_integer(e->thread));
	json_object_set_new(one, "args", args);
	return one;
}

int run_trace(const char *path, const struct session_event_vec *events)
{
	json_t *all = json_object();
	json_t *list = json_array();
	int64_t origin = events->n ? events->at[0].begin : 0;

	for (int i = 0; i < events->n; i++)
		origin = events->at[i].begin < origin ? events->at[i].begin : origin;
	for (int i = 0; i < events->n; i++)
		json_array_append_new(list, event_json(&events->at[i], origin));
	json_object_set_new(all, "traceEvents", list);
	json_object_set_new(all, "displayTimeUnit", json_string("ns"));
	errno = 0;
	int rc = json_dump_file(all, path, JSON_COMPACT);

	json_decref(all);
	return rc < 0 ? err_set("%s: cannot write: %s", path, strerror(errno)) : 0;
}
