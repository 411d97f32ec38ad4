/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/csource/emit.c - writes the source; what users include stands at its head, so that it
 * needs no other file. */
#include "partition/generators/csource/emit.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"

/* include/hone_kernels.h as a string. */
static const char kernels_header[] =
#include "partition/generators/csource/hone_kernels.inc"
	;

#define X(name) static_assert((int)HONE_##name == (int)HONE_KERNEL_##name, "both headers number " #name);
X(F32) X(F64) X(F16) X(BF16) X(I8) X(U8) X(I32) X(I64) X(BOOL)
#undef X

static const char *const types[] = {
	"F32", "F64", "F16", "BF16", "I8", "U8", "I32", "I64", "BOOL",
};

static const size_t type_bytes[] = { 4, 8, 2, 2, 1, 1, 4, 8, 1 };

/* --- what a call is */

static struct hone_kernel_tensor tensor_of(const struct hone_region *r, int tensor)
{
	struct hone_kernel_tensor out = { .rank = -1 };

	if (tensor >= 0) {
		out.type = (enum hone_kernel_type)r->tensors[tensor].type;
		out.rank = r->tensors[tensor].rank;
		memcpy(out.dim, r->tensors[tensor].dim, (size_t)out.rank * sizeof(*out.dim));
	}
	return out;
}

static bool has_type(const struct hone_region *r, int tensor)
{
	return tensor < 0 || r->tensors[tensor].type != HONE_OTHER;
}

const struct hone_kernel_call *emit_call(struct arena *a, const struct hone_region *r,
					 const struct hone_region_call *c)
{
	struct hone_kernel_call *out = arena_one(a, struct hone_kernel_call);
	struct hone_kernel_tensor *inputs = arena_many(a, struct hone_kernel_tensor, c->ninputs);
	struct hone_kernel_attr *attrs = arena_many(a, struct hone_kernel_attr, c->nattrs);
	bool typed = has_type(r, c->output), conv = strcmp(c->op, "conv") == 0;

	for (int i = 0; i < c->ninputs; i++) {
		typed &= has_type(r, c->inputs[i]);
		inputs[i] = tensor_of(r, c->inputs[i]);
	}
	for (int i = 0; i < c->nattrs; i++) {
		const struct hone_region_attr *at = &c->attrs[i];

		attrs[i] = (struct hone_kernel_attr){ at->name, at->n, at->ints, at->floats, at->text };
	}
	*out = (struct hone_kernel_call){
		.name = conv ? arena_printf(a, "conv%dd", r->tensors[c->output].rank - 2) : c->op,
		.ninputs = c->ninputs, .inputs = inputs, .output = tensor_of(r, c->output),
		.nattrs = c->nattrs, .attrs = attrs,
	};
	return typed ? out : NULL;
}

/* --- as constants */

static void emit_tensor(struct text *out, const struct hone_kernel_tensor *t)
{
	if (t->rank < 0) {
		text_puts(out, "{ .rank = -1 }");
		return;
	}
	text_printf(out, "{ HONE_KERNEL_%s, %d", types[t->type], t->rank);
	for (int i = 0; i < t->rank; i++)
		text_printf(out, "%s%lld", i ? ", " : ", { ", (long long)t->dim[i]);
	text_puts(out, t->rank ? " } }" : " }");
}

/* S as a string of C, whatever its bytes. */
static void emit_string(struct text *out, const char *s)
{
	text_puts(out, "\"");
	for (; *s; s++)
		text_printf(out, isalnum((unsigned char)*s) || strchr(" _-+.,:", *s) ? "%c" : "\\%03o",
			    (unsigned char)*s);
	text_puts(out, "\"");
}

static void emit_int(struct text *out, int64_t v)
{
	if (v == INT64_MIN)
		text_puts(out, "INT64_MIN");
	else
		text_printf(out, "%lld", (long long)v);
}

static void emit_float(struct text *out, double v)
{
	if (isnan(v))
		text_puts(out, "NAN");
	else if (isinf(v))
		text_puts(out, v < 0 ? "-INFINITY" : "INFINITY");
	else
		text_printf(out, "%.17g", v);
}

static void emit_attr(struct text *out, const struct hone_kernel_attr *at)
{
	text_puts(out, "\t\t{ .name = ");
	emit_string(out, at->name);
	if (at->text) {
		text_puts(out, ", .text = ");
		emit_string(out, at->text);
	}
	if (!at->text && at->n)
		text_printf(out, ", .n = %d, %s", at->n,
			    at->ints ? ".ints = (const int64_t[]){ " : ".floats = (const double[]){ ");
	for (int i = 0; !at->text && i < at->n; i++) {
		text_puts(out, i ? ", " : "");
		if (at->ints)
			emit_int(out, at->ints[i]);
		else
			emit_float(out, at->floats[i]);
	}
	text_puts(out, !at->text && at->n ? " } },\n" : " },\n");
}

