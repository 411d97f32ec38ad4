/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/told.c - a hash table that grows with its batch and goes with it. */
#include "search/space/genes/told.h"

#include <string.h>

#include "base/hash.h"

enum { BUCKETS = 1024 };	/* a batch grows some hundred to some thousand candidates */

struct told_table {
	struct told *bucket[BUCKETS];
};

struct told_table *told_new(struct arena *a)
{
	return arena_one(a, struct told_table);
}

static struct told **bucket_of(struct told_table *all, const char *steps)
{
	return &all->bucket[hash_bytes(steps, strlen(steps)).lo % BUCKETS];
}

struct told *told_of(struct told_table *all, struct arena *a, const char *steps)
{
	struct told **bucket = all ? bucket_of(all, steps) : NULL;

	for (struct told *t = all ? *bucket : NULL; t; t = t->next)
		if (strcmp(t->steps, steps) == 0)
			return t;
	struct told *new = arena_one(a, struct told);

	new->steps = arena_strdup(a, steps);
	if (all) {
		new->next = *bucket;
		*bucket = new;
	}
	return new;
}
