/* SPDX-License-Identifier: Apache-2.0 */
/* db/status.c - names of the statuses. */
#include "db/status.h"

#include <string.h>

static const struct {
	const char *text, *meaning;
} statuses[] = {
#define X(name, text, meaning) [TRIAL_##name] = { text, meaning },
#include "db/status.def"
#undef X
};

const char *trial_status_name(enum trial_status s)
{
	return statuses[s].text;
}

const char *trial_status_meaning(enum trial_status s)
{
	return statuses[s].meaning;
}

bool trial_status_parse(const char *name, enum trial_status *out)
{
	for (int i = 0; i < TRIAL_STATUS_COUNT; i++) {
		if (strcmp(statuses[i].text, name) == 0) {
			*out = (enum trial_status)i;
			return true;
		}
	}
	return false;
}
