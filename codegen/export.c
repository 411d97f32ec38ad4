/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/export.c - C files, a header and a manifest. */
#include "codegen/export.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "codegen/emit.h"
#include "config.h"
#include "schedule/step_text.h"

/* Digits of the key in a symbol: two kernels of one operator meet by chance in one of 2^32 pairs,
 * and then get all of them. */
enum { DIGITS = 8 };

enum { SYMBOL_OP = 40, SOURCE_MOST = 1 << 28 };

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

	for (int j = 0; j < set->n; j++) {
		const struct export_kernel *other = &set->kernels[j];

		if (strcmp(k->key, other->key) != 0 &&
		    strcmp(symbol, export_symbol(a, other->op, other->key, DIGITS)) == 0)
			return export_symbol(a, k->op, k->key, HASH_TEXT - 1);
	}
	return symbol;
}

/* --- arguments */

/* Argument I as the caller has it, before packing. */
static const struct tensor *raw_tensor(const struct program *p, int i)
{
	const struct pack *pack = program_pack(p, i);

	return pack ? &pack->raw->tensor : &p->args.at[i]->tensor;
}

static size_t packed_bytes(const struct program *p, int i)
{
	const struct pack *pack = program_pack(p, i);

	return pack ? emit_packed_bytes(p, pack) : 0;
}

static struct emit_needs needs_of(const struct export_kernel *k)
{
	return emit_needs(k->program);
}

static size_t workspace_bytes(struct emit_needs needs, int threads)
{
	return needs.shared + needs.thread * (size_t)threads;
}

static const char *role_of(const struct program *p, int i)
{
	const struct buffer *b = p->args.at[i];

	if (b->kind == BUFFER_OUTPUT)
		return "output";
	return b->constant ? "const" : "input";
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
		const struct tensor *t = raw_tensor(p, i);

		text_printf(out, " *\targs[%d]  %-6s ", i, role_of(p, i));
		put_comment(out, t->name);
		text_printf(out, ": %s[", dtype_name(t->dtype));
		for (int d = 0; d < t->ndim; d++)
			text_printf(out, "%s%" PRId64, d ? ", " : "", t->shape[d]);
		text_puts(out, "]");
		if (packed_bytes(p, i))
			text_printf(out, ", packed into %zu bytes", packed_bytes(p, i));
		text_puts(out, "\n");
	}
}

