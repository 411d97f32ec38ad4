/* SPDX-License-Identifier: Apache-2.0 */
/* tools/compare/remeasure.c - both kernels of a task, built, verified and timed in turn on this machine.
 *
 * What is timed is what the records measured: the same C text, built by the same toolchain. Where hone or compilers
 * give another one today, the row says so and keeps what the records say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/quantile.h"
#include "measure/build/builder.h"
#include "measure/device/device.h"
#include "measure/timing/timing.h"
#include "schedule/text/step_text.h"
#include "search/kernel_text.h"
#include "search/measurers/ask.h"
#include "search/trust/evidence.h"
#include "te/text/text.h"
#include "tools/command.h"
#include "tools/compare/compare.h"

/* Times that a pair of kernels is measured, each in a new process, with new objects and as often the one as the other
 * first: 15 rounds each (CONFIRM_ROUNDS of search/measurers/hardware.c), so 30 pairs, in which signs find what is 5% slower
 * in 19 of 20 tries (measure/timing/verdict.h). Where that leaves it unclear they are measured again, up to as often as the
 * last of these says: half of the interval's width takes four times the pairs. */
static const int looks[] = { 2, 4, 8 };
/* Where the pages of a process lie may make one of two kernels slower for as long as it lives, by up to a tenth where its
 * data nearly fill a cache (docs/performance.md): so many of them have to agree before one is told to be. */
enum { LOOKS = 3, AGREEING = 4, MOST_SITTINGS = 8 };

struct remade_builder {
	const struct target *target;
	const char *wanted;	/* by whom it was looked for: a toolchain's text */
	struct build_pool *pool;	/* NULL: it is not here */
};
struct remade_builder_vec VEC(struct remade_builder);

struct remaking {
	struct arena *a;
	struct compare_table *t;
	struct device *device;
	struct remade_builder_vec builders;
	struct measurer *measurer;	/* of the sitting; NULL: none yet */
};

static const char *not_again(struct arena *a, const char *why)
{
	return arena_printf(a, "not timed again: %s", why);
}

/* --- who builds */

/* The builder of TARGET with the compiler CC whose text is WANTED, or NULL. */
static struct build_pool *try_builder(const struct remaking *m, const struct target *target, const char *cc,
				      const char *wanted)
{
	const struct build_pool_options o = { .target = target == m->device->own ? NULL : target, .cc = cc };
	struct build_pool *pool = build_pool_new(&o);

	if (pool && wanted && strcmp(build_pool_toolchain(pool), wanted) != 0) {
		build_pool_free(pool);
		return NULL;
	}
	return pool;
}

/* The compiler that TOOLCHAIN tells of, among those of usual names: the one that kernels are built with by default,
 * or one that is there in several versions. */
static struct build_pool *look_for(const struct remaking *m, const struct target *target, const char *toolchain)
{
	const char *name = strstr(toolchain, "clang") ? "clang" : "gcc";
	int version = atoi(toolchain + strcspn(toolchain, "0123456789"));
	const char *const cc[] = { NULL, name, arena_printf(m->a, "%s-%d", name, version) };
	struct build_pool *pool = NULL;

	for (int i = 0; i < 3 && !pool; i++)
		pool = try_builder(m, target, cc[i], toolchain);
	return pool;
}

/* For TOOLCHAIN's target, and by it unless another one was asked for. */
static struct build_pool *builder_for(struct remaking *m, const struct target *target, const char *toolchain)
{
	const char *cc = m->t->options->cc;

	/* what was asked for builds both, so that one text is one kernel */
	if (cc)
		toolchain = "";
	for (int i = 0; i < m->builders.n; i++)
		if (m->builders.at[i].target == target && strcmp(m->builders.at[i].wanted, toolchain) == 0)
			return m->builders.at[i].pool;
	struct build_pool *pool = cc ? try_builder(m, target, cc, NULL) : look_for(m, target, toolchain);

	vec_push(m->a, &m->builders, (struct remade_builder){ target, toolchain, pool });
	return pool;
}

/* --- what is built */

/* A kernel on its way: its task, C text and builder. */
struct remade_kernel {
	struct candidate candidate;
	struct build_pool *builder;
};

/* NULL, or why K cannot be timed on M's device, in M's arena. */
static const char *make(struct remaking *m, const struct task *task, const struct side_kernel *k,
			struct remade_kernel *out)
{
	const struct db_record *r = &k->record;
	const struct target *target = target_of_toolchain(r->toolchain_text, m->device->own);
	const char *why = "its C text cannot be written";
	struct state *s = state_parse(m->a, task->dag, "record", r->steps);

