/* SPDX-License-Identifier: Apache-2.0 */
/* tests/golden/run.c - compares what steps make of a DAG with what a file says they make.
 *
 *	tests/golden/run [--accept] [FILE.te ...]
 *
 * A file is a DAG, then sections as tests/golden/golden.h has them: "target", the name of one where it is not
 * x86-64-avx512, "steps", and of these what the file wants: "nest", "refused" (why lower() says no), "c" (the kernel), "pack" (what packs its constants),
 * "instructions" (of the target vdla, by default).
 */
#include "schedule/text/nest_text.h"
#include "schedule/text/step_text.h"
#include "tests/golden/golden.h"

#include "codegen/emit.h"
#include "codegen/vdla/generate.h"
#include "target/vdla/assembler.h"
#include "te/text/text.h"

/* What emit_c makes of P from text FROM to text TO. */
static int expand_c(struct golden *g, const struct program *p, const char *from, const char *to,
		    struct text *out)
{
	const char *why = "";
	struct text all = {0};

	if (!emit_c(&all, p, "hone_kernel", &why))
		return err_set("%s: emit_c refuses: %s", g->path, why);
	const char *begin = strstr(text_str(&all), from);
	const char *end = begin ? strstr(begin, to) : NULL;

	if (end)
		text_putn(out, begin, (size_t)(end - begin) + 1);
	text_free(&all);
	return end ? 0 : err_set("%s: there is no kernel in the C text", g->path);
}

static int expand_instructions(struct golden *g, const struct program *p, struct text *out)
{
	const char *why = "";
	const struct vdla_binary *b = vdla_generate(g->arena, p, &vdla_machine_default, &why);

	for (int i = 0; b && i < b->code.n; i++) {
		vdla_instruction_print(out, &b->code.at[i]);
		text_puts(out, "\n");
	}
	return b ? 0 : err_set("%s: vdla_generate refuses: %s", g->path, why);
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
	/* types and helpers are much the same in all */
	if (strcmp(name, "c") == 0)
		return expand_c(g, p, "void hone_kernel_part(",
				"\n\nsize_t hone_kernel_packed_bytes(", out);
	if (strcmp(name, "instructions") == 0)
		return expand_instructions(g, p, out);
	if (strcmp(name, "pack") == 0)
		return expand_c(g, p, "size_t hone_kernel_packed_bytes(", "\n\t(void)input, (void)raw", out);
	return err_set("%s: there is no section '%s'", g->path, name);
}

static const struct target *target_of(struct golden *g)
{
	char *text = find_section(g, "target");

	if (!text)
		return &target_x86_64_avx512;
	const struct target *t = target_named(arena_strndup(g->arena, text, strcspn(text, "\n")));

	if (!t)
		err_set("%s: there is no such target", g->path);
	return t;
}

/* The whole file as it ought to be. */
static int rewrite(struct golden *g, struct text *out)
{
	struct arena *a = g->arena;
	char *steps = find_section(g, "steps");
	struct dag *dag = dag_parse(a, g->path, g->at[0].text);
	struct state *state = dag ? state_parse(a, dag, g->path, steps ? steps : "") : NULL;
	const struct target *target = target_of(g);
	const char *why = "";

	if (!state || !target)
		return -1;
	struct program *p = lower(a, state, target, &why);

	text_puts(out, g->at[0].text);
	for (int i = 1; i < g->n; i++) {
		bool last = i == g->n - 1;

		text_printf(out, "%s%s\n", golden_marker, g->at[i].name);
		if (strcmp(g->at[i].name, "steps") == 0 || strcmp(g->at[i].name, "target") == 0) {
			text_puts(out, g->at[i].text);
			continue;
		}
		if (expand(g, g->at[i].name, p, why, out) < 0)
			return -1;
		text_puts(out, last ? "" : "\n");
	}
	return 0;
}

int main(int argc, char **argv)
{
	return golden_main(argc, argv, "tests/golden/*.te", rewrite);
}
