/* SPDX-License-Identifier: Apache-2.0 */
/* partition/region_source.c - what is zero is left out, and C has no lists of none. */
#include "partition/region_source.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char region_source_header[] =
#include "partition/hone_generator.inc"
	;

static const char *const types[] = {
	[HONE_F32] = "HONE_F32", [HONE_F64] = "HONE_F64", [HONE_F16] = "HONE_F16", [HONE_BF16] = "HONE_BF16",
	[HONE_I8] = "HONE_I8", [HONE_U8] = "HONE_U8", [HONE_I32] = "HONE_I32", [HONE_I64] = "HONE_I64",
	[HONE_BOOL] = "HONE_BOOL", [HONE_OTHER] = "HONE_OTHER",
};

/* A question mark could be one of a trigraph. */
void region_source_string(struct text *out, const char *s)
{
	text_puts(out, "\"");
	for (; *s; s++)
		if (*s >= ' ' && *s <= '~' && !strchr("\"\\?", *s))
			text_putn(out, s, 1);
		else
			text_printf(out, "\\%03o", (unsigned char)*s);
	text_puts(out, "\"");
}

/* The least has no literal of its own. */
static void put_int(struct text *out, int64_t v)
{
	if (v == INT64_MIN)
		text_puts(out, "INT64_MIN");
	else
		text_printf(out, "%" PRId64, v);
}

/* 17 digits say which double it is; one without a point would be an integer, which has no -0. */
static void put_float(struct text *out, double v)
{
	char digits[32];

	if (isnan(v)) {
		text_puts(out, "__builtin_nan(\"\")");
	} else if (isinf(v)) {
		text_puts(out, v < 0 ? "-__builtin_inf()" : "__builtin_inf()");
	} else {
		snprintf(digits, sizeof(digits), "%.17g", v);
		text_printf(out, "%s%s", digits, strpbrk(digits, ".e") ? "" : ".0");
	}
}

/* The field NAME, a list of tensors; nothing of an empty one. */
static void put_ints(struct text *out, const char *name, const int *v, int n)
{
	for (int i = 0; i < n; i++) {
		if (i == 0)
			text_printf(out, ", .%s = (const int[]){ ", name);
		text_printf(out, "%d%s", v[i], i == n - 1 ? " }" : ", ");
	}
}

static void put_tensor(struct text *out, const struct hone_region *r, int t, region_source_data *data,
		       void *user)
{
	const struct hone_region_tensor *at = &r->tensors[t];

	text_printf(out, "{ .type = %s, .rank = %d", types[at->type], at->rank);
	for (int d = 0; d < at->rank; d++) {
		text_puts(out, d ? ", " : ", .dim = { ");
		put_int(out, at->dim[d]);
	}
	text_puts(out, at->rank ? " }" : "");
	if (at->channels)
		text_printf(out, ", .channels = %d", at->channels);
	if (at->data && data) {
		text_puts(out, ", .data = ");
		data(user, out, r, t);
	}
	text_puts(out, " },\n");
}

static void put_attr(struct text *out, const struct hone_region_attr *a)
{
	text_puts(out, "{ .name = ");
	region_source_string(out, a->name);
	if (a->n)
		text_printf(out, ", .n = %d", a->n);
	for (int i = 0; i < a->n && a->ints; i++) {
		text_puts(out, i ? ", " : ", .ints = (const int64_t[]){ ");
		put_int(out, a->ints[i]);
	}
	text_puts(out, a->n && a->ints ? " }" : "");
	for (int i = 0; i < a->n && a->floats; i++) {
		text_puts(out, i ? ", " : ", .floats = (const double[]){ ");
		put_float(out, a->floats[i]);
	}
	text_puts(out, a->n && a->floats ? " }" : "");
	if (a->text) {
		text_puts(out, ", .text = ");
		region_source_string(out, a->text);
	}
	text_puts(out, " },\n");
}

static void put_call(struct text *out, const struct hone_region_call *c, int depth)
{
	text_puts(out, "{ .op = ");
	region_source_string(out, c->op);
	text_printf(out, ", .ninputs = %d", c->ninputs);
	put_ints(out, "inputs", c->inputs, c->ninputs);
	text_printf(out, ", .output = %d", c->output);
	if (c->nattrs)
		text_printf(out, ", .nattrs = %d, .attrs = (const struct hone_region_attr[]){\n", c->nattrs);
	for (int i = 0; i < c->nattrs; i++) {
		text_indent(out, depth + 1);
		put_attr(out, &c->attrs[i]);
	}
	if (c->nattrs) {
		text_indent(out, depth);
		text_puts(out, "}");
	}
	text_puts(out, " },\n");
}

void region_source(struct text *out, const struct hone_region *r, int depth, region_source_data *data,
		   void *user)
{
	text_printf(out, "{ .ntensors = %d, .tensors = (const struct hone_region_tensor[]){\n", r->ntensors);
	for (int t = 0; t < r->ntensors; t++) {
		text_indent(out, depth + 1);
		put_tensor(out, r, t, data, user);
	}
	text_indent(out, depth);
	text_printf(out, "}, .ncalls = %d, .calls = (const struct hone_region_call[]){\n", r->ncalls);
	for (int i = 0; i < r->ncalls; i++) {
		text_indent(out, depth + 1);
		put_call(out, &r->calls[i], depth + 1);
	}
	text_indent(out, depth);
	text_printf(out, "}, .ninputs = %d, .noutputs = %d", r->ninputs, r->noutputs);
	put_ints(out, "inputs", r->inputs, r->ninputs);
	put_ints(out, "outputs", r->outputs, r->noutputs);
	text_puts(out, " }");
}
