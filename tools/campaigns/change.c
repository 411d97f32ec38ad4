/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaigns/change.c - campaigns are named, noted something of, compared. */
#include <stdio.h>

#include "db/label.h"
#include "tools/campaigns/campaigns.h"
#include "tools/command.h"

static int find(const struct campaigns_args *args, int word, struct db_campaign *out)
{
	return label_find(args->db, args->arena, args->words[word], out);
}

/* Labels the campaign that the first word means by the second. */
static int set(const struct campaigns_args *args, int (*label)(struct db *db, int64_t id, const char *text))
{
	struct db_campaign c;

	if (find(args, 0, &c) < 0 || label(args->db, c.id, args->words[1]) < 0)
		return -1;
	return args->json ? campaigns_print_json(args, c.id) : EXIT_OK;
}

int campaigns_name(const struct campaigns_args *args)
{
	return set(args, label_name);
}

int campaigns_note(const struct campaigns_args *args)
{
	return set(args, label_note);
}

/* The command itself, of two sides of this file. */
int campaigns_compare(const struct campaigns_args *args)
{
	char *words[6] = { "hone compare" };
	struct db_campaign c;
	int n = 1;

	for (int i = 0; i < 2; i++) {
		if (find(args, i, &c) < 0)
			return -1;
		words[n++] = arena_printf(args->arena, "%s#campaign=%lld", args->db_path, (long long)c.id);
	}
	if (args->json)
		words[n++] = "--json";
	return command_compare.run(n, words);
}
