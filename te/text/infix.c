/* SPDX-License-Identifier: Apache-2.0 */
/* te/text/infix.c - finds infix operators in texts. */
#include "te/text/infix.h"

static const struct infix infixes[] = {
#define X(token, kind, level, swapped) { token, EXPR_##kind, level, swapped },
#include "te/text/infix.def"
#undef X
};

const struct infix *infix_scan(struct scan *s, int level)
{
	for (size_t i = 0; i < sizeof(infixes) / sizeof(*infixes); i++) {
		const char *at = s->at;

		if (!scan_token(s, infixes[i].token))
			continue;
		if (infixes[i].level >= level)
			return &infixes[i];
		s->at = at;
		return NULL;
	}
	return NULL;
}
