/* SPDX-License-Identifier: Apache-2.0 */
/* base/file.c - reading and writing whole files; errors name the file and the cause. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/vec.h"

char *file_read(struct arena *a, const char *path, size_t limit, size_t *size)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	char *data = NULL;

	if (!f) {
		err_set("%s: cannot open: %s (check the path)", path, strerror(errno));
		return NULL;
	}
	if (fstat(fileno(f), &st) < 0 || !S_ISREG(st.st_mode)) {
		err_set("%s: not a regular file (give the name of a file)", path);
	} else if ((uintmax_t)st.st_size > limit) {
		err_set("%s: %jd bytes are more than the limit of %zu", path, (intmax_t)st.st_size,
			limit);
	} else {
		size_t want = (size_t)st.st_size;

		data = arena_alloc(a, want + 1);
		if (fread(data, 1, want, f) != want) {
			err_set("%s: cannot read: %s", path, strerror(errno));
			data = NULL;
		} else if (size) {
			*size = want;
		}
	}
	fclose(f);
	return data;
}

/* A part of memory to be unmapped. */
struct mapping {
	void *at;
	size_t size;
};

static void unmap(void *data)
{
	struct mapping *m = data;

	munmap(m->at, m->size);
}

const unsigned char *file_map(struct arena *a, const char *path, size_t limit, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct mapping *m = arena_one(a, struct mapping);
	unsigned char *data = NULL;
	struct stat st;

	if (fd < 0) {
		err_set("%s: cannot open: %s (check the path)", path, strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		err_set("%s: not a regular file (give the name of a file)", path);
	} else if ((uintmax_t)st.st_size > limit) {
		err_set("%s: %jd bytes are more than the limit of %zu", path, (intmax_t)st.st_size,
			limit);
	} else if (st.st_size == 0) {
		data = arena_alloc(a, 1);
	} else {
		data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (data == MAP_FAILED) {
			err_set("%s: cannot map: %s", path, strerror(errno));
			data = NULL;
		} else {
			*m = (struct mapping){ data, (size_t)st.st_size };
			arena_defer(a, unmap, m);
		}
	}
	close(fd);
	if (data)
		*size = (size_t)st.st_size;
	return data;
}

size_t files_lay(struct file_part *parts, int n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), at = 0;

	for (int i = 0; i < n; i++) {
		parts[i].at = at;
		at += (parts[i].bytes + page - 1) / page * page;
	}
	return at;
}

