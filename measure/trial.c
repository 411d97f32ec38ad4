/* SPDX-License-Identifier: Apache-2.0 */
/* measure/trial.c - what is left of a trial on disk. */
#include "measure/trial.h"

#include <unistd.h>

const char *trial_symbol(const struct trial *t)
{
	return t->symbol ? t->symbol : TRIAL_SYMBOL;
}

struct trial trial_result(struct arena *a, const struct trial *t)
{
	struct trial copy = *t;

	copy.source = copy.object = copy.symbol = NULL;
	copy.text = t->text ? arena_strdup(a, t->text) : NULL;
	copy.counted = t->counted ? arena_strdup(a, t->counted) : NULL;
	copy.samples = arena_memdup(a, t->samples, sizeof(double) * (size_t)t->n_samples);
	return copy;
}

void trial_discard(struct trial *t)
{
	if (t->object)
		unlink(t->object);
	t->object = NULL;
	t->symbol = NULL;
}
