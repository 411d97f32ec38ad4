/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/nest.c - printing programs. */
#include "schedule/nest.h"

#include "te/text/text.h"

const struct pack *program_pack(const struct program *p, int arg)
{
	for (int i = 0; i < p->packs.n; i++)
		if (p->packs.at[i]->input == arg)
			return p->packs.at[i];
	return NULL;
}

static void print_shape(struct text *t, const struct tensor *tensor)
{
	text_printf(t, "%s: %s[", tensor->name, dtype_name(tensor->dtype));
	for (int i = 0; i < tensor->ndim; i++)
		text_printf(t, "%s%jd", i ? ", " : "", (intmax_t)tensor->shape[i]);
	text_puts(t, "]");
}

/* A number in an index needs no type. */
static void print_index(struct text *t, const struct expr *const *index, int n)
{
	int64_t v;

	text_puts(t, "[");
	for (int i = 0; i < n; i++) {
		text_puts(t, i ? ", " : "");
		if (expr_is_int(index[i], &v))
			text_printf(t, "%jd", (intmax_t)v);
		else
			expr_print(t, index[i]);
	}
}

static void print_store(struct text *t, const struct nest *n)
{
	text_puts(t, n->buffer->tensor.name);
	print_index(t, n->index, n->buffer->tensor.ndim);
	switch (n->reducer) {
	case REDUCE_NONE:
		text_puts(t, "] = ");
		break;
	case REDUCE_SUM:
		text_puts(t, "] += ");
		break;
	case REDUCE_PROD:
		text_puts(t, "] *= ");
		break;
	case REDUCE_MAX:
	case REDUCE_MIN:
		text_printf(t, "] %s= ", reducer_name(n->reducer));
		break;
	}
	expr_print(t, n->value);
	text_puts(t, "\n");
}

/* The lanes are told where the last of them are beyond the turns. */
static void print_head(struct text *t, const struct nest *n)
{
	text_printf(t, "%s%sfor %s in %jd..%jd", annotation_name(n->annotation),
		    n->annotation ? " " : "", n->axis->name,
		    (intmax_t)n->axis->lo, (intmax_t)n->axis->hi);
	if (n->lanes > n->axis->hi - n->axis->lo)
		text_printf(t, " of %d", n->lanes);
	if (n->border)
		text_printf(t, " border %s", border_name(n->border));
	text_puts(t, "\n");
}

static void print_list(struct text *t, const struct nest *n, int indent)
{
	for (; n; n = n->next) {
		text_indent(t, indent);
		switch (n->kind) {
		case NEST_LOOP:
			print_head(t, n);
			break;
		case NEST_LET:
			text_printf(t, "let %s in %jd..%jd = ", n->axis->name,
				    (intmax_t)n->axis->lo, (intmax_t)n->axis->hi);
			expr_print(t, n->value);
			text_puts(t, "\n");
			break;
		case NEST_IF:
			text_puts(t, "if ");
			expr_print(t, n->value);
			text_puts(t, "\n");
			break;
		case NEST_ALLOC:
			text_puts(t, n->buffer->registers ? "registers " : "alloc ");
			print_shape(t, &n->buffer->tensor);
			text_puts(t, "\n");
			break;
		case NEST_STORE:
			print_store(t, n);
			break;
		}
		print_list(t, n->body, indent + 1);
		if (n->other) {
			text_indent(t, indent);
			text_puts(t, "else\n");
			print_list(t, n->other, indent + 1);
		}
	}
}

void program_print(struct text *t, const struct program *p)
{
	for (int i = 0; i < p->packs.n; i++) {
		const struct pack *k = p->packs.at[i];

		text_printf(t, "pack %s[", k->raw->name);
		for (int j = 0; j < k->loops.n; j++)
			text_printf(t, "%s%s < %jd", j ? ", " : "", k->loops.at[j]->name,
				    (intmax_t)k->loops.at[j]->hi);
		text_printf(t, "] = %s", k->raw->name);
		print_index(t, k->index, k->raw->ndim);
		text_puts(t, "]\n");
	}
	print_list(t, p->body, 0);
}
