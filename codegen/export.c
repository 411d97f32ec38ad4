/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/export.c - C files, a header and a manifest. */
#include "codegen/export.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "codegen/export_args.h"
#include "codegen/manifest.h"
#include "config.h"
#include "schedule/text/step_text.h"

/* Digits of the key in a symbol: two kernels of one operator meet by chance in one of 2^32 pairs,
 * and then get all of them. */
enum { DIGITS = 8 };

enum { SYMBOL_OP = 40 };

const char *export_symbol(struct arena *a, const char *op, const char *key, int digits)
{
	const char *slash = strrchr(op, '/');	/* a .te file is named by its path */
	char *name = arena_printf(a, "%.*s", SYMBOL_OP, slash ? slash + 1 : op);
	size_t n = strlen(name);

	if (n > 3 && strcmp(name + n - 3, ".te") == 0)
		name[n - 3] = '\0';
	for (char *p = name; *p; p++)
		if (!isascii(*p) || !isalnum(*p))
			*p = '_';
	return arena_printf(a, "hone_%s_%.*s", name, digits, key);
}

const char *export_symbol_of(struct arena *a, const struct export_set *set, int i)
{
	const struct export_kernel *k = &set->kernels[i];
	const char *symbol = export_symbol(a, k->op, k->key, DIGITS);
	int digits = DIGITS;

	for (int j = 0; j < set->n; j++) {
		const struct export_kernel *other = &set->kernels[j];

		if (strcmp(k->key, other->key) != 0 &&
		    strcmp(symbol, export_symbol(a, other->op, other->key, DIGITS)) == 0)
			digits = HASH_TEXT - 1;
	}
	symbol = export_symbol(a, k->op, k->key, digits);
	return k->rank > 1 ? arena_printf(a, "%s_%d", symbol, k->rank) : symbol;
}

/* --- the C file */

/* What may stand in a comment: names come from users. */
static void put_comment(struct text *out, const char *s)
{
	for (; *s; s++) {
		bool ends = (s[0] == '*' && s[1] == '/') || (s[0] == '/' && s[1] == '*');

		text_putn(out, *s == '\n' ? " " : s, 1);
		if (ends)
			text_puts(out, " ");
	}
}

static void put_line(struct text *out, const char *label, const char *s)
{
	text_printf(out, " * %s", label);
	put_comment(out, s);
	text_puts(out, "\n");
}

static void put_arguments(struct text *out, const struct program *p)
{
	for (int i = 0; i < p->args.n; i++) {
		const struct tensor *t = exported_tensor(p, i);

		text_printf(out, " *\targs[%d]  %-6s ", i, exported_role(p, i));
		put_comment(out, t->name);
		text_printf(out, ": %s[", dtype_name(t->dtype));
		for (int d = 0; d < t->ndim; d++)
			text_printf(out, "%s%" PRId64, d ? ", " : "", t->shape[d]);
		text_puts(out, "]");
		if (exported_packed_bytes(p, i))
			text_printf(out, ", packed into %zu bytes", exported_packed_bytes(p, i));
		text_puts(out, "\n");
	}
}

static void put_needs(struct text *out, const struct export_kernel *k, const char *stack,
		      const char *workspace)
{
	struct emit_needs needs = emit_needs(k->program);

	text_printf(out, "%s%zu bytes at most, of each thread\n", stack, needs.stack);
	text_printf(out, "%s%zu bytes with %d thread%s\n", workspace,
		    exported_workspace_bytes(needs, k->threads), k->threads, k->threads > 1 ? "s" : "");
}

static void put_steps(struct text *out, const struct program *p)
{
	struct text steps = { 0 };

	state_print(&steps, p->state);
	for (const char *s = text_str(&steps); *s;) {
		int n = (int)strcspn(s, "\n");

		text_printf(out, " *\t%.*s\n", n, s);
		s += n + (s[n] == '\n');
	}
	text_free(&steps);
}

