/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/side.c - which records are meant, and which of them is the best of its task. */
#include "tools/compare/side.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "measure/device/device.h"
#include "tools/command.h"

/* --- what was asked for */

static int take_threads(struct compare_side *s, const char *value)
{
	char *end;
	long n = strtol(value, &end, 10);

	if (*end || n < 1 || n > DEVICE_MAX_THREADS)
		return err_set("%s: threads=%s: give a number from 1 to %d", s->name, value, DEVICE_MAX_THREADS);
	s->threads = (int)n;
	return 0;
}

static int take_imported(struct compare_side *s, const char *value)
{
	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return err_set("%s: imported=%s: yes (records from elsewhere alone) or no (none of these)", s->name,
			       value);
	s->from = *value == 'y' ? DB_ELSEWHERE : DB_HERE;
	return 0;
}

static int take(struct compare_side *s, const char *key, const char *value)
{
	const struct {
		const char *key, **to;
	} texts[] = {
		{ "campaign", &s->campaign },
		{ "device", &s->device },
		{ "toolchain", &s->toolchain },
		{ "hone", &s->hone },
	};

	if (!*value)
		return err_set("%s: %s= says nothing: give a value", s->name, key);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (strcmp(key, texts[i].key) == 0) {
			*texts[i].to = value;
			return 0;
		}
	if (strcmp(key, "threads") == 0)
		return take_threads(s, value);
	if (strcmp(key, "imported") == 0)
		return take_imported(s, value);
	return err_set("%s: '%s' selects nothing; there are: campaign, device, toolchain, hone, threads, imported",
		       s->name, key);
}

int side_parse(struct arena *a, const char *text, struct compare_side *out)
{
	char *path = arena_strdup(a, text);
	char *mark = access(text, F_OK) == 0 ? NULL : strrchr(path, '#');	/* a file may be named so */

	*out = (struct compare_side){ .name = text, .path = path };
	if (!mark)
		return 0;
	*mark = '\0';
	for (char *rest = mark + 1, *word; (word = strsep(&rest, ","));) {
		char *value = strchr(word, '=');

		if (!value)
			return err_set("%s: '%s': write KEY=VALUE behind the #", text, word);
		*value++ = '\0';
		if (take(out, word, value) < 0)
			return -1;
	}
	return 0;
}

/* --- its records */

struct side_reading {
	struct arena *a;
	const struct compare_side *side;
	int64_t campaign;	/* 0: any */
	struct side_kernel_vec *out;
	struct db_record_vec fits;	/* oldest first: ok, or wrong or crashed, which fells what is ok */
};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static int find_campaign(struct arena *a, struct db *db, const struct compare_side *s, int64_t *out)
{
	struct db_campaign_vec all;
	char *end;
	long long number = strtoll(s->campaign, &end, 10);

	if (db_campaigns(db, a, &all) < 0)
		return -1;
	*out = 0;
	for (int i = 0; i < all.n; i++) {
		const struct db_campaign *c = &all.at[i];

		if (!*end && c->id == number) {
			*out = number;
			return 0;
		}
		if (!begins(c->uid, s->campaign))
			continue;
		if (*out)
			return err_set("%s: several campaigns begin so: give more of it", s->name);
		*out = c->id;
	}
	return *out ? 0
		    : err_set("%s: %s has no campaign '%s'; `hone status --db %s` lists them", s->name, s->path,
			      s->campaign, s->path);
}

static int take_fitting(void *user, const struct db_record *r)
{
	struct side_reading *g = user;
	const struct compare_side *s = g->side;
	bool fells = r->status == TRIAL_WRONG || r->status == TRIAL_CRASH;

	if ((r->status != TRIAL_OK && !fells) || r->estimate || (g->campaign && r->campaign != g->campaign) ||
	    (s->device && !begins(r->fingerprint, s->device)) ||
	    (s->toolchain && !strstr(r->toolchain_text, s->toolchain)) ||
	    (s->hone && (!r->hone || strcmp(r->hone, s->hone) != 0)))
		return 0;
	vec_push(g->a, &g->fits, db_record_copy(g->a, r));
	return 0;
}

