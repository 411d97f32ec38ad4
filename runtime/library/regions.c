/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/regions.c - regions as generators see them, written down as C. */
#include "runtime/library/regions.h"

#include "base/err.h"
#include "base/file.h"
#include "partition/region_source.h"
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
		return err_set("%s: a library takes a generator whose file name is letters, digits and "
			       "any of ._+-: rename it", path);
	return 0;
}

/* Which of the library's generators B is. -1 and a message. */
static int add_generator(struct library_content *c, const struct backend *b)
{
	for (int i = 0; i < c->generators.n; i++) {
		if (c->generators.at[i].backend->generator == b->generator)
			return i;
		if (strcmp(c->generators.at[i].file, file_of(b->path)) == 0)
			return err_set("the generators '%s' and '%s' are both in a file called %s, and go "
				       "to one folder: rename one", c->generators.at[i].backend->generator->name,
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
			return err_set("%s, which generator %s computes, has a constant of a type that a "
				       "library cannot hold: give --keep with its node", foreign_name(x),
				       foreign_backend(x)->generator->name);
	return 0;
}

int library_region(struct library_content *c, const struct foreign *foreign)
{
	struct library_region r = { .foreign = foreign,
				    .generator = add_generator(c, foreign_backend(foreign)) };
	const struct text *artifact = foreign_artifact(foreign);

	if (r.generator < 0 || check_constants(foreign) < 0)
		return -1;
	if (artifact->n) {
		r.artifact_bytes = artifact->n;
		r.artifact = library_weight(c, artifact->s, artifact->n);
	}
	vec_push(c->arena, &c->regions, r);
	return c->regions.n - 1;
}

/* --- as C */

/* For region_source(): constants are among the weights of the library NAME. */
struct region_weights {
	struct library_content *c;
	const char *name;
};

static void put_weight(void *user, struct text *out, const struct hone_region *r, int t)
{
	static const size_t bytes_of[] = {
		[HONE_F32] = 4, [HONE_F64] = 8, [HONE_F16] = 2, [HONE_BF16] = 2, [HONE_I8] = 1,
		[HONE_U8] = 1, [HONE_I32] = 4, [HONE_I64] = 8, [HONE_BOOL] = 1, [HONE_OTHER] = 0,
	};
	const struct region_weights *x = user;
	const struct hone_region_tensor *tensor = &r->tensors[t];
	size_t bytes = bytes_of[tensor->type];

	for (int d = 0; d < tensor->rank; d++)
		bytes *= (size_t)tensor->dim[d];
	text_printf(out, "%s_weights + %zu", x->name, library_weight_like(x->c, tensor->data, bytes));
}

static void put_region(struct text *out, struct library_content *c, const struct library_region *r,
		       const char *name)
{
	text_puts(out, "\t{ ");
	region_source_string(out, foreign_name(r->foreign));
	text_printf(out, ", %d, ", r->generator);
	region_source(out, foreign_region(r->foreign), 1, put_weight, &(struct region_weights){ c, name });
	if (r->artifact_bytes)
		text_printf(out, ", %s_weights + %zu, %zu },\n", name, r->artifact, r->artifact_bytes);
	else
		text_puts(out, ", NULL, 0 },\n");
}

/* TEXT as a string of C; it may be NULL. */
static void put_text(struct text *out, const char *text)
{
	if (text)
		region_source_string(out, text);
	else
		text_puts(out, "NULL");
}

void library_region_tables(struct text *out, struct library_content *c, const char *name)
{
	text_printf(out, "/* %s_regions.h - what code generators compute of the model. */\n"
			 "static const struct generator generators[] = {\n", name);
	for (int i = 0; i < c->generators.n; i++) {
		text_puts(out, "\t{ ");
		region_source_string(out, c->generators.at[i].backend->generator->name);
		text_puts(out, ", ");
		region_source_string(out, c->generators.at[i].file);
		text_puts(out, ", ");
		put_text(out, c->generators.at[i].backend->text);
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
