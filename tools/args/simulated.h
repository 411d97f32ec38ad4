/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/simulated.h - the option --device: a simulated accelerator in the place of this machine. */
#ifndef HONE_TOOLS_ARGS_SIMULATED_H
#define HONE_TOOLS_ARGS_SIMULATED_H

#include <argp.h>

#include "target/vdla/machine.h"

struct simulated_choice {
	bool given;
	struct vdla_machine machine;
};

/* A child of a command's argp; its input is the struct simulated_choice, zeroed before. */
extern const struct argp simulated_argp;

#endif
