/* SPDX-License-Identifier: Apache-2.0 */
/* db/hold.c - which campaigns are being worked on: locks in a file beside the database.
 *
 * Who works on campaign N has byte N of FILE-campaigns locked by an open file description lock: it
 * ends with the process, however that ends, or when a program has begun that it was just starting,
 * and tells two handles of one process apart. Byte 0 is the gate: looking for a campaign and taking
 * it must be one act.
 * Holds: the file is empty, and the last one to let go removes it. */
#include "db/sql.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"

enum { GATE = 0 };

/* In A. */
static const char *path_of(struct arena *a, const struct db *db)
{
	return arena_printf(a, "%s-campaigns", db->path);
}

static struct flock lock_at(short type, int64_t byte)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
}

static int failed(const struct db *db)
{
	return err_set("%s: the file that says which campaigns are at work, %s-campaigns, cannot "
		       "be opened or locked: %s: use a folder on a local disk where you may write",
		       db->path, db->path, strerror(errno));
}

/* Opens the file and passes the gate. Whoever let go last may have removed it meanwhile. */
static int open_locked(struct db *db, const char *path)
{
	struct flock gate = lock_at(F_WRLCK, GATE);
	struct stat st;

	for (;;) {
		if (db->hold < 0)
			db->hold = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
		if (db->hold < 0 || fcntl(db->hold, F_OFD_SETLKW, &gate) < 0 ||
		    fstat(db->hold, &st) < 0)
			return failed(db);
		if (st.st_nlink > 0)
			return 0;
		close(db->hold);
		db->hold = -1;
	}
}

int hold_enter(struct db *db)
{
	struct arena *a = arena_new();
	int rc = open_locked(db, path_of(a, db));

	arena_free(a);
	return rc;
}

int hold_take(struct db *db, int64_t campaign)
{
	struct flock f = lock_at(F_WRLCK, campaign);

	if (fcntl(db->hold, F_OFD_SETLK, &f) == 0)
		return 1;
	return errno == EAGAIN || errno == EACCES ? 0 : failed(db);
}

void hold_leave(struct db *db)
{
	struct flock gate = lock_at(F_UNLCK, GATE);

	fcntl(db->hold, F_OFD_SETLK, &gate);
	if (!db->campaign)
		hold_drop(db);
}

void hold_drop(struct db *db)
{
	struct flock gate = lock_at(F_WRLCK, GATE), any = lock_at(F_WRLCK, GATE);
	struct arena *a = arena_new();

	any.l_len = 0;	/* to the end */
	if (db->hold >= 0 && fcntl(db->hold, F_OFD_SETLK, &gate) == 0 &&
	    fcntl(db->hold, F_OFD_GETLK, &any) == 0 && any.l_type == F_UNLCK)
		unlink(path_of(a, db));
	if (db->hold >= 0)
		close(db->hold);
	db->hold = -1;
	arena_free(a);
}

bool hold_is_taken(const struct db *db, int64_t campaign)
{
	struct flock f = lock_at(F_WRLCK, campaign);
	struct arena *a = arena_new();
	int fd = open(path_of(a, db), O_RDONLY | O_CLOEXEC);
	bool taken = fd >= 0 && fcntl(fd, F_OFD_GETLK, &f) == 0 && f.l_type != F_UNLCK;

	if (fd >= 0)
		close(fd);
	arena_free(a);
	return taken;
}
