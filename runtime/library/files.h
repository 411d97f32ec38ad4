/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/files.h - the files of a library: texts that hone carries, with words filled
 * in. */
#ifndef HONE_RUNTIME_LIBRARY_FILES_H
#define HONE_RUNTIME_LIBRARY_FILES_H

#include "base/text.h"

/* @WORD@ in a text becomes TEXT. A line that begins with @?WORD@ is there where TEXT is not empty, one that
 * begins with @!WORD@ where it is. */
struct library_word {
	const char *word, *text;
};

/* Where a library is written to. */
struct library_folder {
	struct arena *arena;
	const char *path;
	const struct library_word *words;
	int n;
};

/* Writes TEXT, with its words filled in, to the file NAME (which may have words, too). -1 and a
 * message. */
int library_put(const struct library_folder *f, const char *name, const char *text);
/* The same of a template that hone carries, a file of runtime/library/text/. */
int library_put_template(const struct library_folder *f, const char *name, const char *template);

/* Writes the sources of hone's interpreter below the folder INTERPRETER, and sources.mk, a list of
 * them for make. -1 and a message. */
int library_put_interpreter(const struct library_folder *f);

#endif
