/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/summary.c - what came of it: campaigns with what a model takes, and the table of tasks. */
#include "tools/report/page.h"

#include <math.h>

#include "tools/report/html.h"

/* --- campaigns */

/* What can be said without a clock: whether a process is at work now, only locks tell. */
static const char *state_words(const struct db_campaign *c)
{
	return c->state == CAMPAIGN_DONE ? "done" : c->state == CAMPAIGN_STOPPED ? "stopped" : "not ended";
}

static void write_time(FILE *to, double us)
{
	fprintf(to, us < 1000 ? "<b>%.4g µs</b>" : "<b>%.4g ms</b>", us < 1000 ? us : us * 1e-3);
}

static void write_gain(FILE *to, const struct report_campaign *c)
{
	fputs("<p class=gain>", to);
	if (isnan(c->best_us)) {
		fprintf(to, "%s</p>\n", c->weighted ? "No kernel was found yet."
						    : "The campaign kept no weights, so what its kernels "
						      "come to together is not known.");
		return;
	}
	double gain = c->first_us / c->alone_us;

	if (gain > 0)
		fprintf(to, "<strong>%.2f×</strong> ", gain);
	fputs("<span>The kernels of ", to);
	html_text(to, c->status.campaign.source);
	fputs(" take ", to);
	write_time(to, c->best_us);
	fputs(" together, each as often as it occurs", to);
	if (c->in_model)
		fprintf(to, ", %d of %d timed as the model ran", c->in_model, c->weighted - c->missing);
	fputs(". ", to);
	if (gain > 0) {
		fputs("Timed alone, the best of each take ", to);
		write_time(to, c->alone_us);
		fputs("; the first valid trials took ", to);
		write_time(to, c->first_us);
		fprintf(to, ", %.2f times as long.", gain);
	} else {
		fputs("No gain is given, since not every task has a valid trial in this report.", to);
	}
	if (c->missing)
		fprintf(to, " <em>%d of %d tasks have no kernel and are in no sum.</em>", c->missing,
			c->weighted);
	if (c->caveats)
		fprintf(to, " %d of %d figures have a caveat: see their lines.", c->caveats,
			c->weighted - c->missing);
	fputs("</span></p>\n", to);
}

static void write_campaign_row(FILE *to, const struct report_campaign *c)
{
	const struct status *s = &c->status;

	fputs("<tr>", to);
	html_count(to, s->campaign.id);
	fputs("<td>", to);
	html_text(to, s->campaign.source);
	if (s->campaign.name)
		fputs("<br>", to);
	html_text(to, s->campaign.name ? s->campaign.name : "");
	fputs("</td>", to);
	fprintf(to, "<td class=why>%s%s", state_words(&s->campaign), s->stopped_by ? ": " : "");
	html_text(to, s->stopped_by ? s->stopped_by : "");
	fputs("</td>", to);
	html_moment(to, s->campaign.created);
	html_number(to, "%.0f", s->seconds);
	html_count(to, s->trials);
	html_count(to, s->failed);
	html_count(to, s->refused);
	html_count(to, s->rounds.n);
	html_count(to, c->weighted);
	html_count(to, c->missing);
	html_positive(to, "%.4g", c->first_us * 1e-3);
	html_positive(to, "%.4g", c->alone_us * 1e-3);
	html_positive(to, "%.4g", c->best_us * 1e-3);
	fputs("</tr>\n", to);
}

