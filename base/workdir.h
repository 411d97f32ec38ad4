/* SPDX-License-Identifier: Apache-2.0 */
/* base/workdir.h - a temporary folder that does not outlive its process for long.
 *
 * Holds: the folder is locked by flock(2) while its process lives, however that ends; whoever
 *        makes the next one removes those of this user that nobody holds. */
#ifndef HONE_BASE_WORKDIR_H
#define HONE_BASE_WORKDIR_H

#include "base/arena.h"

struct workdir {
	const char *path;
	int lock;		/* descriptor of the folder */
};

/* A new private folder below $TMPDIR or /tmp, its name in A. 0, or -1 and a message. */
int workdir_open(struct arena *a, struct workdir *w);
/* Removes it with all that is in it, and what others have left. */
void workdir_close(struct workdir *w);
/* Removes all that this process has; safe in a signal handler, after which it ends. */
void workdir_wipe(void);

#endif
