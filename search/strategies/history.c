/* SPDX-License-Identifier: Apache-2.0 */
/* search/strategies/history.c - a hash set of step lists, and the fastest in order. */
#include "search/strategies/history.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"

/* What counts as faster: less is within the noise of a quiet machine. */
#define GAIN 0.99

/* Open addressing; the table doubles at half load. {0, 0} is free. */
struct keeper {
	struct history shown;	/* first: what callers see */
	struct hash128 *slot;
	size_t n, cap;
	struct measured best[HISTORY_BEST];
	struct tried_kind kinds[HISTORY_KINDS];
	double gained_us;	/* the best when it last became faster by GAIN */
};

static struct keeper *keeper_of(struct history *h)
{
	return (struct keeper *)h;
}

static void *allocate(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		die("out of memory for the history of a task");
	return p;
}

struct history *history_new(void)
{
	struct keeper *k = allocate(1, sizeof(*k));

	k->cap = 256;
	k->slot = allocate(k->cap, sizeof(*k->slot));
	k->shown.best = k->best;
	k->shown.kinds = k->kinds;
	return &k->shown;
}

static void release(struct measured *m)
{
	free(m->genes.at);
	free((char *)(uintptr_t)m->steps);
}

void history_free(struct history *h)
{
	if (!h)
		return;
	struct keeper *k = keeper_of(h);

	for (int i = 0; i < h->n_best; i++)
		release(&k->best[i]);
	for (int i = 0; i < h->n_kinds; i++) {
		free((char *)(uintptr_t)k->kinds[i].name);
		free(k->kinds[i].best.at);
	}
	free(k->slot);
	free(k);
}

static bool put(struct keeper *k, struct hash128 h)
{
	size_t i = (size_t)h.lo & (k->cap - 1);

	for (; k->slot[i].hi || k->slot[i].lo; i = (i + 1) & (k->cap - 1))
		if (hash_equal(k->slot[i], h))
			return false;
	k->slot[i] = h;
	k->n++;
	return true;
}

bool history_has(const struct history *h, const char *steps)
{
	const struct keeper *k = (const struct keeper *)h;
	struct hash128 of = hash_bytes(steps, strlen(steps));
	size_t i = (size_t)of.lo & (k->cap - 1);

	while ((k->slot[i].hi || k->slot[i].lo) && !hash_equal(k->slot[i], of))
		i = (i + 1) & (k->cap - 1);
	return k->slot[i].hi || k->slot[i].lo;
}

bool history_see(struct history *h, const char *steps)
{
	struct keeper *k = keeper_of(h);

	if (2 * k->n >= k->cap) {
		struct hash128 *old = k->slot;
		size_t cap = k->cap;

		k->cap *= 2;
		k->n = 0;
		k->slot = allocate(k->cap, sizeof(*k->slot));
		for (size_t i = 0; i < cap; i++)
			if (old[i].hi || old[i].lo)
				put(k, old[i]);
		free(old);
	}
	return put(k, hash_bytes(steps, strlen(steps)));
}

static const char *copy_text(const char *text)
{
	const char *copy = strdup(text);

	if (!copy)
		die("out of memory for the history of a task");
	return copy;
}

static struct genes copy_genes(const struct genes *g)
{
	struct genes copy = *g;

	copy.at = allocate((size_t)g->n, sizeof(*g->at));
	memcpy(copy.at, g->at, (size_t)g->n * sizeof(*g->at));
	return copy;
}

/* Earlier ones stand before later ones of the same time. */
static void insert(struct keeper *k, const struct genes *g, const char *steps, double time_us)
{
	int n = k->shown.n_best, at = n;

	while (at > 0 && k->best[at - 1].time_us > time_us)
		at--;
	if (at == HISTORY_BEST)
		return;
	if (n == HISTORY_BEST)
		release(&k->best[--n]);
	memmove(&k->best[at + 1], &k->best[at], (size_t)(n - at) * sizeof(*k->best));
	k->best[at] = (struct measured){ copy_genes(g), copy_text(steps), time_us };
	k->shown.n_best = n + 1;
}

static void add_to_kind(struct keeper *k, const struct genes *g, const char *name, double time_us)
{
	struct tried_kind *kind = k->kinds;

	while (kind < k->kinds + k->shown.n_kinds && strcmp(kind->name, name) != 0)
		kind++;
	if (kind == k->kinds + HISTORY_KINDS)
		return;
	if (kind == k->kinds + k->shown.n_kinds) {
		kind->name = copy_text(name);
		k->shown.n_kinds++;
	}
	kind->trials++;
	if (time_us <= 0 || g->n == 0 || (kind->best_us > 0 && kind->best_us <= time_us))
		return;
	free(kind->best.at);
	kind->best = copy_genes(g);
	kind->best_us = time_us;
}

void history_add(struct history *h, const struct genes *g, const char *steps, const char *kind, double time_us)
{
	struct keeper *k = keeper_of(h);

	if (kind)
		add_to_kind(k, g, kind, time_us);
	h->trials++;
	h->since_gain++;
	if (time_us <= 0)
		return;
	if (k->gained_us == 0 || time_us < GAIN * k->gained_us) {
		k->gained_us = time_us;
		h->since_gain = 0;
	}
	if (g->n > 0)
		insert(k, g, steps, time_us);
}
