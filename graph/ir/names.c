/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/names.c - linear probing. */
#include "graph/ir/names.h"

struct name_slot {
	const char *name;	/* NULL: free */
	uint64_t hash;
	int value;
};

/* Fowler, Noll and Vo's FNV-1a, of 64 bits. */
static uint64_t name_hash(const char *name)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3;
	return h ^ h >> 32;	/* tables use the lower bits */
}

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
	uint64_t hash = name_hash(name);

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
	const struct name_slot *s = find(m, name, name_hash(name));

	return s->name ? s->value : otherwise;
}
