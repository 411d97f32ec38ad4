/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/simulated.c - a simulated device, which is as it is described: nothing of it was probed. */
#include "tools/report/page.h"

#include "measure/device/simulated.h"
#include "tools/report/html.h"

static void write_rate(FILE *to, const char *name, double rate, const char *unit)
{
	fputs("<tr>", to);
	html_cell(to, name);
	html_positive(to, "%.4g", rate);
	html_cell(to, unit);
	fputs("</tr>\n", to);
}

void write_described_rates(FILE *to, const struct device *d)
{
	fputs("<h3>Described rates</h3>\n<div class=wide><table class=rates>", to);
	html_heads(to, "rate|#at most|unit");
	fputs("<tbody>\n", to);
	write_rate(to, "matrix unit, products of 16x16 bytes", device_peak(d, 1), "GFLOP/s");
	write_rate(to, "memory port", device_mem_rate(d, 1), "GB/s");
	fputs("</tbody></table></div>\n", to);
}

static void write_field(FILE *to, const char *name, int value, const char *meaning)
{
	fputs("<tr>", to);
	html_cell(to, name);
	html_count(to, value);
	html_cell(to, meaning);
	fputs("</tr>\n", to);
}

void write_described_device(FILE *to, const struct device *d)
{
	struct vdla_machine m;

	fputs("<h3>Device</h3>\n<p>", to);
	html_text(to, d->name);
	fputs(", fingerprint <code>", to);
	html_text(to, d->fingerprint);
	fputs("</code>. Times are cycles that a simulator counts, over the clock: the same on any machine.</p>\n", to);
	if (device_machine(d, &m) < 0)
		return;	/* the description is of another hone; the name says what matters */
	fputs("<div class=wide><table>", to);
	html_heads(to, "field|#value|meaning");
	fputs("<tbody>\n", to);
#define X(field, standard, least, most, values, meaning) write_field(to, #field, m.field, meaning);
#include "target/vdla/machine.def"
#undef X
	fputs("</tbody></table></div>\n", to);
}
