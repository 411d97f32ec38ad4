/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/finals_call.c - finals as the campaign sees them: what they have before them, and how far they
 * are, in its journal. */
#include "search/campaign/finals_call.h"

#include "base/clock.h"
#include "search/campaign/campaign.h"

/* Between two rounds that are written down: hone status --watch looks as often. */
#define SAVE_S 2.0

const char *finals_state_name(enum finals_state s)
{
	static const char *const names[] = {
#define X(name, text, meaning) [FINALS_##name] = text,
#include "search/campaign/finals_state.def"
#undef X
	};

	return names[s];
}

struct finals_work tuner_finals_work(const struct tuner *t)
{
	struct finals_work w = { .build_s = pace_build_s(&t->pace) };

	for (int i = 0; i < t->n; i++) {
		const struct scheduled *s = &t->scheduler.at[i];

		w.tasks += s->runs > 0 && s->best_us > 0;
		w.guesses += s->runs > 0 && s->best_us <= 0;
		w.run_us += s->runs * s->best_us;
	}
	return w;
}

double tuner_finals_least_s(const struct tuner *t)
{
	struct finals_work w = tuner_finals_work(t);

	return t->options.finals ? finals_cost_s(&w, 1, FINALS_LEAST_ROUNDS) : 0;
}

static int stand(void *user, const struct finals_stand *s)
{
	struct tuner *t = user;
	double now = clock_s();
	bool same = s->state == t->finals.state;

	t->finals = *s;
	t->finals_s = s->state == FINALS_LEFT_OUT ? 0 : now - t->finals_began_s;
	if (same && now - t->finals_saved_s < SAVE_S)
		return 0;
	t->finals_saved_s = now;
	return tuner_save(t);
}

/* The tuner's own runner stays, and sleeps. */
int tuner_hold_finals(struct tuner *t)
{
	const struct tuner_options *o = &t->options;
	const struct finals_call call = { .campaign = t->campaign_id,
					  .seconds = tuner_time_left_s(t),
					  .work = tuner_finals_work(t), .stand = stand, .tuner = t };

	if (!o->finals || tuner_stopped(t))
		return 0;
	t->finals_began_s = clock_s();
	return o->finals(o->user, &call);
}