	*out = (struct remade_kernel){ 0 };
	if (!target->runs())
		return arena_printf(m->a, "it is for %s, which this machine does not run", target->name);
	if (!s)
		return arena_printf(m->a, "its steps are none that this hone knows: %s", err_get());
	out->candidate.steps = r->steps;
	out->candidate.trial.source = state_source(m->a, s, target, &why);
	if (!out->candidate.trial.source)
		return why;
	if (evidence_of(r, out->candidate.trial.source) == EVIDENCE_CHANGED)
		return "this hone writes other C text for it than was measured";
	out->builder = builder_for(m, target, r->toolchain_text);
	if (!out->builder)
		return m->t->options->cc
		       ? arena_strdup(m->a, err_get())
		       : arena_printf(m->a, "no compiler here is %.*s with these flags (--cc COMPILER builds both)",
				      (int)strcspn(r->toolchain_text, "-"), r->toolchain_text);
	return NULL;
}

static const char *misfit(struct arena *a, const struct device *d, const struct side_kernel *k)
{
	if (strcmp(k->record.fingerprint, d->fingerprint) != 0)
		return arena_printf(a, "it is of device %.8s, and this is %.8s", k->record.fingerprint,
				    d->fingerprint);
	if (!*k->text)
		return "it is no kernel of hone's own";
	if (k->record.threads > d->threads)
		return arena_printf(a, "it has %d threads, of which %d fit here", k->record.threads, d->threads);
	return NULL;
}

/* --- timing */

/* A measurer with a process of its own, for kernels like that of R. */
static int set_measurer(struct remaking *m, const struct db_record *r)
{
	const struct hardware_options o = {
		.threads = r->threads,
		.cache = cache_state_alone(r->cache),
		.device = m->device,
		.seed = 1,
		.listener = { command_hear, NULL },
	};

	if (m->measurer)
		m->measurer->free(m->measurer);
	m->measurer = measurer_hardware(&o);
	return m->measurer ? 0 : -1;
}

/* Samples of both, pair by pair, in microseconds. */
struct taken_pairs {
	double us[SIDES][MOST_SITTINGS * SAMPLES_MAX];
	int n;
	int end[MOST_SITTINGS];	/* of those of each sitting */
	int sittings;
};

/* Those of one round that count for both. */
static void take_pairs(const struct trial *const trial[SIDES], struct taken_pairs *p)
{
	const struct trial *x = trial[BEFORE], *y = trial[NOW];
	int n = x->n_samples < y->n_samples ? x->n_samples : y->n_samples;

	for (int i = 0; i < n && i < SAMPLES_MAX; i++) {
		if ((x->counted && x->counted[i] != '1') || (y->counted && y->counted[i] != '1'))
			continue;
		p->us[BEFORE][p->n] = x->samples[i];
		p->us[NOW][p->n++] = y->samples[i];
	}
	p->end[p->sittings++] = p->n;
}

/* NULL where T came as far as STATUS; else what became of it. */
static const char *failure(struct arena *a, const struct trial *t, enum trial_status status)
{
	return t->status == status ? NULL
		: arena_printf(a, "%s: %s", trial_status_name(t->status), t->text ? t->text : "");
}

/* Builds both kernels of ROW anew, and times them in turn. 0; 1 where a kernel failed, and *WHY; -1 and a message. */
static int sit(struct remaking *m, const struct task *task, const struct compare_row *row, struct remade_kernel k[SIDES],
	       struct taken_pairs *p, const char **why)
{
	int first = p->sittings % SIDES;
	struct candidate c[SIDES] = { k[first].candidate, k[!first].candidate };

	if (set_measurer(m, &row->side[NOW].record) < 0)
		return -1;

	for (int i = 0; i < SIDES && !*why; i++) {
		if (build_all(m->a, k[i ? !first : first].builder, &c[i].trial, 1) < 0)
			return -1;
		*why = failure(m->a, &c[i].trial, TRIAL_PENDING);
	}
	if (*why)
		return 1;
	int rc = ask_and_wait(m->measurer, m->a, task, 0, c, SIDES, true);

	if (rc != 0) {
		*why = arena_strdup(m->a, err_get());
		return rc;
	}
	for (int i = 0; i < SIDES && !*why; i++)
		*why = failure(m->a, &c[i].trial, TRIAL_OK);
	if (*why)
		return 1;
	take_pairs((const struct trial *[]){ &c[first].trial, &c[!first].trial }, p);
	return 0;
}

/* Is the same of both the faster one in each sitting of P, and are these enough? */
static bool sittings_agree(const struct taken_pairs *p, double margin)
{
	int faster = 0;

	for (int i = 0, from = 0; i < p->sittings; from = p->end[i++]) {
		int n = p->end[i] - from;

		if (n > 0)
			faster += compare_pairs(p->us[NOW] + from, p->us[BEFORE] + from, n, margin).ratio > 1;
	}
	return p->sittings >= AGREEING && (faster == 0 || faster == p->sittings);
}

