/* SPDX-License-Identifier: Apache-2.0 */
/* tools/args/words.h - the words in capitals that stand for a value in usage lines and option tables ("FILE" of
 * --db=FILE), and what may take their place: what completion offers, and what the manual lists.
 *
 * A word means the same wherever it stands, but for a command's own words. Two forms explain themselves and have no
 * entry: warm|cold, one of these, and NAME=FILE, anything and then a FILE. */
#ifndef HONE_TOOLS_ARGS_WORDS_H
#define HONE_TOOLS_ARGS_WORDS_H

#include "base/text.h"

/* What may take the place of a word; nothing of all that: a number, or a name that nobody can guess. */
struct word {
	const char *name;	/* "TARGET" */
	const char *files;	/* files, by how their names end: "onnx json"; "*": any; NULL: no files */
	bool folders;		/* folders */
	/* Adds names, commas or blanks between; one that ends in : is gone on with. NULL: none. */
	void (*list)(struct text *out);
};

/* The I-th of those that all commands know; NULL beyond the last. */
const struct word *word_at(int i);
/* The word NAME as OWN has it (NULL: nothing), else as all commands do; NULL where nobody knows it. */
const struct word *word_find(const struct word *own, const char *name);

#endif