const char *export_flags(struct arena *a, const struct target *target)
{
	const char *march = target_is_own(target) ? "-march=native" : target->march;

	return arena_printf(a, "-O2%s%s -fno-unroll-loops -fopenmp", march ? " " : "",
			    march ? march : "");
}

static void put_time(struct text *out, const struct export_kernel *k)
{
	const char *time = k->time_us > 0 ? arena_printf(k->program->arena, "%.4g us", k->time_us)
					  : "unknown";

	if (k->time_us > 0)
		put_line(out, "Timed by  ", k->toolchain);
	text_printf(out, " * Time      %s with %d thread%s%s%s\n", time, k->threads,
		    k->threads > 1 ? "s" : "", *k->caveat ? "; " : "", k->caveat);
}

static void put_head(struct text *out, const struct export_set *set, const struct export_kernel *k,
		     const char *symbol)
{
	text_printf(out, "/* %s.c - a kernel found by hone " PACKAGE_VERSION ".\n *\n", symbol);
	put_line(out, "Task      ", k->task);
	put_line(out, "Made by   ", set->command);
	text_printf(out, " * Compile   cc %s -c %s.c\n",
		    export_flags(k->program->arena, k->program->target), symbol);
	put_line(out, "Device    ", k->device);
	put_time(out, k);
	put_needs(out, k, " * Stack     ", " * Workspace ");
	text_puts(out, " * SPDX-License-Identifier: " EXPORT_LICENCE "\n");
	text_puts(out, " *\n * Arguments, 64-byte aligned (hone_kernels.h says more):\n");
	put_arguments(out, k->program);
	text_puts(out, " *\n * Steps:\n");
	put_steps(out, k->program);
	text_puts(out, " *\n * This file is the output of a program: it is yours, under the "
		       "licence you choose.\n"
		       " * Link with -lm where it calls exp, tanh and the like. */\n\n"
		       "/* Not every type needs each of its helpers, nor each tail all of its registers. */\n"
		       "#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
		       "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n\n");
}

/* Without the target's instructions it would still compile, to something slow. */
static void put_guard(struct text *out, const struct target *target)
{
	if (target->defined)
		text_printf(out, "#if !(%s)\n#error \"this kernel is for %s: compile it on such a machine "
				 "by the command in its head\"\n#endif\n\n", target->defined, target->name);
}

static void put_body(struct text *out, const char *body, const struct target *target)
{
	if (!target->clang_attribute) {
		text_puts(out, body);
		return;
	}
	text_printf(out, "#ifdef __clang__\n#pragma clang attribute push("
			 "__attribute__((%s)), apply_to = function)\n#endif\n\n",
		    target->clang_attribute);
	text_puts(out, body);
	text_puts(out, "\n#ifdef __clang__\n#pragma clang attribute pop\n#endif\n");
}

const char *export_kernel(struct arena *a, const char *dir, const struct export_set *set, int i)
{
	const struct export_kernel *k = &set->kernels[i];
	const char *symbol = export_symbol_of(a, set, i);
	const char *path = arena_printf(a, "%s/%s.c", dir, symbol);
	const char *why = "";
	struct text out = { 0 }, body = { 0 };
	int rc = dir_make(dir);

	if (rc == 0 && !emit_c(&body, k->program, symbol, &why))
		rc = err_set("%s: its C cannot be written: %s (tune it again)", k->task, why);
	put_head(&out, set, k, symbol);
	put_guard(&out, k->program->target);
	put_body(&out, text_str(&body), k->program->target);
	emit_entry(&out, k->program, symbol);
	if (rc == 0)
		rc = file_write(path, out.s, out.n);
	text_free(&body);
	text_free(&out);
	return rc == 0 ? path : NULL;
}

/* --- the header */

