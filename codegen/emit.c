/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/emit.c - the functions of a C file: the kernel, and those that pack constants. */
#include "codegen/emit.h"

#include <inttypes.h>

#include "codegen/emitter.h"
#include "te/index/index.h"

static void emit_kernel(struct emitter *e)
{
	emit_line(e, "void %s_part(int32_t phase, void *const *args, void *workspace, "
		     "int32_t thread, int32_t threads)", e->symbol);
	emit_line(e, "{");
	e->indent++;
	emit_arguments(e);
	struct text head = e->body;

	e->body = (struct text){ 0 };
	emit_temps(e);
	int phases = emit_phases(e);
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

static void emit_packed_bytes(struct emitter *e)
{
	emit_line(e, "size_t %s_packed_bytes(int32_t input)", e->symbol);
	emit_line(e, "{");
	e->indent++;
	for (int i = 0; i < e->p->packs.n; i++) {
		const struct pack *k = e->p->packs.at[i];

		emit_line(e, "if (input == %d)", k->input);
		emit_line(e, "\treturn %zu;", tensor_bytes(&k->packed->tensor));
	}
	if (e->p->packs.n == 0)
		emit_line(e, "(void)input;");
	emit_line(e, "return 0;");
	e->indent--;
	emit_line(e, "}\n");
}

/* The loops of one pack around the copy of an element, or a zero beyond the end. */
static void emit_pack(struct emitter *e, const struct pack *k)
{
	const char *type = dtype_c(k->raw->dtype);
	struct text inside = { 0 };

	emit_line(e, "const %s *from = raw;", type);
	emit_line(e, "%s *to = packed;\n", type);
	for (int i = 0; i < k->loops.n; i++) {
		const struct axis *axis = k->loops.at[i];
		const char *name = emit_name(e, axis->name);

		emit_line(e, "for (int64_t %s = 0; %s < %" PRId64 "; %s++) {", name, name, axis->hi,
		     name);
		e->indent++;
		emit_bind(e, (struct bound_axis){ axis, false, 0, name });
	}
	const char *at = "0";

	for (int d = 0; d < k->raw->ndim; d++) {
		const char *name = emit_name(e, "d");

		emit_line(e, "const int64_t %s = %s;", name, index_text(e, k->index[d]));
		text_printf(&inside, "%s%s >= 0 && %s < %" PRId64, d ? " && " : "", name, name,
			    k->raw->shape[d]);
		at = arena_printf(e->a, "(%s) * %" PRId64 " + %s", at, k->raw->shape[d], name);
	}
	emit_line(e, "*to++ = %s ? from[%s] : 0;", k->raw->ndim ? text_str(&inside) : "1", at);
	text_free(&inside);
	for (int i = 0; i < k->loops.n; i++) {
		e->bindings.n--;
		e->indent--;
		emit_line(e, "}");
	}
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
	emit_packed_bytes(&e);
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
