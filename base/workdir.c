/* SPDX-License-Identifier: Apache-2.0 */
/* base/workdir.c - temporary folders, locked by their owners. */
#include "base/workdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"

#define PREFIX "hone-work."

/* What a signal's handler removes: it can be given nothing. Builders, and in turn a compiler's check,
 * have one each; a folder beyond these is left to the next process that sweeps. */
enum { OPEN_MAX_DIRS = 8 };

static struct {
	char path[PATH_MAX];
	volatile sig_atomic_t open;
} own[OPEN_MAX_DIRS];

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

static void remember(const char *path)
{
	for (int i = 0; i < OPEN_MAX_DIRS; i++) {
		if (own[i].open || strlen(path) >= sizeof(own[i].path))
			continue;
		strcpy(own[i].path, path);
		own[i].open = 1;
		return;
	}
}

static void forget(const char *path)
{
	for (int i = 0; i < OPEN_MAX_DIRS; i++)
		if (own[i].open && strcmp(own[i].path, path) == 0)
			own[i].open = 0;
}

/* As getdents64(2) gives it; opendir(3) allocates, which a handler may not. */
struct folder_entry {
	uint64_t inode;
	int64_t offset;
	unsigned short length;
	unsigned char type;
	char name[];
};

/* The files of a folder, which has no folders in it. True where it is empty then. */
static bool remove_files(int fd)
{
	_Alignas(struct folder_entry) char list[4096];
	long n;
	bool empty = true;

	lseek(fd, 0, SEEK_SET);
	while ((n = syscall(SYS_getdents64, fd, list, sizeof(list))) > 0)
		for (long at = 0; at < n;) {
			const struct folder_entry *e = (const void *)(list + at);

			at += e->length;
			if (strcmp(e->name, ".") != 0 && strcmp(e->name, "..") != 0)
				empty &= unlinkat(fd, e->name, 0) == 0;
		}
	return empty && n == 0;
}

void workdir_wipe(void)
{
	enum { TRIES = 3 };	/* a compiler that dies may have made one more file */

	for (int i = 0; i < OPEN_MAX_DIRS; i++) {
		int fd = own[i].open ? open_folder(own[i].path) : -1;

		for (int try = 0; fd >= 0 && try < TRIES; try++)
			if (remove_files(fd) && rmdir(own[i].path) == 0)
				break;
	}
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
			remember(path);
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
	forget(w->path);
	close(w->lock);
	*w = (struct workdir){ 0 };
	/* Of what was killed shortly before this one began, a compiler may still have been at work. */
	sweep(temporary());
}
