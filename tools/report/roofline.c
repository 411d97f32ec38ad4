/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/roofline.c - every best kernel under what the probed rates allow (Williams, Waterman and
 * Patterson, CACM 2009). */
#include "tools/report/page.h"

#include <math.h>

#include "measure/device/simulated.h"
#include "tools/report/html.h"

static void write_roof(FILE *to, const char *name, double one, double all, const char *unit)
{
	fputs("<tr>", to);
	html_cell(to, name);
	html_positive(to, "%.4g", one);
	html_positive(to, "%.4g", all);
	html_cell(to, unit);
	fputs("</tr>\n", to);
}

static void write_rates(FILE *to, const struct device *d)
{
	const struct device_measured *m = &d->measured;
	const struct device_rate *peak = &m->peak[target_number(d->own)];

	fputs("<h3>Probed rates</h3>\n<div class=wide><table class=rates>", to);
	html_heads(to, "rate|#one thread|#all threads|unit");
	fputs("<tbody>\n", to);
	write_roof(to, "multiply-adds, f32", peak->one, peak->all, "GFLOP/s");
	write_roof(to, "reading L1", m->l1.one, m->l1.all, "GB/s");
	write_roof(to, "reading L2", m->l2.one, m->l2.all, "GB/s");
	if (m->l3.one > 0)
		write_roof(to, "reading L3", m->l3.one, m->l3.all, "GB/s");
	write_roof(to, "reading memory", m->mem.one, m->mem.all, "GB/s");
	fputs("</tbody></table></div>\n", to);
}

static void write_row(FILE *to, const struct report_task *t, double gflops, int threads)
{
	fputs("<tr><td class=name>", to);
	write_task_link(to, t);
	fputs("</td>", to);
	html_positive(to, "%.4g", t->task->flop / t->bytes);
	html_positive(to, "%.4g", gflops);
	html_positive(to, "%.4g", t->roof);
	html_positive(to, "%.1f", 100 * gflops / t->roof);
	html_positive(to, "%.0f", threads);
	fputs("</tr>\n", to);
}

/* With other numbers of virtual threads, the roof is the same. */
static void write_kernel(FILE *to, const struct report_task *t)
{
	if (t->row.found)
		write_row(to, t, t->row.gflops, t->row.threads);
	for (int i = 0; i < t->turns.n; i++)
		if (t->turns.at[i].threads != t->row.threads)
			write_row(to, t, t->task->flop / t->turns.at[i].us * 1e-3, t->turns.at[i].threads);
}

void write_roofline(FILE *to, const struct report_data *r)
{
	bool simulated = device_is_simulated(r->look.device);

	fputs("<section id=roofline>\n<h2>Roofline</h2>\n<p>Operations are those of the operator as written, bytes "
	      "those of its inputs, constants and outputs, each once. ", to);
	fputs(simulated ? "Kernels with virtual threads and without are points of their own. The peak is that of whole "
			  "products of 16x16; what is not a product is computed beside them, or keeps them waiting.</p>\n"
			: "The roof of a kernel that was timed warm is that of the first level that holds these bytes, or the peak; "
			  "one above the peak was derived into fewer operations.</p>\n", to);
	/* the script takes the roofs from the table of rates */
	write_plot(to, "roofline", 1, "2", "xy");
	fputs("<details open><summary>figures</summary><div class=wide><table class=sortable>", to);
	html_heads(to, simulated ? "task|#operations a byte|#GFLOP/s|#roof, GFLOP/s|#of roof, %|#virtual threads"
				 : "task|#operations a byte|#GFLOP/s|#roof, GFLOP/s|#of roof, %|#threads");
	fputs("<tbody>\n", to);
	for (int i = 0; i < r->tasks.n; i++)
		write_kernel(to, &r->tasks.at[i]);
	fputs("</tbody></table></div></details>\n", to);
	if (simulated)
		write_described_rates(to, r->look.device);
	else
		write_rates(to, r->look.device);
	fputs("</section>\n", to);
}
