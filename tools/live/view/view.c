/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/view/view.c - the screen: a title, lines of the campaign, the table of its tasks, the keys. */
#include "tools/live/view/view.h"

#include <string.h>

/* What a table needs to be worth a look: its headings and three tasks. */
enum { TABLE_LEAST = 4 };

/* --- which campaign */

/* Where V's campaign is in ALL, of those that were read in full; -1: there is none. */
static int chosen(const struct status_vec *all, const struct live_view *v)
{
	int newest = -1;

	for (int i = 0; i < all->n; i++) {
		const struct status *s = &all->at[i];

		if (!s->full)
			continue;
		if (s->campaign.id == v->campaign)
			return i;
		if (newest < 0 || s->alive || !all->at[newest].alive)
			newest = i;
	}
	return newest;
}

/* The next one that can be shown. */
static int64_t next_campaign(const struct status_vec *all, const struct live_view *v)
{
	int at = chosen(all, v);

	for (int i = 1; at >= 0 && i <= all->n; i++) {
		const struct status *s = &all->at[(at + i) % all->n];

		if (s->full)
			return s->campaign.id;
	}
	return 0;
}

/* --- all of it */

static void draw_keys(struct canvas *c, int row, const struct status_vec *all, const struct status *s,
		      const struct live_view *v)
{
	int at = v->paused ? canvas_put(c, row, 0, STYLE_HEAD, "paused  ") : 0;
	int full = 0;

	for (int i = 0; i < all->n; i++)
		full += all->at[i].full;
	at = canvas_put(c, row, at, STYLE_HEAD, s && !s->alive ? "q quit (it has ended)" : "q quit");
	if (s && s->tasks.n > v->page && v->page > 0)
		at = canvas_printf(c, row, at, STYLE_HEAD, "  arrows: tasks %d-%d of %d", v->top + 1,
				   v->top + v->page, s->tasks.n);
	at = canvas_printf(c, row, at, STYLE_HEAD, "  s/r sort  p %s  ? help", v->paused ? "go on" : "pause");
	if (full > 1)
		canvas_put(c, row, at, STYLE_HEAD, "  c other campaign");
	canvas_shade(c, row, STYLE_HEAD);
}

static void draw_help(struct canvas *c)
{
	static const struct {
		const char *head, *meaning;
	} columns[] = {
#define X(name, head, width, sheds, meaning) { head, meaning },
#include "tools/live/view/columns.def"
#undef X
	};
	static const char *const keys[] = {
		"q           quit; the campaign goes on",
		"arrows      the table up and down; page up, page down, home, end",
		"s           sort by the next column; r the other way round",
		"p, space    pause: what is seen stays as it is",
		"c, tab      the next campaign of those at work and the newest",
		"?, h        this, and back",
	};
	int row = 0;

	canvas_put(c, row++, 0, STYLE_STRONG, "Keys");
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		canvas_put_cut(c, row++, 2, c->columns, STYLE_PLAIN, keys[i]);
	canvas_put(c, ++row, 0, STYLE_STRONG, "Columns");
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		row++;
		canvas_put(c, row, 2, STYLE_PLAIN, columns[i].head);
		canvas_put_cut(c, row, 15, c->columns, STYLE_PLAIN, columns[i].meaning);
	}
}

void live_draw(struct canvas *c, struct arena *a, const struct status_vec *all, struct live_view *v)
{
	int at = chosen(all, v), keys = c->rows - 1, row = 0;
	const struct status *s = at < 0 ? NULL : &all->at[at];

	v->page = 0;
	if (v->help) {
		draw_help(c);
	} else if (!s) {
		struct text words = { 0 };

		text_printf(&words, "%s: no campaign yet; it is shown when it begins", v->db);
		canvas_put_cut(c, 0, 0, c->columns, STYLE_STRONG, text_str(&words));
		text_free(&words);
	} else {
		int table = s->tasks.n + 1 < TABLE_LEAST ? s->tasks.n + 1 : TABLE_LEAST;

		row = live_draw_summary(c, 0, keys - table, s);
		/* A row between, where there is one to spare. */
		row += keys - row > s->tasks.n + 1 || keys - row > 2 * TABLE_LEAST;
		live_draw_table(c, a, s, v, row, keys);
	}
	if (keys > 0)
		draw_keys(c, keys, all, s, v);
}

/* The order before or behind, and none at all between the last and the first. */
static void sort_next(struct live_view *v)
{
	if (!v->sorted) {
		v->sorted = true;
		v->order = (enum live_order)0;
	} else if (v->order + 1 < ORDER_COUNT) {
		v->order++;
	} else {
		v->sorted = false;
	}
	if (v->sorted && v->order == ORDER_SPARK)
		v->order++;	/* nothing to sort by */
}

void live_press(struct live_view *v, const struct status_vec *all, enum live_key key)
{
	switch (key) {
	case LIVE_KEY_UP:
		v->top--;
		break;
	case LIVE_KEY_DOWN:
		v->top++;
		break;
	case LIVE_KEY_PAGE_UP:
		v->top -= v->page;
		break;
	case LIVE_KEY_PAGE_DOWN:
		v->top += v->page;
		break;
	case LIVE_KEY_FIRST:
		v->top = 0;
		break;
	case LIVE_KEY_LAST:
		v->top = INT32_MAX / 2;
		break;
	case LIVE_KEY_SORT:
		sort_next(v);
		break;
	case LIVE_KEY_BACKWARDS:
		v->backwards = !v->backwards;
		break;
	case LIVE_KEY_CAMPAIGN:
		v->campaign = next_campaign(all, v);
		v->top = 0;
		break;
	case LIVE_KEY_PAUSE:
		v->paused = !v->paused;
		break;
	case LIVE_KEY_HELP:
		v->help = !v->help;
		break;
	case LIVE_KEY_NONE:
	case LIVE_KEY_QUIT:
		break;
	}
}
