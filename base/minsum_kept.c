/* SPDX-License-Identifier: Apache-2.0 */
/* base/minsum_kept.c - answers kept by their problems, in the user's cache folder. */
#include <string.h>
#include <unistd.h>

#include "base/build_id.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/minsum.h"

/* Of some dozens of models, with databases that change as they are tuned. */
enum { MOST_KEPT = 256 };

/* What a file has in front of the values. */
struct kept_answer {
	double cost, bound;
	int64_t exact;
};

static const char *place(struct arena *a, const struct minsum *m)
{
	const char *cache = dir_cache(a), *id = build_id(a);
	char hex[HASH_TEXT];

	if (!cache || !id)
		return NULL;
	struct hasher *h = hasher_new();

	hasher_str(h, id);
	hasher_int(h, m->n);
	hasher_bytes(h, m->size, sizeof(*m->size) * (size_t)m->n);
	for (int i = 0; i < m->tables.n; i++) {
		const struct minsum_table *t = &m->tables.at[i];

		hasher_int(h, t->n);
		hasher_bytes(h, t->vars, sizeof(*t->vars) * (size_t)t->n);
		hasher_bytes(h, t->cost, sizeof(*t->cost) * (size_t)minsum_entries(m, t));
	}
	return arena_printf(a, "%s/sums/%s", cache, hash_text(hasher_end(h), hex));
}

/* False where the file is not there, or is none of an answer to M. */
static bool recall(struct arena *a, const struct minsum *m, const char *path,
		   struct minsum_answer *out)
{
	size_t bytes = sizeof(int) * (size_t)m->n, size = 0;
	struct kept_answer head;
	char *data = access(path, R_OK) == 0 ? file_read(a, path, sizeof(head) + bytes, &size)
					     : NULL;

	if (!data || size != sizeof(head) + bytes)
		return false;
	memcpy(&head, data, sizeof(head));
	int *value = arena_memdup(m->arena, data + sizeof(head), bytes);

	for (int i = 0; i < m->n; i++)
		if (value[i] < 0 || value[i] >= m->size[i])
			return false;
	*out = (struct minsum_answer){ value, head.cost, head.bound, head.exact != 0 };
	return minsum_cost(m, value) == head.cost;
}

static void keep(struct arena *a, const struct minsum *m, const char *path,
		 const struct minsum_answer *answer)
{
	const struct kept_answer head = { answer->cost, answer->bound, answer->exact };
	size_t bytes = sizeof(int) * (size_t)m->n;
	char *data = arena_alloc(a, sizeof(head) + bytes);

	memcpy(data, &head, sizeof(head));
	memcpy(data + sizeof(head), answer->value, bytes);
	file_keep(path, data, sizeof(head) + bytes, MOST_KEPT);
}

struct minsum_answer minsum_solve_once(struct minsum *m)
{
	struct arena *a = arena_new();
	const char *path = place(a, m);
	struct minsum_answer out;

	if (!path || !recall(a, m, path, &out)) {
		out = minsum_solve(m);
		if (path)
			keep(a, m, path, &out);
	}
	arena_free(a);
	return out;
}
