/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/tune_args.h - the command line of `hone tune`, and what the command keeps by it. */
#ifndef HONE_TOOLS_CAMPAIGN_TUNE_ARGS_H
#define HONE_TOOLS_CAMPAIGN_TUNE_ARGS_H

#include <stdbool.h>

#include "search/campaign/tuner.h"
#include "tools/args/simulated.h"
#include "tools/args/words.h"
#include "tools/campaign/notify.h"

struct tune_args {
	struct tuner_options o;
	const char *db;
	const struct target *target;	/* NULL: the machine's own */
	struct simulated_choice simulated;	/* in the place of this machine */
	bool cache_known;	/* by --cache, or chosen */
	const char *replay;	/* NULL: this machine */
	struct notify notify;
	struct notice end;	/* what is told at the end */
	double spent_s;		/* of work, by the last campaign */
	struct arena *arena;
	struct tuner *tuner;
	struct db *finals_db;	/* gets what finals found */
	bool quiet;
	bool json;		/* what happens goes to stdout as JSON, and no progress to stderr */
	double last_line;	/* seconds at which the last plain line was printed */
};

extern const struct argp tune_argp;
extern const struct word tune_words[];
/* Fills in ARGS, zeroed before; ends the program where the command line is wrong. */
void tune_parse(int argc, char **argv, struct tune_args *args);

#endif
