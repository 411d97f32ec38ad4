/* SPDX-License-Identifier: Apache-2.0 */
/* tests/command.h - `hone` as a user calls it, from a test. */
#ifndef HONE_TESTS_COMMAND_H
#define HONE_TESTS_COMMAND_H

#include <jansson.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/fixture/db_fixture.h"

/* What P prints until it ends, in A; its exit status is in *STATUS. */
static inline char *command_end(struct arena *a, FILE *p, int *status)
{
	struct text all = { 0 };
	char buffer[4096];
	size_t n;

	while ((n = fread(buffer, 1, sizeof(buffer), p)) > 0)
		text_putn(&all, buffer, n);
	int rc = pclose(p);
	char *out = arena_strdup(a, text_str(&all));

	text_free(&all);
	assert_true(WIFEXITED(rc));
	*status = WEXITSTATUS(rc);
	return out;
}

/* Runs `./hone ARGUMENTS`; its output, both streams, is in *OUT. The exit status. */
static inline int hone(struct fixture *f, char **out, const char *arguments)
{
	int status;
	FILE *p = popen(arena_printf(f->a, "./hone %s 2>&1", arguments), "r");

	assert_non_null(p);
	*out = command_end(f->a, p, &status);
	return status;
}

/* What it prints on standard output alone, as JSON. */
static inline json_t *hone_json(struct fixture *f, const char *arguments)
{
	const char *said = arena_printf(f->a, "%s/said", f->folder);
	int status;
	size_t bytes;
	FILE *p = popen(arena_printf(f->a, "./hone %s 2>%s", arguments, said), "r");

	assert_non_null(p);
	char *out = command_end(f->a, p, &status);
	json_t *j = json_loads(out, 0, NULL);

	if (!j || status != 0)
		fail_msg("status %d, no JSON: %s\n%s", status, out,
			 file_read(f->a, said, 1 << 20, &bytes));
	return j;
}

#endif
