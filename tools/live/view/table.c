/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/view/table.c - the table of tasks: which columns there is room for, sorted, scrolled. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/live/view/series.h"
#include "tools/live/view/view.h"

/* A spark line takes a part of what is to spare, up to so much. */
enum { SPARK_MOST = 48, BETWEEN = 1 };

static const struct {
	const char *head;
	int width, sheds;
} columns[ORDER_COUNT] = {
#define X(name, head, width, sheds, meaning) [ORDER_##name] = { head, width, sheds },
#include "tools/live/view/columns.def"
#undef X
};

struct table_row {
	const struct status_task *task;
	const struct live_series *series;
	double key;		/* what it is sorted by; NAN is last */
	double figures[ORDER_COUNT];	/* NAN where not known */
	int place;		/* in the campaign's own order */
	bool by_name, backwards;
};

struct table_look {
	struct canvas *canvas;
	const struct status *status;
	int widths[ORDER_COUNT];	/* 0: there is no room for it */
};

/* Columns of the screen that they take. */
static int taken(const struct table_look *t)
{
	int sum = 0;

	for (int i = 0; i < ORDER_COUNT; i++)
		sum += t->widths[i] ? t->widths[i] + BETWEEN : 0;
	return sum;
}

static void fit_columns(struct table_look *t)
{
	for (int i = 0; i < ORDER_COUNT; i++)
		t->widths[i] = columns[i].width;
	for (;;) {
		int least = 0;

		for (int i = 0; i < ORDER_COUNT; i++)
			if (t->widths[i] && columns[i].sheds > columns[least].sheds)
				least = i;
		if (taken(t) <= t->canvas->columns || !columns[least].sheds)
			break;
		t->widths[least] = 0;
	}
	int spare = t->canvas->columns - taken(t);

	if (spare > 0 && t->widths[ORDER_SPARK]) {
		int more = spare / 2 < SPARK_MOST - columns[ORDER_SPARK].width
				   ? spare / 2 : SPARK_MOST - columns[ORDER_SPARK].width;

		t->widths[ORDER_SPARK] += more;
		spare -= more;
	}
	t->widths[ORDER_TASK] += spare > 0 ? spare : 0;
}

/* --- rows */

static int64_t failed_of(const struct db_task_stats *t)
{
	int64_t n = 0;

	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++)
		n += status_is_failure(i) ? t->trials[i] : 0;
	return n;
}

static struct table_row row_of(const struct status *s, const struct live_series *series, int i)
{
	const struct status_task *t = &s->tasks.at[i];
	double best = t->stats.best_us > 0 ? t->stats.best_us : NAN;

	return (struct table_row){
		.task = t,
		.series = series,
		.place = i,
		.figures = {
			[ORDER_BEST] = best,
			[ORDER_GAIN] = live_gain(series, t->stats.best_us),
			[ORDER_SHARE] = s->latency_us > 0 ? t->weight * best / s->latency_us : NAN,
			[ORDER_TRIALS] = (double)t->stats.n_trials,
			[ORDER_FAILED] = (double)failed_of(&t->stats),
			[ORDER_GFLOPS] = t->gflops,
			[ORDER_PEAK] = t->peak_share,
		},
	};
}

/* The greatest first, names from A on; equal ones as the campaign has them. */
static int compare_rows(const void *x, const void *y)
{
	const struct table_row *p = x, *q = y;
	int sign = p->backwards ? -1 : 1, order = 0;

	if (p->by_name)
		order = strcmp(p->task->stats.task.name, q->task->stats.task.name);
	else if (isnan(p->key) || isnan(q->key))
		return isnan(p->key) - isnan(q->key) ? isnan(p->key) - isnan(q->key) : p->place - q->place;
	else
		order = (q->key > p->key) - (q->key < p->key);
	return order ? sign * order : p->place - q->place;
}

static struct table_row *rows_of(struct arena *a, const struct status *s, const struct live_view *v)
{
	const struct live_series *series = live_series_read(a, s);
	struct table_row *rows = arena_many(a, struct table_row, s->tasks.n + 1);

	for (int i = 0; i < s->tasks.n; i++) {
		rows[i] = row_of(s, &series[i], i);
		rows[i].by_name = v->order == ORDER_TASK || v->order == ORDER_SPARK;
		rows[i].backwards = v->backwards;
		rows[i].key = rows[i].figures[v->order];
	}
	if (v->sorted)
		qsort(rows, (size_t)s->tasks.n, sizeof(*rows), compare_rows);
	return rows;
}

/* --- cells */

