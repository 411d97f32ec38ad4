/* SPDX-License-Identifier: Apache-2.0 */
/* tools/report/rankings.c - how well a campaign's model ranked, from its rounds to as many rows as one reads. */
#include "tools/report/data.h"

#include <math.h>

struct weighted_mean {
	double sum, weight;
};

static void mean_add(struct weighted_mean *m, double v, double weight)
{
	if (isnan(v))
		return;
	m->sum += v * weight;
	m->weight += weight;
}

/* Of the N rounds at AT. */
static struct report_ranking ranking_of(const struct db_round *at, int n)
{
	struct report_ranking out = { .round = at[n - 1].number };
	struct weighted_mean recall = { 0 }, rank = { 0 }, accuracy = { 0 };

	for (int i = 0; i < n; i++) {
		const struct db_quality *q = &at[i].quality;

		if (!q->samples)
			continue;
		out.quality.samples += q->samples;
		mean_add(&recall, q->recall, (double)q->samples);
		mean_add(&rank, q->rank, (double)q->samples);
		mean_add(&accuracy, q->accuracy, (double)q->samples);
	}
	out.quality.recall = recall.sum / recall.weight;
	out.quality.rank = rank.sum / rank.weight;
	out.quality.accuracy = accuracy.sum / accuracy.weight;
	return out;
}

void report_campaign_rankings(struct report_data *r, struct report_campaign *c)
{
	enum { ROWS = 40 };	/* as many as one reads: of as many rounds each as that takes */
	const struct db_round_vec *rounds = &c->status.rounds;
	int rows = rounds->n < ROWS ? rounds->n : ROWS;

	for (int i = 0; i < rows; i++) {
		int from = (int)((int64_t)rounds->n * i / rows);
		int end = (int)((int64_t)rounds->n * (i + 1) / rows);
		struct report_ranking one = ranking_of(&rounds->at[from], end - from);

		if (one.quality.samples)
			vec_push(r->arena, &c->rankings, one);
	}
}
