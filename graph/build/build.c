/* SPDX-License-Identifier: Apache-2.0 */
/* graph/build/build.c - parameters, constants and calls; graph/build/control.c has the rest. */
#include "graph/build/build.h"

#include <assert.h>

#include "base/err.h"
#include "graph/build/fold.h"
#include "graph/build/push.h"
#include "graph/ir/infer.h"

static const char *unique_name(struct graph *g, const char *name)
{
	const char *unique = arena_strdup(g->arena, name);

	/* Counted on from the number of functions, so that a name taken often is not slow. */
	for (int i = g->functions.n + 1; !names_add(g->arena, &g->function_names, unique, g->functions.n);
	     i++)
		unique = arena_printf(g->arena, "%s_%d", name, i);
	return unique;
}

struct builder builder_begin(struct graph *g, const char *name)
{
	struct function *f = arena_one(g->arena, struct function);

	f->name = unique_name(g, name);
	f->result = &type_unknown;
	vec_push(g->arena, &g->functions, f);
	return (struct builder){ .graph = g, .arena = g->arena, .function = f,
				 .index = g->functions.n - 1, .origin = &origin_none };
}

int graph_declare(struct graph *g, const char *name, const struct type *type)
{
	struct builder b = builder_begin(g, name);

	for (int i = 0; i < type->nfields; i++)
		build_param(&b, "", type->field[i]);
	b.function->result = type->result;
	return b.index;
}

struct builder builder_resume(struct graph *g, int index)
{
	return (struct builder){ .graph = g, .arena = g->arena, .function = g->functions.at[index],
				 .index = index, .origin = &origin_none };
}

/* A few bindings, tuples of tuples, make types that double with each. Beyond what a tuple of all
 * operands has they are no model's. */
enum { MAX_PARTS = 65536 };

static int check_type(const struct type *t)
{
	return type_parts(t, MAX_PARTS) < MAX_PARTS
		       ? 0 : err_set("a type of more than %d parts", MAX_PARTS);
}

int builder_end(struct builder *b, int n, const int *results)
{
	struct function *f = b->function;
	const struct type **types = arena_many(b->arena, const struct type *, n);

	for (int i = 0; i < n; i++) {
		if (results[i] == VALUE_FAILED)
			return FUNCTION_NONE;
		types[i] = build_type(b, results[i]);
	}
	const struct type *result = n == 1 ? types[0] : type_tuple(b->arena, n, types);

	if (check_type(result) < 0)
		return FUNCTION_NONE;
	const struct type *meet = type_meet(b->arena, result, f->result);

	if (!meet) {
		err_set("%s: its result is not of the type that was declared", f->name);
		return FUNCTION_NONE;
	}
	if (f->result->kind != TYPE_UNKNOWN)
		meet = f->result;	/* what those who call it already were told */
	f->results = arena_memdup(b->arena, results, (size_t)n * sizeof(*results));
	f->nresults = n;
	f->result = meet;
	return b->index;
}

int push(struct builder *b, struct binding binding)
{
	if (check_type(binding.type) < 0)
		return VALUE_FAILED;
	binding.name = binding.name ? binding.name : "";
	binding.origin = binding.origin ? binding.origin : b->origin;
	if (binding.kind != BIND_CALL && binding.origin->demand.kind != DEMAND_NONE)
		binding.origin = origin_new(b->arena, binding.origin->label, (struct demand){ DEMAND_NONE, NULL });
	if (binding.kind < BIND_CLOSURE)
		binding.function = binding.otherwise = FUNCTION_NONE;
	vec_push(b->arena, &b->function->bindings, binding);
	return b->function->bindings.n - 1;
}

int build_param(struct builder *b, const char *name, const struct type *type)
{
	assert(b->function->nparams == b->function->bindings.n);
	b->function->nparams++;
	return push(b, (struct binding){ .kind = BIND_PARAM, .type = type, .origin = &origin_none,
					 .name = arena_strdup(b->arena, name) });
}

int build_const(struct builder *b, const struct array *array)
{
	return push(b, (struct binding){ .kind = BIND_CONST, .array = array,
					 .type = type_of_array(b->arena, array) });
}

int build_ints(struct builder *b, int n, const int64_t *v)
{
	struct array *x = array_in(b->arena, ELEMENT_I64, 1, &(int64_t){ n });

	if (n)
		memcpy(x->data, v, (size_t)n * sizeof(*v));
	return build_const(b, x);
}

int build_int(struct builder *b, int64_t v)
{
	struct array *x = array_in(b->arena, ELEMENT_I64, 0, NULL);

	*(int64_t *)x->data = v;
	return build_const(b, x);
}

