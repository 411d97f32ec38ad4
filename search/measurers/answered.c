/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/answered.c - the queue of answers. */
#include "search/measurers/answered.h"

#include <string.h>

#include "base/err.h"

struct answered answered_new(int n)
{
	struct arena *a = arena_new();

	return (struct answered){ .arena = a, .trials = arena_many(a, struct trial, n), .n = n };
}

int answered_collect(struct answered_vec *v, struct arena *a, struct trial *results, struct phases *spent)
{
	const struct answered first = v->at[0];

	v->n--;
	memmove(v->at, v->at + 1, (size_t)v->n * sizeof(first));
	for (int i = 0; i < first.n; i++)
		results[i] = trial_result(a, &first.trials[i]);
	if (spent)
		*spent = first.spent;
	if (first.rc != 0)
		err_set("%s", first.why);
	arena_free(first.arena);
	return first.rc;
}

void answered_drop(struct answered_vec *v)
{
	for (int i = 0; i < v->n; i++)
		arena_free(v->at[i].arena);
	v->n = 0;
}
