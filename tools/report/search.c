/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/search.c - how trials ended, and how well the model had ranked them. */
#include "tools/report/page.h"

#include <math.h>

#include "tools/report/html.h"

/* --- how trials ended */

static const char *status_meaning(enum trial_status s)
{
	static const char *const meanings[] = {
#define X(name, text, meaning) [TRIAL_##name] = meaning,
#include "db/status.def"
#undef X
	};

	return meanings[s];
}

static void write_statuses(FILE *to, const struct report_data *r)
{
	int64_t trials = 0;

	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++)
		trials += r->by_status[i];
	fputs("<h3>How trials ended</h3>\n<div class=wide><table>", to);
	html_heads(to, "status|#trials|#%|meaning");
	fputs("<tbody>\n", to);
	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++) {
		fputs("<tr>", to);
		html_cell(to, trial_status_name((enum trial_status)i));
		html_count(to, r->by_status[i]);
		html_number(to, "%.1f", 100.0 * (double)r->by_status[i] / (double)trials);
		html_cell(to, status_meaning((enum trial_status)i));
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></div>\n", to);
}

static void write_failures(FILE *to, const struct report_data *r)
{
	if (!r->failures.n)
		return;
	fputs("<h3>Failures by kind</h3>\n<p>First lines of messages; numbers are written as #.</p>\n"
	      "<div class=wide><table>", to);
	html_heads(to, "status|#trials|message|first seen with");
	fputs("<tbody>\n", to);
	for (int i = 0; i < r->failures.n; i++) {
		const struct report_failure *f = &r->failures.at[i];
		const struct report_task *t = report_task_find(r, f->task);

		fputs("<tr>", to);
		html_cell(to, trial_status_name(f->status));
		html_count(to, f->trials);
		html_cell(to, f->message);
		fputs("<td class=name>", to);
		if (t)
			write_task_link(to, t);
		else
			html_short(to, f->task);
		fputs("</td></tr>\n", to);
	}
	fputs("</tbody></table></div>\n", to);
}

/* --- the model */

static void write_rankings(FILE *to, const struct report_campaign *c)
{
	if (!c->rankings.n)
		return;
	fprintf(to, "<h3>Campaign %jd: how well the model ranked</h3>\n<div class=pair>",
		(intmax_t)c->status.campaign.id);
	write_plot(to, "line", 0, "2,3,4", "");
	fputs("<details open><summary>figures: of batches before the model learned from them</summary>"
	      "<table>", to);
	html_heads(to, "#round|#trials|#recall of the best|#rank correlation|#pairs in order");
	fputs("<tbody>\n", to);
	for (int i = 0; i < c->rankings.n; i++) {
		const struct report_ranking *k = &c->rankings.at[i];

		fputs("<tr>", to);
		html_count(to, k->round);
		html_count(to, k->quality.samples);
		html_number(to, "%.3f", k->quality.recall);
		html_number(to, "%.3f", k->quality.rank);
		html_number(to, "%.3f", k->quality.accuracy);
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></details></div>\n", to);
}

void write_search(FILE *to, const struct report_data *r)
{
	fputs("<section id=search>\n<h2>Search</h2>\n", to);
	write_statuses(to, r);
	write_failures(to, r);
	for (int i = 0; i < r->campaigns.n; i++)
		write_rankings(to, &r->campaigns.at[i]);
	fputs("</section>\n", to);
}