/* Orders records by the kernel that they are of, of one kernel the one that counts first: a confirmation before a
 * trial, the latest before others, as "standing" in db/schema.c has it. */
static int by_kernel(const void *x, const void *y)
{
	const struct db_record *a = x, *b = y;
	int c = strcmp(a->task_key, b->task_key);

	c = c ? c : strcmp(a->fingerprint, b->fingerprint);
	c = c ? c : a->threads - b->threads;
	c = c ? c : strcmp(a->cache, b->cache);
	c = c ? c : strcmp(a->toolchain_text, b->toolchain_text);
	return c ? c : memcmp(&a->steps_hash, &b->steps_hash, sizeof(a->steps_hash));
}

static int by_standing(const void *x, const void *y)
{
	const struct db_record *a = x, *b = y;
	int c = by_kernel(x, y);

	c = c ? c : (a->status == TRIAL_OK) - (b->status == TRIAL_OK);	/* what fells comes first */
	c = c ? c : a->imported - b->imported;
	c = c || a->status != TRIAL_OK ? c : b->final - a->final;
	return c ? c : (b->seq > a->seq) - (b->seq < a->seq);
}

/* Of one task, device, number of threads and cache state. */
static bool is_alike(const struct db_record *x, const struct db_record *y)
{
	return strcmp(x->task_key, y->task_key) == 0 && strcmp(x->fingerprint, y->fingerprint) == 0 &&
	       x->threads == y->threads && strcmp(x->cache, y->cache) == 0;
}

/* As DB_SUREST orders them. */
static bool is_surer(const struct db_record *x, const struct db_record *y)
{
	if (x->imported != y->imported)
		return !x->imported;
	if (x->final != y->final)
		return x->final;
	return x->time_us < y->time_us;
}

/* The best of what stands in G's records. What was felled later than it was measured does not. */
static void choose(struct side_reading *g)
{
	const struct db_record *at = g->fits.at, *felled = NULL;
	struct side_kernel *last = NULL;

	if (g->fits.n)
		qsort(g->fits.at, (size_t)g->fits.n, sizeof(*at), by_standing);
	for (int i = 0; i < g->fits.n; i++) {
		bool first = i == 0 || by_kernel(&at[i - 1], &at[i]) != 0;

		if (at[i].status != TRIAL_OK) {
			if (first)
				felled = &at[i];
			continue;
		}
		if (felled && by_kernel(felled, &at[i]) == 0 &&
		    (felled->imported < at[i].imported ||
		     (felled->imported == at[i].imported && felled->seq >= at[i].seq)))
			continue;
		if (!first && at[i - 1].status == TRIAL_OK)
			continue;	/* another one of this kernel counts */
		if (last && is_alike(&last->record, &at[i])) {
			if (is_surer(&at[i], &last->record))
				last->record = at[i];
			continue;
		}
		vec_push(g->a, g->out, (struct side_kernel){ .record = at[i] });
		last = &g->out->at[g->out->n - 1];
	}
}

static int name_all(struct arena *a, struct db *db, struct side_kernel_vec *v)
{
	for (int i = 0; i < v->n; i++) {
		struct db_task t;
		int found = db_find_task(db, a, v->at[i].record.task_key, &t);

		if (found < 0)
			return -1;
		v->at[i].name = found ? t.name : v->at[i].record.task_key;
		v->at[i].text = found ? t.text : "";
	}
	return 0;
}

static int read_db(struct side_reading *g, struct db *db)
{
	const struct db_want want = { .threads = g->side->threads, .measured = true, .from = g->side->from };

	db_listen(db, &(struct listener){ command_hear, NULL });
	if ((g->side->campaign && find_campaign(g->a, db, g->side, &g->campaign) < 0) ||
	    db_each(db, &want, take_fitting, g) < 0)
		return -1;
	choose(g);
	return name_all(g->a, db, g->out);
}

int side_read(struct arena *a, const struct compare_side *s, struct side_kernel_vec *out)
{
	struct side_reading g = { .a = a, .side = s, .out = out };
	struct db *db = db_open(s->path, DB_READ);
	int rc = db ? read_db(&g, db) : -1;

	*out = rc < 0 ? (struct side_kernel_vec){ 0 } : *out;
	db_close(db);
	return rc;
}
