/* SPDX-License-Identifier: Apache-2.0 */
/* measure/trial.c - what is left of a trial on disk. */
#include "measure/trial.h"

#include <unistd.h>

const char *trial_symbol(const struct trial *t)
{
	return t->symbol ? t->symbol : TRIAL_SYMBOL;
}

void trial_discard(struct trial *t)
{
	if (t->object)
		unlink(t->object);
	t->object = NULL;
	t->symbol = NULL;
}
