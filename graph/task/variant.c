/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/variant.c - makes variants, and DAGs of them. */
#include "graph/task/variant.h"

#include "base/err.h"
#include "graph/task/fused.h"
#include "measure/runner/workload.h"
#include "te/eval.h"

static const char stored_attr[] = "stored";

const struct function *variant_plain(const struct graph *g, const struct function *f,
				     const int64_t **stored)
{
	const struct attr *attr = attrs_find(f->attrs, f->nattrs, stored_attr);

	*stored = attr ? attr->ints : NULL;
	for (int i = f->nparams; attr && i < f->bindings.n; i++)
		if (function_at(f, i)->kind == BIND_APPLY)
			return g->functions.at[function_at(f, i)->function];
	return f;
}

static bool same_shape(const struct tensor *t, const struct type *type)
{
	if (t->ndim != type->rank)
		return false;
	for (int i = 0; i < t->ndim; i++)
		if (t->shape[i] != type->dim[i].n)
			return false;
	return true;
}

/* How DAG argument ARG of C, which is the value of TYPE in F, is stored; false where the DAG reads
 * the value in another shape. */
static bool arrange_arg(const struct cut_dag *c, int arg, const struct type *type, int64_t store,
			struct arrangement *how)
{
	*how = storage_arrangement(type->rank, (int)store);
	return how->n == 0 || same_shape(&dag_arg_op(c->dag, arg)->tensor, type);
}

/* n=1,ic=64,...,layout=nchw16c; what comes in another storage than the result is named before it. */
static const char *shape_text(struct arena *a, const struct cut_dag *c, const struct function *f,
			      const int64_t *stored)
{
	const struct type *result = function_at(f, f->results[0])->type;
	int64_t store = stored[f->nparams];
	const char *from = "";

	for (int i = 0; i < c->inputs.n; i++) {
		int64_t have = stored[c->inputs.at[i]];
		const struct type *t = function_at(f, c->inputs.at[i])->type;

		if (have != store && t->rank >= result->rank && storage_fits(t, STORE_NHWC) &&
		    dag_arg_op(c->dag, i)->kind == OP_INPUT)
			from = storage_name(a, t->rank, (int)have);
	}
	return arena_printf(a, "%s,layout=%s%s%s", c->shape, from, *from ? "-" : "",
			    storage_fits(result, STORE_NHWC)
				    ? storage_name(a, result->rank, (int)store) : "plain");
}

struct cut_dag variant_cut(struct arena *a, const struct cut_dag *c, const struct function *f,
			   const int64_t *stored)
{
	struct cut_dag out = *c;
	struct arrangement how[WORKLOAD_ARGS];
	bool whole = true;

	out.from.stored = stored;
	if (!c->dag)
		return out;
	for (int i = 0; i < c->inputs.n; i++) {
		int param = c->inputs.at[i];

		whole &= arrange_arg(c, i, function_at(f, param)->type, stored[param], &how[i]);
	}
	whole &= arrange_arg(c, c->inputs.n, function_at(f, f->results[0])->type,
			     stored[f->nparams], &how[c->inputs.n]);
	out.dag = whole ? dag_arrange(a, c->dag, how) : NULL;
	if (!whole)
		out.reason = "it reads an image in another shape";
	else if (!out.dag)
		out.reason = arena_strdup(a, err_get());
	out.shape = shape_text(a, c, f, stored);
	return out;
}

struct cut_dag cut_fused(struct arena *a, const struct function *f, const struct array *const *given)
{
	const struct value_vec calls = function_calls(a, f);

	struct cut_dag c = cut_group(a, &(struct cut_group){ .function = f, .members = calls.at,
							     .nmembers = calls.n, .given = given });

	c.from = (struct cut_from){ f, given, NULL };
	return c;
}

struct cut_from cut_from_apply(struct arena *a, const struct graph *g, const struct function *f, int value)
{
	const struct binding *b = function_at(f, value);
	const struct array **given = arena_many(a, const struct array *, b->nargs);
	struct cut_from from = { .given = given };

	from.function = variant_plain(g, g->functions.at[b->function], &from.stored);
	for (int i = 0; i < b->nargs; i++)
		given[i] = function_const(f, b->args[i]);
	return from;
}

struct cut_dag cut_apply(struct arena *a, const struct graph *g, const struct function *f,
			 int value)
{
	struct cut_from from = cut_from_apply(a, g, f, value);
	struct cut_dag c = cut_fused(a, from.function, from.given);

	return from.stored ? variant_cut(a, &c, from.function, from.stored) : c;
}

static void mark_stored(struct graph *g, struct function *f, int n, const int64_t *stored)
{
	struct attr_vec attrs = { 0 };

	attrs_int(g->arena, &attrs, "fused", 1);
	attrs_ints(g->arena, &attrs, stored_attr, n, stored);
	f->attrs = attrs.at;
	f->nattrs = attrs.n;
}

int variant_make(struct graph *g, int plain, const int64_t *stored)
{
	const struct function *f = g->functions.at[plain];
	const struct type *result = function_at(f, f->results[0])->type;
	struct builder b = builder_begin(g, f->name);
	int *args = arena_many(g->arena, int, f->nparams);

	b.plain = true;
	for (int i = 0; i < f->nparams; i++) {
		const struct binding *p = function_at(f, i);

		build_param(&b, p->name, storage_type(g->arena, p->type, (int)stored[i]));
	}
	for (int i = 0; i < f->nparams; i++)
		args[i] = build_stored(&b, i, function_at(f, i)->type, (int)stored[i], STORE_NCHW);
	int y = build_apply(&b, plain, f->nparams, args);

	y = build_stored(&b, y, result, STORE_NCHW, (int)stored[f->nparams]);
	int index = builder_end(&b, 1, &y);

	if (index != FUNCTION_NONE)
		mark_stored(g, b.function, f->nparams + 1, stored);
	return index;
}

int variant_identity(struct graph *g, const struct type *t)
{
	struct builder b = builder_begin(g, "layout");

	b.plain = true;
	build_param(&b, "x", t);
	int y = build(&b, &core_identity, 0);
	int index = builder_end(&b, 1, &y);

	if (index != FUNCTION_NONE)
		fused_mark(g, index);
	return index;
}
