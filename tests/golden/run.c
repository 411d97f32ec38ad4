/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/run.c - compares what steps make of a DAG with what a file says they make.
 *
 *	tests/golden/run [--accept] [FILE.te ...]
 *
 * Without files: all of tests/golden below $srcdir. A file is a DAG, then sections that begin with
 * a marker line: "# >>> steps", and of these what the file wants: "# >>> nest", "# >>> refused"
 * (why lower() says no), "# >>> c" (the kernel). A difference is printed as a diff from the file to
 * what the code does; --accept writes that into the file. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "codegen/emit.h"
#include "te/text.h"

enum { MAX_FILE = 1 << 20, MAX_SECTIONS = 8, VECTOR_BYTES = 64 };

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

static const char marker[] = "# >>> ";

static int split_sections(struct golden *g)
{
	const char *at = g->text;
	char *name = arena_strdup(g->arena, "te");

	for (;;) {
		const char *end =
			strncmp(at, marker, strlen(marker)) == 0 ? at - 1 : strstr(at, "\n# >>> ");
		size_t n = end ? (size_t)(end + 1 - at) : strlen(at);

		if (g->n == MAX_SECTIONS)
			return err_set("%s: more than %d sections", g->path, MAX_SECTIONS);
		g->at[g->n].name = name;
		g->at[g->n++].text = arena_strndup(g->arena, at, n);
		if (!end)
			return 0;
		const char *begin = end + 1 + strlen(marker);
		size_t length = strcspn(begin, "\n");

		name = arena_strndup(g->arena, begin, length);
		at = begin + length + (begin[length] == '\n');
	}
}

static char *find_section(struct golden *g, const char *name)
{
	for (int i = 0; i < g->n; i++)
		if (strcmp(g->at[i].name, name) == 0)
			return g->at[i].text;
	return NULL;
}

/* The kernel and its workspace: types, helpers and packing are much the same in all. */
static int expand_c(struct golden *g, const struct program *p, struct text *out)
{
	struct emit_options options = {.symbol = "hone_kernel", .vector_bytes = VECTOR_BYTES};
	const char *why = "";
	struct text all = {0};

	if (!emit_c(&all, p, &options, &why))
		return err_set("%s: emit_c refuses: %s", g->path, why);
	const char *begin = strstr(text_str(&all), "void hone_kernel_part(");
	const char *end = begin ? strstr(begin, "\n\nsize_t hone_kernel_packed_bytes(") : NULL;

	if (end)
		text_putn(out, begin, (size_t)(end - begin) + 1);
	text_free(&all);
	return end ? 0 : err_set("%s: there is no kernel in the C text", g->path);
}

/* Appends what section NAME ought to say. */
static int expand(struct golden *g, const char *name, const struct program *p, const char *why,
		  struct text *out)
{
	if (strcmp(name, "refused") == 0) {
		text_printf(out, "%s\n", p ? "no: it lowers" : why);
		return 0;
	}
	if (!p)
		return err_set("%s: lower() refuses: %s", g->path, why);
	if (strcmp(name, "nest") == 0) {
		program_print(out, p);
		return 0;
	}
	if (strcmp(name, "c") == 0)
		return expand_c(g, p, out);
	return err_set("%s: there is no section '%s'", g->path, name);
}

/* The whole file as it ought to be. */
static int rewrite(struct golden *g, struct text *out)
{
	struct arena *a = g->arena;
	char *steps = find_section(g, "steps");
	struct dag *dag = dag_parse(a, g->path, g->at[0].text);
	struct state *state = dag ? state_parse(a, dag, g->path, steps ? steps : "") : NULL;
	const char *why = "";

	if (!state)
		return -1;
	struct program *p = lower(a, state, &why);

	text_puts(out, g->at[0].text);
	for (int i = 1; i < g->n; i++) {
		bool last = i == g->n - 1;

		text_printf(out, "%s%s\n", marker, g->at[i].name);
		if (strcmp(g->at[i].name, "steps") == 0) {
			text_puts(out, g->at[i].text);
			continue;
		}
		if (expand(g, g->at[i].name, p, why, out) < 0)
			return -1;
		text_puts(out, last ? "" : "\n");
	}
	return 0;
}

static void show_difference(const char *path, const char *is)
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
static int check(const char *path, bool accept)
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
		show_difference(path, text_str(&out));
	}
	text_free(&out);
	arena_free(g.arena);
	return rc;
}

static int check_all(char *const *paths, size_t n, bool accept)
{
	int failed = 0;

	for (size_t i = 0; i < n; i++) {
		int rc = check(paths[i], accept);

		if (rc < 0)
			fprintf(stderr, "%s\n", err_get());
		failed += rc != 0;
	}
	printf("%zu golden files, %d wrong\n", n, failed);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	bool accept = argc > 1 && strcmp(argv[1], "--accept") == 0;
	const char *srcdir = getenv("srcdir");
	struct arena *a = arena_new();
	glob_t found = {0};

	if (argc > 1 + accept)
		return check_all(argv + 1 + accept, (size_t)(argc - 1 - accept), accept);
	if (glob(arena_printf(a, "%s/tests/golden/*.te", srcdir ? srcdir : "."), 0, NULL, &found)) {
		fprintf(stderr, "no golden files: run it in the source folder, or set srcdir\n");
		return EXIT_FAILURE;
	}
	int rc = check_all(found.gl_pathv, found.gl_pathc, accept);

	globfree(&found);
	arena_free(a);
	return rc;
}
