/* SPDX-License-Identifier: Apache-2.0 */
/* search/log/read.c - a line of a log, held against what this hone knows. */
#include <string.h>

#include "base/err.h"
#include "measure/build/toolchain.h"
#include "schedule/text/step_text.h"
#include "search/log/field.h"
#include "search/log/log.h"
#include "target/target.h"
#include "te/text/text.h"

struct log_reader {
	struct arena *task;	/* has the last one, which the next line is likely to be of, too */
	struct arena *scratch;
	char *key, *text;
	const struct dag *dag;	/* NULL: there is none */
	const char *why;	/* no dag: what is wrong with it */
};

struct log_reader *log_reader_new(void)
{
	struct arena *a = arena_new();
	struct log_reader *r = arena_one(a, struct log_reader);

	*r = (struct log_reader){ .task = arena_new(), .scratch = a };
	return r;
}

void log_reader_free(struct log_reader *r)
{
	if (!r)
		return;
	arena_free(r->task);
	arena_free(r->scratch);
}

static void recall_task(struct log_reader *r, const struct db_task *t)
{
	char hex[HASH_TEXT];

	if (r->key && strcmp(r->key, t->key) == 0 && strcmp(r->text, t->text) == 0)
		return;
	arena_reset(r->task);
	r->key = arena_strdup(r->task, t->key);
	r->text = arena_strdup(r->task, t->text);
	r->dag = dag_parse(r->task, "its text", t->text);
	if (!r->dag)
		r->why = arena_printf(r->task, "its task is none that this hone knows: %s", err_get());
	else if (strcmp(hash_text(dag_key(r->dag), hex), t->key) != 0)
		r->why = arena_printf(r->task, "its task has the key %s, not that of its text, %s", t->key, hex);
	else
		r->why = NULL;
}

static const char *target_fault(struct arena *a, const struct log_line *line)
{
	const char *mark = toolchain_mark(line->of.record.toolchain_text);
	const char *target = *mark ? mark : line->target;

	if (target && !target_named(target))
		return arena_printf(a, "it is for the target '%.40s', which this hone does not know", target);
	if (*mark && line->target && strcmp(mark, line->target) != 0)
		return arena_printf(a, "it is for the target '%.40s', but its toolchain for '%.40s'", line->target,
				    mark);
	return NULL;
}

static const char *cache_fault(struct arena *a, const char *cache)
{
	enum cache_state known;

	return cache_state_parse(cache, &known)
		       ? NULL
		       : arena_printf(a, "its cache state is '%.40s', which this hone does not know", cache);
}

/* Steps of a trial that failed need not give a kernel, but they are steps of the task. */
static const char *steps_fault(struct log_reader *r, struct arena *a, const struct db_import *of)
{
	struct arena *scratch = arena_new();
	const char *why = NULL;

	recall_task(r, &of->task);
	if (!r->dag || r->why)
		why = arena_strdup(a, r->why);
	else if (!state_parse(scratch, r->dag, "its steps", of->record.steps))
		why = arena_printf(a, "it does not replay: %s", err_get());
	arena_free(scratch);
	return why;
}

static const char *fault_of(struct log_reader *r, struct arena *a, const struct log_line *line)
{
	const struct db_import *of = &line->of;
	const char *why;

	if (strncmp(of->record.toolchain_text, DB_OFFLOAD, strlen(DB_OFFLOAD)) == 0)
		return "it is of a code generator, which is measured where it runs";
	if ((why = cache_fault(a, of->record.cache)) || (why = target_fault(a, line)))
		return why;
	if ((why = db_import_fault(a, &of->record, line->steps_hash)))
		return why;
	return steps_fault(r, a, of);
}

static const char *version_fault(struct arena *a, const json_t *json)
{
	const json_t *version = json_object_get(json, LOG_VERSION_KEY);

	if (!json_is_integer(version))
		return "it is no record of a log: it has no number \"" LOG_VERSION_KEY "\"";
	if (json_integer_value(version) != LOG_VERSION)
		return arena_printf(a, "it is of version %jd of logs, and this hone reads version %d",
				    (intmax_t)json_integer_value(version), LOG_VERSION);
	return NULL;
}

const char *log_read(struct log_reader *r, struct arena *a, const char *line, size_t n, struct db_import *out)
{
	json_error_t error;
	json_t *json = json_loadb(line, n, JSON_REJECT_DUPLICATES, &error);
	struct log_line said;
	const char *why;

	if (!json)
		return arena_printf(a, "it is no JSON: %s (column %d)", error.text, error.column);
	if (!(why = version_fault(a, json)) && !(why = log_line_parse(a, json, &said)))
		why = fault_of(r, a, &said);
	json_decref(json);
	*out = why ? (struct db_import){ 0 } : said.of;
	return why;
}
