/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaigns/list.c - all campaigns as a table. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/campaigns/campaigns.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/text_table.h"

/* In 80 columns a device is the beginning of its fingerprint, which --device of other commands takes, a moment its day. */
static const struct text_table_column columns[] = {
	{ .head = "id", .right = true },
	{ .head = "name", .cut = CUT_DOTS, .least = 8, .gives = 5 },
	{ .head = "state" },
	{ .head = "device", .cut = CUT_PLAIN, .least = 8, .gives = 3 },
	{ .head = "source", .cut = CUT_DOTS, .least = 12, .gives = 5 },
	{ .head = "began", .cut = CUT_PLAIN, .least = 10, .gives = 4 },
	{ .head = "took", .right = true },
	{ .head = "tasks", .right = true },
	{ .head = "trials", .right = true },
	{ .head = "gain", .right = true },
	{ .head = "note", .cut = CUT_DOTS, .least = 12, .gives = 1, .may_go = true },
};
enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static const char *number(struct arena *a, int64_t n)
{
	return arena_printf(a, "%" PRId64, n);
}

static const char *duration(struct arena *a, double seconds)
{
	struct text t = { 0 };

	if (isnan(seconds))
		return "-";
	text_duration(&t, seconds);
	const char *copy = arena_strdup(a, text_str(&t));

	text_free(&t);
	return copy;
}

static const char *const *cells_of(struct arena *a, const struct campaigns_row *r)
{
	const struct db_campaign *c = &r->status.campaign;
	const char **cells = arena_many(a, const char *, COLUMNS);
	const char *all[COLUMNS] = {
		number(a, c->id), c->name ? c->name : "", campaign_state_name(c->state),
		arena_printf(a, "%.8s %s", r->device, r->device_name), c->source, campaigns_moment(a, c->created),
		duration(a, r->status.seconds), number(a, r->tasks), number(a, r->trials),
		campaigns_gain(a, r->gain, r->estimate), arena_strndup(a, c->note, strcspn(c->note, "\n")),
	};

	memcpy(cells, all, sizeof(all));
	return cells;
}

static json_t *rows_json(const struct campaigns_row_vec *rows)
{
	json_t *list = json_array();

	for (int i = 0; i < rows->n; i++)
		json_array_append_new(list, campaigns_row_json(&rows->at[i]));
	return list;
}

int campaigns_list(const struct campaigns_args *args)
{
	struct text_table t = { .columns = columns, .n = COLUMNS };
	struct campaigns_row_vec rows;
	struct text out = { 0 };

	if (campaigns_rows(args, NULL, &rows) < 0)
		return -1;
	if (args->json)
		return json_print(rows_json(&rows));
	for (int i = 0; i < rows.n; i++)
		vec_push(args->arena, &t.rows, cells_of(args->arena, &rows.at[i]));
	if (rows.n)
		text_table_print(&out, &t, text_table_width());
	else
		text_printf(&out, "%s: no campaign yet\n", args->db_path);
	fputs(text_str(&out), stdout);
	text_free(&out);
	return EXIT_OK;
}
