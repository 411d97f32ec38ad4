/* SPDX-License-Identifier: Apache-2.0 */
/* graph/pass/cse.c - what is computed twice in a function is computed once.
 *
 * Requires: nothing.
 * Provides: no two constants of a function are equal, no two calls of a pure operator, tuples or
 *           fields are the same.
 * Keeps:    what the graph computes; calls of functions, for they may draw random numbers. */
#include "base/hash.h"
#include "graph/pass/pass.h"
#include "graph/pass/rewrite.h"
#include "graph/ir/op.h"

/* A binding that was seen, by the hash of all that it is: 128 bits are taken for equality. */
struct cse_slot {
	struct hash128 hash;
	int value;	/* + 1; 0: free */
};

struct cse {
	const struct function *function;	/* that the table is of */
	struct cse_slot *slots;
	uint64_t mask;
};

static void hash_attr(struct hasher *h, const struct attr *at)
{
	hasher_str(h, at->name);
	hasher_int(h, at->kind);
	if (at->kind == ATTR_STRING)
		hasher_str(h, at->string);
	else
		hasher_bytes(h, at->ints, (size_t)at->n * sizeof(at->ints[0]));
}

static void hash_array(struct hasher *h, const struct array *x)
{
	hasher_int(h, x->element);
	hasher_int(h, x->rank);
	hasher_bytes(h, x->dim, (size_t)x->rank * sizeof(x->dim[0]));
	if (element_class(x->element) != ELEMENT_CLASS_STRING) {
		hasher_bytes(h, x->data, array_bytes(x));
		return;
	}
	for (int64_t i = 0; i < x->count; i++)
		hasher_str(h, array_string(x, i));
}

static struct hash128 hash_binding(const struct binding *b, const int *args)
{
	struct hasher *h = hasher_new();

	hasher_int(h, b->kind);
	hasher_str(h, b->kind == BIND_CALL ? b->op->name : "");
	hasher_int(h, b->field);
	for (int i = 0; i < b->nattrs; i++)
		hash_attr(h, &b->attrs[i]);
	for (int i = 0; i < b->nargs; i++)
		hasher_int(h, args[i]);
	if (b->kind == BIND_CONST)
		hash_array(h, b->array);
	return hasher_end(h);
}

static bool is_pure(const struct binding *b)
{
	return b->kind == BIND_CONST || b->kind == BIND_TUPLE || b->kind == BIND_FIELD ||
	       (b->kind == BIND_CALL && !b->op->impure);
}

static void begin(struct cse *c, struct rewrite *x)
{
	uint64_t cap = 16;

	while (cap < 2 * (uint64_t)x->function->bindings.n)
		cap *= 2;
	c->function = x->function;
	c->slots = arena_many(x->scratch, struct cse_slot, cap);
	c->mask = cap - 1;
}

static int merge(struct rewrite *x, int value, const int *args)
{
	const struct binding *b = function_at(x->function, value);
	struct cse *c = x->user;

	if (c->function != x->function)
		begin(c, x);
	if (!is_pure(b))
		return REWRITE_COPY;
	struct hash128 hash = hash_binding(b, args);
	uint64_t i = hash.lo & c->mask;

	while (c->slots[i].value && !hash_equal(c->slots[i].hash, hash))
		i = (i + 1) & c->mask;
	if (c->slots[i].value)
		return c->slots[i].value - 1;
	int made = rewrite_copy(x, value, args);

	if (made >= 0)
		c->slots[i] = (struct cse_slot){ hash, made + 1 };
	return made;
}

static struct graph *run(struct arena *a, const struct graph *g)
{
	struct cse c = { 0 };

	return rewrite_graph(a, g, &(struct rewriter){ .binding = merge, .user = &c });
}

const struct pass pass_cse = {
	.name = "cse",
	.summary = "compute once what is computed twice",
	.run = run,
};