/* V right-aligned in WIDTH; a dash where it is not known. */
static void draw_figure(struct canvas *c, int row, int column, int width, int digits, double v,
			const char *unit)
{
	if (isnan(v))
		canvas_printf(c, row, column, STYLE_FAINT, "%*s", width, "-");
	else
		canvas_printf(c, row, column, STYLE_PLAIN, "%*.*f%s", width - (int)strlen(unit), digits, v,
			      unit);
}

/* A time in WIDTH columns, with as many digits as there is room for. */
static void draw_time(struct canvas *c, int row, int column, int width, double us)
{
	draw_figure(c, row, column, width, us < 1e5 ? 2 : us < 1e7 ? 1 : 0, us, "");
}

static void draw_spark(struct canvas *c, int row, int column, int width, const struct status *s,
		       const struct live_series *series)
{
	static const uint32_t blocks[] = { 0x2581, 0x2582, 0x2583, 0x2584, 0x2585, 0x2586, 0x2587, 0x2588 };
	static const char signs[] = "_.,-~=*#";
	signed char levels[CANVAS_MOST];
	int n = live_spark(series, s->rounds.n, width, levels);

	for (int i = 0; i < n; i++)
		if (levels[i] >= 0)
			canvas_set(c, row, column + i, STYLE_GOOD,
				   c->utf8 ? blocks[levels[i]] : (uint32_t)signs[levels[i]]);
}

static void draw_name(struct canvas *c, int row, int column, int width, const struct status_task *t)
{
	const char *caveat = db_task_caveat(&t->stats);
	struct text words = { 0 };

	text_printf(&words, "%s%s%s", t->stats.task.name, *caveat ? ", " : "", caveat);
	canvas_put_cut(c, row, column, column + width, STYLE_PLAIN, words.s);
	text_free(&words);
}

static void draw_cell(const struct table_look *t, const struct table_row *r, enum live_order which,
		      int row, int at)
{
	struct canvas *c = t->canvas;
	int width = t->widths[which];
	double v = r->figures[which];

	switch (which) {
	case ORDER_BEST:
		draw_time(c, row, at, width, v);
		break;
	case ORDER_GAIN:
		draw_figure(c, row, at, width, v < 100 ? 2 : 0, v, "x");
		break;
	case ORDER_SHARE:
	case ORDER_PEAK:
		draw_figure(c, row, at, width, 1, 100 * v, "%");
		break;
	case ORDER_TRIALS:
	case ORDER_FAILED:
		draw_figure(c, row, at, width, 0, v, "");
		break;
	case ORDER_GFLOPS:
		draw_figure(c, row, at, width, 1, v, "");
		break;
	case ORDER_SPARK:
		draw_spark(c, row, at, width, t->status, r->series);
		break;
	case ORDER_TASK:
		draw_name(c, row, at, width, r->task);
		break;
	case ORDER_COUNT:
		break;
	}
}

/* ROW of the screen: the headings where R is NULL. */
static void draw_row(const struct table_look *t, const struct table_row *r, const struct live_view *v, int row)
{
	int at = 0;

	for (int i = 0; i < ORDER_COUNT; i++) {
		bool is_text = i == ORDER_SPARK || i == ORDER_TASK;
		bool by_this = v->sorted && (int)v->order == i;
		const char *mark = !by_this ? "" : v->backwards ? "^" : "v";
		int width = t->widths[i];

		if (!width)
			continue;
		if (r)
			draw_cell(t, r, (enum live_order)i, row, at);
		else if (is_text)
			canvas_printf(t->canvas, row, at, STYLE_PLAIN, "%s%s", columns[i].head, mark);
		else
			canvas_printf(t->canvas, row, at, STYLE_PLAIN, "%*s%s", width - (int)strlen(mark),
				      columns[i].head, mark);
		at += width + BETWEEN;
	}
}

void live_draw_table(struct canvas *c, struct arena *a, const struct status *s, struct live_view *v,
		     int row, int end)
{
	struct table_look t = { .canvas = c, .status = s };
	int n = s->tasks.n, most = end - row - 1;

	v->page = most > 0 ? most : 0;
	if (v->top > n - v->page)
		v->top = n - v->page;
	if (v->top < 0)
		v->top = 0;
	if (end <= row || !n)
		return;
	fit_columns(&t);
	const struct table_row *rows = rows_of(a, s, v);

	draw_row(&t, NULL, v, row);
	canvas_shade(c, row, STYLE_HEAD);
	for (int i = 0; i < most && v->top + i < n; i++)
		draw_row(&t, &rows[v->top + i], v, row + 1 + i);
}
