/* SPDX-License-Identifier: Apache-2.0 */
/* base/tell.h - what whoever watches a long run is told: what happens now, and why it takes longer.
 * Only commands print; all else tells. */
#ifndef HONE_BASE_TELL_H
#define HONE_BASE_TELL_H

#include <stdbool.h>

enum tell_kind {
	TELL_NOTE,	/* what one may want to know */
	TELL_WARNING,	/* what one should know; nothing has failed */
	TELL_STUCK,	/* it goes on without getting anywhere; once, until that changes */
	TELL_PROGRESS,	/* where it stands: ABOUT it is what the teller's header says */
	TELL_DUMP,	/* a text of many lines that was asked for */
};

struct tell {
	enum tell_kind kind;
	const char *line;	/* without its end; NULL: there is none */
	const void *about;	/* as the kind has it; NULL: nothing */
};

/* Whether T is a line for people, whoever they are. */
bool tell_is_line(const struct tell *t);

/* Who listens; all zeros: nobody. */
struct listener {
	void (*hear)(void *user, const struct tell *t);
	void *user;
};

/* A line without its end. */
void listener_tell(const struct listener *to, enum tell_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Anything. */
void listener_send(const struct listener *to, const struct tell *t);

#endif
