/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaigns/show.c - a campaign in full: what it is, where it stands, its tasks. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/label.h"
#include "tools/campaigns/campaigns.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/text_table.h"

enum { INDENT = 11, UID = 12 };	/* of text behind a word; digits that are told */

/* --- lines */

/* TEXT in lines of WIDTH bytes at most where it has blanks, all but the first, which has AT bytes, behind INDENT blanks. */
static void put_wrapped(struct text *out, const char *text, int at, int width)
{
	while (*text) {
		int blanks = (int)strspn(text, " "), n = blanks + (int)strcspn(text + blanks, " \n");

		if (at + n > width && at > INDENT) {
			text_printf(out, "\n%*s", INDENT, "");
			text += blanks;
			n -= blanks;
			at = INDENT;
		}
		text_putn(out, text, (size_t)n);
		at += n;
		text += n;
		if (*text == '\n') {
			text_printf(out, "\n%*s", *++text ? INDENT : 0, "");
			at = INDENT;
		}
	}
}

static void put_line(struct text *out, const char *word, const char *text, int width)
{
	if (!*text)
		return;
	text_printf(out, "  %-*s", INDENT - 2, word);
	put_wrapped(out, text, INDENT, width);
	text_puts(out, "\n");
}

/* "name value, ..." of the campaign's options, but for its toolchain. */
static const char *options_of(struct arena *a, const json_t *options)
{
	const char *list = "", *key;
	json_t *value;

	json_object_foreach((json_t *)(uintptr_t)options, key, value) {
		char *text = strcmp(key, "toolchain") == 0 ? NULL : json_dumps(value, JSON_ENCODE_ANY);

		if (!text)
			continue;
		list = arena_printf(a, "%s%s%s %s", list, *list ? ", " : "", key,
				    json_is_string(value) ? json_string_value(value) : text);
		free(text);
	}
	return list;
}

static const char *gain_of(struct arena *a, const struct campaigns_row *r)
{
	if (!r->gained)
		return "";
	return arena_printf(a, "%s: of %d task%s the first valid trials take %.4g ms, the best that it found %.4g ms "
			       "(weight x time of kernels alone)", campaigns_gain(a, r->gain, r->estimate), r->gained,
			    r->gained > 1 ? "s" : "", r->first_us * 1e-3, r->best_us * 1e-3);
}

static void put_facts(struct text *out, struct arena *a, const struct campaigns_row *r, int width)
{
	const struct db_campaign *c = &r->status.campaign;
	json_t *options = json_loads(c->options, 0, NULL);
	const char *toolchain = json_string_value(json_object_get(options, "toolchain"));
	const char *began = campaigns_moment(a, c->created);

	put_line(out, "note", c->note, width);
	put_line(out, "uid", arena_printf(a, "%.*s", UID, c->uid), width);
	put_line(out, "began", c->ended ? arena_printf(a, "%s, ended %s", began, campaigns_moment(a, c->ended)) : began, width);
	put_line(out, "device", arena_printf(a, "%.8s %s", r->device, r->device_name), width);
	put_line(out, "built by", toolchain ? toolchain : "", width);
	put_line(out, "options", options_of(a, options), width);
	put_line(out, "gain", gain_of(a, r), width);
	json_decref(options);
}

/* What status has. */
static void put_details(struct text *out, struct arena *a, const struct status *s, int width)
{
	for (int line = STATUS_LINE_PROGRESS; line < STATUS_LINE_COUNT; line++) {
		struct text words = { 0 };

		status_print_line(&words, s, (enum status_line)line);
		const char *rest = text_str(&words) + strcspn(text_str(&words), " ");

		put_line(out, arena_strndup(a, text_str(&words), words.n - strlen(rest)), rest + strspn(rest, " "), width);
		text_free(&words);
	}
	status_print_phases(out, s);
}

/* --- tasks */

static const struct text_table_column columns[] = {
	{ .head = "trials", .right = true },
	{ .head = "failed", .right = true },
	{ .head = "first us", .right = true },
	{ .head = "best us", .right = true },
	{ .head = "gain", .right = true },
	{ .head = "GFLOP/s", .right = true },
	{ .head = "peak", .right = true },
	{ .head = "weight", .right = true },
	{ .head = "task", .cut = CUT_DOTS, .least = 16, .gives = 2 },
	{ .head = "failures", .cut = CUT_DOTS, .least = 9, .gives = 1, .may_go = true },
};
enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static const char *figure(struct arena *a, int digits, double v, const char *unit)
{
	return isfinite(v) && v > 0 ? arena_printf(a, "%.*f%s", digits, v, unit) : "-";
}

/* "3 crash, 1 wrong", in A. */
static const char *failures_of(struct arena *a, const struct db_task_stats *t)
{
	const char *list = "";

	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++)
		if (t->trials[i] && i != TRIAL_OK && i != TRIAL_LOST_RACE)
			list = arena_printf(a, "%s%s%" PRId64 " %s", list, *list ? ", " : "", t->trials[i],
					    trial_status_name((enum trial_status)i));
	return list;
}