static void put_needs(struct text *out, const struct export_kernel *k, const char *stack,
		      const char *workspace)
{
	struct emit_needs needs = needs_of(k);

	text_printf(out, "%s%zu bytes at most, of each thread\n", stack, needs.stack);
	text_printf(out, "%s%zu bytes with %d thread%s\n", workspace,
		    workspace_bytes(needs, k->threads), k->threads, k->threads > 1 ? "s" : "");
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

static void put_head(struct text *out, const struct export_set *set, const struct export_kernel *k,
		     const char *symbol)
{
	text_printf(out, "/* %s.c - a kernel found by hone " PACKAGE_VERSION ".\n *\n", symbol);
	put_line(out, "Task      ", k->task);
	put_line(out, "Made by   ", set->command);
	text_printf(out, " * Compile   cc %s -c %s.c\n",
		    export_flags(k->program->arena, k->program->target), symbol);
	put_line(out, "Device    ", k->device);
	put_line(out, "Timed by  ", k->toolchain);
	text_printf(out, " * Time      %.4g us with %d thread%s%s%s\n", k->time_us, k->threads,
		    k->threads > 1 ? "s" : "", *k->caveat ? "; " : "", k->caveat);
	put_needs(out, k, " * Stack     ", " * Workspace ");
	text_puts(out, " * SPDX-License-Identifier: " EXPORT_LICENCE "\n");
	text_puts(out, " *\n * Arguments, 64-byte aligned (hone_kernels.h says more):\n");
	put_arguments(out, k->program);
	text_puts(out, " *\n * Steps:\n");
	put_steps(out, k->program);
	text_puts(out, " *\n * This file is the output of a program: it is yours, under the "
		       "licence you choose.\n"
		       " * Link with -lm where it calls exp, tanh and the like. */\n\n"
		       "/* Not every type needs each of its helpers, nor each tail all of its "
		       "registers. */\n"
		       "#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
		       "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n\n");
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

/* --- the manifest */

/* Text that users or compilers wrote may hold any bytes; JSON may not. */
static json_t *json_text(const char *s)
{
	json_t *j = json_string(s);

	return j ? j : json_string("(not UTF-8)");
}

static json_t *arguments_json(const struct program *p)
{
	json_t *list = json_array();

	for (int i = 0; i < p->args.n; i++) {
		const struct tensor *t = raw_tensor(p, i);
		json_t *shape = json_array();

		for (int d = 0; d < t->ndim; d++)
			json_array_append_new(shape, json_integer(t->shape[d]));
		json_array_append_new(
			list, json_pack("{s:o, s:s, s:o, s:s, s:I, s:I}", "name",
					json_text(t->name), "dtype", dtype_name(t->dtype), "shape",
					shape, "role", role_of(p, i), "bytes",
					(json_int_t)tensor_bytes(t), "packed_bytes",
					(json_int_t)packed_bytes(p, i)));
	}
	return list;
}

/* Of the C file of SYMBOL, as xxh128sum has it; null where it was not written. */
static json_t *file_hash(struct arena *a, const char *dir, const char *symbol)
{
	size_t n;
	const char *text = file_read(a, arena_printf(a, "%s/%s.c", dir, symbol), SOURCE_MOST, &n);
	char hash[HASH_TEXT];

	return text ? json_string(hash_text(hash_bytes(text, n), hash)) : json_null();
}

static json_t *kernel_json(struct arena *a, const char *dir, const struct export_set *set, int i)
{
	const struct export_kernel *k = &set->kernels[i];
	const char *symbol = export_symbol_of(a, set, i);
	struct emit_needs needs = needs_of(k);

	return json_pack("{s:s, s:o, s:o, s:s, s:s, s:s, s:s, s:f, s:s, s:O, s:o, s:s, s:o, s:i, "
			 "s:I, s:I, s:o, s:o, s:O?}",
			 "task", k->key, "name", json_text(k->task), "op", json_text(k->op), "shape",
			 k->shape, "symbol", symbol, "file", arena_printf(a, "%s.c", symbol),
			 "steps", k->steps, "time_us", k->time_us, "caveat", k->caveat,
			 "evidence", k->evidence, "device", json_text(k->device),
			 "fingerprint", k->fingerprint, "toolchain", json_text(k->toolchain),
			 "threads", k->threads, "stack_bytes", (json_int_t)needs.stack,
			 "workspace_bytes", (json_int_t)workspace_bytes(needs, k->threads),
			 "xxh128", file_hash(a, dir, symbol), "arguments",
			 arguments_json(k->program), "uses", k->uses);
}

static json_t *manifest(struct arena *a, const char *dir, const struct export_set *set)
{
	json_t *kernels = json_array();

	for (int i = 0; i < set->n; i++)
		if (!set->kernels[i].refused)
			json_array_append_new(kernels, kernel_json(a, dir, set, i));
	json_t *root = json_pack("{s:s, s:o, s:s, s:s, s:o}", "hone", PACKAGE_VERSION, "command",
				 json_text(set->command), "licence", EXPORT_LICENCE, "header",
				 "hone_kernels.h", "kernels", kernels);

	if (!root)
		die("out of memory");
	return root;
}

static int write_manifest(struct arena *a, const char *dir, json_t *root)
{
	char *text = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
	struct text out = { 0 };

	if (!text)
		die("out of memory");
	text_printf(&out, "%s\n", text);
	int rc = file_write(arena_printf(a, "%s/manifest.json", dir), out.s, out.n);

	text_free(&out);
	free(text);
	return rc;
}

json_t *export_index(const char *dir, const struct export_set *set)
{
	struct arena *a = arena_new();
	json_t *root = NULL;

	if (dir_make(dir) == 0 && write_header(a, dir, set) == 0) {
		root = manifest(a, dir, set);
		if (write_manifest(a, dir, root) < 0) {
			json_decref(root);
			root = NULL;
		}
	}
	arena_free(a);
	return root;
}
