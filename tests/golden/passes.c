/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/passes.c - compares what a pass of lower() alone makes of a nest with what a file says it makes.
 *
 *	tests/golden/passes [--accept] [FILE.nest ...]
 *
 * A file tests/golden/pass/PASS/NAME.nest is a nest (schedule/text/nest_text.h), then "-- after PASS" and the nest
 * behind it, or "-- refused: REASON". Each pass but place, which reads a state, has two of them at least.
 */
#include <libgen.h>

#include "schedule/text/nest_text.h"
#include "schedule/pass/pass.h"
#include "tests/golden/golden.h"

/* The pass that the file's folder is named after; NULL and a message. */
static const struct nest_pass *pass_of(struct golden *g)
{
	const char *folder = basename(dirname(arena_strdup(g->arena, g->path)));
	const struct nest_pass *pass = nest_pass_find(folder);

	if (!pass)
		err_set("%s: there is no pass %s", g->path, folder);
	return pass;
}

/* What the file begins with, up to the marker. */
static const char *input_of(struct golden *g)
{
	const char *end = strstr(g->text, "\n-- ");

	return end ? arena_strndup(g->arena, g->text, (size_t)(end + 1 - g->text)) : g->text;
}

static int rewrite(struct golden *g, struct text *out)
{
	const struct nest_pass *pass = pass_of(g);
	const char *input = input_of(g), *why = "";
	struct program *p = pass ? program_parse(g->arena, g->path, input) : NULL;

	if (!p)
		return -1;
	text_puts(out, input);
	if (pass->run(p, &why)) {
		text_printf(out, "-- after %s\n", pass->name);
		program_print(out, p);
	} else {
		text_printf(out, "-- refused: %s\n", why);
	}
	return 0;
}

/* How many files PASS has. */
static size_t count_files(const struct nest_pass *pass)
{
	const char *srcdir = getenv("srcdir");
	struct arena *a = arena_new();
	glob_t found = {0};

	glob(arena_printf(a, "%s/tests/golden/pass/%s/*.nest", srcdir ? srcdir : ".", pass->name), 0,
	     NULL, &found);
	size_t n = found.gl_pathc;

	globfree(&found);
	arena_free(a);
	return n;
}

int main(int argc, char **argv)
{
	int rc = golden_main(argc, argv, "tests/golden/pass/*/*.nest", rewrite);

	for (int i = PASS_place + 1; i < NEST_PASSES; i++)
		if (count_files(&nest_passes[i]) < 2) {
			fprintf(stderr, "%s: less than two files\n", nest_passes[i].name);
			rc = EXIT_FAILURE;
		}
	return rc;
}
