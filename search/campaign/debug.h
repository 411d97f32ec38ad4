/* SPDX-License-Identifier: Apache-2.0 */
/* search/campaign/debug.h - the stages of a candidate as text, by the letters of HONE_DEBUG. */
#ifndef HONE_SEARCH_CAMPAIGN_DEBUG_H
#define HONE_SEARCH_CAMPAIGN_DEBUG_H

#include "base/text.h"
#include "search/strategies/strategy.h"

/* The first letter of LETTERS that names no stage; '\0' where all do. */
char debug_unknown(const char *letters);
/* "D dag, S steps, ..." for messages. */
void debug_list(struct text *out);

/* Appends those stages of C that LETTERS name, from the DAG to the C source, each under a heading
 * as hone show has it; features are those on TARGET. */
void debug_candidate(struct text *out, const char *letters, const struct aim *aim,
		     const struct task *t, const struct candidate *c);

#endif
