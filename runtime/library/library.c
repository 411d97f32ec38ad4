/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/library.c - what is written, in order. */
#include "runtime/library/library.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "config.h"
#include "partition/region_source.h"
#include "runtime/library/files.h"
#include "runtime/library/gather.h"
#include "runtime/library/graph.h"
#include "runtime/library/regions.h"
#include "runtime/library/tables.h"

/* Of a name: what is left of any file system's after the longest ending. */
enum { NAME_MOST = 200 };

bool library_name_is_fit(const char *name)
{
	size_t n = 0;

	while (name[n] == '_' || (isascii(name[n]) && isalnum((unsigned char)name[n])))
		n++;
	return n > 0 && n <= NAME_MOST && !name[n] && !isdigit((unsigned char)name[0]);
}

const char *library_name(struct arena *a, const char *model)
{
	const char *slash = strrchr(model, '/');
	const char *file = slash ? slash + 1 : model;
	char *name = arena_printf(a, "%s%.*s", isdigit((unsigned char)*file) ? "_" : "", NAME_MOST - 1,
				  file);
	char *dot = strrchr(name, '.');

	if (dot && dot > name)
		*dot = '\0';
	for (char *c = name; *c; c++)
		if (!isascii(*c) || !isalnum((unsigned char)*c))
			*c = '_';
	return *name ? name : "model";
}

