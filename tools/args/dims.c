/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/dims.c - the sizes that a model leaves open, from the command line. */
#include "tools/args/dims.h"

#include <string.h>

#include "tools/args/query.h"

enum { KEY_DIM = 0x2000 };	/* no key of a command that has this option */

static void add(struct dim_options *o, char *arg, struct argp_state *state)
{
	char *equals = strrchr(arg, '=');

	if (!equals || equals == arg)
		argp_error(state, "--dim '%s': give NAME=SIZE", arg);
	if (o->n == DIMS_MAX)
		argp_error(state, "at most %d --dim", DIMS_MAX);
	*equals = '\0';
	o->at[o->n].name = arg;
	o->at[o->n++].size = argp_number(state, "--dim", equals + 1, 1);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key != KEY_DIM)
		return ARGP_ERR_UNKNOWN;
	add(state->input, arg, state);
	return 0;
}

static const struct argp_option options[] = {
	{ "dim", KEY_DIM, "NAME=SIZE", 0, "the size of a dim that the model leaves open; INPUT.AXIS=SIZE for one of an input that has no name",
	  0 },
	{ 0 },
};

const struct argp dims_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };
