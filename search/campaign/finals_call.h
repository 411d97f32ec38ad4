/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/finals_call.h - what a campaign and those who hold its finals tell each other. */
#ifndef HONE_SEARCH_CAMPAIGN_FINALS_CALL_H
#define HONE_SEARCH_CAMPAIGN_FINALS_CALL_H

#include "search/campaign/ending.h"

enum finals_state {
#define X(name, text, meaning) FINALS_##name,
#include "search/campaign/finals_state.def"
#undef X
	FINALS_STATE_COUNT
};
const char *finals_state_name(enum finals_state s);

/* How far they are; a number is 0 as long as it is not known. */
struct finals_stand {
	enum finals_state state;
	int tasks, kernels, lineups;	/* that compete */
	int round, rounds;		/* played, and planned */
};

struct finals_call {
	int64_t campaign;	/* whose they are */
	double seconds;		/* that the budget has left; INFINITY: time is none of its limits */
	struct finals_work work;
	/* Is told of each change; may be NULL. 0, or -1 and a message where the database fails. */
	int (*stand)(void *tuner, const struct finals_stand *s);
	void *tuner;
};

#endif
