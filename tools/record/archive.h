/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/archive.h - a folder as one file, by libarchive, and the records out of such a file.
 *
 * Holds: the same files give the same bytes, and the file is there whole or not at all; nothing of an
 *        archive is written anywhere, and of one with a name that leads out of its folder, a link, or
 *        bytes that its manifest does not tell of, nothing is used. */
#ifndef HONE_TOOLS_RECORD_ARCHIVE_H
#define HONE_TOOLS_RECORD_ARCHIVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* In an archive, below its only folder. */
#define ARCHIVE_MANIFEST "manifest.json"
#define ARCHIVE_RECORDS "records.jsonl"
#define ARCHIVE_KERNELS "single"	/* a folder with each kernel for itself, as hone export -o DIR writes it */

/* Whether a file of that name is one: .tar.gz, .tgz, .tar.zst. */
bool archive_is_name(const char *path);
/* Whether N bytes that begin with TEXT are one. */
bool archive_is(const char *text, size_t n);

/* The files below FOLDER, in order, as `files` of the manifest: NAME, bytes, hash, licence; NULL and a message. */
json_t *archive_files(struct arena *a, const char *folder);
/* Writes all below FOLDER to PATH, as the folder ROOT. 0, or -1 and a message. */
int archive_write(const char *path, const char *folder, const char *root);
/* The log in the archive at PATH, in A; its files are held against the manifest. NULL and a message. */
char *archive_records(struct arena *a, const char *path, size_t *n);

#endif
