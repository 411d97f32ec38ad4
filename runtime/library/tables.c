/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/tables.c - the plan of a model as static tables of C. */
#include "runtime/library/tables.h"

#include <inttypes.h>

static void put_kernels(struct text *out, const struct library_content *c, const char *name)
{
	for (int i = 0; i < c->kernels.n; i++)
		text_printf(out, "phases_fn %s_k%d_phases;\npart_fn %s_k%d_part;\n", name, i, name,
			    i);
	text_puts(out, "\nstatic const struct kernel kernels[] = {\n");
	for (int i = 0; i < c->kernels.n; i++)
		text_printf(out, "\t{ %s_k%d_phases, %s_k%d_part },\n", name, i, name, i);
	text_puts(out, "\t{ NULL, NULL },\n};\n");
}

static void put_places(struct text *out, const struct library_content *c)
{
	static const char *const rooms[] = {
		[LIBRARY_MEMORY] = "MEMORY",
		[LIBRARY_WEIGHT] = "WEIGHT",
		[LIBRARY_ARGUMENT] = "ARGUMENT",
		[LIBRARY_RESULT] = "RESULT",
	};

	text_puts(out, "\nstatic const struct place places[] = {\n");
	for (int i = 0; i < c->places.n; i++)
		text_printf(out, "\t{ %s, %zu, %zu },\n", rooms[c->places.at[i].room],
			    c->places.at[i].at, c->places.at[i].offset);
	text_puts(out, "\t{ MEMORY, 0, 0 },\n};\n");
}

static void put_steps(struct text *out, const struct library_content *c)
{
	static const char *const doings[] = {
		[LIBRARY_KERNEL] = "KERNEL",
		[LIBRARY_COPY] = "COPY",
		[LIBRARY_CALL] = "CALL",
		[LIBRARY_FOREIGN] = "FOREIGN",
	};

	text_puts(out, "\nstatic const struct step steps[] = {\n");
	for (int i = 0; i < c->steps.n; i++) {
		const struct library_step *s = &c->steps.at[i];

		text_printf(out, "\t{ %s, %d, %d, %d, %zu, %zu },\n", doings[s->doing], s->what,
			    s->args, s->nargs, s->bytes, s->workspace);
	}
	text_puts(out, "\t{ COPY, 0, 0, 0, 0, 0 },\n};\n");
	text_puts(out, "\nstatic const struct stretch stretches[] = {\n");
	for (int i = 0; i < c->stretches.n; i++) {
		const struct library_stretch *s = &c->stretches.at[i];

		text_printf(out, "\t{ %d, %d, %d },\n", s->function, s->steps, s->nsteps);
	}
	text_puts(out, "\t{ -1, 0, 0 },\n};\n");
}

/* Bytes; 0 where only a run tells them. */
static size_t tensor_size(const struct type *t)
{
	return type_is_static(t) ? (size_t)type_count(t) * element_bytes(t->element) : 0;
}

/* A string of C: escapes of three octal digits end there, which those of hexadecimal ones do not. */
static void put_string(struct text *out, const char *s)
{
	text_puts(out, "\"");
	for (; *s; s++)
		if (*s == '"' || *s == '\\' || *s == '?' || *s < ' ' || *s > '~')
			text_printf(out, "\\%03o", (unsigned char)*s);
		else
			text_putn(out, s, 1);
	text_puts(out, "\"");
}

static void put_tensor(struct text *out, const struct binding *b)
{
	const struct type *t = b->type;

	text_puts(out, "\t{ ");
	put_string(out, b->name);
	text_printf(out, ", \"%s\", %d, (const int64_t[]){ ", element_name(t->element), t->rank);
	for (int i = 0; i < t->rank; i++)
		text_printf(out, "%" PRId64 ", ", dim_is_number(t->dim[i]) ? t->dim[i].n : -1);
	text_printf(out, "0 }, %zu },\n", tensor_size(t));
}

static void put_tensors(struct text *out, const struct library_content *c, const char *name)
{
	const struct function *main = graph_main(c->graph);

	text_printf(out, "\n/* The inputs, then the outputs. */\n"
			 "static const struct %s_tensor tensors[] = {\n", name);
	for (int i = 0; i < main->nparams; i++)
		put_tensor(out, function_at(main, i));
	for (int i = 0; i < main->nresults; i++)
		put_tensor(out, function_at(main, main->results[i]));
	text_puts(out, "\t{ \"\", \"\", 0, NULL, 0 },\n};\n");
}

void library_tables(struct text *out, const struct library_content *c, const char *name)
{
	text_printf(out, "/* %s_plan.h - the kernels, the memory and the steps of the model. Each "
			 "table ends in a line\n * that is not used, for it may have no other. */\n"
			 "#define INTERPRETED %d\n"
			 "#define MEMORY_BYTES ((size_t)%zu)\n\n",
		    name, c->interpreted, c->memory_bytes);
	put_kernels(out, c, name);
	put_places(out, c);
	put_steps(out, c);
	put_tensors(out, c, name);
}

/* --- the comment */

void library_put_comment(struct text *out, const char *s)
{
	for (; *s; s++)
		text_putn(out, *s < ' ' || *s > '~' || *s == '*' || *s == '@' ? "_" : s, 1);
}

static void put_line(struct text *out, struct arena *a, const char *role, int i,
		     const struct binding *b)
{
	text_printf(out, " * %s %d: ", role, i);
	library_put_comment(out, *b->name ? b->name : "(no name)");
	text_puts(out, ", ");
	library_put_comment(out, type_string(a, b->type));
	if (type_is_static(b->type))
		text_printf(out, ", %zu bytes\n", tensor_size(b->type));
	else
		text_puts(out, ", whose shape each run tells\n");
}

void library_tensor_lines(struct text *out, const struct library_content *c)
{
	const struct function *main = graph_main(c->graph);

	for (int i = 0; i < main->nparams; i++)
		put_line(out, c->arena, "input ", i, function_at(main, i));
	for (int i = 0; i < main->nresults; i++)
		put_line(out, c->arena, "output", i, function_at(main, main->results[i]));
}
