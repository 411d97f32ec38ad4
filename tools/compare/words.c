/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/words.c - what all forms of a comparison say alike. */
#include <math.h>
#include <string.h>

#include "tools/compare/compare.h"

/* --- what a side is */

/* Of several the first so many are named. */
enum { NAMED = 3 };

struct kind_words {
	const char *at[NAMED];
	int n;
	bool more;
};

static void note_kind(struct kind_words *k, const char *word)
{
	for (int i = 0; i < k->n; i++)
		if (strcmp(k->at[i], word) == 0)
			return;
	if (k->n == NAMED)
		k->more = true;
	else
		k->at[k->n++] = word;
}

static void print_kinds(struct text *out, const char *label, const struct kind_words *k)
{
	text_printf(out, "%s%s ", out->n ? "; " : "", label);
	for (int i = 0; i < k->n; i++)
		text_printf(out, "%s%s", i ? ", " : "", k->at[i]);
	text_puts(out, k->more ? " and others" : "");
}

/* What a toolchain's text has before its flags. */
static size_t name_of_compiler(const char *toolchain)
{
	const char *flags = strstr(toolchain, " -");

	return flags ? (size_t)(flags - toolchain) : strlen(toolchain);
}

/* TEXT as short as it is told from all toolchains of T. */
static const char *toolchain_word(struct arena *a, const struct compare_table *t, const char *text)
{
	size_t n = name_of_compiler(text);

	for (int i = 0; i < t->rows.n; i++)
		for (int side = 0; side < SIDES; side++) {
			const char *other = t->rows.at[i].side[side].record.toolchain_text;

			if (strcmp(other, text) != 0 && name_of_compiler(other) == n && strncmp(other, text, n) == 0)
				return text;
		}
	return arena_strndup(a, text, n);
}

static const char *take(struct arena *a, struct text *t)
{
	const char *s = arena_strdup(a, text_str(t));

	text_free(t);
	return s;
}

const char *compare_about(struct arena *a, const struct compare_table *t, int side)
{
	struct kind_words hone = { 0 }, device = { 0 }, toolchain = { 0 };
	struct text out = { 0 };

	for (int i = 0; i < t->rows.n; i++) {
		const struct db_record *r = &t->rows.at[i].side[side].record;

		note_kind(&hone, r->hone ? r->hone : "of old");
		note_kind(&device, arena_printf(a, "%.8s", r->fingerprint));
		note_kind(&toolchain, toolchain_word(a, t, r->toolchain_text));
	}
	print_kinds(&out, "hone", &hone);
	print_kinds(&out, "device", &device);
	print_kinds(&out, "built by", &toolchain);
	return take(a, &out);
}

double compare_reach(const struct compare_table *t)
{
	static const double MOST = 4;	/* times as fast, or as slow: beyond that others could not be told apart */
	double reach = 1 + 3 * t->options->margin;

	for (int i = 0; i < t->rows.n; i++) {
		const struct comparison *c = &t->rows.at[i].with;

		reach = fmax(reach, fmax(c->high, 1 / c->low));
	}
	return fmin(reach, MOST);
}

/* --- of a row */

/* Whether its interval alone says more than its verdict. */
static bool is_one_of_many(const struct compare_table *t, const struct compare_row *r)
{
	const struct comparison *c = &r->with;
	double edge = 1 + t->options->margin;

	return r->sound && c->verdict == VERDICT_UNCLEAR && c->bounded && (c->low > edge || c->high < 1 / edge);
}

const char *compare_note(struct arena *a, const struct compare_table *t, const struct compare_row *r)
{
	struct text out = { 0 };

	text_puts(&out, r->caveat);
	if (is_one_of_many(t, r))
		text_printf(&out, "%sbeyond the threshold by itself, but one of %d", out.n ? ", " : "", t->rows.n);
	if (r->again)
		text_printf(&out, "%stimed again in turn (was %s)", out.n ? ", " : "", verdict_name(r->was));
	if (*r->again_note)
		text_printf(&out, "%s%s", out.n ? ", " : "", r->again_note);
	return take(a, &out);
}

const char *compare_counts(struct arena *a, const struct compare_table *t)
{
	static const enum verdict order[] = { VERDICT_FASTER, VERDICT_SLOWER, VERDICT_SAME, VERDICT_UNCLEAR };
	struct text out = { 0 };

	for (int i = 0; i < 4; i++)
		if (t->verdicts[order[i]])
			text_printf(&out, "%s%d %s", out.n ? ", " : "", t->verdicts[order[i]],
				    verdict_name(order[i]));
	if (t->options->again)
		text_printf(&out, "; %d of %d timed again on this machine, %d that %s unclear settled by it",
			    t->retimed, t->rows.n, t->settled, t->settled == 1 ? "was" : "were");
	return take(a, &out);
}

const char *compare_mean_words(struct arena *a, const struct compare_table *t)
{
	return t->sound == 0 || t->sound == t->rows.n
	       ? arena_printf(a, "geometric mean of %d", t->rows.n)
	       : arena_printf(a, "geometric mean of %d of %d", t->sound, t->rows.n);
}

const char *compare_total_words(struct arena *a, const struct compare_total *total)
{
	struct text out = { 0 };

	text_printf(&out, "occurrences x time of %d kernel%s", total->tasks, total->tasks > 1 ? "s" : "");
	if (total->missing)
		text_printf(&out, " of %d", total->tasks + total->missing);
	text_printf(&out, ", %d thread%s, %s", total->threads, total->threads > 1 ? "s" : "", total->cache);
	return take(a, &out);
}
