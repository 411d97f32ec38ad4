/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/format_html.c - a page that needs nothing beside itself, and no scripts: each ratio as a number, and as
 * a point with its interval. It looks as hone report's page does, whose style it has. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/compare/compare.h"
#include "tools/report/html.h"

static const char report_style[] =
#include "tools/report/page_css.inc"
	;
static const char style[] =
#include "tools/compare/page_css.inc"
	;

/* Of a plot, in its own units; the ends are for what is cut. */
enum { PLOT_WIDTH = 240, PLOT_HEIGHT = 27, PLOT_END = 8 };

struct html_page {
	struct arena *a;
	const struct compare_table *t;
	double reach;
};

static double place(const struct html_page *p, double ratio)
{
	double at = log(ratio) / log(p->reach);

	return PLOT_END + (1 + fmax(-1, fmin(1, at))) * (PLOT_WIDTH - 2 * PLOT_END) / 2;
}

static void begin_plot(const struct html_page *p)
{
	const double edge = 1 + p->t->options->margin, left = place(p, 1 / edge);

	printf("<svg class=interval viewBox=\"0 0 %d %d\"", PLOT_WIDTH, PLOT_HEIGHT);
	printf(" role=img><rect class=band x=\"%.1f\" y=0 width=\"%.1f\" height=%d />", left, place(p, edge) - left,
	       PLOT_HEIGHT);
	printf("<line class=one x1=%d x2=%d y1=0 y2=%d />", PLOT_WIDTH / 2, PLOT_WIDTH / 2, PLOT_HEIGHT);
}

/* A point with its interval; a triangle at the end where that is cut. */
static void plot(const struct html_page *p, const struct comparison *c)
{
	const int middle = PLOT_HEIGHT / 2;

	begin_plot(p);
	if (c->bounded) {
		printf("<title>%.3f, %.3f to %.3f</title>", c->ratio, c->low, c->high);
		printf("<line class=bar x1=\"%.1f\" x2=\"%.1f\" y1=%d y2=%d />", place(p, c->low), place(p, c->high),
		       middle, middle);
	}
	if (c->bounded && c->low < 1 / p->reach)
		printf("<path class=cut d=\"M0 %dl8 -5v10z\" />", middle);
	if (c->bounded && c->high > p->reach)
		printf("<path class=cut d=\"M%d %dl-8 -5v10z\" />", PLOT_WIDTH, middle);
	printf("<circle class=mark cx=\"%.1f\" cy=%d r=4 /></svg>", place(p, c->ratio), middle);
}

/* What the plots go to, as their heading. */
static void plot_axis(const struct html_page *p)
{
	begin_plot(p);
	printf("<text x=0 y=11>%.2f</text><text x=%d y=11>1</text><text x=%d y=11 text-anchor=end>%.2f</text></svg>",
	       1 / p->reach, PLOT_WIDTH / 2 + 3, PLOT_WIDTH, p->reach);
}

static void comparison_cells(const struct html_page *p, const struct comparison *c)
{
	const char *verdict = verdict_name(c->verdict);

	printf("<td class=n>%.3f</td>", c->ratio);
	if (c->bounded)
		printf("<td class=n>%.3f to %.3f</td>", c->low, c->high);
	else
		printf("<td class=n>–</td>");
	printf("<td class=\"plot-cell %s\">", verdict);
	plot(p, c);
	printf("</td><td class=\"verdict %s\">%s</td>", verdict, verdict);
}

static void row(const struct html_page *p, const struct compare_row *r)
{
	const struct db_record *x = &r->side[BEFORE].record, *y = &r->side[NOW].record;

	printf("<tr><td class=name>");
	html_name(stdout, r->side[NOW].name);
	printf("</td><td class=n>%d</td>", y->threads);
	html_cell(stdout, y->cache);
	html_positive(stdout, "%.4g", x->time_us);
	html_positive(stdout, "%.4g", y->time_us);
	comparison_cells(p, &r->with);
	printf("<td class=note>");
	html_text(stdout, compare_note(p->a, p->t, r));
	puts("</td></tr>");
}

