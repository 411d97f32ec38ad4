/* SPDX-License-Identifier: Apache-2.0 */
/* tools/live/watch.c - follows campaigns without a terminal: something is printed each time that something
 * has changed. */
#include "tools/live/watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/hash.h"
#include "tools/json.h"
#include "tools/live/screen/screen.h"

/* Seconds between looks, as one follows a clock. */
static const double pause_s = 1;

/* What a look may take of the time. */
static const double looking_most = 0.1;

double live_pause(double cost)
{
	double pause = cost / looking_most;

	return pause > pause_s ? pause : pause_s;
}

/* A batch changes the rounds, and finals what the journal says of them. */
struct hash128 live_stamp(const struct status_vec *v)
{
	struct text all = { 0 };

	for (int i = 0; i < v->n; i++) {
		const struct status *s = &v->at[i];
		const struct db_campaign *c = &s->campaign;

		text_printf(&all, "%jd %d %jd %jd %jd %jd %d %d %d\n", (intmax_t)c->id, (int)c->state,
			    (intmax_t)c->rounds, (intmax_t)c->seen, (intmax_t)c->ended, (intmax_t)s->trials,
			    s->sittings.n, (int)s->finals.state, s->finals.round);
	}
	struct hash128 stamp = hash_bytes(text_str(&all), all.n);

	text_free(&all);
	return stamp;
}

bool live_is_over(const struct status_vec *v, struct hash128 first, bool *begun)
{
	bool alive = status_any_alive(v);

	*begun |= alive || (v->n && !hash_equal(live_stamp(v), first));
	return *begun && !alive;
}

static void print_text(const struct live_watch *w, const struct status_vec *v, bool again)
{
	struct text out = { 0 };

	if (again)
		text_puts(&out, "\n");
	if (!v->n)
		text_printf(&out, "%s: no campaign yet\n", w->query.db);
	for (int i = 0; i < v->n; i++)
		status_print(&out, &v->at[i]);
	fputs(text_str(&out), stdout);
	text_free(&out);
}

static void print(const struct live_watch *w, const struct status_vec *v, bool again)
{
	if (w->json)
		json_print_line(status_all_json(w->query.db, v));
	else
		print_text(w, v, again);
	fflush(stdout);
}

/* A signal ends it, too. */
static void wait(double seconds)
{
	struct timespec t = { .tv_sec = (time_t)seconds };

	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	nanosleep(&t, NULL);
}

/* Prints where campaigns stand, again and again, from the first that runs to the end of the last. */
static int follow(const struct live_watch *w)
{
	struct arena *a = arena_new();
	struct hash128 first = { 0 }, before = { 0 };
	bool on = true, begun = false;
	int rc = 0;

	for (bool again = false; on && rc == 0;) {
		struct status_vec v;
		int64_t from = clock_ns();

		arena_reset(a);
		rc = status_look(&w->query, a, &v);
		if (rc < 0)
			break;
		struct hash128 stamp = live_stamp(&v);

		if (!again || !hash_equal(stamp, before))
			print(w, &v, again);
		if (!again)
			first = stamp;
		again = true;
		before = stamp;
		on = !live_is_over(&v, first, &begun) && !ferror(stdout);
		if (on && !*w->stop)
			wait(live_pause(seconds_since(from)));
		on = on && !*w->stop;
	}
	arena_free(a);
	return rc;
}

int live_watch(const struct live_watch *w)
{
	if (w->json || !screen_is_possible())
		return follow(w);
	if (!screen_absent())
		return screen_watch(w);
	fprintf(stderr, "hone: no full screen: %s; here is a block each time that something changes\n",
		screen_absent());
	return follow(w);
}