static void emit_constants(struct text *out, const struct hone_kernel_call *c, int index)
{
	text_printf(out, "\nextern hone_kernel kernel_%s;\n", c->name);
	text_printf(out, "static const struct hone_kernel_call call_%d = {\n\t.name = \"%s\",\n", index,
		    c->name);
	if (c->ninputs)
		text_printf(out, "\t.ninputs = %d,\n\t.inputs = (const struct hone_kernel_tensor[]){\n",
			    c->ninputs);
	for (int i = 0; i < c->ninputs; i++) {
		text_puts(out, "\t\t");
		emit_tensor(out, &c->inputs[i]);
		text_puts(out, ",\n");
	}
	text_puts(out, c->ninputs ? "\t},\n\t.output = " : "\t.output = ");
	emit_tensor(out, &c->output);
	text_puts(out, ",\n");
	if (c->nattrs)
		text_printf(out, "\t.nattrs = %d,\n\t.attrs = (const struct hone_kernel_attr[]){\n",
			    c->nattrs);
	for (int i = 0; i < c->nattrs; i++)
		emit_attr(out, &c->attrs[i]);
	text_puts(out, c->nattrs ? "\t},\n};\n" : "};\n");
}

/* --- the calls */

static size_t tensor_bytes(const struct hone_region_tensor *t)
{
	size_t bytes = type_bytes[t->type];

	for (int i = 0; i < t->rank; i++)
		bytes *= (size_t)t->dim[i];
	return (bytes + EMIT_ALIGN - 1) / EMIT_ALIGN * EMIT_ALIGN;
}

/* Where each tensor of R is, as the source says it; *SCRATCH is what is in none of the caller's places. */
static const char **find_places(struct arena *a, const struct hone_region *r, size_t *scratch)
{
	const char **place = arena_many(a, const char *, r->ntensors);
	int constants = 0;

	*scratch = 0;
	for (int i = 0; i < r->ninputs; i++)
		place[r->inputs[i]] = arena_printf(a, "inputs[%d]", i);
	for (int i = 0; i < r->noutputs; i++)
		place[r->outputs[i]] = arena_printf(a, "outputs[%d]", i);
	for (int i = 0; i < r->ntensors; i++) {
		if (r->tensors[i].data)
			place[i] = arena_printf(a, "constants[%d]", constants++);
		if (place[i])
			continue;
		place[i] = arena_printf(a, "inside + %zu", *scratch);
		*scratch += tensor_bytes(&r->tensors[i]);
	}
	return place;
}

static void emit_run(struct text *out, struct arena *a, const struct hone_region *r)
{
	size_t scratch;
	const char **place = find_places(a, r, &scratch);

	text_printf(out, "\nconst size_t region_scratch_bytes = %zu;\n\n", scratch);
	text_puts(out, "int region_run(const void *const *inputs, void *const *outputs, "
		       "const void *const *constants, void *scratch,\n\t       int threads)\n{\n"
		       "\tchar *inside = scratch;\n\n\t(void)inputs, (void)constants, (void)inside;\n");
	for (int i = 0; i < r->ncalls; i++) {
		const struct hone_region_call *c = &r->calls[i];

		text_printf(out, "\tif (kernel_%s(&call_%d, (const void *const[]){ ",
			    emit_call(a, r, c)->name, i);
		for (int j = 0; j < c->ninputs; j++)
			text_printf(out, "%s%s", j ? ", " : "", c->inputs[j] < 0 ? "NULL" : place[c->inputs[j]]);
		text_printf(out, "%s }, %s, threads))\n\t\treturn %d;\n", c->ninputs ? "" : "NULL",
			    place[c->output], i + 1);
	}
	text_puts(out, "\treturn 0;\n}\n");
}

void emit_region(struct text *out, const struct hone_region *r)
{
	struct arena *a = arena_new();

	text_puts(out, "/* Calls of kernels, written by hone's code generator csource. */\n");
	text_puts(out, kernels_header);
	text_puts(out, "\n#include <math.h>\n");
	for (int i = 0; i < r->ncalls; i++)
		emit_constants(out, emit_call(a, r, &r->calls[i]), i);
	text_puts(out, "\nconst char *const region_calls[] = {\n");
	for (int i = 0; i < r->ncalls; i++)
		text_printf(out, "\t\"%s\",\n", emit_call(a, r, &r->calls[i])->name);
	text_puts(out, "};\n");
	emit_run(out, a, r);
	arena_free(a);
}
