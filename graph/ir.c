/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir.c - building graphs and asking about their parts. */
#include "graph/ir.h"

#include <assert.h>
#include <string.h>

struct dim dim_number(int64_t n)
{
	return (struct dim){ .n = n };
}

struct dim dim_unknown(void)
{
	return (struct dim){ .n = -1 };
}

bool dim_is_known(struct dim d)
{
	return d.n >= 0;
}

bool dim_same(struct dim a, struct dim b)
{
	if (a.n >= 0 || b.n >= 0)
		return a.n == b.n;
	return a.name && b.name && strcmp(a.name, b.name) == 0;
}

struct type type_unknown(void)
{
	return (struct type){ .dtype = DTYPE_COUNT, .rank = RANK_UNKNOWN };
}

struct type type_tensor(enum dtype t, int rank, const int64_t *shape)
{
	struct type type = { .dtype = t, .rank = rank };

	assert(rank <= GRAPH_MAX_RANK);
	for (int i = 0; i < rank; i++)
		type.dim[i] = dim_number(shape[i]);
	return type;
}

bool type_has_shape(const struct type *t)
{
	if (t->rank == RANK_UNKNOWN || t->nfields > 0)
		return false;
	for (int i = 0; i < t->rank; i++)
		if (!dim_is_known(t->dim[i]))
			return false;
	return true;
}

bool type_is_static(const struct type *t)
{
	return t->dtype != DTYPE_COUNT && type_count(t) >= 0;
}

bool type_same_shape(const struct type *a, const struct type *b)
{
	if (a->rank == RANK_UNKNOWN || a->rank != b->rank)
		return false;
	for (int i = 0; i < a->rank; i++)
		if (!dim_same(a->dim[i], b->dim[i]))
			return false;
	return true;
}

int64_t type_count(const struct type *t)
{
	int64_t count = 1;

	if (!type_has_shape(t))
		return -1;
	for (int i = 0; i < t->rank; i++)
		if (__builtin_mul_overflow(count, t->dim[i].n, &count))
			return -1;
	return count <= GRAPH_MAX_ELEMENTS ? count : -1;
}

size_t type_bytes(const struct type *t)
{
	return type_is_static(t) ? (size_t)type_count(t) * dtype_bytes(t->dtype) : 0;
}

const struct attr *call_attr(const struct call *c, const char *name)
{
	for (int i = 0; i < c->nattrs; i++)
		if (strcmp(c->attrs[i].name, name) == 0)
			return &c->attrs[i];
	return NULL;
}

int64_t call_int(const struct call *c, const char *name, int64_t otherwise)
{
	const struct attr *attr = call_attr(c, name);

	return attr && attr->kind == ATTR_INT ? attr->ints[0] : otherwise;
}

double call_float(const struct call *c, const char *name, double otherwise)
{
	const struct attr *attr = call_attr(c, name);

	return attr && attr->kind == ATTR_FLOAT ? (double)attr->floats[0] : otherwise;
}

const char *call_string(const struct call *c, const char *name, const char *otherwise)
{
	const struct attr *attr = call_attr(c, name);

	return attr && attr->kind == ATTR_STRING ? attr->string : otherwise;
}

const int64_t *call_ints(const struct call *c, const char *name, int *n)
{
	const struct attr *attr = call_attr(c, name);

	*n = 0;
	if (!attr || attr->kind != ATTR_INTS)
		return NULL;
	*n = attr->n;
	return attr->ints;
}

int call_arg(const struct call *c, int i)
{
	return i < c->nargs ? c->args[i] : VALUE_NONE;
}

struct graph *graph_new(struct arena *a, const char *name, int opset)
{
	struct graph *g = arena_one(a, struct graph);

	g->arena = a;
	g->name = name;
	g->opset = opset;
	g->main = arena_one(a, struct function);
	g->main->name = "main";
	return g;
}

static int bind(struct arena *a, struct function *f, struct binding b)
{
	vec_push(a, &f->bindings, b);
	return f->bindings.n - 1;
}

int function_param(struct arena *a, struct function *f, const char *name, struct type type)
{
	assert(f->nparams == f->bindings.n);	/* parameters come first */
	f->nparams++;
	return bind(a, f, (struct binding){ .kind = BIND_PARAM, .name = name, .type = type });
}

int function_const(struct arena *a, struct function *f, const char *name, struct type type,
		   const void *data)
{
	assert(type_is_static(&type));
	return bind(a, f,
		    (struct binding){
			    .kind = BIND_CONST, .name = name, .type = type, .data = data });
}

static struct type tuple_unknown(struct arena *a, int n)
{
	struct type t = type_unknown();

	t.fields = arena_many(a, struct type, n);
	t.nfields = n;
	for (int i = 0; i < n; i++)
		t.fields[i] = type_unknown();
	return t;
}

int function_call(struct arena *a, struct function *f, const char *name, struct call call)
{
	struct type type = call.noutputs > 1 ? tuple_unknown(a, call.noutputs) : type_unknown();

	for (int i = 0; i < call.nargs; i++)
		assert(call.args[i] < f->bindings.n);
	return bind(a, f,
		    (struct binding){
			    .kind = BIND_CALL, .name = name, .type = type, .call = call });
}

int function_field(struct arena *a, struct function *f, const char *name, int tuple, int field)
{
	assert(field < f->bindings.at[tuple].type.nfields);
	return bind(a, f,
		    (struct binding){ .kind = BIND_FIELD,
				      .name = name,
				      .type = type_unknown(),
				      .tuple = tuple,
				      .field = field });
}

int *function_uses(struct arena *a, const struct function *f)
{
	int *uses = arena_many(a, int, f->bindings.n);

	for (int i = 0; i < f->bindings.n; i++) {
		const struct binding *b = &f->bindings.at[i];

		if (b->kind == BIND_FIELD)
			uses[b->tuple]++;
		if (b->kind != BIND_CALL)
			continue;
		for (int j = 0; j < b->call.nargs; j++)
			if (b->call.args[j] != VALUE_NONE)
				uses[b->call.args[j]]++;
	}
	for (int i = 0; i < f->nresults; i++)
		uses[f->results[i]]++;
	return uses;
}

static bool set_dim(struct type *t, const char *name, int64_t size)
{
	bool found = false;

	for (int i = 0; i < t->rank; i++)
		if (t->dim[i].n < 0 && t->dim[i].name && strcmp(t->dim[i].name, name) == 0) {
			t->dim[i] = dim_number(size);
			found = true;
		}
	for (int i = 0; i < t->nfields; i++)
		found |= set_dim(&t->fields[i], name, size);
	return found;
}

bool graph_set_dim(struct graph *g, const char *name, int64_t size)
{
	bool found = false;

	for (int i = 0; i < g->main->bindings.n; i++)
		found |= set_dim(&g->main->bindings.at[i].type, name, size);
	return found;
}
