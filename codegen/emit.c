/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/emit.c - the functions of a C file: the kernel, and those that pack constants. */
#include "codegen/emit.h"

#include "codegen/emitter.h"

/* Bytes to which a caller aligns the stack on x86-64 and aarch64. */
enum { STACK_ALIGNMENT = 16 };

static void emit_kernel(struct emitter *e)
{
	bool wide = e->p->target->vector_bytes > STACK_ALIGNMENT;

	emit_line(e, "%svoid %s_part(int32_t phase, void *const *args, void *workspace, "
		     "int32_t thread, int32_t threads)", wide ? "SPILLS_ALIGNED " : "", e->symbol);
	emit_line(e, "{");
	e->indent++;
	emit_arguments(e);
	struct text head = e->body;

	e->body = (struct text){ 0 };
	emit_temps(e);
	int phases = emit_phases(e);

	if (e->streams)		/* other threads may read it once this one has joined them */
		emit_line(e, "hone_streamed();");
	if (e->matrix.used)
		emit_line(e, "matrix_end(matrices);");
	struct text rest = e->body;	/* what it takes of the workspace is known only now */

	e->body = head;
	emit_workspace(e);
	text_puts(&e->body, text_str(&rest));
	text_free(&rest);
	e->indent--;
	emit_line(e, "}\n");
	emit_line(e, "int32_t %s_phases(void)", e->symbol);
	emit_line(e, "{\n\treturn %d;\n}\n", phases);
}

static void emit_workspace_bytes(struct emitter *e)
{
	struct emit_needs needs = kernel_needs(e);

	emit_line(e, "size_t %s_workspace_bytes(int32_t threads)", e->symbol);
	emit_line(e, "{");
	e->indent++;
	if (needs.thread > 0) {
		emit_line(e, "return threads < 1 ? 0 : %zu + %zu * (size_t)threads;", needs.shared,
			  needs.thread);
	} else {
		emit_line(e, "(void)threads;");
		emit_line(e, "return %zu;", needs.shared);
	}
	e->indent--;
	emit_line(e, "}\n");
}

static void emit_bytes_of_packs(struct emitter *e)
{
	emit_line(e, "size_t %s_packed_bytes(int32_t input)", e->symbol);
	emit_line(e, "{");
	e->indent++;
	for (int i = 0; i < e->p->packs.n; i++) {
		const struct pack *k = e->p->packs.at[i];

		emit_line(e, "if (input == %d)", k->input);
		emit_line(e, "\treturn %zu;", emit_packed_bytes(e->p, k));
	}
	if (e->p->packs.n == 0)
		emit_line(e, "(void)input;");
	emit_line(e, "return 0;");
	e->indent--;
	emit_line(e, "}\n");
}

static void emit_pack(struct emitter *e, const struct pack *k)
{
	emit_pack_places(e, k);
	text_puts(&e->body, "\n");
	emit_list(e, k->body);
}

static void emit_packs(struct emitter *e)
{
	emit_line(e, "void %s_pack(int32_t input, const void *raw, void *packed)", e->symbol);
	emit_line(e, "{");
	e->indent++;
	for (int i = 0; i < e->p->packs.n; i++) {
		emit_line(e, "if (input == %d) {", e->p->packs.at[i]->input);
		e->indent++;
		emit_pack(e, e->p->packs.at[i]);
		e->indent--;
		emit_line(e, "}");
	}
	emit_line(e, "(void)input, (void)raw, (void)packed;");
	e->indent--;
	emit_line(e, "}");
}

bool emit_c(struct text *out, const struct program *p, const char *symbol, const char **why)
{
	struct emitter e = { .a = arena_new(), .p = p, .symbol = symbol };

	emit_kernel(&e);
	emit_workspace_bytes(&e);
	emit_bytes_of_packs(&e);
	emit_packs(&e);
	if (!e.why) {
		prelude(out, &e);
		text_puts(out, text_str(&e.body));
	} else if (why) {
		*why = e.why;
	}
	bool ok = !e.why;

	text_free(&e.body);
	arena_free(e.a);
	return ok;
}

struct emit_needs emit_needs(const struct program *p)
{
	struct emitter e = { .a = arena_new(), .p = p, .symbol = "hone_kernel" };

	emit_kernel(&e);
	struct emit_needs needs = kernel_needs(&e);

	text_free(&e.body);
	arena_free(e.a);
	return needs;
}
