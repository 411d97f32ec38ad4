/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/export_archive.h - what was found of a SOURCE as one file, and its records as a log.
 *
 * An archive of a model is the library that hone build writes, with a check of its results; of operators the folder of
 * kernels that hone export writes. Both have the records that they were made of, and a manifest of all files. */
#ifndef HONE_TOOLS_RECORD_EXPORT_ARCHIVE_H
#define HONE_TOOLS_RECORD_EXPORT_ARCHIVE_H

#include <jansson.h>

#include "tools/args/query.h"

/* Writes the records of Q's tasks, or all where Q has no source, to PATH: TOP as struct log_want has it. How many, or
 * -1 and a message. */
int64_t export_log(const struct query *q, int top, const char *path);

/* Writes the library of Q's model and its check into FOLDER. -1 and a message. */
int export_library(const struct query *q, const char *folder);
/* Writes a Makefile for the kernels of operators into FOLDER. -1 and a message. */
int export_makefile(const struct query *q, const char *folder);
/* Adds the records and MANIFEST, whose files it lists, to FOLDER, and makes the archive PATH of it. 0, or -1 and a
 * message. */
int export_pack(const struct query *q, int top, json_t *manifest, const char *folder, const char *path);

#endif
