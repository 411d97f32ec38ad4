/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/fit.c - asks the operator for its tensor expression, once for equal calls. */
#include "graph/pass/fit.h"

#include "graph/task/cut.h"

/* The elements of a longer constant, a weight, have no influence on its expression. */
enum { MAX_LITERAL = 64 };

static void hash_operand(struct hasher *h, const struct function *f, int value)
{
	const struct binding *b = value < 0 ? NULL : function_at(f, value);

	hasher_int(h, b ? (int)b->type->element : -1);
	for (int i = 0; b && i < b->type->rank; i++)
		hasher_int(h, b->type->dim[i].n);
	hasher_int(h, b && b->array ? b->array->count : -1);
	if (b && b->array && b->array->count <= MAX_LITERAL)
		hash_array(h, b->array);
}

static struct hash128 hash_call(const struct function *f, const struct binding *b)
{
	struct hasher *h = hasher_new();

	hasher_str(h, b->op->name);
	hash_attrs(h, b);
	for (int i = 0; i < b->nargs; i++)
		hash_operand(h, f, b->args[i]);
	return hasher_end(h);
}

static bool is_constant(const struct function *f, const struct binding *b)
{
	for (int i = 0; i < b->nargs; i++)
		if (b->args[i] >= 0 && !function_const(f, b->args[i]))
			return false;
	return true;
}

static bool is_expressible(const struct function *f, int value)
{
	struct arena *a = arena_new();
	struct cut_group alone = { .function = f, .members = &value, .nmembers = 1 };
	bool is = cut_group(a, &alone).dag != NULL;

	arena_free(a);
	return is;
}

bool value_is_fit(struct arena *a, struct fit_calls *s, const struct function *f, int value)
{
	const struct binding *b = function_at(f, value);

	if (b->kind != BIND_CALL || b->op->fusion == FUSION_OPAQUE || binding_is_view(b) ||
	    cut_obstacle(f, b) || is_constant(f, b))
		return false;
	int *known = known_at(a, &s->known, hash_call(f, b), -1);

	if (*known < 0)
		*known = is_expressible(f, value);
	return *known;
}
