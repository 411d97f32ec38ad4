/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/records.c - of all records of a side those that stand, and of these the best of each task.
 *
 * A side may have part of a step list's records, so what stands is found among these, by the same rules as the
 * view `standing` of db/schema.c has them for a whole file. Of each record a few numbers are kept, and what was
 * chosen is read again: a file may have a hundred thousand. */
#include "tools/compare/side.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "measure/trial.h"
#include "tools/command.h"

/* Where a time is from; the first is believed most. A side has one of the first two. */
enum record_origin { ORIGIN_HERE, ORIGIN_IMPORTED, ORIGIN_ESTIMATE };

struct seen_record {
	int64_t id, task, device, toolchain, seq;
	struct hash128 steps;
	double time_us;
	int threads;
	char cache[8];		/* a name of db/cache.def */
	enum record_origin origin;
	bool ok, final;		/* not ok: it fells what was ok before */
};
struct seen_record_vec VEC(struct seen_record);

struct side_reading {
	struct arena *a;
	struct db *db;
	const struct compare_side *side;
	int64_t campaign;	/* 0: any */
	struct seen_record_vec seen;
};

static enum record_origin origin_of(const struct db_record *r)
{
	return r->estimate ? ORIGIN_ESTIMATE : r->imported ? ORIGIN_IMPORTED : ORIGIN_HERE;
}

static int see(void *user, const struct db_record *r)
{
	struct side_reading *g = user;
	bool ok = r->status == TRIAL_OK;
	struct seen_record s = { r->id, r->task, r->device, r->toolchain, r->seq, r->steps_hash, r->time_us,
				 r->threads, "", origin_of(r), ok, r->final };

	if ((!ok && r->status != TRIAL_WRONG && r->status != TRIAL_CRASH) || !side_has(g->side, g->campaign, r))
		return 0;
	strncat(s.cache, r->cache, sizeof(s.cache) - 1);
	vec_push(g->a, &g->seen, s);
	return 0;
}

/* --- what stands */

#define ORDER(x, y) (((x) > (y)) - ((x) < (y)))

static int by_place(const struct seen_record *a, const struct seen_record *b)
{
	int c = ORDER(a->task, b->task);

	c = c ? c : ORDER(a->device, b->device);
	c = c ? c : ORDER(a->threads, b->threads);
	return c ? c : strcmp(a->cache, b->cache);
}

static int by_kernel(const struct seen_record *a, const struct seen_record *b)
{
	int c = by_place(a, b);

	c = c ? c : ORDER(a->toolchain, b->toolchain);
	return c ? c : memcmp(&a->steps, &b->steps, sizeof(a->steps));
}

/* Of one kernel the one that counts first, and last what fells: a confirmation before a trial, the latest, and of
 * files that did not know of each other the slower. */
static int by_standing(const void *x, const void *y)
{
	const struct seen_record *a = x, *b = y;
	int c = by_kernel(a, b);

	c = c ? c : ORDER(b->ok, a->ok);
	c = c ? c : ORDER(b->final, a->final);
	c = c ? c : ORDER(b->seq, a->seq);
	c = c ? c : ORDER(b->time_us, a->time_us);
	return c ? c : ORDER(b->id, a->id);
}

/* Whether a record of the N of the kernel that begins at AT was wrong or crashed later than this was ok, or where
 * more is to be believed. */
static bool is_felled(const struct seen_record *at, int n)
{
	for (int i = 1; i < n; i++)
		if (!at[i].ok && (at[i].origin < at->origin || at[i].seq >= at->seq))
			return true;
	return false;
}

/* As DB_SUREST orders them. */
static bool is_surer(const struct seen_record *x, const struct seen_record *y)
{
	return x->final != y->final ? x->final : x->time_us < y->time_us;
}

/* The surest of what stands among records of ORIGIN, for each task, device, number of threads and cache state. */
static void choose(const struct side_reading *g, enum record_origin origin, struct seen_record_vec *out)
{
	struct seen_record_vec of = { 0 };

	for (int i = 0; i < g->seen.n; i++)
		if (g->seen.at[i].origin == origin || (!g->seen.at[i].ok && g->seen.at[i].origin < origin))
			vec_push(g->a, &of, g->seen.at[i]);
	if (of.n)
		qsort(of.at, (size_t)of.n, sizeof(*of.at), by_standing);
	for (int i = 0, n; i < of.n; i += n) {
		const struct seen_record *at = &of.at[i];
		struct seen_record *last = out->n ? &out->at[out->n - 1] : NULL;

		for (n = 1; i + n < of.n && by_kernel(at, at + n) == 0;)
			n++;
		if (!at->ok || is_felled(at, n))
			continue;
		if (!last || by_place(last, at) != 0)
			vec_push(g->a, out, *at);
		else if (is_surer(at, last))
			*last = *at;
	}
}

/* --- what is handed on */

static int load(const struct side_reading *g, const struct seen_record *s, struct side_kernel_vec *out)
{
	struct side_kernel k;
	struct db_task t;
	int found = db_find_record(g->db, g->a, s->id, &k.record);
	int named = found > 0 ? db_find_task(g->db, g->a, k.record.task_key, &t) : found;

	if (named < 0)
		return -1;
	if (found == 0)		/* pruned meanwhile */
		return 0;
	k.name = named ? t.name : k.record.task_key;
	k.text = named ? t.text : "";
	vec_push(g->a, out, k);
	return 0;
}

static bool has_place(const struct seen_record_vec *v, const struct seen_record *s)
{
	for (int i = 0; i < v->n; i++)
		if (by_place(&v->at[i], s) == 0)
			return true;
	return false;
}

static int hand_out(const struct side_reading *g, struct side_found *out)
{
	const enum record_origin wanted = g->side->imported ? ORIGIN_IMPORTED : ORIGIN_HERE;
	const enum record_origin others[] = { g->side->imported ? ORIGIN_HERE : ORIGIN_IMPORTED, ORIGIN_ESTIMATE };
	struct seen_record_vec chosen = { 0 };

	choose(g, wanted, &chosen);
	for (int i = 0; i < chosen.n; i++)
		if (load(g, &chosen.at[i], &out->kernels) < 0)
			return -1;
	for (int k = 0; k < 2; k++) {
		struct seen_record_vec other = { 0 };

		choose(g, others[k], &other);
		for (int i = 0; i < other.n; i++) {
			if (has_place(&chosen, &other.at[i]))
				continue;
			if (load(g, &other.at[i], &out->withheld) < 0)
				return -1;
			vec_push(g->a, &chosen, other.at[i]);	/* each place once */
		}
	}
	return 0;
}

static int read_db(struct side_reading *g, struct side_found *out)
{
	const struct db_want want = { .threads = g->side->threads };

	db_listen(g->db, &(struct listener){ command_hear, NULL });
	if (side_campaign(g->a, g->db, g->side, &g->campaign) < 0 || db_each(g->db, &want, see, g) < 0 ||
	    hand_out(g, out) < 0)
		return -1;
	return side_read_weights(g->a, g->db, g->side, g->campaign, &out->weights);
}

int side_read(struct arena *a, const struct compare_side *s, struct side_found *out)
{
	struct side_reading g = { .a = a, .side = s, .db = db_open(s->path, DB_READ) };

	*out = (struct side_found){ 0 };
	int rc = g.db ? read_db(&g, out) : -1;

	db_close(g.db);
	return rc;
}