/* What P says. Who looks several times is misled more often: of each look so much less counts
 * (Bonferroni). */
static struct comparison look_at(const struct remaking *m, const struct taken_pairs *p)
{
	double margin = m->t->options->margin;
	struct comparison c = compare_pairs(p->us[NOW], p->us[BEFORE], p->n, margin);

	c.p = fmin(1, LOOKS * c.p);
	if ((c.verdict == VERDICT_FASTER || c.verdict == VERDICT_SLOWER) && !sittings_agree(p, margin)) {
		c.verdict = VERDICT_UNCLEAR;
		c.p = 1;
	}
	return c;
}

/* Is more to be learned from more pairs? */
static bool is_open(const struct remaking *m, const struct taken_pairs *p)
{
	return p->n < VERDICT_MIN_PAIRS || look_at(m, p).verdict == VERDICT_UNCLEAR;
}

static void judge(struct remaking *m, const struct taken_pairs *p, struct compare_row *row)
{
	if (p->n < VERDICT_MIN_PAIRS) {
		row->again_note = not_again(m->a, arena_printf(m->a, "%d undisturbed pairs are too few", p->n));
		return;
	}
	row->was = row->with.verdict;
	row->with = look_at(m, p);
	row->again = row->calibrated = row->sound = true;
	for (int i = 0; i < SIDES; i++) {
		double *us = arena_memdup(m->a, p->us[i], (size_t)p->n * sizeof(double));

		row->side[i].record.time_us = median(us, p->n);
	}
	row->caveat = "";	/* it was of the records */
	if (m->t->options->cc)
		row->again_note = arena_printf(m->a, "built by %s", m->t->options->cc);
}

/* One text by one toolchain is one kernel: nothing is to be timed. */
static void settle_same(struct compare_row *row)
{
	row->was = row->with.verdict;
	row->with = comparison_of_one(row->with.pairs);
	row->again = row->calibrated = row->sound = row->same = true;
	row->caveat = "";
	row->again_note = "one and the same kernel";
}

static int time_row(struct remaking *m, struct compare_row *row)
{
	struct remade_kernel k[SIDES];
	struct taken_pairs p = { .n = 0 };
	struct dag *dag = NULL;
	struct task *task = NULL;
	const char *why = NULL;
	int rc = 0;

	for (int i = 0; i < SIDES && !why; i++)
		why = misfit(m->a, m->device, &row->side[i]);
	if (!why) {
		dag = dag_parse(m->a, row->side[NOW].name, row->side[NOW].text);
		task = dag ? task_new(m->a, dag, row->side[NOW].name, 1) : NULL;
		why = task ? NULL : arena_strdup(m->a, err_get());
	}
	for (int i = 0; i < SIDES && !why; i++)
		why = make(m, task, &row->side[i], &k[i]);
	if (!why && k[BEFORE].builder == k[NOW].builder &&
	    strcmp(k[BEFORE].candidate.trial.source, k[NOW].candidate.trial.source) == 0) {
		settle_same(row);
		return 0;
	}
	for (int look = 0; look < LOOKS && !why && rc == 0 && is_open(m, &p); look++)
		while (p.sittings < looks[look] && !why && rc == 0)
			rc = sit(m, task, row, k, &p, &why);
	if (rc < 0)
		return -1;
	if (why)
		row->again_note = not_again(m->a, why);
	else
		judge(m, &p, row);
	return 0;
}

static bool is_wanted(const struct compare_table *t, const struct compare_row *row)
{
	return t->options->again == AGAIN_ALL || !row->sound || row->with.verdict == VERDICT_UNCLEAR;
}

static int time_all(struct remaking *m)
{
	struct compare_table *t = m->t;
	int wanted = 0, done = 0;

	for (int i = 0; i < t->rows.n; i++)
		wanted += is_wanted(t, &t->rows.at[i]);
	for (int i = 0; i < t->rows.n; i++) {
		struct compare_row *row = &t->rows.at[i];

		if (!is_wanted(t, row))
			continue;
		fprintf(stderr, "timing again, %d of %d: %s\n", ++done, wanted, row->side[NOW].name);
		if (time_row(m, row) < 0)
			return -1;
	}
	return 0;
}

int compare_again(struct arena *a, struct compare_table *t)
{
	struct remaking m = { .a = a, .t = t, .device = device_describe(a, NULL) };

	if (!m.device || device_load_or_probe(m.device, false) < 0)
		return -1;
	int rc = time_all(&m);

	if (m.measurer)
		m.measurer->free(m.measurer);
	for (int i = 0; i < m.builders.n; i++)
		build_pool_free(m.builders.at[i].pool);
	return rc;
}
