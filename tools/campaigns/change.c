/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaigns/change.c - campaigns are named, noted something of, deleted, compared. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "db/delete.h"
#include "db/label.h"
#include "tools/campaigns/campaigns.h"
#include "tools/command.h"

static int find(const struct campaigns_args *args, int word, struct db_campaign *out)
{
	return label_find(args->db, args->arena, args->words[word], out);
}

int campaigns_name(const struct campaigns_args *args)
{
	struct db_campaign c;

	return find(args, 0, &c) < 0 || label_name(args->db, c.id, args->words[1]) < 0 ? -1 : EXIT_OK;
}

int campaigns_note(const struct campaigns_args *args)
{
	struct db_campaign c;

	return find(args, 0, &c) < 0 || label_note(args->db, c.id, args->words[1]) < 0 ? -1 : EXIT_OK;
}

/* What would be lost, on stderr. */
static int tell(const struct campaigns_args *args, const struct db_campaign *c)
{
	struct db_belongings b;

	if (db_campaign_belongings(args->db, c->id, &b) < 0)
		return -1;
	fprintf(stderr, "campaign %lld%s%s%s of %s: %lld records, %lld rounds, %lld sittings\n", (long long)c->id,
		c->name ? " (" : "", c->name ? c->name : "", c->name ? ")" : "", c->source, (long long)b.records,
		(long long)b.rounds, (long long)b.sittings);
	return 0;
}

/* 1, or 0 where the answer is no. */
static int ask(int n)
{
	char answer[16];

	if (!isatty(STDIN_FILENO))
		return err_set("nothing is deleted: nobody is there to be asked; give --yes");
	fprintf(stderr, "delete %s, for good? [y/N] ", n > 1 ? "them" : "it");
	return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

int campaigns_delete(const struct campaigns_args *args)
{
	struct db_campaign *all = arena_many(args->arena, struct db_campaign, args->n);

	for (int i = 0; i < args->n; i++)	/* before the first one goes */
		if (find(args, i, &all[i]) < 0 || tell(args, &all[i]) < 0)
			return -1;
	int sure = args->yes ? 1 : ask(args->n);

	if (sure <= 0)
		return sure < 0 ? -1 : EXIT_OK;
	for (int i = 0; i < args->n; i++)
		if (db_campaign_delete(args->db, all[i].id) < 0)
			return -1;
	return EXIT_OK;
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
