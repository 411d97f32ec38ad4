/* SPDX-License-Identifier: Apache-2.0 */
/* search/trust/evidence.c - hashes of C texts, and figures with what they rest on. */
#include "search/trust/evidence.h"

#include <string.h>

#include "base/err.h"
#include "base/text.h"

const char *evidence_hash(struct arena *a, const char *source)
{
	return hash_text(hash_bytes(source, strlen(source)), arena_many(a, char, HASH_TEXT));
}

enum evidence evidence_of(const struct db_record *r, const char *source)
{
	char hash[HASH_TEXT];

	if (!r->source_hash)
		return EVIDENCE_UNKNOWN;
	hash_text(hash_bytes(source, strlen(source)), hash);
	return strcmp(hash, r->source_hash) == 0 ? EVIDENCE_SAME : EVIDENCE_CHANGED;
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
