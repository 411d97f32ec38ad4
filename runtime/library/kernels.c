/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/kernels.c - the sources of the kernels, and how each is compiled: by the compiler
 * and with the flags that it was measured with, so that its bits are those of `hone run`. */
#include "runtime/library/tables.h"

#include <string.h>

/* The name that the emitter was given. */
#define EMITTED "hone_kernel"

const char *library_kernel_text(const struct library_content *c, const char *name, int i)
{
	const char *source = c->kernels.at[i]->source;
	struct text out = { 0 };

	for (const char *at; (at = strstr(source, EMITTED)); source = at + strlen(EMITTED)) {
		text_putn(&out, source, (size_t)(at - source));
		text_printf(&out, "%s_k%d", name, i);
	}
	text_puts(&out, source);
	const char *text = arena_strdup(c->arena, text_str(&out));

	text_free(&out);
	return text;
}

/* A compiler with its flags. */
struct library_tool {
	const char *cc, *flags;
};

struct library_tool_vec VEC(struct library_tool);

static int tool_of(const struct library_content *c, struct library_tool_vec *tools,
		   const struct choice *choice)
{
	for (int i = 0; i < tools->n; i++)
		if (strcmp(tools->at[i].cc, choice->cc) == 0 &&
		    strcmp(tools->at[i].flags, choice->flags) == 0)
			return i;
	vec_push(c->arena, tools, (struct library_tool){ choice->cc, choice->flags });
	return tools->n - 1;
}

/* Of the flags only the one that names the machine, or all others that make an object. */
static void put_flags(struct text *out, const char *flags, bool machine)
{
	while (*flags) {
		size_t n = strcspn(flags, " ");
		bool names = strncmp(flags, "-march=", 7) == 0 || strncmp(flags, "-mcpu=", 6) == 0;

		if (names == machine && strncmp(flags, "-shared", n) != 0) {
			text_puts(out, " ");
			text_putn(out, flags, n);
		}
		flags += n + (flags[n] == ' ');
	}
}

static void put_tool(struct text *out, const struct library_tool *t, int i)
{
	text_printf(out, "\nTOOL_%d = %s\nTOOL_FLAGS_%d =", i, t->cc, i);
	put_flags(out, t->flags, false);
	text_printf(out,
		    "\nKERNEL_CC_%d := $(or $(KERNEL_CC),$(if $(shell command -v $(TOOL_%d)),$(TOOL_%d),"
		    "$(CC)))\n"
		    "KERNEL_FLAGS_%d := $(if $(filter $(KERNEL_CC_%d),$(TOOL_%d)),$(TOOL_FLAGS_%d),"
		    "$(PLAIN)) -fPIC -fvisibility=hidden $(ARCH) $(KERNEL_EXTRA)\n",
		    i, i, i, i, i, i, i);
}

static void put_rule(struct text *out, const char *object, const char *source, int tool)
{
	text_printf(out, "%s: %s\n\t$(KERNEL_CC_%d) $(KERNEL_FLAGS_%d) -c -o $@ %s\n", object,
		    source, tool, tool, source);
}

void library_kernel_rules(struct text *out, const struct library_content *c, const char *name)
{
	struct arena *a = c->arena;
	struct library_tool_vec tools = { 0 };
	int *tool = arena_many(a, int, c->kernels.n + 1);

	for (int i = 0; i < c->kernels.n; i++)
		tool[i] = tool_of(c, &tools, c->kernels.at[i]);
	text_puts(out, "# kernels.mk - how the kernels are compiled: with what they were measured "
		       "with, where that is\n# here. KERNEL_CC= names another compiler.\nARCH =");
	put_flags(out, tools.n ? tools.at[0].flags : "", true);
	text_puts(out, "\nKERNEL_CC =\n");
	for (int i = 0; i < tools.n; i++)
		put_tool(out, &tools.at[i], i);
	text_puts(out, "\nKERNELS =");
	for (int i = 0; i < c->kernels.n; i++)
		text_printf(out, " \\\n\tkernels/k%d.o", i);
	text_puts(out, "\n\n");
	for (int i = 0; i < c->kernels.n; i++)
		put_rule(out, arena_printf(a, "kernels/k%d.o", i),
			 arena_printf(a, "kernels/k%d.c", i), tool[i]);
	if (tools.n)
		put_rule(out, arena_printf(a, "%s_needs.o", name), arena_printf(a, "%s_needs.c", name),
			 0);
	else
		text_printf(out, "%s_needs.o: %s_needs.c\n\t$(CC) $(CFLAGS) $(OWN) -c -o $@ $<\n",
			    name, name);
}
