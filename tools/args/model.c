/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/model.c - MODEL and what it is compiled with, from the command line. */
#include "tools/args/model.h"

#include "tools/args/query.h"
#include "tools/command.h"

enum { KEY_EXACT = 0x3000 };	/* no key of a command that has these options */

static const struct argp_option options[] = {
	{ "db", 'd', "FILE", 0,
	  "database of records (default: none; what has no record is the cost model's guess)", 0 },
	{ "threads", 't', "N", 0, "to compute with (default: all cores; hone bench: 1)", 0 },
	{ "exact", KEY_EXACT, NULL, 0, "no kernels that derive another algorithm", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct model_args *m = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &m->dims;
		return 0;
	case 'd':
		m->db = arg;
		return 0;
	case 't':
		m->threads = argp_int(state, "--threads", arg, 1, DEVICE_MAX_THREADS);
		return 0;
	case KEY_EXACT:
		m->exact = true;
		return 0;
	case ARGP_KEY_ARG:
		if (m->model)
			argp_error(state, "one MODEL at a time");
		m->model = arg;
		return 0;
	case ARGP_KEY_END:
		if (!m->model)
			argp_error(state, "which MODEL?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &dims_argp, 0, NULL, 0 }, { 0 } };

const struct argp model_argp = { options, parse, NULL, NULL, children, NULL, NULL };

struct open_options model_options(const struct model_args *m)
{
	return (struct open_options){
		.model = m->model, .db = m->db, .threads = m->threads,
		.exact = m->exact,
		.dims = m->dims.at, .ndims = m->dims.n,
		.listener = { command_hear, NULL },
	};
}
