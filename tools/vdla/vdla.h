/* SPDX-License-Identifier: Apache-2.0 */
/* tools/vdla/vdla.h - what the parts of `hone vdla` share. */
#ifndef HONE_TOOLS_VDLA_H
#define HONE_TOOLS_VDLA_H

#include <jansson.h>
#include <stdint.h>

#include "target/vdla/simulator.h"

struct vdla_args {
	const char *file;	/* of the program */
	const char *output;	/* NULL: standard output, or none */
	int64_t seed;
	bool json;
};

/* The program in the file, whatever its form; NULL and a message. */
struct vdla_binary *vdla_open(struct arena *a, const char *file);
/* Executes B on inputs made of the seed and prints what came of it; -1 and a message. */
int vdla_run(const struct vdla_args *args, const struct vdla_binary *b);
/* An object for each unit; a new reference. */
json_t *vdla_units_json(const struct vdla_cycles *c);

#endif
