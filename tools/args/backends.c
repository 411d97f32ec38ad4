/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/backends.c - generators and what is kept from them, from the command line. */
#include "tools/args/backends.h"

#include "base/text.h"

enum { KEY_BACKEND = 0x2100, KEY_KEEP, KEY_OFFLOAD };	/* no keys of a command that has these options */

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct backend_args *b = state->input;

	switch (key) {
	case KEY_BACKEND:
		if (b->nbackends == BACKENDS_MAX)
			argp_error(state, "at most %d --backend", BACKENDS_MAX);
		b->backends[b->nbackends++] = arg;
		return 0;
	case KEY_KEEP:
		if (b->nkeep == KEEP_MAX)
			argp_error(state, "at most %d --keep", KEEP_MAX);
		b->keep[b->nkeep++] = arg;
		return 0;
	case KEY_OFFLOAD:
		if (b->noffload == KEEP_MAX)
			argp_error(state, "at most %d --offload", KEEP_MAX);
		b->offload[b->noffload++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ "backend", KEY_BACKEND, "BACKEND", 0,
	  "a code generator that may compute parts of the model (several times), or the path of one's shared object, and =TEXT if "
	  "it is to be configured: ", 0 },
	{ "keep", KEY_KEEP, "LABEL", 0, "the model's node of this name stays with hone (several times)", 0 },
	{ "offload", KEY_OFFLOAD, "LABEL", 0,
	  "the node of this name goes to a generator that can compute it, whatever it takes (several times)", 0 },
	{ 0 },
};

const char *backend_names(void)
{
	return HONE_GENERATOR_NAMES;	/* of Makefile.am */
}

/* The help of --backend says which there are. */
static char *list_names(int key, const char *text, void *input)
{
	struct text all = { 0 };

	(void)input;
	if (key != KEY_BACKEND)
		return (char *)(uintptr_t)text;
	text_puts(&all, text);
	for (const char *s = backend_names(); *s; s++)
		text_printf(&all, *s == ' ' ? ", " : "%c", *s);
	return all.s;	/* argp frees it */
}

const struct argp backends_argp = { options, parse, NULL, NULL, NULL, list_names, NULL };

struct offload_request backends_request(const struct backend_args *b)
{
	return (struct offload_request){ .backends = b->backends, .nbackends = b->nbackends, .keep = b->keep,
					 .nkeep = b->nkeep, .offload = b->offload, .noffload = b->noffload };
}
