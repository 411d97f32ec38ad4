/* SPDX-License-Identifier: Apache-2.0 */
/* db/label.c - names of campaigns, and the campaigns that are meant by them. */
#include "db/label.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/near.h"
#include "base/text.h"
#include "db/sql.h"

static const char naming[] = "naming a campaign";
static const char noting[] = "noting something of a campaign";

enum { TOLD_MOST = 8 };

/* How TEXT means a campaign: the greater, the rather. */
enum meaning { MEANS_NOT, MEANS_UID, MEANS_NUMBER, MEANS_NAME };

static enum meaning meaning_of(const struct db_campaign *c, const char *text)
{
	size_t n = strlen(text);

	if (c->name && strcmp(c->name, text) == 0)
		return MEANS_NAME;
	if (n > 0 && text[strspn(text, "0123456789")] == '\0' && strtoll(text, NULL, 10) == c->id)
		return MEANS_NUMBER;
	return n >= LABEL_UID_LEAST && strncmp(c->uid, text, n) == 0 ? MEANS_UID : MEANS_NOT;
}

static enum meaning best_meaning(const struct db_campaign_vec *all, const char *text)
{
	enum meaning best = MEANS_NOT;

	for (int i = 0; i < all->n; i++)
		if (meaning_of(&all->at[i], text) > best)
			best = meaning_of(&all->at[i], text);
	return best;
}

static bool is_meant(const struct db_campaign *c, const char *text)
{
	return meaning_of(c, text) == MEANS_UID;
}

static bool is_like(const struct db_campaign *c, const char *text)
{
	return c->name && (near_is(text, c->name) || (*text && strncmp(c->name, text, strlen(text)) == 0));
}

static bool is_any(const struct db_campaign *c, const char *text)
{
	(void)c;
	(void)text;
	return true;
}

/* "3 (its name), ...", in A: those of ALL that IS says of TEXT, the newest first; "" for none. */
static const char *list_some(struct arena *a, const struct db_campaign_vec *all, const char *text,
			     bool (*is)(const struct db_campaign *c, const char *text))
{
	const char *list = "";
	int told = 0;

	for (int i = all->n - 1; i >= 0; i--) {
		const struct db_campaign *c = &all->at[i];

		if (!is(c, text))
			continue;
		if (told++ == TOLD_MOST)
			return arena_printf(a, "%s, ...", list);
		list = arena_printf(a, "%s%s%lld", list, *list ? ", " : "", (long long)c->id);
		if (c->name)
			list = arena_printf(a, "%s (%s)", list, c->name);
	}
	return list;
}

static int tell_none(struct db *db, struct arena *a, const struct db_campaign_vec *all, const char *text)
{
	const char *like = list_some(a, all, text, is_like);

	if (*like)
		return err_set("campaign '%s': %s has none of that number, name or uid; is it %s?", text, db_path(db), like);
	return all->n ? err_set("campaign '%s': %s has none of that number, name or uid; there are: %s", text, db_path(db),
				list_some(a, all, text, is_any))
		      : err_set("campaign '%s': %s has no campaign", text, db_path(db));
}

int label_find(struct db *db, struct arena *a, const char *text, struct db_campaign *out)
{
	struct db_campaign_vec all;
	int found = 0;

	if (db_campaigns(db, a, &all) < 0)
		return -1;
	enum meaning best = best_meaning(&all, text);

	for (int i = 0; i < all.n && best != MEANS_NOT; i++)
		if (meaning_of(&all.at[i], text) == best) {
			*out = all.at[i];
			found++;
		}
	if (found == 0)
		return tell_none(db, a, &all, text);
	return found == 1 ? 0 : err_set("campaign '%s': %s has several whose uid begins so: %s; give a number", text,
					db_path(db), list_some(a, &all, text, is_meant));
}

int label_check(const char *name)
{
	static const char how[] = "a name is 1 to 100 characters without ',', '#', '=' or '~', and not only digits";
	size_t n = strlen(name), digits = strspn(name, "0123456789");

	for (size_t i = 0; i < n; i++)
		if (iscntrl((unsigned char)name[i]) || strchr(",#=~", name[i]))
			return err_set("'%s': %s", name, how);
	if (n == 0 || n > LABEL_NAME_MOST || digits == n || isspace((unsigned char)name[0]) ||
	    isspace((unsigned char)name[n - 1]))
		return err_set("'%s': %s", name, how);
	return 0;
}

int label_check_note(const char *note)
{
	for (const char *s = note; *s; s++)
		if (iscntrl((unsigned char)*s) && *s != '\n' && *s != '\t')
			return err_set("the note: it has a character that a terminal takes for its own");
	return strlen(note) <= LABEL_NOTE_MOST ? 0 : err_set("the note is too long: at most %d characters", LABEL_NOTE_MOST);
}

int64_t label_holder(struct db *db, const char *name)
{
	int64_t id = 0;
	int found = sql_int(db, naming, &id, "SELECT id FROM labels WHERE label = ? LIMIT 1", "t", name);

	return found > 0 ? id : found;
}

static int set_name(struct db *db, int64_t id, const char *name)
{
	int64_t holder = *name ? label_holder(db, name) : 0;

	if (holder < 0)
		return -1;
	if (holder > 0 && holder != id)
		return err_set("campaign %lld of %s is called '%s' already: give another name, or take it from that one "
			       "first (`hone campaigns name %lld ''`)", (long long)holder, db_path(db), name, (long long)holder);
	/* later than whatever was said of it before, whatever the clock says */
	return holder == id ? 0 : sql_run(db, naming, "UPDATE campaigns SET name = nullif(?1, ''),"
					  " named = max(?2, named + 1) WHERE id = ?3", "tii", name, clock_wall(), id);
}

int label_name(struct db *db, int64_t id, const char *name)
{
	if ((*name && label_check(name) < 0) || sql_begin(db, naming) < 0)
		return -1;
	return sql_end(db, naming, set_name(db, id, name));
}

int label_note(struct db *db, int64_t id, const char *note)
{
	if (label_check_note(note) < 0)
		return -1;
	return sql_run(db, noting, "UPDATE campaigns SET note = ?1, noted = max(?2, noted + 1) WHERE id = ?3"
		       " AND note <> ?1", "tii", note, clock_wall(), id);
}
