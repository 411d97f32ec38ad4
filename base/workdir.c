/* SPDX-License-Identifier: Apache-2.0 */
/* base/workdir.c - temporary folders, locked by their owners. */
#include "base/workdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"

#define PREFIX "hone-work."

/* Between mkdtemp and flock a folder may be taken for an abandoned one; then another is made. */
enum { ATTEMPTS = 16 };

static int open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static const char *temporary(void)
{
	const char *base = getenv("TMPDIR");

	return base && *base ? base : "/tmp";
}

static void remove_abandoned(const char *path)
{
	int fd = open_folder(path);
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
		dir_remove(path);
	close(fd);
}

/* What a killed process left. */
static void sweep(const char *base)
{
	DIR *d = opendir(base);
	struct arena *a = arena_new();

	if (d) {
		for (struct dirent *e; (e = readdir(d));)
			if (strncmp(e->d_name, PREFIX, strlen(PREFIX)) == 0)
				remove_abandoned(arena_printf(a, "%s/%s", base, e->d_name));
		closedir(d);
	}
	arena_free(a);
}

/* False where somebody who sweeps was faster. Where the file system has no locks, nobody sweeps. */
static bool lock_folder(int fd)
{
	struct stat st;

	if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return false;
	return fstat(fd, &st) == 0 && st.st_nlink > 0;
}

int workdir_open(struct arena *a, struct workdir *w)
{
	const char *base = temporary();

	sweep(base);
	for (int i = 0; i < ATTEMPTS; i++) {
		char *path = arena_printf(a, "%s/" PREFIX "XXXXXX", base);

		if (!mkdtemp(path))
			return err_set("%s: cannot make a temporary folder: %s (set TMPDIR)", path,
				       strerror(errno));
		int fd = open_folder(path);

		if (fd >= 0 && lock_folder(fd)) {
			*w = (struct workdir){ path, fd };
			return 0;
		}
		if (fd >= 0)
			close(fd);
	}
	return err_set("%s: temporary folders vanish as soon as they are made (set TMPDIR)", base);
}

void workdir_close(struct workdir *w)
{
	if (!w->path)
		return;
	dir_remove(w->path);
	close(w->lock);
	*w = (struct workdir){ 0 };
}
