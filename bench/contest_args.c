/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest_args.c - against whom and for how long, from the command line. */
#include "bench/contest_args.h"

#include "base/workdir.h"
#include "tools/args/query.h"

enum { KEY_SECONDS = 0x2100 };	/* no key of a suite that has this option */

static const struct argp_option options[] = {
	{ "peer", 'p', "PEER", 0,
	  "a contestant, or one entry of it as onednn/auto; may be given again (default: all)", 0 },
	{ "seconds", KEY_SECONDS, "S", 0, "for each task or model (default 10)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct contest_args *c = state->input;

	switch (key) {
	case 'p':
		if (!roster_knows(c->kind, arg))
			argp_error(state, "there is no peer %s; there are %s", arg,
				   roster_names(c->arena, c->kind));
		vec_push(c->arena, &c->peers, arg);
		return 0;
	case KEY_SECONDS:
		c->seconds = (double)argp_number(state, "--seconds", arg, 1);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp contest_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

int contest_open(struct arena *a, const struct contest_args *c, struct roster *out)
{
	struct workdir w;

	if (workdir_open(a, &w) < 0)
		return -1;
	int rc = roster_open(a, c->kind, c->peers.at, c->peers.n,
			     arena_printf(a, "%s/log", w.path), out);

	workdir_close(&w);
	return rc;
}
