/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/machine.c - the machine: how steady it was, what it is, what compiled for it. */
#include "tools/report/page.h"

#include <math.h>

#include "measure/device/calibration.h"
#include "measure/device/simulated.h"
#include "tools/report/html.h"

/* --- through the night */

static void write_noise(FILE *to, const struct report_data *r)
{
	if (!r->noise.n)
		return;
	fputs("<h3>The fixed kernel, beside every kernel</h3>\n<p>It runs from registers, so its time tells "
	      "how fast the core was: medians and deciles over records in the order in which they were taken. "
	      "<i>Spread</i> is how far apart the middle half of the samples of one kernel lay, the median over "
	      "kernels.</p>\n<div class=pair>", to);
	write_plot(to, "line", 0, "3,4,5", "");
	fputs("<details open><summary>figures</summary><table>", to);
	html_heads(to, "#span|#from, UTC|#records|#lowest tenth, µs|#median, µs|#highest tenth, µs|#spread, %");
	fputs("<tbody>\n", to);
	for (int i = 0; i < r->noise.n; i++) {
		const struct noise_span *s = &r->noise.at[i];

		fputs("<tr>", to);
		html_count(to, i + 1);
		html_moment(to, s->from);
		html_count(to, s->records);
		html_positive(to, "%.5g", s->low_us);
		html_positive(to, "%.5g", s->fixed_us);
		html_positive(to, "%.5g", s->high_us);
		html_number(to, "%.2f", 100 * s->spread);
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></details></div>\n", to);
}

static void write_sitting(FILE *to, const struct db_sitting *s, const struct db_calibration *first)
{
	const struct db_calibration *c = &s->calibration;
	const char *what;

	fputs("<tr>", to);
	html_count(to, s->campaign);
	html_moment(to, s->began);
	html_moment(to, s->ended);
	html_positive(to, "%.5g", c->fixed_us);
	html_positive(to, "%.4g", c->peak[0]);
	html_positive(to, "%.4g", c->peak[1]);
	html_positive(to, "%.4g", c->l1[0]);
	html_positive(to, "%.4g", c->l2[0]);
	html_positive(to, "%.4g", c->mem[0]);
	html_positive(to, "%.4g", c->mem[1]);
	html_number(to, "%+.1f", 100 * calibration_drift(first, c, &what));
	html_cell(to, what);
	fputs("</tr>\n", to);
}

static void write_sittings(FILE *to, const struct report_data *r)
{
	const struct db_calibration *first = NULL;

	fputs("<h3>Sittings</h3>\n<p>Each run of <code>hone tune</code> on a campaign, with the speed of the device when "
	      "it began. <i>Drift</i>: the largest change since the first of them.</p>\n<div class=wide><table>", to);
	html_heads(to, "#campaign|#began, UTC|#ended, UTC|#fixed kernel, µs|#peak, one|#peak, all, GFLOP/s|"
		       "#L1, one|#L2, one|#memory, one|#memory, all, GB/s|#drift, %|of");
	fputs("<tbody>\n", to);
	for (int i = 0; i < r->campaigns.n; i++) {
		const struct db_sitting_vec *v = &r->campaigns.at[i].status.sittings;

		for (int k = 0; k < v->n; k++) {
			first = first ? first : &v->at[k].calibration;
			write_sitting(to, &v->at[k], first);
		}
	}
	fputs("</tbody></table></div>\n", to);
}

/* --- environment */

static void write_fact(FILE *to, const char *name, const char *value)
{
	fputs("<tr><th scope=row>", to);
	html_text(to, name);
	fputs("</th>", to);
	html_cell(to, value);
	fputs("</tr>\n", to);
}

static void write_device(FILE *to, const struct report_data *r)
{
	const struct device *d = r->look.device;
	struct arena *a = r->arena;

	fputs("<h3>Device</h3>\n<div class=wide><table class=facts><tbody>\n", to);
	write_fact(to, "name", d->name);
	write_fact(to, "model", arena_printf(a, "%s (%s, family %d, model %d, stepping %d)", d->model, d->vendor,
					     d->family, d->model_number, d->stepping));
	write_fact(to, "fingerprint", d->fingerprint);
	write_fact(to, "kernels are for", arena_printf(a, "%s (%s)", d->own->name, d->flags));
	write_fact(to, "cores", arena_printf(a, "%d in %d package%s, %d hardware threads; %d threads were probed",
					     d->cores, d->packages, d->packages > 1 ? "s" : "", d->pus,
					     d->measured.threads));
	for (int i = 0; i < DEVICE_CACHES; i++)
		write_fact(to, arena_printf(a, "cache of level %d", i + 1),
			   arena_printf(a, "%jd KiB by its own word, %jd KiB by latency",
					(intmax_t)(d->caches[i].claimed >> 10),
					(intmax_t)(d->caches[i].probed >> 10)));
	write_fact(to, "noise when probed", arena_printf(a, "%.3g (slow tenth of a fixed kernel over its fast tenth)",
							 d->measured.noise));
	fputs("</tbody></table></div>\n", to);
}

static void write_counts(FILE *to, const char *title, const char *heads, const struct report_count_vec *v)
{
	fprintf(to, "<h3>%s</h3>\n<div class=wide><table>", title);
	html_heads(to, heads);
	fputs("<tbody>\n", to);
	for (int i = 0; i < v->n; i++) {
		fputs("<tr>", to);
		html_cell(to, v->at[i].label);
		html_count(to, v->at[i].records);
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table></div>\n", to);
}

/* What was asked for, as campaigns keep it. */
static void write_options(FILE *to, const struct report_data *r)
{
	fputs("<h3>Options of campaigns</h3>\n<div class=wide><table>", to);
	html_heads(to, "#campaign|#seed|options");
	fputs("<tbody>\n", to);
	for (int i = 0; i < r->campaigns.n; i++) {
		const struct db_campaign *c = &r->campaigns.at[i].status.campaign;

		fputs("<tr>", to);
		html_count(to, c->id);
		fprintf(to, "<td class=n>%ju</td><td><code>", (uintmax_t)c->seed);
		html_text(to, c->options ? c->options : "");
		fputs("</code></td></tr>\n", to);
	}
	fputs("</tbody></table></div>\n", to);
}

void write_machine(FILE *to, const struct report_data *r)
{
	bool simulated = device_is_simulated(r->look.device);	/* which has no noise */

	fputs("<section id=machine>\n<h2>Machine</h2>\n", to);
	if (!simulated)
		write_noise(to, r);
	if (!simulated && r->campaigns.n)
		write_sittings(to, r);
	if (simulated)
		write_described_device(to, r->look.device);
	else
		write_device(to, r);
	write_counts(to, "Toolchains", "compiler and flags|#records", &r->toolchains);
	write_counts(to, "hone", "version that measured|#records", &r->versions);
	if (r->campaigns.n)
		write_options(to, r);
	fputs("</section>\n", to);
}
