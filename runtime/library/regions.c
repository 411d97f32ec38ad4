/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/regions.c - regions as generators see them, written down as C. */
#include "runtime/library/regions.h"

#include <inttypes.h>
#include <math.h>

#include "base/err.h"
#include "base/file.h"
#include "runtime/library/tables.h"

/* --- what regions and generators there are */

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* May PATH's file stand in a Makefile as it is? */
static int check_file(const char *path)
{
	static const char fit[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
	const char *file = file_of(path);

	if (file[strspn(file, fit)])
		return err_set("%s: a library takes a generator whose file name is letters, digits and any of "
			       "._+-: rename it", path);
	return 0;
}

/* Which of the library's generators B is. -1 and a message. */
static int add_generator(struct library_content *c, const struct backend *b)
{
	for (int i = 0; i < c->generators.n; i++) {
		if (c->generators.at[i].backend->generator == b->generator)
			return i;
		if (strcmp(c->generators.at[i].file, file_of(b->path)) == 0)
			return err_set("the generators '%s' and '%s' are both in a file called %s, and go to one "
				       "folder: rename one", c->generators.at[i].backend->generator->name,
				       b->generator->name, file_of(b->path));
	}
	if (check_file(b->path) < 0)
		return -1;
	vec_push(c->arena, &c->generators, (struct library_generator){ b, file_of(b->path) });
	return c->generators.n - 1;
}

/* Can all of X be written down? */
static int check_constants(const struct foreign *x)
{
	const struct hone_region *r = foreign_region(x);

	for (int i = 0; i < r->ntensors; i++)
		if (r->tensors[i].data && r->tensors[i].type == HONE_OTHER)
			return err_set("%s, which generator %s computes, has a constant of a type that a library "
				       "cannot hold: give --keep with its node", foreign_name(x),
				       foreign_backend(x)->generator->name);
	return 0;
}

int library_region(struct library_content *c, const struct foreign *foreign)
{
	struct library_region r = { .foreign = foreign,
				    .generator = add_generator(c, foreign_backend(foreign)) };
	struct text artifact = { 0 };

	if (r.generator < 0 || check_constants(foreign) < 0 || foreign_artifact(foreign, &artifact) < 0) {
		text_free(&artifact);
		return -1;
	}
	if (artifact.n) {
		r.artifact_bytes = artifact.n;
		r.artifact = library_weight(c, arena_memdup(c->arena, artifact.s, artifact.n), artifact.n);
	}
	text_free(&artifact);
	vec_push(c->arena, &c->regions, r);
	return c->regions.n - 1;
}

/* --- tensors */

static const struct {
	const char *name;
	size_t bytes;
} types[] = {
	[HONE_F32] = { "HONE_F32", 4 }, [HONE_F64] = { "HONE_F64", 8 }, [HONE_F16] = { "HONE_F16", 2 },
	[HONE_BF16] = { "HONE_BF16", 2 }, [HONE_I8] = { "HONE_I8", 1 }, [HONE_U8] = { "HONE_U8", 1 },
	[HONE_I32] = { "HONE_I32", 4 }, [HONE_I64] = { "HONE_I64", 8 }, [HONE_BOOL] = { "HONE_BOOL", 1 },
	[HONE_OTHER] = { "HONE_OTHER", 0 },
};

static size_t constant_bytes(const struct hone_region_tensor *t)
{
	size_t n = types[t->type].bytes;

	for (int d = 0; d < t->rank; d++)
		n *= (size_t)t->dim[d];
	return n;
}

static void put_tensor(struct text *out, struct library_content *c, const struct hone_region_tensor *t,
		       const char *name)
{
	text_printf(out, "\t\t{ %s, %d, { ", types[t->type].name, t->rank);
	for (int d = 0; d < t->rank; d++)
		text_printf(out, "%" PRId64 ", ", t->dim[d]);
	text_printf(out, "0 }, %d, ", t->channels);
	if (t->data)
		text_printf(out, "%s_weights + %zu },\n", name,
			    library_weight_like(c, t->data, constant_bytes(t)));
	else
		text_puts(out, "NULL },\n");
}

/* --- calls */

static void put_ints(struct text *out, const int *at, int n)
{
	text_puts(out, "(const int[]){ ");
	for (int i = 0; i < n; i++)
		text_printf(out, "%d, ", at[i]);
	text_puts(out, "0 }");
}

/* The least has no literal of its own. */
static void put_int(struct text *out, int64_t x)
{
	if (x == INT64_MIN)
		text_puts(out, "INT64_MIN, ");
	else
		text_printf(out, "%" PRId64 ", ", x);
}

static void put_float(struct text *out, double x)
{
	if (isnan(x))
		text_puts(out, "__builtin_nan(\"\")");
	else if (isinf(x))
		text_printf(out, "%s__builtin_inf()", x < 0 ? "-" : "");
	else
		text_printf(out, "%a", x);
}

/* A list has one more than it needs: C has no arrays of none. */
static void put_attr(struct text *out, const struct hone_region_attr *a)
{
	text_printf(out, "\t\t\t{ \"%s\", %d, ", a->name, a->n);
	if (a->ints) {
		text_puts(out, "(const int64_t[]){ ");
		for (int i = 0; i < a->n; i++)
			put_int(out, a->ints[i]);
		text_puts(out, "0 }, ");
	} else {
		text_puts(out, "NULL, ");
	}
	if (a->floats) {
		text_puts(out, "(const double[]){ ");
		for (int i = 0; i < a->n; i++) {
			put_float(out, a->floats[i]);
			text_puts(out, ", ");
		}
		text_puts(out, "0 }, ");
	} else {
		text_puts(out, "NULL, ");
	}
	if (a->text)
		library_put_string(out, a->text);
	else
		text_puts(out, "NULL");
	text_puts(out, " },\n");
}

static void put_call(struct text *out, const struct hone_region_call *call)
{
	text_printf(out, "\t\t{ \"%s\", %d, ", call->op, call->ninputs);
	put_ints(out, call->inputs, call->ninputs);
	text_printf(out, ", %d, %d, (const struct hone_region_attr[]){\n", call->output, call->nattrs);
	for (int i = 0; i < call->nattrs; i++)
		put_attr(out, &call->attrs[i]);
	text_puts(out, "\t\t\t{ NULL, 0, NULL, NULL, NULL } } },\n");
}

static void put_region(struct text *out, struct library_content *c, const struct library_region *r,
		       const char *name)
{
	const struct hone_region *x = foreign_region(r->foreign);

	text_puts(out, "\t{ ");
	library_put_string(out, foreign_name(r->foreign));
	text_printf(out, ", %d, { %d, (const struct hone_region_tensor[]){\n", r->generator, x->ntensors);
	for (int i = 0; i < x->ntensors; i++)
		put_tensor(out, c, &x->tensors[i], name);
	text_printf(out, "\t\t{ HONE_OTHER, 0, { 0 }, 0, NULL } },\n\t\t%d, (const struct hone_region_call[]){\n",
		    x->ncalls);
	for (int i = 0; i < x->ncalls; i++)
		put_call(out, &x->calls[i]);
	text_printf(out, "\t\t{ NULL, 0, NULL, 0, 0, NULL } },\n\t\t%d, %d, ", x->ninputs, x->noutputs);
	put_ints(out, x->inputs, x->ninputs);
	text_puts(out, ", ");
	put_ints(out, x->outputs, x->noutputs);
	if (r->artifact_bytes)
		text_printf(out, " }, %s_weights + %zu, %zu },\n", name, r->artifact, r->artifact_bytes);
	else
		text_puts(out, " }, NULL, 0 },\n");
}

void library_region_tables(struct text *out, struct library_content *c, const char *name)
{
	text_printf(out, "/* %s_regions.h - what code generators compute of the model. Each list ends in an "
			 "element\n * that is not used, for it may have no other. */\n"
			 "static const struct generator generators[] = {\n", name);
	for (int i = 0; i < c->generators.n; i++) {
		text_puts(out, "\t{ ");
		library_put_string(out, c->generators.at[i].backend->generator->name);
		text_puts(out, ", ");
		library_put_string(out, c->generators.at[i].file);
		text_puts(out, " },\n");
	}
	text_puts(out, "};\n\nstatic const struct region regions[] = {\n");
	for (int i = 0; i < c->regions.n; i++)
		put_region(out, c, &c->regions.at[i], name);
	text_puts(out, "};\n");
}

/* --- their files */

void library_generator_lines(struct text *out, const struct library_content *c, const char *begin)
{
	for (int i = 0; i < c->generators.n; i++) {
		const struct library_generator *g = &c->generators.at[i];

		text_printf(out, "%s%s", i ? "\n" : "", begin);
		library_put_comment(out, g->file);
		text_puts(out, ": ");
		library_put_comment(out, g->backend->generator->name);
		text_puts(out, ", ");
		library_put_comment(out, g->backend->version);
	}
}

const char *library_generator_files(const struct library_content *c, const char *name)
{
	const char *all = "";

	for (int i = 0; i < c->generators.n; i++)
		all = arena_printf(c->arena, "%s%s%s_generators/%s", all, i ? " " : "", name,
				   c->generators.at[i].file);
	return all;
}

/* Of a shared object, far more than any has. */
#define MOST_BYTES ((size_t)4 << 30)

int library_put_generators(const struct library_folder *f, const struct library_content *c,
			   const char *name)
{
	const char *folder = arena_printf(f->arena, "%s/%s_generators", f->path, name);

	if (dir_make(folder) < 0)
		return -1;
	for (int i = 0; i < c->generators.n; i++) {
		const struct library_generator *g = &c->generators.at[i];
		size_t n;
		const char *data = file_read(f->arena, g->backend->path, MOST_BYTES, &n);

		if (!data || file_write(arena_printf(f->arena, "%s/%s", folder, g->file), data, n) < 0)
			return -1;
	}
	return 0;
}
