/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/spare.c - a compiler in a loop, and what that does to fixed kernels. */
#include "search/measurers/spare.h"

#include <stdio.h>

#include "measure/device/beside.h"

struct load {
	struct build_pool *builder;
	const char *source;
};

struct pool_room spare_room(void *user)
{
	const struct spare *s = user;

	return (struct pool_room){ s->cores.n_spare, s->cores.spare };
}

static int compile_once(void *user)
{
	const struct load *l = user;
	struct arena *a = arena_new();
	struct trial t = { .source = l->source };
	int rc = build_all(a, l->builder, &t, 1);

	trial_discard(&t);
	arena_free(a);
	return rc;
}

/* Why not, where kernels leave too few cores. */
static void tell_few(const struct spare *s, const struct listener *listener)
{
	listener_tell(listener, TELL_NOTE, "building waits for measuring: kernels of %d %s leave %d %s", s->threads,
		      s->threads == 1 ? "thread" : "threads", s->cores.n_spare, s->cores.n_spare == 1 ? "core" : "cores");
}

/* BEHIND: when SEEN was seen, if not now. */
static void tell_effect(const struct spare *s, const struct beside_effect *seen, const char *behind,
			const struct listener *listener)
{
	if (beside_judge(seen) == BESIDE_UNSURE)
		listener_tell(listener, TELL_NOTE,
			      "whether a compiler beside shows cannot be told, for times move by %.1f%% "
			      "without one: building waits for measuring", 100 * seen->quiet);
	else
		listener_tell(listener, TELL_NOTE,
			      "a compiler beside changes what computes by %+.1f%% and what reads memory "
			      "by %+.1f%% (+-%.1f%%)%s: building %s", 100 * seen->compute, 100 * seen->memory,
			      100 * seen->quiet, behind,
			      s->beside ? "goes on beside measuring" : "waits for measuring");
}

int spare_settle(struct spare *s, struct build_pool *b, const struct device *d, const char *source,
		 const struct listener *listener)
{
	struct load load = { b, source };
	struct beside_effect seen;
	char behind[48] = "";
	int minutes;

	if (s->cores.n_spare < s->threads) {
		tell_few(s, listener);
		return 0;
	}
	if (beside_recall(d, s->cores.bound, &seen, &minutes)) {
		snprintf(behind, sizeof(behind), ", as seen %d min ago", minutes);
	} else {
		build_pool_share(b, spare_room, s);
		if (beside_measure(d, s->cores.bound, compile_once, &load, &seen) < 0)
			return -1;
		beside_keep(d, s->cores.bound, &seen);
	}
	s->beside = beside_judge(&seen) == BESIDE_UNSEEN;
	tell_effect(s, &seen, behind, listener);
	return 0;
}