static const char *upper(struct arena *a, const char *name)
{
	char *s = arena_strdup(a, name);

	for (char *c = s; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return s;
}

/* --- its files */

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The files that any library has, those of one with an interpreter, and of one with generators. */
static const struct template {
	const char *name, *from;
} templates[] = {
	{ "@NAME@.h", "model.h.in" },
	{ "@NAME@.c", "model.c.in" },
	{ "@NAME@_inside.h", "inside.h.in" },
	{ "@NAME@_isa.h", "isa.h.in" },
	{ "@NAME@_needs.c", "needs.c.in" },
	{ "@NAME@_weights.S", "weights.S.in" },
	{ "Makefile", "Makefile.in" },
	{ "@NAME@.pc.in", "pc.in.in" },
	{ "@NAME@Config.cmake", "Config.cmake.in" },
	{ "example.c", "example.c.in" },
}, interpreter_templates[] = {
	{ "@NAME@_graph.c", "graph.c.in" },
	{ "@NAME@_graph_text.S", "graph_text.S.in" },
	{ "interpreter.mk", "interpreter.mk.in" },
}, generator_templates[] = {
	{ "@NAME@_foreign.c", "foreign.c.in" },
};

static int put_templates(const struct library_folder *f, const struct template *t, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (library_put_template(f, t[i].name, t[i].from) < 0)
			return -1;
	return 0;
}

static int put_made(const struct library_folder *f, const char *name, struct text *made)
{
	int rc = library_put(f, name, text_str(made));

	text_free(made);
	return rc;
}

static int put_kernels(const struct library_folder *f, const struct library_content *c,
		       const char *name)
{
	struct text rules = { 0 };
	int rc = 0;

	for (int i = 0; i < c->kernels.n && rc == 0; i++)
		rc = library_put(f, arena_printf(f->arena, "kernels/k%d.c", i),
				 library_kernel_text(c, name, i));
	library_kernel_rules(&rules, c, name);
	return rc < 0 ? (text_free(&rules), -1) : put_made(f, "kernels.mk", &rules);
}

/* Code of the usual model reaches what is at most 2 GiB away. */
#define MOST_WEIGHTS ((size_t)INT32_MAX)

static int put_weights(const struct library_folder *f, const struct library_content *c,
		       const char *name)
{
	if (c->weight_bytes > MOST_WEIGHTS)
		return err_set("%zu bytes of constants: a library holds %zu at most",
			       c->weight_bytes, MOST_WEIGHTS);
	/* One byte more: a model may have none. */
	unsigned char *all = calloc(c->weight_bytes + 1, 1);

	if (!all)
		return err_set("no memory for %zu bytes of constants", c->weight_bytes);
	for (int i = 0; i < c->weights.n; i++)
		memcpy(all + c->weights.at[i].at, c->weights.at[i].data, c->weights.at[i].bytes);
	int rc = file_write(arena_printf(f->arena, "%s/%s_weights.bin", f->path, name), all,
			    c->weight_bytes);

	free(all);
	return rc;
}

static int put_graph(const struct library_folder *f, struct library_content *c)
{
	struct text graph = { 0 };

	library_graph_text(&graph, c);
	if (put_made(f, "@NAME@_graph.txt", &graph) < 0)
		return -1;
	if (put_templates(f, interpreter_templates, ARRAY_SIZE(interpreter_templates)) < 0)
		return -1;
	return library_put_interpreter(f);
}

/* Also over what an earlier library left in the folder. */
static int put_no_graph(const struct library_folder *f)
{
	return library_put(f, "interpreter.mk", "# The model is kernels and no more.\n");
}

/* What generators compute. */
static int put_regions(const struct library_folder *f, struct library_content *c, const char *name)
{
	struct text tables = { 0 };

	if (c->regions.n == 0)
		return 0;
	library_region_tables(&tables, c, name);
	if (put_made(f, "@NAME@_regions.h", &tables) < 0 ||
	    library_put(f, "hone_generator.h", region_source_header) < 0 ||
	    library_put_generators(f, c, name) < 0)
		return -1;
	return put_templates(f, generator_templates, ARRAY_SIZE(generator_templates));
}

/* The graph and the regions come first: they add constants to the weights. */
static int put_all(const struct library_folder *f, struct library_content *c, const char *name)
{
	struct text tables = { 0 };

	if ((c->interpreted ? put_graph(f, c) : put_no_graph(f)) < 0 || put_regions(f, c, name) < 0)
		return -1;
	library_tables(&tables, c, name);
	if (put_made(f, "@NAME@_plan.h", &tables) < 0)
		return -1;
	if (put_kernels(f, c, name) < 0 || put_weights(f, c, name) < 0)
		return -1;
	return put_templates(f, templates, ARRAY_SIZE(templates));
}

static const char *count(struct arena *a, int n)
{
	return arena_printf(a, "%d", n);
}

/* What may stand in a comment. */
static const char *plain(struct arena *a, const char *model)
{
	char *s = arena_strdup(a, model);

	for (char *c = s; *c; c++)
		if (*c < ' ' || *c > '~' || *c == '*' || *c == '@')
			*c = '_';
	return s;
}

static int write_content(const struct library_order *o, struct library_content *c)
{
	struct arena *a = c->arena;
	const struct function *main = graph_main(c->graph);
	struct text lines = { 0 }, generators = { 0 };
	const char *bound = o->check ? arena_printf(a, "%.3g", o->check->bound) : "";
	bool foreign = c->regions.n > 0;

	library_tensor_lines(&lines, c);
	library_generator_lines(&generators, c, " *   ");
	const struct library_word words[] = {
		{ "NAME", o->name },
		{ "UPPER", upper(a, o->name) },
		{ "MODEL", plain(a, o->model) },
		{ "VERSION", PACKAGE_VERSION },
		{ "TENSORS", text_str(&lines) },
		{ "INPUTS", count(a, main->nparams) },
		{ "OUTPUTS", count(a, main->nresults) },
		{ "THREADS", count(a, c->threads) },
		{ "GENERATORS", text_str(&generators) },
		{ "GENERATOR_FILES", library_generator_files(c, o->name) },
		{ "LIBS", foreign ? " -ldl -pthread" : "" },
		{ "CMAKE_LIBS", foreign ? ";dl;-pthread" : "" },
		{ "BOUND", bound },
		{ "CHECK", bound },
	};
	const struct library_folder f = { a, o->folder, words, sizeof(words) / sizeof(*words) };
	int rc = dir_make(o->folder) < 0 ? -1 : put_all(&f, c, o->name);

	if (rc == 0 && o->check)
		rc = library_put_check(&f, o->check);
	text_free(&generators);
	text_free(&lines);
	return rc;
}

int library_write(const struct library_order *o)
{
	struct arena *a = arena_new();
	struct library_content *c = library_gather(a, o->code, o->threads);
	int rc = c ? write_content(o, c) : -1;

	arena_free(a);
	return rc;
}
