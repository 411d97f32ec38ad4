/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/counted.c - samples that were disturbed are left out. */
#include "measure/timing/counted.h"

double *samples_counted(struct arena *a, const double *us, const char *counted, int n,
			double scale, int *kept)
{
	double *out = arena_many(a, double, n + 1);

	*kept = 0;
	for (int i = 0; i < n; i++)
		if (!counted || counted[i] == '1')
			out[(*kept)++] = us[i] * scale;
	return out;
}