static void write_phases(FILE *to, const struct report_data *r)
{
	fputs("<h3>Where the time went</h3>\n<div class=wide><table><thead><tr><th scope=col class=n>campaign</th>", to);
	for (int p = 0; p < PHASE_COUNT; p++)
		fprintf(to, "<th scope=col class=n>%s, s</th>", round_phase_name((enum round_phase)p));
	fputs("<th scope=col class=n>finals, s</th><th scope=col class=n>other, s</th></tr></thead><tbody>\n", to);
	for (int i = 0; i < r->campaigns.n; i++) {
		const struct status *s = &r->campaigns.at[i].status;

		fputs("<tr>", to);
		html_count(to, s->campaign.id);
		for (int p = 0; p < PHASE_COUNT; p++)
			html_number(to, "%.1f", s->phases[p]);
		html_number(to, "%.1f", s->finals_s);
		html_number(to, "%.1f", s->other);
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></div>\n", to);
}

/* The sum of weight x best so far of one campaign. */
static void write_model_curve(FILE *to, const struct report_campaign *c)
{
	if (c->by_time.n < 2)
		return;
	fprintf(to, "<h3>Campaign %jd: all kernels together, by seconds at work</h3>\n<div class=pair>",
		(intmax_t)c->status.campaign.id);
	write_plot(to, "steps", 0, "1", "");
	fputs("<details><summary>figures: of trials, from when each task had a kernel</summary><table>", to);
	html_heads(to, "#seconds|#ms");
	fputs("<tbody>\n", to);
	/* a few hundred are as much as can be seen apart */
	for (int i = 0, step = c->by_time.n / 200 + 1; i < c->by_time.n; i += step) {
		fputs("<tr>", to);
		html_number(to, "%.1f", c->by_time.at[i].x);
		html_number(to, "%.5g", c->by_time.at[i].us * 1e-3);
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></details></div>\n", to);
}

static void write_other_device(FILE *to, const struct report_data *r, const struct db_device *d)
{
	fputs("<p>The database has another device, too: <code>--device ", to);
	html_short(to, d->fingerprint);
	fputs("</code>, ", to);
	html_text(to, device_name_in(r->arena, d->description));
	fputs(".</p>\n", to);
}

static void write_totals(FILE *to, const struct report_data *r)
{
	int64_t trials = 0, failed = 0;
	int found = 0;

	for (int i = TRIAL_STORED_FIRST; i < TRIAL_STATUS_COUNT; i++) {
		trials += r->by_status[i];
		failed += i != TRIAL_OK && i != TRIAL_LOST_RACE ? r->by_status[i] : 0;
	}
	for (int i = 0; i < r->tasks.n; i++)
		found += r->tasks.at[i].row.found;
	fprintf(to, "<dl class=tiles><div><dt>tasks</dt><dd>%d</dd></div>"
		    "<div><dt>with a kernel</dt><dd>%d</dd></div>"
		    "<div><dt>trials</dt><dd>%jd</dd></div><div><dt>failed</dt><dd>%jd</dd></div>"
		    "<div><dt>campaigns</dt><dd>%d</dd></div></dl>\n",
		r->tasks.n, found, (intmax_t)trials, (intmax_t)failed, r->campaigns.n);
	if (r->unread)
		fprintf(to, "<p><em>%d tasks are left out: this hone does not read their text as the task "
			    "that was measured.</em></p>\n", r->unread);
	for (int i = 0; i < r->devices.n; i++)
		if (r->devices.at[i].id != r->device)
			write_other_device(to, r, &r->devices.at[i]);
}

/* What one wants to see first: the newest campaign for a model; the newest of all where none is. */
static const struct report_campaign *headline(const struct report_data *r)
{
	for (int i = r->campaigns.n - 1; i >= 0; i--)
		if (r->campaigns.at[i].is_model)
			return &r->campaigns.at[i];
	return &r->campaigns.at[r->campaigns.n - 1];
}

void write_summary(FILE *to, const struct report_data *r)
{
	fputs("<section id=summary>\n<h2>Summary</h2>\n", to);
	if (r->campaigns.n)
		write_gain(to, headline(r));
	write_totals(to, r);
	if (r->campaigns.n) {
		fputs("<h3>Campaigns</h3>\n<div class=wide><table>", to);
		html_heads(to, "#number|source|state|#began, UTC|#seconds at work|#trials|#failed|#refused|"
			       "#rounds|#tasks|#without kernel|#first trials, ms|#best alone, ms|#best, ms");
		fputs("<tbody>\n", to);
		for (int i = 0; i < r->campaigns.n; i++)
			write_campaign_row(to, &r->campaigns.at[i]);
		fputs("</tbody></table></div>\n", to);
		for (int i = 0; i < r->campaigns.n; i++)
			write_model_curve(to, &r->campaigns.at[i]);
		write_phases(to, r);
	} else {
		fputs("<p>The records are of no campaign, so there are neither weights nor times of rounds.</p>\n",
		      to);
	}
	fputs("</section>\n", to);
}

/* --- tasks */

/* The best so far by trials, both axes logarithmic, as a line of 96 x 20. */
static void write_sparkline(FILE *to, const struct report_task *t)
{
	const struct report_step_vec *v = &t->by_trials;
	double width = log(t->trials.trials.n + 1), low, high;

	fputs("<td>", to);
	if (v->n) {
		low = log(v->at[v->n - 1].us);
		high = log(v->at[0].us);
		fputs("<svg class=spark viewBox=\"0 0 96 20\" role=img aria-label=\"best so far\"><path d=\"", to);
		for (int i = 0; i < v->n; i++) {
			double y = high > low ? 19 - 18 * (log(v->at[i].us) - low) / (high - low) : 19;

			fprintf(to, i ? "H%.1fV%.1f" : "M%.1f %.1f", 96 * log(v->at[i].x) / width, y);
		}
		fputs("H96\"/></svg>", to);
	}
	fputs("</td>", to);
}

static double total_us(const struct report_data *r)
{
	double sum = 0;

	for (int i = 0; i < r->tasks.n; i++)
		sum += r->tasks.at[i].task->weight * r->tasks.at[i].row.best_us;
	return sum;
}

static void write_task_row(FILE *to, const struct report_task *t, double total)
{
	const struct best_row *b = &t->row;

	fprintf(to, "<tr data-task=\"%s\"><td class=name>", t->task->key);
	write_task_link(to, t);
	fputs("</td>", to);
	html_positive(to, "%.4g", t->task->weight);
	html_positive(to, b->estimate ? "~%.4g" : "%.4g", b->best_us);
	html_positive(to, "%.1f", 100 * t->task->weight * b->best_us / total);
	html_positive(to, "%.1f", b->gflops);
	html_positive(to, "%.1f", 100 * b->peak_share);
	html_positive(to, "%.1f", 100 * b->gflops / t->roof);
	html_positive(to, "%.2f", t->alone_us > 0 ? t->first_us / t->alone_us : NAN);
	html_positive(to, "%.0f", b->threads);
	html_count(to, b->trials);
	html_count(to, b->failed);
	write_sparkline(to, t);
	fputs("<td>", to);
	if (b->in_model)
		fputs("in the model", to);
	html_text(to, b->in_model && *b->caveat ? "; " : "");
	html_text(to, b->caveat);
	html_text(to, *b->skipped ? "; skipped: " : "");
	html_text(to, b->skipped);
	fputs("</td></tr>\n", to);
}

void write_tasks(FILE *to, const struct report_data *r)
{
	double total = total_us(r);

	fputs("<section id=tasks>\n<h2>Tasks</h2>\n<p>The best of each is what <code>hone best</code> names, "
	      "of the whole database; its trials are those of all campaigns on the device. <i>Roof</i>: of what "
	      "the rates of the device allow, were all inputs and outputs in memory. <i>Over first</i>: times as fast "
	      "as the first valid trial of the task in this report, both timed alone; that one was measured once.</p>\n"
	      "<div class=wide><table class=sortable>", to);
	html_heads(to, "task|#weight|#best, µs|#of all, %|#GFLOP/s|#of peak, %|#of roof, %|#over first|#threads|"
		       "#trials|#failed|best so far|to know");
	fputs("<tbody>\n", to);
	for (int i = 0; i < r->tasks.n; i++)
		write_task_row(to, &r->tasks.at[i], total);
	fputs("</tbody></table></div>\n</section>\n", to);
}
