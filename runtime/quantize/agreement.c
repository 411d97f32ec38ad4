/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/quantize/agreement.c - tails of the binomial distribution. */
#include "runtime/quantize/agreement.h"

#include <math.h>

/* The fewer, the farther what passes is above the agreement, and the fewer runs it takes: 0.97 asks for 263
 * rows, of which 5 may change. */
enum { MAY_CHANGE = 5 };

int agreement_may_change(int rows, double agreement)
{
	double changes = 1 - agreement, tail = 0;
	int k = -1;

	if (changes >= 1)
		return rows;
	for (; changes > 0 && k < rows; k++) {
		tail += exp(lgamma(rows + 1.0) - lgamma(k + 2.0) - lgamma(rows - k) +
			    (k + 1) * log(changes) + (rows - k - 1) * log1p(-changes));
		if (tail > 1 - AGREEMENT_CONFIDENCE)
			break;
	}
	return k;
}

int agreement_rows(double agreement)
{
	int low = 1, high = AGREEMENT_MOST_ROWS;	/* more rows, more may change */

	while (low < high) {
		int n = low + (high - low) / 2;

		if (agreement_may_change(n, agreement) >= MAY_CHANGE)
			high = n;
		else
			low = n + 1;
	}
	return low;
}
