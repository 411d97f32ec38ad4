/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/format_html.c - a page that needs nothing beside itself, and no scripts: each ratio as a number and as
 * a point with its interval. */
#include <math.h>
#include <stdio.h>

#include "tools/compare/compare.h"
#include "tools/report/html.h"

static const char style[] =
	":root{--ground:#fff;--ink:#1b1f24;--faint:#59636e;--line:#d6dbe1;--good:#15803d;--bad:#c2410c}"
	"@media(prefers-color-scheme:dark){:root{--ground:#14171b;--ink:#e4e8ed;--faint:#9aa5b1;--line:#353c45;"
	"--good:#5fd08a;--bad:#ff9a5c}}"
	"body{margin:0;padding:1rem 1.5rem 3rem;background:var(--ground);color:var(--ink);"
	"font:15px/1.5 system-ui,\"Segoe UI\",Roboto,\"Liberation Sans\",sans-serif}"
	"h1{font-size:1.5rem;margin:0}h2{font-size:1.2rem;margin:2rem 0 .5rem}p{margin:.3rem 0;max-width:60rem}"
	".faint,.caveat{color:var(--faint);overflow-wrap:anywhere}.wide{overflow-x:auto}"
	"table{border-collapse:collapse;margin:1rem 0}th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);"
	"text-align:left;vertical-align:top}th{color:var(--faint);font-weight:600}"
	".n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}th{white-space:nowrap}td:first-child{overflow-wrap:anywhere;min-width:14rem}"
	".FASTER{color:var(--good);font-weight:600}.SLOWER{color:var(--bad);font-weight:600}"
	"svg{display:block;width:12rem;height:1.4rem}.axis{stroke:var(--line)}.same{fill:var(--line);opacity:.5}"
	".mark{stroke:var(--ink);fill:var(--ink)}tfoot td{font-weight:600}"
	"@media print{body{padding:0}.wide{overflow:visible}}";

/* Ratios of the plots: to twice and to half, in logarithms; what is beyond is at the edge. */
static const double WIDEST = 2;
enum { PLOT_WIDTH = 200, PLOT_HEIGHT = 20 };

static double place(double ratio)
{
	double at = log(ratio) / log(WIDEST);

	return (1 + fmax(-1, fmin(1, at))) * PLOT_WIDTH / 2;
}

static void plot(const struct comparison *c, double margin)
{
	double same = place(1 + margin) - place(1 / (1 + margin));

	printf("<td><svg viewBox='0 0 %d %d' role=img aria-label='%.3f, %.3f to %.3f'>", PLOT_WIDTH, PLOT_HEIGHT,
	       c->ratio, c->low, c->high);
	printf("<rect class=same x='%.1f' y=0 width='%.1f' height=%d />", place(1 / (1 + margin)), same, PLOT_HEIGHT);
	printf("<line class=axis x1=%d x2=%d y1=0 y2=%d />", PLOT_WIDTH / 2, PLOT_WIDTH / 2, PLOT_HEIGHT);
	printf("<line class=mark x1='%.1f' x2='%.1f' y1=%d y2=%d />", place(c->low), place(c->high), PLOT_HEIGHT / 2,
	       PLOT_HEIGHT / 2);
	printf("<circle class=mark cx='%.1f' cy=%d r=3 /></svg></td>", place(c->ratio), PLOT_HEIGHT / 2);
}

static void ratio_cells(const struct comparison *c, double margin)
{
	const char *verdict = verdict_name(c->verdict);

	printf("<td class=n>%.3f</td><td class=n>%.3f–%.3f</td>", c->ratio, c->low, c->high);
	plot(c, margin);
	printf("<td class=%s>%s</td>", verdict, verdict);
}

static void row(const struct compare_row *r, double margin)
{
	const struct db_record *x = &r->side[0].record, *y = &r->side[1].record;

	printf("<tr><td>");
	html_name(stdout, r->side[1].name);
	printf("</td><td class=n>%d</td>", y->threads);
	html_cell(stdout, y->cache);
	html_positive(stdout, "%.4g", x->time_us);
	html_positive(stdout, "%.4g", y->time_us);
	ratio_cells(&r->with, margin);
	printf("<td class=caveat>");
	html_text(stdout, r->caveat);
	puts("</td></tr>");
}

static void alone(const struct compare_side *s, const struct side_kernel_vec *v)
{
	if (!v->n)
		return;
	printf("<h2>Only in ");
	html_text(stdout, s->name);
	puts("</h2><div class=wide><table>");
	html_heads(stdout, "task|#threads|#us");
	puts("<tbody>");
	for (int i = 0; i < v->n; i++) {
		printf("<tr><td>");
		html_name(stdout, v->at[i].name);
		printf("</td><td class=n>%d</td>", v->at[i].record.threads);
		html_positive(stdout, "%.4g", v->at[i].record.time_us);
		puts("</tr>");
	}
	puts("</tbody></table></div>");
}

static void print(const struct compare_table *t)
{
	const struct compare_options *o = t->options;

	printf("<!DOCTYPE html>\n<html lang=en><meta charset=utf-8>"
	       "<meta name=viewport content='width=device-width, initial-scale=1'><meta name=color-scheme "
	       "content='light dark'><title>hone compare</title><style>%s</style>\n<h1>Now against before</h1>", style);
	printf("<p class=faint>Before: ");
	html_text(stdout, o->side[0].name);
	printf("<br>Now: ");
	html_text(stdout, o->side[1].name);
	printf("</p><p>The ratio is the time before over that of now, so more is better, with its 95%% interval. Now it "
	       "is faster or slower where the whole interval lies beyond %.3g%%, the same where it lies within (the grey "
	       "band), else unclear. Plots go from %g to %g.</p>\n<div class=wide><table>", 100 * o->margin, 1 / WIDEST,
	       WIDEST);
	html_heads(stdout, "task|#threads|cache|#before, us|#now, us|#ratio|#interval||now it is| ");
	puts("<tbody>");
	for (int i = 0; i < t->rows.n; i++)
		row(&t->rows.at[i], o->margin);
	printf("</tbody><tfoot><tr><td colspan=5>geometric mean of %d</td>", t->rows.n);
	ratio_cells(&t->mean, o->margin);
	puts("<td></td></tr></tfoot></table></div>");
	for (int side = 0; side < 2; side++)
		alone(&o->side[side], &t->alone[side]);
	puts("</html>");
}

const struct compare_format compare_format_html = { "html", print };
