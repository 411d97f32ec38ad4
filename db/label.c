/* SPDX-License-Identifier: Apache-2.0 */
/* db/label.c - names of campaigns, and the campaigns that are meant by them. */
#include "db/label.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "db/sql.h"

static const char what[] = "naming a campaign";

enum { TOLD_MOST = 8 };

static bool is_meant(const struct db_campaign *c, const char *text)
{
	size_t n = strlen(text);
	char *end;
	long long number = strtoll(text, &end, 10);

	return (n > 0 && !*end && c->id == number) || (c->name && strcmp(c->name, text) == 0) ||
	       (n >= LABEL_UID_LEAST && strncmp(c->uid, text, n) == 0);
}

static void put_label(struct text *out, const struct db_campaign *c)
{
	text_printf(out, "%s%lld", out->n ? ", " : "", (long long)c->id);
	if (c->name)
		text_printf(out, " (%s)", c->name);
}

/* Some of ALL, the newest first: all, or those that are meant by TEXT. */
static void put_some(struct text *out, const struct db_campaign_vec *all, const char *text)
{
	int told = 0;

	for (int i = all->n - 1; i >= 0; i--) {
		if (text && !is_meant(&all->at[i], text))
			continue;
		if (told++ == TOLD_MOST) {
			text_puts(out, ", ...");
			return;
		}
		put_label(out, &all->at[i]);
	}
}

int label_find(struct db *db, struct arena *a, const char *text, struct db_campaign *out)
{
	struct db_campaign_vec all;
	struct text some = { 0 };
	int found = 0;

	if (db_campaigns(db, a, &all) < 0)
		return -1;
	for (int i = 0; i < all.n; i++)
		if (is_meant(&all.at[i], text)) {
			*out = all.at[i];
			found++;
		}
	if (found == 1)
		return 0;
	put_some(&some, &all, found ? text : NULL);
	if (found)
		err_set("campaign '%s': %s has several that it may be: %s; give a number", text, db_path(db), some.s);
	else if (all.n)
		err_set("campaign '%s': %s has none of that number, name or uid; there are: %s", text, db_path(db),
			some.s);
	else
		err_set("campaign '%s': %s has no campaign", text, db_path(db));
	text_free(&some);
	return -1;
}

int label_check(const char *name)
{
	static const char how[] = "a name is 1 to 100 characters without ',', '#' or '=', and not only digits";
	size_t n = strlen(name), digits = strspn(name, "0123456789");

	for (size_t i = 0; i < n; i++)
		if (iscntrl((unsigned char)name[i]) || strchr(",#=", name[i]))
			return err_set("'%s': %s", name, how);
	if (n == 0 || n > LABEL_NAME_MOST || digits == n || isspace((unsigned char)name[0]) ||
	    isspace((unsigned char)name[n - 1]))
		return err_set("'%s': %s", name, how);
	return 0;
}

int label_check_free(struct db *db, int64_t id, const char *name)
{
	int64_t other;

	if (label_check(name) < 0)
		return -1;
	int rc = sql_int(db, what, &other, "SELECT id FROM campaigns WHERE name = ? AND id <> ? LIMIT 1", "ti", name, id);

	return rc > 0 ? err_set("campaign %lld of %s is called '%s' already: give another name, or take it from that "
				"one first (`hone campaigns name %lld ''`)",
				(long long)other, db_path(db), name, (long long)other)
		      : rc;
}

int label_name(struct db *db, int64_t id, const char *name)
{
	if (sql_begin(db, what) < 0)
		return -1;
	int rc = *name ? label_check_free(db, id, name) : 0;

	if (rc == 0)
		rc = sql_run(db, what, "UPDATE campaigns SET name = nullif(?, '') WHERE id = ?", "ti", name, id);
	return sql_end(db, what, rc);
}

int label_note(struct db *db, int64_t id, const char *note)
{
	if (strlen(note) > LABEL_NOTE_MOST)
		return err_set("the note is too long: at most %d characters", LABEL_NOTE_MOST);
	return sql_run(db, "noting something of a campaign", "UPDATE campaigns SET note = ? WHERE id = ?", "ti", note, id);
}
