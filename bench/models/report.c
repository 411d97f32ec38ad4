/* SPDX-License-Identifier: Apache-2.0 */
/* bench/models/report.c - rows of text and of JSON, and what all models come to together. */
#include "bench/models/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/contest/referee/table.h"
#include "tools/json.h"

enum { NAME_WIDTH = 20 };

/* --- what rows say */

/* How a session began, in milliseconds: the answer to `prepare` of bench/models/setting.h. */
struct beginning {
	double created, first_run;
	const char *words;	/* of the engine */
};

static struct beginning beginning_of(const char *answer)
{
	char *end;
	struct beginning b = {.created = strtod(answer, &end) * 1e-6};

	b.first_run = strtod(end, &end) * 1e-6;
	b.words = end + (*end == ' ');
	return b;
}

static double mb(int64_t kb)
{
	return (double)kb / 1024;
}

static bool is_compared(const struct row *row)
{
	return row->kind == ROW_TIMED && row->score.versus.pairs > 0;
}

/* Rounds that were played: a player that was lost has missed some. */
static int rounds(const struct model_bout *m)
{
	int most = 0;

	for (int i = 0; i < m->bout.competitors->n; i++)
		if (m->rows[i].score.turns > most)
			most = m->rows[i].score.turns;
	return most;
}

/* The fastest of the peers; NULL where none was compared. */
static const struct row *better_peer(const struct model_bout *m)
{
	const struct row *best = NULL;

	for (int i = 1; !m->why && i < m->bout.competitors->n; i++) {
		const struct row *row = &m->rows[i];

		if (is_compared(row) &&
		    (!best || row->score.versus.ratio < best->score.versus.ratio))
			best = row;
	}
	return best;
}

/* Over the models of which there is a ratio. */
struct overall {
	int models;
	double mean, worst;	/* geometric mean; the least */
	const char *worst_model;
};

static struct overall overall_of(const struct model_bout_vec *all)
{
	struct overall o = {.worst = INFINITY};
	double logs = 0;

	for (int i = 0; i < all->n; i++) {
		const struct row *peer = better_peer(&all->at[i]);

		if (!peer)
			continue;
		double ratio = peer->score.versus.ratio;

		logs += log(ratio);
		o.models++;
		if (ratio < o.worst) {
			o.worst = ratio;
			o.worst_model = all->at[i].model;
		}
	}
	o.mean = o.models ? exp(logs / o.models) : 0;
	return o;
}

/* --- text */

static void print_timed(const struct row *row, bool ours)
{
	const struct score *s = &row->score;
	struct beginning first = beginning_of(row->rehearsal), second = beginning_of(row->kernel);

	printf("  %-*s %9.3f", NAME_WIDTH, row->who->name, s->us * 1e-3);
	if (!ours && is_compared(row))
		printf("  %6.3f (%.3f to %.3f)  %-7s", s->versus.ratio, s->versus.low,
		       s->versus.high, verdict_name(s->versus.verdict));
	else
		printf("  %-32s", "");
	printf(" %8.0f %6.0f %9.0f %9.0f %9.0f  %s\n", mb(row->peak_kb), mb(row->who->bare_kb),
	       first.created, second.created, second.first_run, second.words);
}

void model_report_print(const struct model_bout *m)
{
	const struct bout *b = &m->bout;

	printf("%s\n", m->model);
	if (m->why) {
		printf("  not run: %s\n", m->why);
		return;
	}
	printf("%d thread%s on %s %s, %d rounds; ratio: its time over ours, with the %g%% interval of "
	       "its median\n",
	       b->threads, b->threads > 1 ? "s" : "", b->threads > 1 ? "cores" : "core", m->cpus,
	       rounds(m), 100 * VERDICT_CONFIDENCE);
	printf("  %-*s %9s  %-32s %8s %6s %9s %9s %9s\n", NAME_WIDTH, "engine", "ms",
	       " ratio                   hone is", "peak MB", "bare", "start ms", "second",
	       "first run");
	for (int i = 0; i < b->competitors->n; i++)
		if (m->rows[i].kind == ROW_TIMED)
			print_timed(&m->rows[i], i == 0);
	table_print_untimed(b, m->rows);
}

void model_report_print_all(const struct model_bout_vec *all)
{
	struct overall o = overall_of(all);

	if (o.models > 0)
		printf("Over %d model%s: the better peer's time over ours is %.3f in the geometric "
		       "mean, %.3f at worst (%s)\n",
		       o.models, o.models > 1 ? "s" : "", o.mean, o.worst, o.worst_model);
	puts("peak MB: of the process; bare: before a model, with the engine loaded; start: the "
	     "session made of the file, for the first time and for the second");
}

/* --- JSON */

static json_t *row_json(const struct row *row)
{
	const struct score *s = &row->score;
	bool timed = row->kind == ROW_TIMED, compared = is_compared(row);
	struct beginning first = {0}, second = {0};

	if (timed) {
		first = beginning_of(row->rehearsal);
		second = beginning_of(row->kernel);
	}
	return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:o, s:o, s:o, s:o, s:o, s:s?, s:o, s:o, s:o, "
			 "s:o, s:o, s:i, s:i, s:i}",
			 "name", row->who->name, "version", row->who->version, "clock",
			 row->who->clock, "status", row_kind_name(row->kind), "why",
			 timed ? NULL : row->why, "words", json_label(second.words), "ms",
			 json_positive(timed ? s->us * 1e-3 : 0), "ratio",
			 json_positive(compared ? s->versus.ratio : 0), "low",
			 json_positive(compared ? s->versus.low : 0), "high",
			 json_positive(compared ? s->versus.high : 0), "verdict",
			 compared ? verdict_name(s->versus.verdict) : NULL, "peak_mb",
			 json_positive(timed ? mb(row->peak_kb) : 0), "bare_mb",
			 json_positive(mb(row->who->bare_kb)), "start_ms",
			 json_positive(first.created), "second_start_ms",
			 json_positive(second.created), "first_run_ms",
			 json_positive(second.first_run), "turns", s->turns, "restless",
			 s->restless, "beside", s->beside);
}

static json_t *bout_json(const struct model_bout *m, const struct roster *r)
{
	json_t *engines = json_array();

	for (int i = 0; !m->why && i < m->bout.competitors->n; i++)
		json_array_append_new(engines, row_json(&m->rows[i]));
	for (int i = 0; i < r->absent.n; i++)
		json_array_append_new(engines, absentee_json(&r->absent.at[i]));
	return json_pack("{s:o, s:s?, s:i, s:s?, s:o}", "model", json_label(m->model), "why", m->why,
			 "threads", m->bout.threads, "cpus", m->cpus, "engines", engines);
}

json_t *model_report_json(const struct model_bout_vec *all, const struct roster *r)
{
	struct overall o = overall_of(all);
	json_t *models = json_array();

	for (int i = 0; i < all->n; i++)
		json_array_append_new(models, bout_json(&all->at[i], r));
	return json_pack("{s:o, s:i, s:o, s:o, s:o}", "models", models, "compared", o.models,
			 "mean_ratio", json_positive(o.mean), "worst_ratio",
			 json_positive(o.models ? o.worst : 0), "worst_model",
			 json_label(o.worst_model));
}
