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

		fputs("<tr>", to);
		html_cell(to, trial_status_name(f->status));
		html_count(to, f->trials);
		html_cell(to, f->message);
		fprintf(to, "<td><a href=\"#task-%s\"><code>%.8s</code></a></td></tr>\n", f->task, f->task);
	}
	fputs("</tbody></table></div>\n", to);
}

/* --- the model */

/* The mean of a figure over rounds, weighted by the trials that it is of. */
struct mean {
	double sum, weight;
};

static void mean_add(struct mean *m, double v, double weight)
{
	if (isnan(v))
		return;
	m->sum += v * weight;
	m->weight += weight;
}

/* Rounds FROM to TO of one campaign. */
static void write_rounds(FILE *to, const struct db_round_vec *rounds, int from, int end)
{
	struct mean recall = { 0 }, rank = { 0 }, accuracy = { 0 };
	int64_t samples = 0;

	for (int i = from; i < end; i++) {
		const struct db_quality *q = &rounds->at[i].quality;

		if (!q->samples)
			continue;
		samples += q->samples;
		mean_add(&recall, q->recall, (double)q->samples);
		mean_add(&rank, q->rank, (double)q->samples);
		mean_add(&accuracy, q->accuracy, (double)q->samples);
	}
	if (!samples)
		return;
	fputs("<tr>", to);
	html_number(to, "%.0f", (double)rounds->at[end - 1].number);
	html_count(to, samples);
	html_number(to, "%.3f", recall.sum / recall.weight);
	html_number(to, "%.3f", rank.sum / rank.weight);
	html_number(to, "%.3f", accuracy.sum / accuracy.weight);
	fputs("</tr>\n", to);
}

static void write_quality(FILE *to, const struct report_campaign *c)
{
	enum { ROWS = 40 };	/* means of as many rounds each as that takes */
	const struct db_round_vec *rounds = &c->status.rounds;
	int rows = rounds->n < ROWS ? rounds->n : ROWS;

	if (!rows)
		return;
	fprintf(to, "<h3>Campaign %jd: how well the model ranked</h3>\n<div class=pair>",
		(intmax_t)c->status.campaign.id);
	write_plot(to, "line", 0, "2,3,4", "");
	fputs("<details open><summary>figures: of batches before the model learned from them</summary>"
	      "<table>", to);
	html_heads(to, "#round|#trials|#recall of the best|#rank correlation|#pairs in order");
	fputs("<tbody>\n", to);
	for (int i = 0; i < rows; i++)
		write_rounds(to, rounds, (int)((int64_t)rounds->n * i / rows),
			     (int)((int64_t)rounds->n * (i + 1) / rows));
	fputs("</tbody></table></details></div>\n", to);
}

void write_search(FILE *to, const struct report_data *r)
{
	fputs("<section id=search>\n<h2>Search</h2>\n", to);
	write_statuses(to, r);
	write_failures(to, r);
	for (int i = 0; i < r->campaigns.n; i++)
		write_quality(to, &r->campaigns.at[i]);
	fputs("</section>\n", to);
}
