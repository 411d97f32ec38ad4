/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaigns/delete.c - campaigns go, once the user has seen what goes with them. */
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "db/delete.h"
#include "db/label.h"
#include "tools/campaigns/campaigns.h"
#include "tools/command.h"
#include "tools/json.h"

/* The campaigns that are meant, each once. */
struct doomed {
	struct db_campaign *at;
	int64_t *ids;
	int n;
};

static int find_all(const struct campaigns_args *args, struct doomed *out)
{
	out->at = arena_many(args->arena, struct db_campaign, args->n);
	out->ids = arena_many(args->arena, int64_t, args->n);
	for (int i = 0; i < args->n; i++) {
		struct db_campaign c;
		bool again = false;

		if (label_find(args->db, args->arena, args->words[i], &c) < 0)
			return -1;
		for (int j = 0; j < out->n; j++)
			again |= out->ids[j] == c.id;
		if (again)
			continue;
		out->at[out->n] = c;
		out->ids[out->n++] = c.id;
	}
	return 0;
}

/* What would be lost, on stderr. */
static int tell(const struct campaigns_args *args, const struct doomed *d)
{
	struct db_belongings b;

	for (int i = 0; i < d->n; i++) {
		const struct db_campaign *c = &d->at[i];

		if (db_campaigns_belongings(args->db, &d->ids[i], 1, &b) < 0)
			return -1;
		fprintf(stderr, "campaign %lld%s%s of %s, begun %s: %lld records, %lld rounds, %lld sittings\n",
			(long long)c->id, c->name ? ", " : "", c->name ? c->name : "", c->source,
			campaigns_moment(args->arena, c->created), (long long)(b.records + b.kept), (long long)b.rounds,
			(long long)b.sittings);
	}
	if (db_campaigns_belongings(args->db, d->ids, d->n, &b) < 0)
		return -1;
	if (b.kept)
		fprintf(stderr, "%lld of the records stay, as those of no campaign: they prove kernels of others wrong\n",
			(long long)b.kept);
	return 0;
}

/* 1, or 0 where the answer is no. */
static int ask(const struct doomed *d)
{
	char answer[16];

	if (!isatty(STDIN_FILENO))
		return err_set("nothing is deleted: nobody is there to be asked; give --yes");
	fprintf(stderr, "delete %s, for good? [y/N] ", d->n > 1 ? "them" : "it");
	return fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

static json_t *deleted_json(const struct doomed *d, const struct db_belongings *b)
{
	json_t *list = json_array();

	for (int i = 0; i < d->n; i++)
		json_array_append_new(list, json_pack("{s:I, s:s, s:o, s:o}", "id", (json_int_t)d->ids[i], "uid",
						      d->at[i].uid, "name", json_label(d->at[i].name), "source",
						      json_label(d->at[i].source)));
	return json_pack("{s:o, s:I, s:I, s:I, s:I}", "campaigns", list, "records", (json_int_t)b->records, "kept_records",
			 (json_int_t)b->kept, "rounds", (json_int_t)b->rounds, "sittings", (json_int_t)b->sittings);
}

int campaigns_delete(const struct campaigns_args *args)
{
	struct db_belongings b;
	struct doomed d = { 0 };

	if (find_all(args, &d) < 0 || (!args->yes && tell(args, &d) < 0))
		return -1;
	int sure = args->yes ? 1 : ask(&d);

	if (sure <= 0)
		return sure < 0 ? -1 : (fputs("nothing is deleted\n", stderr), EXIT_OK);
	if (db_campaigns_delete(args->db, d.ids, d.n, &b) < 0)
		return -1;
	if (args->json)
		json_print(deleted_json(&d, &b));
	else
		printf("%s: deleted %lld campaign%s with %lld records, %lld rounds, %lld sittings\n", args->db_path,
		       (long long)b.campaigns, b.campaigns == 1 ? "" : "s", (long long)b.records, (long long)b.rounds,
		       (long long)b.sittings);
	return db_shrink(args->db) < 0 ? -1 : EXIT_OK;
}
