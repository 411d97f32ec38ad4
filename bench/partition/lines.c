/* SPDX-License-Identifier: Apache-2.0 */
/* bench/partition/lines.c - the counts that bench/partition/lines.awk made. */
#include "bench/partition/lines.h"

#include <stddef.h>
#include <string.h>

static const struct counted {
	const char *name;
	int lines;
} all[] = {
#define X(name, lines) { name, lines },
#include "bench/partition/lines.inc"
#undef X
	{ NULL, 0 },
};

int generator_lines(const char *backend)
{
	for (int i = 0; all[i].name; i++)
		if (strcmp(all[i].name, backend) == 0)
			return all[i].lines;
	return 0;
}