/* Puts P where DATA has room for it. */
static int map_part(unsigned char *data, const struct file_part *p)
{
	int fd = open(p->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool same = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		    (uintmax_t)st.st_size == p->bytes;
	bool there = same && (p->bytes == 0 ||
			      mmap(data + p->at, p->bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd,
				   0) != MAP_FAILED);

	if (fd >= 0)
		close(fd);
	return there ? 0 : err_set("%s: no file of %zu bytes that can be mapped", p->path, p->bytes);
}

const unsigned char *files_map(struct arena *a, struct file_part *parts, int n, size_t *size)
{
	struct mapping *m = arena_one(a, struct mapping);
	size_t bytes = files_lay(parts, n);
	unsigned char *data = mmap(NULL, bytes + !bytes, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (data == MAP_FAILED) {
		err_set("no room for %zu bytes of files", bytes);
		return NULL;
	}
	*m = (struct mapping){ data, bytes + !bytes };
	arena_defer(a, unmap, m);
	for (int i = 0; i < n; i++)
		if (map_part(data, &parts[i]) < 0)
			return NULL;
	*size = bytes;
	return data;
}

int file_write(const char *path, const void *data, size_t size)
{
	struct arena *a = arena_new();
	char *temp = arena_printf(a, "%s.XXXXXX", path);
	int fd = mkostemp(temp, O_CLOEXEC);
	int rc = 0;
	FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");

	if (!f) {
		rc = err_set("%s: cannot create: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
	} else {
		bool whole = fwrite(data, 1, size, f) == size && fchmod(fd, 0644) == 0;

		if (fclose(f) != 0 || !whole || rename(temp, path) < 0) {
			rc = err_set("%s: cannot write: %s", path, strerror(errno));
			unlink(temp);
		}
	}
	arena_free(a);
	return rc;
}

int dir_make(const char *path)
{
	struct arena *a = arena_new();
	char *part = arena_strdup(a, path);
	struct stat st;
	int rc = 0;

	for (char *p = part + 1; rc == 0; p++) {
		char c = *p;

		if (c != '/' && c != '\0')
			continue;
		*p = '\0';
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			rc = err_set("%s: cannot make the folder: %s", part, strerror(errno));
		else if (stat(part, &st) == 0 && !S_ISDIR(st.st_mode))
			rc = err_set("%s: is a file, not a folder (choose another name)", part);
		*p = c;
		if (c == '\0')
			break;
	}
	arena_free(a);
	return rc;
}

char *dir_temp(struct arena *a)
{
	const char *base = getenv("TMPDIR");
	char *path = arena_printf(a, "%s/hone.XXXXXX", base && *base ? base : "/tmp");

	if (!mkdtemp(path)) {
		err_set("%s: cannot make a temporary folder: %s (set TMPDIR)", path,
			strerror(errno));
		return NULL;
	}
	return path;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

void dir_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

struct dated_file {
	const char *path;
	int64_t bytes;
	struct timespec written;
};
struct dated_file_vec VEC(struct dated_file);

static int older_first(const void *x, const void *y)
{
	const struct timespec *a = &((const struct dated_file *)x)->written;
	const struct timespec *b = &((const struct dated_file *)y)->written;

	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? -1 : 1;
	return (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

/* The files of the folder PATH, the oldest first; none where there is no such folder. */
static struct dated_file_vec files_by_age(struct arena *a, const char *path)
{
	struct dated_file_vec files = { 0 };
	DIR *dir = opendir(path);
	struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		const char *file = arena_printf(a, "%s/%s", path, entry->d_name);

		if (stat(file, &st) == 0 && S_ISREG(st.st_mode))
			vec_push(a, &files, (struct dated_file){ file, st.st_size, st.st_mtim });
	}
	if (dir)
		closedir(dir);
	if (files.n > 0)
		qsort(files.at, (size_t)files.n, sizeof(files.at[0]), older_first);
	return files;
}

void dir_trim(const char *path, int most)
{
	struct arena *a = arena_new();
	struct dated_file_vec files = files_by_age(a, path);

	for (int i = 0; i < files.n - most; i++)
		unlink(files.at[i].path);
	arena_free(a);
}

void dir_trim_bytes(const char *path, int64_t most, int young_s)
{
	struct arena *a = arena_new();
	struct dated_file_vec files = files_by_age(a, path);
	int64_t bytes = 0, young = clock_wall() - young_s;

	for (int i = 0; i < files.n; i++)
		bytes += files.at[i].bytes;
	for (int i = 0; i < files.n && bytes > most && files.at[i].written.tv_sec < young; i++) {
		unlink(files.at[i].path);
		bytes -= files.at[i].bytes;
	}
	arena_free(a);
}

void file_keep(const char *path, const void *data, size_t size, int most)
{
	struct arena *a = arena_new();
	const char *folder = arena_strndup(a, path, (size_t)(strrchr(path, '/') - path));

	if (dir_make(folder) == 0 && file_write(path, data, size) == 0)
		dir_trim(folder, most);
	arena_free(a);
}

const char *program_folder(struct arena *a)
{
	char *path = realpath("/proc/self/exe", NULL);

	if (!path)
		return NULL;
	char *folder = arena_strdup(a, path);

	free(path);
	*strrchr(folder, '/') = '\0';
	size_t n = strlen(folder);

	/* libtool's wrappers keep the real program in .libs below them */
	if (n > 6 && strcmp(folder + n - 6, "/.libs") == 0)
		folder[n - 6] = '\0';
	return folder;
}

char *dir_cache(struct arena *a)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	/* the XDG specification: relative paths do not count */
	if (cache && *cache == '/')
		return arena_printf(a, "%s/hone", cache);
	if (home && *home == '/')
		return arena_printf(a, "%s/.cache/hone", home);
	return NULL;
}
