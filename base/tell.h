/* SPDX-License-Identifier: Apache-2.0 */
/* base/tell.h - lines for whoever watches a long run: what happens now, and why it takes longer.
 * Only commands print; all else tells. */
#ifndef HONE_BASE_TELL_H
#define HONE_BASE_TELL_H

enum tell_kind {
	TELL_NOTE,	/* what one may want to know */
	TELL_WARNING,	/* what one should know; nothing has failed */
};

/* Who listens; all zeros: nobody. */
struct listener {
	void (*hear)(void *user, enum tell_kind kind, const char *line);
	void *user;
};

/* A line without its end. */
void listener_tell(const struct listener *to, enum tell_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
