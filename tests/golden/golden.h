/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/golden.h - compares what code makes of a file with what the file says it makes.
 *
 *	PROGRAM [--accept] [FILE ...]
 *
 * Without files: all of a folder below $srcdir. What a file begins with is the input; then come sections
 * that begin with a marker line, "# >>> NAME". A difference is printed as a diff from the file to what the
 * code does; --accept writes that into the file. */
#ifndef HONE_TESTS_GOLDEN_GOLDEN_H
#define HONE_TESTS_GOLDEN_GOLDEN_H

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/text.h"

enum { MAX_FILE = 1 << 20, MAX_SECTIONS = 8 };

/* "# >>> NAME" and what follows it, up to the next one; the first has no marker. */
struct section {
	char *name;
	char *text;
};

struct golden {
	struct arena *arena;
	const char *path;
	char *text;
	struct section at[MAX_SECTIONS];
	int n;
};

static const char golden_marker[] = "# >>> ";

static inline int split_sections(struct golden *g)
{
	const char *at = g->text;
	char *name = arena_strdup(g->arena, "");

	for (;;) {
		const char *end =
			strncmp(at, golden_marker, strlen(golden_marker)) == 0 ? at - 1
										: strstr(at, "\n# >>> ");
		size_t n = end ? (size_t)(end + 1 - at) : strlen(at);

		if (g->n == MAX_SECTIONS)
			return err_set("%s: more than %d sections", g->path, MAX_SECTIONS);
		g->at[g->n].name = name;
		g->at[g->n++].text = arena_strndup(g->arena, at, n);
		if (!end)
			return 0;
		const char *begin = end + 1 + strlen(golden_marker);
		size_t length = strcspn(begin, "\n");

		name = arena_strndup(g->arena, begin, length);
		at = begin + length + (begin[length] == '\n');
	}
}

static inline char *find_section(struct golden *g, const char *name)
{
	for (int i = 0; i < g->n; i++)
		if (strcmp(g->at[i].name, name) == 0)
			return g->at[i].text;
	return NULL;
}

/* Appends to OUT the whole file as it ought to be. -1 and a message. */
typedef int golden_rewrite(struct golden *g, struct text *out);

static inline void golden_show_difference(const char *path, const char *is)
{
	struct arena *a = arena_new();
	char *dir = dir_temp(a);
	char *file = arena_printf(a, "%s/is", dir ? dir : ".");

	fflush(stdout);
	if (!dir || file_write(file, is, strlen(is)) < 0 ||
	    system(arena_printf(a, "diff -u --label %s --label 'what the code does' %s %s", path,
				path, file)) < 0)
		fprintf(stderr, "%s\n", err_get());
	if (dir)
		dir_remove(dir);
	arena_free(a);
}

/* 0 where the file is right (or was made so), 1 where it differs, -1 and a message. */
static inline int golden_check(const char *path, bool accept, golden_rewrite *rewrite)
{
	struct golden g = {.arena = arena_new(), .path = path};
	struct text out = {0};
	size_t size;
	int rc = -1;

	g.text = file_read(g.arena, path, MAX_FILE, &size);
	if (g.text && split_sections(&g) == 0 && rewrite(&g, &out) == 0)
		rc = strcmp(g.text, text_str(&out)) != 0;
	if (rc == 1 && accept) {
		printf("%s: accepted\n", path);
		rc = file_write(path, text_str(&out), out.n);
	} else if (rc == 1) {
		golden_show_difference(path, text_str(&out));
	}
	text_free(&out);
	arena_free(g.arena);
	return rc;
}

static inline int golden_check_all(char *const *paths, size_t n, bool accept, golden_rewrite *rewrite)
{
	int failed = 0;

	for (size_t i = 0; i < n; i++) {
		int rc = golden_check(paths[i], accept, rewrite);

		if (rc < 0)
			fprintf(stderr, "%s\n", err_get());
		failed += rc != 0;
	}
	printf("%zu golden files, %d wrong\n", n, failed);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* What a program's main returns: of its arguments, or of all files of PATTERN. */
static inline int golden_main(int argc, char **argv, const char *pattern, golden_rewrite *rewrite)
{
	bool accept = argc > 1 && strcmp(argv[1], "--accept") == 0;
	const char *srcdir = getenv("srcdir");
	struct arena *a = arena_new();
	glob_t found = {0};

	if (argc > 1 + accept)
		return golden_check_all(argv + 1 + accept, (size_t)(argc - 1 - accept), accept, rewrite);
	if (glob(arena_printf(a, "%s/%s", srcdir ? srcdir : ".", pattern), 0, NULL, &found)) {
		fprintf(stderr, "no golden files: run it in the source folder, or set srcdir\n");
		return EXIT_FAILURE;
	}
	int rc = golden_check_all(found.gl_pathv, found.gl_pathc, accept, rewrite);

	globfree(&found);
	arena_free(a);
	return rc;
}

#endif
