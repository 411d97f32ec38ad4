/* SPDX-License-Identifier: Apache-2.0 */
/* measure/process/device_lock.c - a lock for the device, and in the same file one for the next in line. */
#include "measure/process/device_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"

#define NAME "hone-device.lock"

/* A batch takes seconds, so that this costs nothing; and who waits must not disturb. */
enum { POLL_MS = 20 };

enum {
	QUIET_S = 2,		/* batches take turns; a longer wait is worth a line */
	/* A batch of the usual 16 in which every kernel runs into its limit, and the reference of a
	 * large task before it, take less. So whoever holds it longer hangs, or was suspended. */
	PATIENCE_S = 600,
};

struct device_lock {
	struct listener listener;
	int fd;			/* -1: nothing is locked */
	bool is_next;		/* has the lock of the next in line */
	bool held;
	double patience_s;
};

/* --- the file */

/* Only a plain file with one name is opened: in /tmp anybody may have put a link there. */
static int open_plain(const char *path, int flags)
{
	struct stat st;
	int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1)) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

/* In a sticky folder, Linux refuses O_CREAT for the file of another user, so it comes second. */
static int open_lock(const char *path)
{
	int fd = open_plain(path, O_RDWR);

	if (fd < 0 && errno == ENOENT) {
		fd = open_plain(path, O_RDWR | O_CREAT | O_EXCL);
		if (fd >= 0)
			fchmod(fd, 0666);	/* whatever the umask is */
		else if (errno == EEXIST)
			fd = open_plain(path, O_RDWR);
	}
	return fd;
}

static int find_lock(struct arena *a, const char **path)
{
	const char *own = getenv("HONE_DEVICE_LOCK"), *runtime = getenv("XDG_RUNTIME_DIR");

	*path = own ? own : "/tmp/" NAME;
	int fd = **path ? open_lock(*path) : -1;

	if (fd < 0 && !own && runtime && *runtime) {
		*path = arena_printf(a, "%s/" NAME, runtime);
		fd = open_lock(*path);
	}
	return fd;
}

struct device_lock *device_lock_new(const struct listener *listener)
{
	struct device_lock *l = calloc(1, sizeof(*l));
	struct arena *a = arena_new();
	const char *path;

	if (!l)
		die("out of memory for the lock of the device");
	l->listener = *listener;
	l->patience_s = PATIENCE_S;
	l->fd = find_lock(a, &path);
	if (l->fd < 0 && *path)
		listener_tell(&l->listener, TELL_WARNING,
			      "%s: %s; other campaigns may measure at the same time "
			      "(HONE_DEVICE_LOCK names another file)", path, strerror(errno));
	arena_free(a);
	return l;
}

void device_lock_free(struct device_lock *l)
{
	if (!l)
		return;
	if (l->fd >= 0)
		close(l->fd);
	free(l);
}

/* --- who has it */

/* PID 0 takes the name away. It is only for people to read: it may fail. */
static void name_holder(int fd, int pid)
{
	char text[32];
	int n = pid ? snprintf(text, sizeof(text), "%d\n", pid) : 0;

	if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)n, 0) < 0)
		return;
}

/* "hone pid 123", in A. One that is not hone's leaves no name. */
static const char *holder(struct arena *a, int fd)
{
	char text[32] = "";
	int pid = pread(fd, text, sizeof(text) - 1, 0) > 0 ? atoi(text) : 0;

	return pid > 0 ? arena_printf(a, "hone pid %d", pid) : "another program";
}

/* --- the line. The next one in it has byte 0 until the device is its own: so the one that has
 * just let go of the device, and wants it again, comes behind. */

/* False where somebody else is the next. Where files have no such locks, everyone is. */
static bool lock_next(int fd, short type)
{
	struct flock f = { .l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &f) == 0 || (errno != EAGAIN && errno != EACCES);
}

static bool try(struct device_lock *l)
{
	if (!l->is_next)
		l->is_next = lock_next(l->fd, F_WRLCK);
	l->held = l->is_next && flock(l->fd, LOCK_EX | LOCK_NB) == 0;
	return l->held;
}

static void wait_for(struct device_lock *l, int64_t start)
{
	struct arena *a = arena_new();
	bool told = false;

	while (!try(l) && seconds_since(start) < l->patience_s) {
		if (!told && seconds_since(start) > QUIET_S) {
			listener_tell(&l->listener, TELL_NOTE,
				      "waiting for the device: %s measures", holder(a, l->fd));
			told = true;
		}
		nanosleep(&(struct timespec){ .tv_nsec = POLL_MS * 1000000 }, NULL);
	}
	if (!l->held)
		listener_tell(&l->listener, TELL_WARNING,
			      "%s has kept the device for %.0f s: measuring goes on beside it",
			      holder(a, l->fd), l->patience_s);
	arena_free(a);
}

double device_lock_take(struct device_lock *l)
{
	int64_t start = clock_ns();

	if (l->fd < 0)
		return 0;
	wait_for(l, start);
	lock_next(l->fd, F_UNLCK);
	l->is_next = false;
	/* Once is enough for one that hangs. */
	l->patience_s = l->held ? PATIENCE_S : QUIET_S;
	if (l->held)
		name_holder(l->fd, (int)getpid());
	return seconds_since(start);
}

void device_lock_release(struct device_lock *l)
{
	if (l->held) {
		name_holder(l->fd, 0);
		flock(l->fd, LOCK_UN);
	}
	l->held = false;
}