/* A task of the campaign, with what that has of it; NULL: nothing. */
struct shown_task {
	const struct status_task *task;
	const struct db_outcome *outcome;
};
struct shown_task_vec VEC(struct shown_task);

static double share(const struct shown_task *t)
{
	return t->task->weight > 0 && t->outcome ? t->task->weight * t->outcome->best_us : 0;
}

/* What takes most of the time first, then what took most trials. */
static int by_share(const void *x, const void *y)
{
	const struct shown_task *a = x, *b = y;

	if (share(a) != share(b))
		return share(a) > share(b) ? -1 : 1;
	if (!a->outcome || !b->outcome || a->outcome->trials == b->outcome->trials)
		return a->outcome ? -1 : b->outcome ? 1 : 0;
	return a->outcome->trials > b->outcome->trials ? -1 : 1;
}

/* Those that were tried, and those that are waiting for that: the model has them. */
static void list_tasks(struct arena *a, const struct campaigns_row *r, struct shown_task_vec *out)
{
	for (int i = 0; i < r->status.tasks.n; i++) {
		struct shown_task t = { .task = &r->status.tasks.at[i] };

		for (int j = 0; j < r->outcomes.n; j++)
			if (strcmp(r->outcomes.at[j].task_key, t.task->stats.task.key) == 0)
				t.outcome = &r->outcomes.at[j];
		if (t.outcome || t.task->weight > 0)
			vec_push(a, out, t);
	}
	if (out->n)
		qsort(out->at, (size_t)out->n, sizeof(*out->at), by_share);
}

/* Is the time of T's best that of a trial, or a guess? */
static bool has_caveat(const struct shown_task *t)
{
	return t->outcome && t->outcome->best_us > 0 && !t->outcome->confirmed;
}

/* ANY: a task of the table has a caveat. */
static const char *const *cells_of(struct arena *a, const struct shown_task *shown, bool any)
{
	static const struct db_outcome none;
	const struct db_outcome *o = shown->outcome ? shown->outcome : &none;
	const struct status_task *t = shown->task;
	double gflops = o->best_us > 0 ? t->stats.task.flop / o->best_us * 1e-3 : NAN;
	const char **cells = arena_many(a, const char *, COLUMNS);
	const char *all[COLUMNS] = {
		arena_printf(a, "%" PRId64, o->trials), arena_printf(a, "%" PRId64, o->failed),
		figure(a, 2, o->first_us, ""), figure(a, 2, o->best_us, has_caveat(shown) ? "*" : any ? " " : ""),
		campaigns_gain(a, o->best_us > 0 ? o->first_us / o->best_us : NAN, o->estimate),
		figure(a, 1, gflops, ""), figure(a, 1, 100 * t->peak_share / t->gflops * gflops, "%"),
		figure(a, 0, t->weight, ""), t->stats.task.name, failures_of(a, &t->stats),
	};

	memcpy(cells, all, sizeof(all));
	return cells;
}

static void put_tasks(struct text *out, struct arena *a, const struct campaigns_row *r, int width)
{
	struct text_table t = { .columns = columns, .n = COLUMNS };
	struct shown_task_vec tasks = { 0 };
	bool any = false;

	list_tasks(a, r, &tasks);
	for (int i = 0; i < tasks.n; i++)
		any |= has_caveat(&tasks.at[i]);
	for (int i = 0; i < tasks.n; i++)
		vec_push(a, &t.rows, cells_of(a, &tasks.at[i], any));
	if (tasks.n) {
		text_puts(out, "\n");
		text_table_print(out, &t, width);
	}
	if (any)
		text_puts(out, r->estimate ? "* a guess\n" : "* one trial's time, not confirmed\n");
	int others = r->status.tasks.n - tasks.n;

	if (others)
		text_printf(out, "%d other task%s not tried: of storages and fusions that the model could have\n", others,
			    others > 1 ? "s were" : " was");
}

int campaigns_show(const struct campaigns_args *args)
{
	struct campaigns_row_vec rows;
	struct text out = { 0 };
	struct db_campaign c;

	if (label_find(args->db, args->arena, args->words[0], &c) < 0 || campaigns_rows(args, &c, &rows) < 0)
		return -1;
	struct campaigns_row *r = &rows.at[0];

	if (status_read(args->db, args->arena, &r->status) < 0)
		return -1;
	if (args->json)
		return json_print(json_pack("{s:o, s:o}", "campaign", campaigns_row_json(r), "status",
					    status_json(&r->status)));
	int width = text_table_width();

	struct text head = { 0 };

	status_print_line(&head, &r->status, STATUS_LINE_HEAD);
	put_wrapped(&out, text_str(&head), 0, width);
	text_free(&head);
	text_puts(&out, "\n");
	put_facts(&out, args->arena, r, width);
	put_details(&out, args->arena, &r->status, width);
	put_tasks(&out, args->arena, r, width);
	fputs(text_str(&out), stdout);
	text_free(&out);
	return EXIT_OK;
}
