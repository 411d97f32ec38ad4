/* SPDX-License-Identifier: Apache-2.0 */
/* search/trust/evidence.c - hashes of C texts, and figures with what they rest on. */
#include "search/trust/evidence.h"

#include <ctype.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"

/* --- texts, whatever their tensors are called */

/* A variable of a text: its names end with a number (emit_name()). */
struct text_variable {
	const char *name;
	size_t n;
	int number;		/* in the order in which they come */
};

static int by_name(const void *a, const void *b)
{
	const struct text_variable *x = a, *y = b;
	size_t n = x->n < y->n ? x->n : y->n;
	int order = memcmp(x->name, y->name, n);

	return order ? order : (x->n > y->n) - (x->n < y->n);
}

/* Of the word of N letters at NAME, behind which nothing of it stands. */
static bool is_variable(const char *name, size_t n)
{
	size_t digits = 0;

	while (digits < n && isdigit((unsigned char)name[n - 1 - digits]))
		digits++;
	return digits > 0 && digits < n && name[n - 1 - digits] == '_' && name[n] != '(';
}

static int number_of(struct arena *a, void **variables, int *count, struct text_variable v)
{
	const struct text_variable **found = tfind(&v, variables, by_name);

	if (!found) {
		v.number = (*count)++;
		found = tsearch(arena_memdup(a, &v, sizeof(v)), variables, by_name);
		if (!found)
			die("out of memory for the variables of a text");
	}
	return (*found)->number;
}

static void keep(void *node)
{
	(void)node;	/* the arena has it */
}

/* SOURCE with numbers for its variables: an operator of a model and the same by its name differ in these alone. */
static const char *without_names(struct arena *a, const char *source)
{
	struct text out = { 0 };
	void *variables = NULL;
	int count = 0;

	for (const char *p = source; *p;) {
		size_t n = 0;

		while (text_in_identifier(p[n]))
			n++;
		if (!isdigit((unsigned char)*p) && is_variable(p, n))
			text_printf(&out, "$%d", number_of(a, &variables, &count, (struct text_variable){ p, n, 0 }));
		else
			text_putn(&out, p, n ? n : 1);
		p += n ? n : 1;
	}
	tdestroy(variables, keep);
	const char *text = arena_strdup(a, text_str(&out));

	text_free(&out);
	return text;
}

const char *evidence_hash(struct arena *a, const char *source)
{
	const char *text = without_names(a, source);

	return hash_text(hash_bytes(text, strlen(text)), arena_many(a, char, HASH_TEXT));
}

enum evidence evidence_of(const struct db_record *r, const char *source)
{
	char named[HASH_TEXT];	/* records of hone 0.2 have the hash of the text as it is */

	if (!r->source_hash)
		return EVIDENCE_UNKNOWN;
	struct arena *a = arena_new();

	hash_text(hash_bytes(source, strlen(source)), named);
	bool same = strcmp(evidence_hash(a, source), r->source_hash) == 0 || strcmp(named, r->source_hash) == 0;

	arena_free(a);
	return same ? EVIDENCE_SAME : EVIDENCE_CHANGED;
}

bool evidence_confirmed(const struct db_record *r, enum evidence e)
{
	return r->final && !r->estimate && !r->imported && e == EVIDENCE_SAME;
}

static void add(struct text *all, const char *words)
{
	text_printf(all, "%s%s", all->n ? ", " : "", words);
}

const char *evidence_caveat(struct arena *a, const struct db_record *r, enum evidence e)
{
	struct text all = { 0 };

	if (r->estimate)
		add(&all, "estimate");
	if (r->imported)
		add(&all, "imported");
	if (!r->estimate && !r->final)
		add(&all, "unconfirmed");
	if (!r->estimate && e == EVIDENCE_CHANGED)
		add(&all, "text changed since it was measured");
	if (!r->estimate && e == EVIDENCE_UNKNOWN)
		add(&all, "text that was measured not known");
	const char *caveat = arena_strdup(a, text_str(&all));

	text_free(&all);
	return caveat;
}

/* A compiler may say of itself what is no text. */
static json_t *toolchain_json(const char *s)
{
	json_t *j = json_string(s);

	return j ? j : json_null();
}

/* As the schema of docs/json.md names them. */
static const char *const text_names[] = {
	[EVIDENCE_SAME] = "same",
	[EVIDENCE_CHANGED] = "changed",
	[EVIDENCE_UNKNOWN] = "unknown",
};

json_t *evidence_json(const struct db_record *r, enum evidence e)
{
	json_t *others = r->final && r->others >= 0 ? json_integer(r->others) : json_null();
	json_t *json = json_pack("{s:I, s:b, s:b, s:b, s:s, s:s?, s:s?, s:o, s:s, s:i, s:o}", "record",
				 (json_int_t)r->id, "estimate", r->estimate, "imported",
				 r->imported, "confirmed",
				 evidence_confirmed(r, e), "text", text_names[e], "source_hash",
				 r->source_hash, "hone", r->hone, "toolchain",
				 toolchain_json(r->toolchain_text), "cache", r->cache,
				 "samples", r->n_samples, "others", others);

	if (!json)
		die("out of memory");
	return json;
}