int build_scalar(struct builder *b, enum element e, double v)
{
	if (e == ELEMENT_STRING || e == ELEMENT_COUNT) {
		err_set("a number among elements of type %s", element_name(e));
		return VALUE_FAILED;
	}
	struct array *x = array_in(b->arena, e, 0, NULL);

	element_store(e, x->data, 0, v);
	return build_const(b, x);
}

const struct type *build_type(const struct builder *b, int value)
{
	return value < 0 ? &type_unknown : function_at(b->function, value)->type;
}

const struct binding *build_at(const struct builder *b, int value)
{
	return function_at(b->function, value);
}

const struct array *build_array(const struct builder *b, int value)
{
	return function_const(b->function, value);
}

void build_name(struct builder *b, int value, const char *name)
{
	if (value >= 0 && !*b->function->bindings.at[value].name)
		b->function->bindings.at[value].name = arena_strdup(b->arena, name);
}

int build_retype(struct builder *b, int value, const struct type *type)
{
	if (value < 0 || !type_fits(build_type(b, value), type))
		return -1;
	b->function->bindings.at[value].type = type;
	return 0;
}

/* Operands of one call; more than any model has, few enough for the stack. */
enum { MAX_ARGS = 16384 };

int check_args(const struct builder *b, const char *what, int nargs, const int *args)
{
	for (int i = 0; i < nargs; i++) {
		if (args[i] == VALUE_FAILED)
			return -1;
		assert(args[i] >= VALUE_NONE && args[i] < b->function->bindings.n);
	}
	if (nargs > MAX_ARGS)
		return err_set("%s: %d operands (at most %d)", what, nargs, MAX_ARGS);
	return 0;
}

static int check_call(const struct builder *b, const struct core_op *op, int nargs,
		      const int *args)
{
	if (check_args(b, op->name, nargs, args) < 0)
		return -1;
	if (nargs < op->min_args || nargs > op->max_args)
		return err_set("%s: %d operands", op->name, nargs);
	for (int i = 0; i < op->min_args; i++)
		if (args[i] == VALUE_NONE)
			return err_set("%s: operand %d is left out", op->name, i);
	for (int i = 0; i < nargs; i++)
		if (!core_op_takes(op, i, build_type(b, args[i])))
			return err_set("%s: operand %d is %s, no tensor", op->name, i,
				       type_string(b->arena, build_type(b, args[i])));
	return 0;
}

/* What shape arithmetic gives: the elements, or the constant where all are numbers. */
static const struct array *known_elements(struct infer *x, struct binding *call)
{
	const struct type *t = x->result;
	int64_t count = type_count(t);
	int64_t v;

	if (!call->op->elements || !type_is_static(t) || t->rank > 1 ||
	    !element_is_whole(t->element) || count > GRAPH_MAX_RANK * GRAPH_MAX_RANK)
		return NULL;
	struct dim *elements = arena_many(x->arena, struct dim, count ? count : 1);

	if (!call->op->elements(x, elements))
		return NULL;
	int64_t dim[1] = { count };
	struct array *known = array_in(x->arena, t->element, t->rank, dim);

	call->elements = elements;
	for (int64_t i = 0; i < count; i++) {
		if (!dim_value(elements[i], &v))
			return NULL;
		element_store_int(t->element, known->data, i, v);
	}
	return known;
}

int build_call(struct builder *b, const struct core_op *op, int nargs, const int *args,
	       const struct attr_vec *attrs)
{
	while (nargs > op->min_args && args[nargs - 1] == VALUE_NONE)
		nargs--;
	if (check_call(b, op, nargs, args) < 0)
		return VALUE_FAILED;
	struct binding call = {
		.kind = BIND_CALL,
		.op = op,
		.args = arena_memdup(b->arena, args, (size_t)nargs * sizeof(*args)),
		.nargs = nargs,
		.attrs = attrs ? attrs->at : NULL,
		.nattrs = attrs ? attrs->n : 0,
	};
	struct infer x = { b->arena, b->function, &call, &type_unknown };

	for (int i = 0; i < call.nattrs; i++)
		if (!core_op_attr(op, call.attrs[i].name)) {
			err_set("%s: it has no attribute '%s'", op->name, call.attrs[i].name);
			return VALUE_FAILED;
		}
	if (op->type(&x) < 0)
		return VALUE_FAILED;
	call.type = x.result;
	const struct array *known = known_elements(&x, &call);

	if (known && !b->plain)
		return build_const(b, known);
	if (fold_is_worth(b, &call)) {
		int value = fold_call(b, &call);

		if (value != VALUE_NONE)
			return value;
	}
	return push(b, call);
}
