/* SPDX-License-Identifier: Apache-2.0 */
/* base/near.h - which of some names was meant by one that is mistyped. */
#ifndef HONE_BASE_NEAR_H
#define HONE_BASE_NEAR_H

#include <stdbool.h>

/* Characters that count: what lies behind is not looked at. */
enum { NEAR_MOST = 31 };

/* Single-character edits from X to Y (Levenshtein 1966). */
int near_distance(const char *x, const char *y);
/* Whether TYPED may have been meant as NAME: right in two letters of three. */
bool near_is(const char *typed, const char *name);

#endif
