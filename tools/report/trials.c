/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/trials.c - steps as words: structures and sizes of trials. */
#include "tools/report/trials.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "schedule/step.h"

/* --- words */

enum { WORDS_MOST = 64 };	/* a reorder of STEP_MAX_ITERS has fewer; what comes behind is not looked at */

/* A step of a list, cut into words. */
struct step_words {
	int n;
	const char *at[WORDS_MOST];
	int bytes[WORDS_MOST];
	enum step_kind kind;	/* STEP_KIND_COUNT: unknown */
};

static bool word_is(const struct step_words *w, int i, const char *s)
{
	return i < w->n && (size_t)w->bytes[i] == strlen(s) && memcmp(w->at[i], s, strlen(s)) == 0;
}

static enum step_kind kind_of(const struct step_words *w)
{
	enum step_kind k = 0;

	while (k < STEP_KIND_COUNT && !word_is(w, 0, step_name(k)))
		k++;
	return k;
}

static bool ends_step(char c)
{
	return c == '\0' || c == ';' || c == '\n';
}

/* The next step of *AT, which moves behind it; false at the end. */
static bool next_step(const char **at, struct step_words *w)
{
	const char *s = *at;

	w->n = 0;
	while (*s == ' ' || *s == ';' || *s == '\n')
		s++;
	while (!ends_step(*s)) {
		const char *word = s;

		while (!ends_step(*s) && *s != ' ')
			s++;
		if (w->n < WORDS_MOST) {
			w->at[w->n] = word;
			w->bytes[w->n++] = (int)(s - word);
		}
		while (*s == ' ')
			s++;
	}
	*at = s;
	w->kind = kind_of(w);
	return w->n > 0;
}

/* Where the words of KIND have field F; 0: nowhere. */
static int field_at(enum step_kind kind, char f)
{
	const char *fields = kind < STEP_KIND_COUNT ? step_fields(kind) : "";
	const char *found = strchr(fields, f);

	return found ? (int)(found - fields) + 1 : 0;
}

static int64_t size_of(const struct step_words *w)
{
	int i = field_at(w->kind, 'n');

	return i && i < w->n ? strtoll(w->at[i], NULL, 10) : 0;
}

/* --- structures */

/* Name and stage of a step: what is left are sizes, orders and places. What it is derived by says which
 * algorithm it is, so it counts, its size too. */
static void print_identity(struct text *out, const struct step_words *w)
{
	int words = w->kind == STEP_DERIVE ? w->n : field_at(w->kind, 's') + 1;

	for (int i = 0; i < words && i < w->n; i++) {
		text_putn(out, w->at[i], (size_t)w->bytes[i]);
		text_puts(out, i + 1 < words ? " " : ";");
	}
}

static const char *take(struct arena *a, struct text *t)
{
	const char *s = arena_strdup(a, text_str(t));

	text_free(t);
	return s;
}

static const char *derivation_of(struct arena *a, const char *steps)
{
	struct text t = { 0 };
	struct step_words w;

	while (next_step(&steps, &w))
		if (w.kind == STEP_DERIVE && w.n > 3)
			text_printf(&t, "%s%.*s %.*s", t.n ? ", " : "", w.bytes[2], w.at[2],
				    w.bytes[3], w.at[3]);
	if (!t.n)
		text_puts(&t, "as written");
	return take(a, &t);
}

/* "4 split, 2 compute_at, rfactor": each kind of step in the order of the table, but for what it is derived by. */
static const char *label_of(struct arena *a, const char *steps)
{
	int counts[STEP_KIND_COUNT + 1] = { 0 };
	struct text t = { 0 };
	struct step_words w;

	while (next_step(&steps, &w))
		counts[w.kind]++;
	for (enum step_kind k = 0; k < STEP_KIND_COUNT; k++) {
		if (!counts[k] || k == STEP_DERIVE)
			continue;
		text_puts(&t, t.n ? ", " : "");
		if (counts[k] > 1)
			text_printf(&t, "%d ", counts[k]);
		text_puts(&t, step_name(k));
	}
	if (!t.n)
		text_puts(&t, "no steps");
	return take(a, &t);
}

struct size_vec VEC(int64_t);

/* What makes the structure of STEPS, and its sizes, in A. */
static struct hash128 read_steps(struct arena *a, const char *steps, struct size_vec *sizes)
{
	struct text identity = { 0 };
	struct step_words w;

	*sizes = (struct size_vec){ 0 };
	while (next_step(&steps, &w)) {
		print_identity(&identity, &w);
		if (w.kind == STEP_SPLIT)
			vec_push(a, sizes, size_of(&w));
	}
	struct hash128 hash = hash_bytes(text_str(&identity), identity.n);

	text_free(&identity);
	return hash;
}

static int find_hash(const struct trial_table *t, struct hash128 hash)
{
	for (int i = 0; i < t->structures.n; i++)
		if (hash_equal(t->structures.at[i].hash, hash))
			return i;
	return -1;
}

int trial_structure_find(struct arena *a, const struct trial_table *t, const char *steps,
			 const int64_t **sizes, int *n)
{
	struct size_vec all;
	struct hash128 hash = read_steps(a, steps, &all);

	*sizes = all.at;
	*n = all.n;
	return find_hash(t, hash);
}

static struct trial_structure structure_new(struct arena *a, const char *steps)
{
	struct size_vec sizes;

	return (struct trial_structure){ .hash = read_steps(a, steps, &sizes),
					 .derivation = derivation_of(a, steps),
					 .label = label_of(a, steps) };
}

int trial_splits(struct arena *a, const char *steps, const char ***out)
{
	struct VEC(const char *) all = { 0 };
	struct step_words w;

	while (next_step(&steps, &w))
		if (w.kind == STEP_SPLIT)
			vec_push(a, &all, w.n < 3 ? "?" : arena_printf(a, "%.*s %.*s", w.bytes[1],
								       w.at[1], w.bytes[2], w.at[2]));
	*out = all.at;
	return all.n;
}

/* --- tables */

void trial_table_add(struct arena *a, struct trial_table *t, const struct db_record *r)
{
	struct trial_entry e = { .record = r->id, .status = r->status, .estimate = r->estimate,
				 .threads = r->threads, .us = r->time_us,
				 .cache = cache_state_alone(r->cache) };

	e.structure = trial_structure_find(a, t, r->steps, &e.sizes, &e.n_sizes);
	if (e.structure < 0) {
		e.structure = t->structures.n;
		vec_push(a, &t->structures, structure_new(a, r->steps));
	}
	vec_push(a, &t->trials, e);
}

void trial_table_end(struct trial_table *t)
{
	int estimates = 0, kept = 0;

	for (int i = 0; i < t->trials.n; i++)
		estimates += t->trials.at[i].estimate;
	if (estimates < t->trials.n)
		t->estimates = estimates;
	for (int i = 0; i < t->trials.n; i++) {
		if (t->estimates && t->trials.at[i].estimate)
			continue;
		t->trials.at[kept++] = t->trials.at[i];
		t->by_status[t->trials.at[i].status]++;
	}
	t->trials.n = kept;
}