/* How all of them are called. */
static const char contract[] =
	" *\n"
	" * int32_t NAME(void *const *args, void *workspace, int32_t threads) computes.\n"
	" *\n"
	" * args: the inputs in order, then the outputs, dense, row-major and 64-byte\n"
	" * aligned. Inputs are only read; an output overlaps no other argument.\n"
	" *\n"
	" * workspace: NAME_workspace_bytes(threads) bytes, 64-byte aligned, of any\n"
	" * content; NULL will do where that is 0. Between two calls it may serve others.\n"
	" *\n"
	" * threads: so many work at most, whatever the environment says. Any number from\n"
	" * 1 on gives a right result; the listed one is what the kernel was tuned for.\n"
	" *\n"
	" * It returns 0; or -1, and has done nothing, where threads is less than 1 or the\n"
	" * workspace is missing. All memory is the caller's: a kernel allocates nothing\n"
	" * and keeps nothing, and calls may overlap in time where each has outputs and a\n"
	" * workspace of its own.\n"
	" *\n"
	" * Packed inputs: where NAME_packed_bytes(input) is not 0, args[input] is what\n"
	" * NAME_pack(input, raw, packed) made of the tensor in so many bytes, 64-byte\n"
	" * aligned: once, for all calls. That layout is known to this version of this\n"
	" * kernel alone.\n"
	" *\n"
	" * Threads of your own can do what NAME does: NAME_phases() phases in turn, in each\n"
	" * of them NAME_part(phase, args, workspace, thread, threads) for all threads of\n"
	" * [0, threads), in any order or at the same time. A phase begins when all parts of\n"
	" * the one before have ended.\n"
	" *\n"
	" * Blocked layouts show in the shapes. With blocks of 16 channels an image is\n"
	" * [n, c / 16, h, w, 16], the weight of a convolution [oc / 16, ic / 16, kh, kw,\n"
	" * 16, 16] (input channels, then output channels), that of a depthwise one\n"
	" * [c / 16, kh, kw, 16]; vectors of a value a channel are not blocked. */\n";

static void put_prototypes(struct text *out, const struct export_kernel *k, const char *symbol)
{
	text_puts(out, "\n/* ");
	put_comment(out, k->task);
	text_puts(out, "\n");
	put_arguments(out, k->program);
	put_needs(out, k, " *\tstack: ", " *\tworkspace: ");
	text_printf(out,
		    " */\nint32_t %1$s(void *const *args, void *workspace, int32_t threads);\n"
		    "int32_t %1$s_phases(void);\n"
		    "void %1$s_part(int32_t phase, void *const *args, void *workspace, "
		    "int32_t thread, int32_t threads);\n"
		    "size_t %1$s_workspace_bytes(int32_t threads);\n"
		    "size_t %1$s_packed_bytes(int32_t input);\n"
		    "void %1$s_pack(int32_t input, const void *raw, void *packed);\n",
		    symbol);
}

static int write_header(struct arena *a, const char *dir, const struct export_set *set)
{
	struct text out = { 0 };

	text_puts(&out, "/* hone_kernels.h - kernels found by hone " PACKAGE_VERSION ".\n *\n");
	put_line(&out, "Made by ", set->command);
	text_puts(&out, contract);
	text_puts(&out, "#ifndef HONE_KERNELS_H\n#define HONE_KERNELS_H\n\n"
			"#include <stddef.h>\n#include <stdint.h>\n\n"
			"#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
	for (int i = 0; i < set->n; i++)
		if (!set->kernels[i].refused)
			put_prototypes(&out, &set->kernels[i], export_symbol_of(a, set, i));
	text_puts(&out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
	int rc = file_write(arena_printf(a, "%s/hone_kernels.h", dir), out.s, out.n);

	text_free(&out);
	return rc;
}

/* --- all of it */

json_t *export_index(const char *dir, const struct export_set *set)
{
	struct arena *a = arena_new();
	json_t *root = NULL;

	if (dir_make(dir) == 0 && write_header(a, dir, set) == 0)
		root = manifest_write(a, dir, set);
	arena_free(a);
	return root;
}
