/* SPDX-License-Identifier: Apache-2.0 */
/* base/near.c - the distance of two names, row by row. */
#include "base/near.h"

#include <string.h>

/* A mistyped name is right in two letters of three. */
enum { NEAR = 3 };

int near_distance(const char *x, const char *y)
{
	int row[NEAR_MOST + 1];
	int n = (int)strnlen(y, NEAR_MOST);

	for (int j = 0; j <= n; j++)
		row[j] = j;
	for (int i = 0; i < NEAR_MOST && x[i]; i++) {
		int diagonal = row[0];

		row[0] = i + 1;
		for (int j = 1; j <= n; j++) {
			int best = diagonal + (x[i] != y[j - 1]);

			diagonal = row[j];
			best = row[j] + 1 < best ? row[j] + 1 : best;
			row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
		}
	}
	return row[n];
}

bool near_is(const char *typed, const char *name)
{
	return NEAR * near_distance(typed, name) <= (int)strlen(name);
}
