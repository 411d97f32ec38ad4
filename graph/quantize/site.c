/* SPDX-License-Identifier: Apache-2.0 */
/* graph/quantize/site.c - finding the sites. */
#include "graph/quantize/site.h"

#include "base/err.h"
#include "graph/ir/op.h"
#include "graph/ir/reach.h"

enum { DATA = 0, WEIGHT = 1 };

static bool sums_products(const struct binding *b)
{
	return b->kind == BIND_CALL && (b->op == &core_conv || b->op == &core_matmul ||
					b->op == &core_conv_transpose || b->op == &core_deform_conv);
}

static const struct type *operand_type(const struct function *f, const struct binding *b, int i)
{
	return function_at(f, b->args[i])->type;
}

/* Products of which B's result is made. */
static double count_macs(const struct function *f, const struct binding *b)
{
	int64_t out = type_count(b->type), weights = type_count(operand_type(f, b, WEIGHT));
	const struct type *data = operand_type(f, b, DATA), *w = operand_type(f, b, WEIGHT);
	int64_t dim[GRAPH_MAX_RANK];

	if (out < 1 || weights < 1 || !type_shape(w, dim))
		return 0;
	if (b->op == &core_conv_transpose)
		return (double)type_count(data) * (double)weights / (double)dim[0];
	if (b->op != &core_matmul)
		return (double)out * (double)weights / (double)dim[0];
	return (double)out * (double)(w->rank < 2	       ? dim[0]
				     : call_flag(b, "trans_b") ? dim[w->rank - 1]
							       : dim[w->rank - 2]);
}

static bool is_label(const char *label, const struct quant_site_list_options *o)
{
	for (int i = 0; i < o->nkeep; i++)
		if (strcmp(o->keep[i], label) == 0)
			return true;
	return false;
}

/* Why the call B of F cannot be made of integers; NULL: it can. */
static const char *refuse(struct arena *a, const struct function *f, const struct binding *b)
{
	const struct type *data = operand_type(f, b, DATA), *w = operand_type(f, b, WEIGHT);

	if (b->op != &core_conv && b->op != &core_matmul)
		return arena_printf(a, "%s has no form in integers", b->op->name);
	if (element_is_integer(data->element) && element_is_integer(w->element))
		return "it is made of integers already";
	if (data->element != ELEMENT_F32 || w->element != ELEMENT_F32)
		return "its operands are not f32";
	if (!function_const(f, b->args[WEIGHT]))
		return "its weight is no constant";
	if (!type_is_static(data) || !type_is_static(b->type))
		return "its shape is not known before it runs (--dim gives sizes)";
	if (type_count(b->type) < 1 || type_count(w) < 1)
		return "it has no elements";
	if (b->op == &core_matmul && (data->rank < 2 || w->rank != 2))
		return "its weight is no matrix, or its data is a vector";
	return NULL;
}

/* Does constant C, which is added to a result of type T, go by dim CHANNEL alone, with a number for each
 * or one for all? */
static bool goes_by(const struct array *c, const struct type *t, int channel)
{
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(t, dim);
	for (int i = 0; i < c->rank; i++)
		if (c->dim[i] != 1 && (i + t->rank - c->rank != channel ||
				       c->dim[i] != dim[channel]))
			return false;
	return c->rank <= t->rank && c->element == ELEMENT_F32;
}

/* The addition of a bias that alone reads S, if there is one. */
static void find_bias(const struct function *f, const int *uses, struct quant_site *s)
{
	for (int v = s->value + 1; v < f->bindings.n && uses[s->value] == 1; v++) {
		const struct binding *b = function_at(f, v);

		if (b->kind != BIND_CALL || b->op != &core_add ||
		    (b->args[0] != s->value && b->args[1] != s->value))
			continue;
		int other = b->args[b->args[0] == s->value];
		const struct array *c = function_const(f, other);

		if (c && goes_by(c, b->type, s->channel)) {
			s->bias = other;
			s->out = v;
		}
		return;
	}
}

static void describe(const struct function *f, const int *uses, struct quant_site *s)
{
	const struct binding *b = function_at(f, s->value);
	int64_t dim[GRAPH_MAX_RANK];
	bool matmul = b->op == &core_matmul;

	s->data = b->args[DATA];
	s->weight = b->args[WEIGHT];
	s->channel = matmul ? b->type->rank - 1 : 1;
	s->weight_channel = matmul && !call_flag(b, "trans_b");
	type_shape(b->type, dim);
	s->channels = (int)dim[s->channel];
	s->own = quant_own(f, s->data, &s->grid);
	find_bias(f, uses, s);
}

static struct quant_site site_of(struct arena *a, const struct graph *g, int function, int value,
				 const int *uses, const struct quant_site_list_options *o)
{
	const struct function *f = g->functions.at[function];
	const struct binding *b = function_at(f, value);
	struct quant_site s = { .function = function, .value = value, .out = value,
				.bias = VALUE_NONE, .own = VALUE_NONE, .tensor = -1,
				.macs = count_macs(f, b) };

	s.why = function != g->main	? "it is in a function that is called"
	      : is_label(b->origin->label, o) ? "it is to be kept"
				      : refuse(a, f, b);
	if (!s.why)
		describe(f, uses, &s);
	return s;
}

static bool has_label(const struct graph *g, const struct quant_site_vec *sites, const char *label)
{
	for (int i = 0; i < sites->n; i++)
		if (strcmp(quant_site_call(g, &sites->at[i])->origin->label, label) == 0)
			return true;
	return false;
}

int quant_sites(struct arena *a, const struct graph *g, const struct quant_site_list_options *o,
		struct quant_site_vec *out)
{
	const bool *reached = graph_reached(a, g);

	*out = (struct quant_site_vec){ 0 };
	for (int i = 0; i < g->functions.n; i++) {
		const struct function *f = g->functions.at[i];

		if (!reached[i])
			continue;
		const int *uses = function_uses(a, f);

		for (int v = f->nparams; v < f->bindings.n; v++)
			if (sums_products(function_at(f, v)))
				vec_push(a, out, site_of(a, g, i, v, uses, o));
	}
	for (int i = 0; i < o->nkeep; i++)
		if (!has_label(g, out, o->keep[i]))
			return err_set("no convolution or product is labelled '%s' (hone quantize "
				       "--explain lists them)", o->keep[i]);
	return 0;
}

const struct binding *quant_site_call(const struct graph *g, const struct quant_site *s)
{
	return function_at(g->functions.at[s->function], s->value);
}
