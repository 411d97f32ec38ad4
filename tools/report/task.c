/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/task.c - a task's section: its best kernel against others, how it was found, what trials were
 * spent on, and its text. */
#include "tools/report/page.h"

#include <math.h>

#include "tools/report/html.h"
#include "tools/report/kernel.h"

static void write_figure(FILE *to, const char *name, const char *format, double v)
{
	fprintf(to, "<div><dt>%s</dt><dd>", name);
	if (v > 0 && isfinite(v))
		fprintf(to, format, v);
	else
		fputs("–", to);
	fputs("</dd></div>", to);
}

static void write_figures(FILE *to, const struct report_task *t)
{
	const struct best_row *b = &t->row;

	fputs("<dl class=tiles>", to);
	write_figure(to, "best, µs", b->estimate ? "~%.4g" : "%.4g", b->best_us);
	write_figure(to, "GFLOP/s", "%.1f", b->gflops);
	write_figure(to, "of peak", "%.1f%%", 100 * b->peak_share);
	write_figure(to, "of roof", "%.1f%%", 100 * b->gflops / t->roof);
	write_figure(to, "weight", "%.4g", t->task->weight);
	write_figure(to, "MFLOP", "%.4g", t->task->flop * 1e-6);
	write_figure(to, "KiB in and out", "%.4g", t->bytes / 1024);
	write_figure(to, "trials", "%.0f", (double)b->trials);
	fputs("</dl>\n", to);
	if (*b->caveat || b->in_model) {
		fputs("<p class=caveat>The best is ", to);
		html_text(to, b->in_model ? "timed inside a model" : "");
		html_text(to, b->in_model && *b->caveat ? "; " : "");
		html_text(to, b->caveat);
		fputs(".</p>\n", to);
	}
	if (t->trials.estimates)
		fprintf(to, "<p class=caveat>%jd answers of a stand-in are not among the trials below.</p>\n",
			(intmax_t)t->trials.estimates);
}

static void write_baselines(FILE *to, const struct report_task *t)
{
	if (!t->baselines.n)
		return;
	fputs("<h4>Against others</h4>\n<div class=wide><table>", to);
	html_heads(to, "baseline|#µs|#hone in the same way, µs|#times as fast");
	fputs("<tbody>\n", to);
	for (int i = 0; i < t->baselines.n; i++) {
		const struct report_baseline *b = &t->baselines.at[i];

		fputs("<tr>", to);
		html_cell(to, b->name);
		html_positive(to, "%.4g", b->us);
		html_positive(to, "%.4g", b->ours_us);
		html_positive(to, "%.2f", b->ours_us > 0 ? b->us / b->ours_us : NAN);
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></div>\n", to);
}

static void write_curve(FILE *to, const struct report_step_vec *v, const char *title, const char *heads,
			const char *axes)
{
	if (!v->n)
		return;
	fprintf(to, "<div><h4>%s</h4>\n", title);
	write_plot(to, "steps", 0, "1", axes);
	fputs("<details><summary>figures</summary><table>", to);
	html_heads(to, heads);
	fputs("<tbody>\n", to);
	for (int i = 0; i < v->n; i++) {
		fputs("<tr>", to);
		html_number(to, "%.4g", v->at[i].x);
		html_number(to, "%.4g", v->at[i].us);
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></details></div>\n", to);
}

/* --- what trials were spent on */

static void write_group(FILE *to, const struct report_group *g, bool number)
{
	fputs(g->of_best ? "<tr class=best>" : "<tr>", to);
	fputs(number ? "<td class=n>" : "<td>", to);
	html_text(to, g->label);
	fputs("</td>", to);
	html_count(to, g->trials);
	html_count(to, g->failed);
	html_positive(to, "%.4g", g->best_us);
	html_positive(to, "%.4g", g->median_us);
	fputs("</tr>\n", to);
}

static void write_groups(FILE *to, const struct report_group_vec *v, const char *title, const char *heads)
{
	fprintf(to, "<h4>%s</h4>\n<div class=wide><table>", title);
	html_heads(to, heads);
	fputs("<tbody>\n", to);
	for (int i = 0; i < v->n; i++)
		write_group(to, &v->at[i], false);
	fputs("</tbody></table></div>\n", to);
}

static void write_split(FILE *to, const struct report_split *s)
{
	fputs("<div><h5>", to);
	html_text(to, s->label);
	fputs("</h5>\n", to);
	write_plot(to, "points", 0, "3,4", "xy");
	fputs("<table>", to);
	html_heads(to, "#size|#trials|#failed|#best, µs|#median, µs");
	fputs("<tbody>\n", to);
	for (int i = 0; i < s->sizes.n; i++)
		write_group(to, &s->sizes.at[i], true);
	fputs("</tbody></table></div>\n", to);
}

static void write_spent(FILE *to, const struct report_task *t)
{
	if (!t->trials.trials.n)
		return;
	fputs("<details class=spent><summary>What trials were spent on</summary>\n", to);
	write_groups(to, &t->derivations, "Algorithms",
		     "computed|#trials|#failed|#best, µs|#median, µs");
	write_groups(to, &t->structures, "Structures: steps but for sizes, orders and places",
		     "structure|#trials|#failed|#best, µs|#median, µs");
	if (t->splits.n) {
		fputs("<h4>Sizes of the best kernel's structure", to);
		if (t->splits.n < t->n_splits)
			fprintf(to, ": the %d of %d splits with most effect", t->splits.n, t->n_splits);
		fputs("</h4>\n<div class=splits>\n", to);
		for (int i = 0; i < t->splits.n; i++)
			write_split(to, &t->splits.at[i]);
		fputs("</div>\n", to);
	}
	fputs("</details>\n", to);
}

static int write_task(FILE *to, const struct report_data *r, const struct report_task *t, size_t *room)
{
	fprintf(to, "<section class=task id=\"task-%s\">\n<h3>", t->task->key);
	html_text(to, t->task->name);
	fprintf(to, "</h3>\n<p class=key><code>%s</code> <a href=\"#tasks\">all tasks</a></p>\n", t->task->key);
	write_figures(to, t);
	write_baselines(to, t);
	fputs("<div class=curves>\n", to);
	write_curve(to, &t->by_trials, "Best so far by trials", "#trial|#best, µs", "xy");
	write_curve(to, &t->by_time, "Best so far by seconds at work", "#seconds|#best, µs", "y");
	fputs("</div>\n", to);
	write_spent(to, t);
	int rc = kernel_write(to, r, t, room);

	fputs("</section>\n", to);
	return rc;
}

int write_each_task(FILE *to, const struct report_data *r)
{
	size_t room = KERNEL_TEXTS;

	fputs("<section id=kernels>\n<h2>Kernels</h2>\n", to);
	for (int i = 0; i < r->tasks.n; i++)
		if (write_task(to, r, &r->tasks.at[i], &room) < 0)
			return -1;
	fputs("</section>\n", to);
	return 0;
}
