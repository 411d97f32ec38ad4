/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/known.c - a map from hashes, and hashing what calls consist of. */
#include "graph/ir/known.h"

struct known_slot {
	struct hash128 hash;
	int value;
	bool taken;
};

static struct known_slot *find(const struct known_calls *k, struct hash128 hash)
{
	uint64_t mask = (uint64_t)k->cap - 1;
	uint64_t i = hash.lo & mask;

	while (k->slots[i].taken && !hash_equal(k->slots[i].hash, hash))
		i = (i + 1) & mask;
	return &k->slots[i];
}

static void grow(struct arena *a, struct known_calls *k)
{
	struct known_calls old = *k;

	k->cap = old.cap ? 2 * old.cap : 64;
	k->slots = arena_many(a, struct known_slot, k->cap);
	for (int i = 0; i < old.cap; i++)
		if (old.slots[i].taken)
			*find(k, old.slots[i].hash) = old.slots[i];
}

int *known_at(struct arena *a, struct known_calls *k, struct hash128 hash, int otherwise)
{
	if (2 * k->n >= k->cap)
		grow(a, k);
	struct known_slot *s = find(k, hash);

	if (!s->taken) {
		*s = (struct known_slot){ hash, otherwise, true };
		k->n++;
	}
	return &s->value;
}

void hash_type(struct hasher *h, const struct type *t)
{
	hasher_int(h, t->element);
	for (int i = 0; i < t->rank; i++)
		hasher_int(h, t->dim[i].n);
	hasher_int(h, t->rank);
}

void hash_attrs(struct hasher *h, const struct binding *b)
{
	for (int i = 0; i < b->nattrs; i++) {
		const struct attr *at = &b->attrs[i];

		hasher_str(h, at->name);
		hasher_int(h, at->kind);
		if (at->kind == ATTR_STRING)
			hasher_str(h, at->string);
		else
			hasher_bytes(h, at->ints, (size_t)at->n * sizeof(at->ints[0]));
		hasher_int(h, at->n);
	}
}

void hash_array(struct hasher *h, const struct array *x)
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

void hash_demand(struct hasher *h, struct demand d)
{
	hasher_int(h, d.kind);
	hasher_str(h, d.kind == DEMAND_OFFLOAD && d.generator ? d.generator : "");
}
