/* SPDX-License-Identifier: Apache-2.0 */
/* measure/trial.c - names of the statuses. */
#include "measure/trial.h"

#include <string.h>
#include <unistd.h>

static const struct {
	const char *name, *meaning;
} table[] = {
#define X(name, text, meaning) { text, meaning },
#include "measure/trial.def"
#undef X
};

const char *trial_status_name(enum trial_status s)
{
	return table[s].name;
}

const char *trial_status_meaning(enum trial_status s)
{
	return table[s].meaning;
}

bool trial_status_parse(const char *name, enum trial_status *out)
{
	for (int i = 0; i < TRIAL_STATUS_COUNT; i++)
		if (strcmp(table[i].name, name) == 0) {
			*out = (enum trial_status)i;
			return true;
		}
	return false;
}

void trial_discard(struct trial *t)
{
	if (t->object)
		unlink(t->object);
	t->object = NULL;
}
