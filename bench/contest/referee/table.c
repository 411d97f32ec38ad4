/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/referee/table.c - rows of text and of JSON. */
#include "bench/contest/referee/table.h"

#include <stdio.h>

#include "tools/json.h"

enum { NAME_WIDTH = 24 };

static double gflops(const struct task *t, double us)
{
	return t->flop / us * 1e-3;
}

static void print_timed(const struct task *t, const struct bout *b, const struct row *row,
			bool ours)
{
	const struct score *s = &row->score;

	printf("  %-*s %10.4g %8.1f", NAME_WIDTH, row->who->name, s->us, gflops(t, s->us));
	if (b->rules.alone)
		printf(" %10.4g %6.3f (%.3f to %.3f)", s->alone_us, s->alone.ratio, s->alone.low,
		       s->alone.high);
	if (!ours && s->versus.pairs > 0)
		printf("  %6.3f (%.3f to %.3f)  %-7s", s->versus.ratio, s->versus.low,
		       s->versus.high, verdict_name(s->versus.verdict));
	else
		printf("  %-32s", "");
	printf("  %s\n", row->kernel);
}

static void print_others(const struct bout *b, const struct row *rows, enum row_kind kind,
			 const char *head)
{
	for (int i = 0; i < b->competitors->n; i++)
		if (rows[i].kind == kind)
			printf("  %-*s %s: %s\n", NAME_WIDTH, rows[i].who->name, head, rows[i].why);
}

static void print_restless(const struct bout *b, const struct row *rows)
{
	for (int i = 0; i < b->competitors->n; i++) {
		const struct score *s = &rows[i].score;

		if (rows[i].kind == ROW_TIMED && s->restless > 0)
			printf("  %s kept a core busy for %g ms behind %d of %d turns: the times "
			       "of others may be too long\n",
			       rows[i].who->name, b->rules.quiet_ms, s->restless, s->turns);
	}
}

/* Who was beside is said where it may have changed a figure. */
static void print_beside(const struct bout *b, const struct row *rows)
{
	int turns = 0, beside = 0;

	for (int i = 0; i < b->competitors->n; i++) {
		turns += rows[i].score.turns;
		beside += rows[i].score.beside;
	}
	if (beside > 0)
		printf("  somebody else computed on a core's second hardware thread in %.0f%% of the turns: figures are of "
		       "the others, or of the quietest third\n",
		       100.0 * beside / turns);
}

void table_print_untimed(const struct bout *b, const struct row *rows)
{
	print_others(b, rows, ROW_WRONG, "WRONG");
	print_others(b, rows, ROW_LOST, "failed");
	print_others(b, rows, ROW_CANNOT, "not applicable");
	if (rows[0].kind != ROW_TIMED)
		puts("  no ratios: hone has no time");
	print_restless(b, rows);
	print_beside(b, rows);
}

void table_print(const struct task *t, const struct bout *b, const struct row *rows,
		 const char *cpus)
{
	printf("%s\n%d thread%s on %s %s, %d rounds; ratio: its time over ours, with the %g%% "
	       "interval of its median\n",
	       t->name, b->threads, b->threads > 1 ? "s" : "",
	       b->threads > 1 ? "cores" : "core", cpus,
	       rows[0].score.turns / (b->rules.alone ? 2 : 1),
	       100 * VERDICT_CONFIDENCE);
	printf("  %-*s %10s %8s%s  %-32s  %s\n", NAME_WIDTH, "contestant", "us", "GFLOP/s",
	       b->rules.alone ? "   alone us  beside over alone   " : "", " ratio                   hone is", "kernel");
	for (int i = 0; i < b->competitors->n; i++)
		if (rows[i].kind == ROW_TIMED)
			print_timed(t, b, &rows[i], i == 0);
	table_print_untimed(b, rows);
}

void table_print_notes(const struct roster *r)
{
	const char *version = "";

	puts("In the clock, and not:");
	for (int i = 0; i < r->competitors.n; i++) {
		const struct competitor *c = &r->competitors.at[i];

		if (strcmp(c->version, version) != 0)
			printf("  %s\n", c->version);
		version = c->version;
		printf("    %-*s %s\n", NAME_WIDTH, c->name, c->clock);
	}
	for (int i = 0; i < r->absent.n; i++)
		printf("%s%s is absent, %s: %s\n", i ? "" : "\n", r->absent.at[i].name,
		       r->absent.at[i].why, r->absent.at[i].install);
}

/* --- JSON */

static json_t *row_json(const struct task *t, const struct row *row)
{
	const struct score *s = &row->score;
	bool timed = row->kind == ROW_TIMED, compared = timed && s->versus.pairs > 0;
	bool apart = timed && s->alone.pairs > 0;

	return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:s?, "
			 "s:o, s:o, s:o, s:i, s:i, s:i}",
			 "name", row->who->name, "version", row->who->version, "clock",
			 row->who->clock, "status", row_kind_name(row->kind), "why",
			 timed ? NULL : row->why, "kernel", row->kernel, "us",
			 json_positive(timed ? s->us : 0), "gflops",
			 json_positive(timed ? gflops(t, s->us) : 0), "alone_us",
			 json_positive(timed ? s->alone_us : 0), "ratio",
			 json_positive(compared ? s->versus.ratio : 0), "low",
			 json_positive(compared ? s->versus.low : 0), "high",
			 json_positive(compared ? s->versus.high : 0), "verdict",
			 compared ? verdict_name(s->versus.verdict) : NULL, "beside_over_alone",
			 json_positive(apart ? s->alone.ratio : 0), "beside_low",
			 json_positive(apart ? s->alone.low : 0), "beside_high",
			 json_positive(apart ? s->alone.high : 0), "turns", s->turns,
			 "restless", s->restless, "beside", s->beside);
}

json_t *absentee_json(const struct absentee *m)
{
	return json_pack("{s:s, s:s, s:s, s:s}", "name", m->name, "status", "absent", "why", m->why,
			 "install", m->install);
}

json_t *table_json(const struct task *t, const struct bout *b, const struct row *rows,
		   const char *cpus, const struct roster *r)
{
	json_t *contestants = json_array();

	for (int i = 0; i < b->competitors->n; i++)
		json_array_append_new(contestants, row_json(t, &rows[i]));
	for (int i = 0; i < r->absent.n; i++)
		json_array_append_new(contestants, absentee_json(&r->absent.at[i]));
	return json_pack("{s:s, s:o, s:i, s:s, s:o}", "task", t->key, "name",
			 json_label(t->name), "threads", b->threads, "cpus", cpus,
			 "contestants", contestants);
}
