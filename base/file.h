/* SPDX-License-Identifier: Apache-2.0 */
/* base/file.h - files and folders, as hone needs them. */
#ifndef HONE_BASE_FILE_H
#define HONE_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* The whole file in A, with a NUL behind it; NULL and a message on failure or above LIMIT bytes. */
char *file_read(struct arena *a, const char *path, size_t limit, size_t *size);
/* The whole file where the system keeps it, as long as A lives, for reading alone. NULL and a message on
 * failure or above LIMIT bytes; *SIZE of an empty file is 0. */
const unsigned char *file_map(struct arena *a, const char *path, size_t limit, size_t *size);
/* A file among others. */
struct file_part {
	const char *path;
	size_t bytes;	/* that it has */
	size_t at;	/* where it begins */
};
/* Says where N PARTS begin, one behind the other, each on a page of its own; what they take together. */
size_t files_lay(struct file_part *parts, int n);
/* Such parts as file_map() has one file. NULL and a message, also where one has other bytes. */
const unsigned char *files_map(struct arena *a, struct file_part *parts, int n, size_t *size);
/* Writes a file by way of a temporary one beside it, renamed when whole. 0, or -1 and a message. */
int file_write(const char *path, const void *data, size_t size);
/* Makes a folder and its parents. */
int dir_make(const char *path);
/* The user's folder for what hone keeps and can make again, in A, whether it is there or not; NULL
 * where the environment names no home. */
char *dir_cache(struct arena *a);
/* A new private folder below $TMPDIR or /tmp, its name in A; NULL and a message on failure. */
char *dir_temp(struct arena *a);
/* The folder this program is in, in A; NULL where the system does not tell. */
const char *program_folder(struct arena *a);
/* Removes a folder and all in it; silent where it is gone already. */
void dir_remove(const char *path);
/* Removes the files of a folder that were written longest ago, but for MOST. */
void dir_trim(const char *path, int most);
/* The same until what is left is no more than MOST bytes; files that were written in the last YOUNG_S
 * seconds stay in any case. */
void dir_trim_bytes(const char *path, int64_t most, int young_s);
/* Writes a file that can be made again, in a folder that is made where it is missing and that keeps the
 * MOST newest files. What cannot be written is no error. */
void file_keep(const char *path, const void *data, size_t size, int most);

#endif
