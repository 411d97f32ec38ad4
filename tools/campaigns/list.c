/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaigns/list.c - all campaigns as a table, and one in full. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "db/label.h"
#include "tools/campaign/status.h"
#include "tools/campaigns/campaigns.h"
#include "tools/command.h"
#include "tools/json.h"

/* Columns of a table that goes into a file, and those beside source and note. */
enum { WIDE = 200, NARROW = 80, FIXED = 58, SOURCE_LEAST = 16, LABEL = 14 };

static int columns(void)
{
	struct winsize w;

	if (!isatty(STDOUT_FILENO))
		return WIDE;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : NARROW;
}

/* The first line of S, at most WIDTH characters of it; filled up with blanks where a column follows. */
static void print_some(const char *s, int width, bool fill)
{
	int n = (int)strcspn(s, "\n");

	if (n <= width)
		printf("%-*.*s", fill ? width : 0, n, s);
	else if (width > 3)
		printf("%.*s...", width - 3, s);
}

static const char *began(struct arena *a, const struct db_campaign *c)
{
	time_t at = c->created;
	struct tm local;
	char text[32];

	if (!localtime_r(&at, &local) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &local))
		return "-";
	return arena_strdup(a, text);
}

static void print_row(struct arena *a, const struct status *s, int source, int note)
{
	const struct db_campaign *c = &s->campaign;

	printf("%4lld ", (long long)c->id);
	print_some(c->name ? c->name : "-", LABEL, true);
	printf(" %-7s %s %6lld %5d ", campaign_state_name(c->state), began(a, c), (long long)s->trials, s->tasks.n);
	bool noted = note > 3 && *c->note;

	print_some(c->source, source, noted);
	if (noted) {
		printf("  ");
		print_some(c->note, note, false);
	}
	puts("");
}

/* All with what status_read() adds. */
static int read_all(const struct campaigns_args *args, struct status_vec *out)
{
	struct db_campaign_vec all;

	if (db_campaigns(args->db, args->arena, &all) < 0)
		return -1;
	for (int i = 0; i < all.n; i++) {
		struct status s = status_brief(&all.at[i]);

		if (status_read(args->db, args->arena, &s) < 0)
			return -1;
		vec_push(args->arena, out, s);
	}
	return 0;
}

static json_t *row_json(const struct status *s)
{
	const struct db_campaign *c = &s->campaign;

	return json_pack("{s:I, s:s, s:o, s:o, s:s, s:o, s:I, s:o, s:I, s:i}", "id", (json_int_t)c->id, "uid", c->uid,
			 "name", c->name ? json_label(c->name) : json_null(), "note", json_label(c->note), "state",
			 campaign_state_name(c->state), "source", json_label(c->source), "created",
			 (json_int_t)c->created, "ended", c->ended ? json_integer(c->ended) : json_null(), "trials",
			 (json_int_t)s->trials, "tasks", s->tasks.n);
}

int campaigns_list(const struct campaigns_args *args)
{
	struct status_vec all = { 0 };
	int longest = SOURCE_LEAST, room = columns() - FIXED;

	if (read_all(args, &all) < 0)
		return -1;
	if (args->json) {
		json_t *list = json_array();

		for (int i = 0; i < all.n; i++)
			json_array_append_new(list, row_json(&all.at[i]));
		return json_print(list);
	}
	for (int i = 0; i < all.n; i++) {
		int n = (int)strlen(all.at[i].campaign.source);

		longest = n > longest ? n : longest;
	}
	int source = longest < room ? longest : room > SOURCE_LEAST ? room : SOURCE_LEAST;

	printf("  id %-*s %-7s %-16s trials tasks source\n", LABEL, "name", "state", "began");
	for (int i = 0; i < all.n; i++)
		print_row(args->arena, &all.at[i], source, room - source - 2);
	return EXIT_OK;
}

int campaigns_show(const struct campaigns_args *args)
{
	struct text out = { 0 };
	struct db_campaign c;

	if (label_find(args->db, args->arena, args->words[0], &c) < 0)
		return -1;
	struct status s = status_brief(&c);

	if (status_read(args->db, args->arena, &s) < 0)
		return -1;
	if (args->json)
		return json_print(json_pack("{s:o, s:o}", "campaign", row_json(&s), "status", status_json(&s)));
	if (c.name)
		printf("%s\n", c.name);
	if (*c.note)
		printf("%s\n", c.note);
	status_print(&out, &s);
	fputs(text_str(&out), stdout);
	text_free(&out);
	return EXIT_OK;
}
