/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/names.c - linear probing over the stable hash. */
#include "graph/ir/names.h"

#include "base/hash.h"

struct name_slot {
	const char *name;	/* NULL: free */
	uint64_t hash;
	int value;
};

static struct name_slot *find(const struct names *m, const char *name, uint64_t hash)
{
	uint64_t mask = (uint64_t)m->cap - 1;

	for (uint64_t i = hash & mask;; i = (i + 1) & mask) {
		struct name_slot *s = &m->slots[i];

		if (!s->name || (s->hash == hash && strcmp(s->name, name) == 0))
			return s;
	}
}

static void grow(struct arena *a, struct names *m)
{
	struct names old = *m;

	m->cap = old.cap ? 2 * old.cap : 64;
	m->slots = arena_many(a, struct name_slot, m->cap);
	for (int i = 0; i < old.cap; i++)
		if (old.slots[i].name)
			*find(m, old.slots[i].name, old.slots[i].hash) = old.slots[i];
}

bool names_add(struct arena *a, struct names *m, const char *name, int value)
{
	uint64_t hash = hash_bytes(name, strlen(name)).lo;

	if (2 * m->n >= m->cap)
		grow(a, m);
	struct name_slot *s = find(m, name, hash);

	if (s->name)
		return false;
	*s = (struct name_slot){ .name = name, .hash = hash, .value = value };
	m->n++;
	return true;
}

int names_get(const struct names *m, const char *name, int otherwise)
{
	if (!m->cap)
		return otherwise;
	const struct name_slot *s = find(m, name, hash_bytes(name, strlen(name)).lo);

	return s->name ? s->value : otherwise;
}
