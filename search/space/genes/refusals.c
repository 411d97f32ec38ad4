/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/refusals.c - a short tally of texts. */
#include "search/space/genes/refusals.h"

#include <stdio.h>
#include <string.h>

void refusals_note(struct refusals *r, const char *why)
{
	int i = 0;

	if (!r)
		return;
	r->total++;
	while (i < r->n && strncmp(r->at[i].why, why, REFUSAL_TEXT - 1) != 0)
		i++;
	if (i == REFUSALS)
		return;
	if (i == r->n)
		snprintf(r->at[r->n++].why, REFUSAL_TEXT, "%s", why);
	r->at[i].n++;
}

const struct refusal *refusals_most(const struct refusals *r)
{
	const struct refusal *most = NULL;

	for (int i = 0; i < r->n; i++)
		if (!most || r->at[i].n > most->n)
			most = &r->at[i];
	return most;
}