static void totals(const struct html_page *p)
{
	const struct compare_table *t = p->t;

	printf("<tbody class=totals><tr><td class=name>%s</td><td></td><td></td><td></td><td></td>",
	       compare_mean_words(p->a, t));
	comparison_cells(p, &t->mean);
	puts("<td></td></tr>");
	for (int i = 0; i < t->totals.n; i++) {
		const struct compare_total *total = &t->totals.at[i];

		printf("<tr><td class=name>");
		html_text(stdout, total->source);
		printf("</td><td class=n>%d</td>", total->threads);
		html_cell(stdout, total->cache);
		html_positive(stdout, "%.4g", total->us[BEFORE]);
		html_positive(stdout, "%.4g", total->us[NOW]);
		comparison_cells(p, &total->with);
		printf("<td class=note>");
		html_text(stdout, compare_total_words(p->a, total));
		puts("</td></tr>");
	}
	puts("</tbody>");
}

static void alone(const struct compare_table *t, int side)
{
	const struct compare_alone_vec *v = &t->alone[side];

	if (!v->n)
		return;
	printf("<h2>%s alone, or not compared</h2>\n<div class=wide><table>", side == BEFORE ? "Before" : "Now");
	html_heads(stdout, "task|#threads|cache|#us|why");
	puts("<tbody>");
	for (int i = 0; i < v->n; i++) {
		const struct db_record *r = &v->at[i].kernel.record;

		printf("<tr><td class=name>");
		html_name(stdout, v->at[i].kernel.name);
		printf("</td><td class=n>%d</td>", r->threads);
		html_cell(stdout, r->cache);
		html_positive(stdout, "%.4g", r->time_us);
		html_cell(stdout, v->at[i].why);
		puts("</tr>");
	}
	puts("</tbody></table></div>");
}

static void head(const struct html_page *p)
{
	static const char *const who[] = { "Before", "Now" };
	const struct compare_options *o = p->t->options;

	printf("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
	       "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
	       "<meta name=color-scheme content=\"light dark\">\n<link rel=icon href=\"data:,\">\n"
	       "<title>hone compare</title>\n<style>\n%s%s</style>\n</head>\n<body>\n"
	       "<header>\n<h1>hone compare</h1>\n</header>\n<main>\n<dl class=sides>", report_style, style);
	for (int side = 0; side < SIDES; side++) {
		printf("<dt>%s</dt><dd>", who[side]);
		html_text(stdout, o->side[side].name);
		printf("</dd><dd>");
		html_text(stdout, compare_about(p->a, p->t, side));
		printf("</dd>");
	}
	printf("</dl>\n<p><strong>%s.</strong></p>\n<p>The ratio is the time before over that of now, so more is better, "
	       "with its 95%% interval. Now it is FASTER or SLOWER where it is known to lie beyond %.3g%%, SAME where the "
	       "interval lies within (the band), else UNCLEAR. As far as the samples of both tell, with less than 5%% there is "
	       "a false FASTER or SLOWER in all of this. What rests on a time that nobody confirmed is UNCLEAR, and in no "
	       "mean and no total.</p>\n", compare_counts(p->a, p->t), 100 * o->margin);
}

static void print(const struct compare_table *t)
{
	struct html_page p = { arena_new(), t, compare_reach(t) };

	head(&p);
	printf("<div class=wide><table>\n<thead><tr><th>task</th><th class=n>threads</th><th>cache</th>"
	       "<th class=n>before, us</th><th class=n>now, us</th><th class=n>ratio</th><th class=n>95%% interval</th>"
	       "<th class=plot-cell>");
	plot_axis(&p);
	puts("</th><th>now it is</th><th>to be known</th></tr></thead>\n<tbody>");
	for (int i = 0; i < t->rows.n; i++)
		row(&p, &t->rows.at[i]);
	puts("</tbody>");
	totals(&p);
	puts("</table></div>");
	for (int side = 0; side < SIDES; side++)
		alone(t, side);
	puts("</main>\n</body>\n</html>");
	arena_free(p.a);
}

const struct compare_format compare_format_html = { "html", print };
