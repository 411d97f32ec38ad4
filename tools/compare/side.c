/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/side.c - what FILE#KEY=VALUE means, and which records that are. */
#include "tools/compare/side.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/version.h"
#include "db/label.h"
#include "measure/device/device.h"

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
		return err_set("%s: imported=%s: give yes (what logs from elsewhere say) or no (what was measured "
			       "here)", s->name, value);
	s->imported = *value == 'y';
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

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

int side_campaign(struct arena *a, struct db *db, const struct compare_side *s, int64_t *out)
{
	struct db_campaign c;

	*out = 0;
	if (!s->campaign)
		return 0;
	if (label_find(db, a, s->campaign, &c) < 0)
		return -1;
	*out = c.id;
	return 1;
}

bool side_has(const struct compare_side *s, int64_t campaign, const struct db_record *r)
{
	return (!campaign || r->campaign == campaign) && (!s->threads || r->threads == s->threads) &&
	       (!s->device || begins(r->fingerprint, s->device)) &&
	       (!s->toolchain || strstr(r->toolchain_text, s->toolchain)) &&
	       (!s->hone || (r->hone && version_matches(r->hone, s->hone)));
}

bool record_is_alike(const struct db_record *x, const struct db_record *y, bool any_device)
{
	return strcmp(x->task_key, y->task_key) == 0 && x->threads == y->threads &&
	       strcmp(x->cache, y->cache) == 0 && (any_device || strcmp(x->fingerprint, y->fingerprint) == 0);
}
