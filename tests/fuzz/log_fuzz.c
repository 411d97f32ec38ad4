/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/log_fuzz.c - libFuzzer: any text as lines of a log. What fits is a record that a database takes, and
 * that replays; why another does not is told. */
#include "schedule/text/step_text.h"
#include "search/log/log.h"
#include "te/text/text.h"
#include "tests/fuzz/fuzz.h"

static void check(struct arena *a, const struct db_import *r)
{
	const struct dag *dag = dag_parse(a, "fuzz", r->task.text);
	char hex[HASH_TEXT];

	fuzz_must(dag && strcmp(hash_text(dag_key(dag), hex), r->task.key) == 0, "a task of another key");
	fuzz_must(state_parse(a, dag, "fuzz", r->record.steps), "steps that do not replay");
	fuzz_must(r->record.seq > 0 && r->record.threads > 0 && r->record.created >= 0, "a number that cannot be");
	fuzz_must((r->record.status == TRIAL_OK) == (r->record.time_us > 0), "a time of what failed, or none");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	struct log_reader *reader = log_reader_new();
	const char *at = (const char *)data, *end = at + size;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;
		struct db_import record;
		const char *why = log_read(reader, a, at, (size_t)(stop - at), &record);

		fuzz_must(!why || *why, "no reason");
		if (!why)
			check(a, &record);
		at = stop + 1;
	}
	log_reader_free(reader);
	arena_free(a);
	return 0;
}
