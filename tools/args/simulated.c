/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/simulated.c - the option --device. */
#include "tools/args/simulated.h"

#include <string.h>

#include "base/err.h"

/* No letter, and none of the numbers that commands give their own options. */
enum { KEY_DEVICE = 0x2000 };

static const struct argp_option options[] = {
	{ "device", KEY_DEVICE, "vdla|FILE", 0,
	  "a simulated accelerator in the place of this machine, as it is by default or as FILE describes it", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct simulated_choice *c = state->input;

	if (key != KEY_DEVICE)
		return ARGP_ERR_UNKNOWN;
	c->given = true;
	c->machine = vdla_machine_default;
	if (strcmp(arg, "vdla") != 0 && vdla_machine_load(&c->machine, arg) < 0)
		argp_error(state, "--device: %s; give vdla, or a file with a line 'field number' for each field that is another",
			   err_get());
	return 0;
}

const struct argp simulated_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };
