/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/manifest.c - what is in a folder of exported kernels, as JSON. */
#include "codegen/manifest.h"

#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "codegen/export_args.h"
#include "config.h"

enum { SOURCE_MOST = 1 << 28 };

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
		const struct tensor *t = exported_tensor(p, i);
		json_t *shape = json_array();

		for (int d = 0; d < t->ndim; d++)
			json_array_append_new(shape, json_integer(t->shape[d]));
		json_array_append_new(
			list, json_pack("{s:o, s:s, s:o, s:s, s:I, s:I}", "name",
					json_text(t->name), "dtype", dtype_name(t->dtype), "shape",
					shape, "role", exported_role(p, i), "bytes",
					(json_int_t)tensor_bytes(t), "packed_bytes",
					(json_int_t)exported_packed_bytes(p, i)));
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
	struct emit_needs needs = emit_needs(k->program);

	return json_pack("{s:s, s:i, s:o, s:o, s:s, s:s, s:s, s:s, s:o, s:s, s:O, s:o, s:s, s:o, s:i, "
			 "s:I, s:I, s:o, s:o, s:O?}",
			 "task", k->key, "rank", k->rank, "name", json_text(k->task), "op", json_text(k->op), "shape",
			 k->shape, "symbol", symbol, "file", arena_printf(a, "%s.c", symbol),
			 "steps", k->steps, "time_us", k->time_us > 0 ? json_real(k->time_us) : json_null(), "caveat", k->caveat,
			 "evidence", k->evidence, "device", json_text(k->device),
			 "fingerprint", k->fingerprint, "toolchain", json_text(k->toolchain),
			 "threads", k->threads, "stack_bytes", (json_int_t)needs.stack,
			 "workspace_bytes", (json_int_t)exported_workspace_bytes(needs, k->threads),
			 "xxh128", file_hash(a, dir, symbol), "arguments",
			 arguments_json(k->program), "uses", k->uses);
}

static json_t *describe(struct arena *a, const char *dir, const struct export_set *set)
{
	json_t *kernels = json_array();

	for (int i = 0; i < set->n; i++)
		if (!set->kernels[i].refused)
			json_array_append_new(kernels, kernel_json(a, dir, set, i));
	json_t *root = json_pack("{s:s, s:o, s:s, s:s, s:o, s:o}", "hone", PACKAGE_VERSION, "command",
				 json_text(set->command), "licence", EXPORT_LICENCE, "header",
				 "hone_kernels.h", "kernels", kernels, "misses",
				 set->misses ? json_incref(set->misses) : json_array());

	if (!root)
		die("out of memory");
	return root;
}

static int write(struct arena *a, const char *dir, json_t *root)
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

json_t *manifest_write(struct arena *a, const char *dir, const struct export_set *set)
{
	json_t *root = describe(a, dir, set);

	if (write(a, dir, root) == 0)
		return root;
	json_decref(root);
	return NULL;
}
