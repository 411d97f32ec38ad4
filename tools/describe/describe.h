/* SPDX-License-Identifier: Apache-2.0 */
/* tools/describe/describe.h - what is made from the option tables of all commands: manual pages, and scripts by
 * which shells complete a command line.
 *
 * Neither knows a command: a new one, its options and their values appear by themselves. A word that stands for a
 * value and that tools/args/words.h does not know ends hone with a message, and so the build, which runs both. */
#ifndef HONE_TOOLS_DESCRIBE_DESCRIBE_H
#define HONE_TOOLS_DESCRIBE_DESCRIBE_H

#include "base/text.h"
#include "base/vec.h"
#include "tools/args/words.h"
#include "tools/command.h"

struct word_names VEC(const char *);

/* The words of PART (NULL: none) of C that its command does not have; NULL: none. */
const struct word *words_here(const struct command *c, const struct command *part);
/* The word NAME there, of NAME=FILE FILE; NULL for warm|cold, which says itself what it stands for. Dies where nobody
 * knows it. */
const struct word *word_of(const struct command *c, const struct command *part, const char *name);
/* The names that W lists, in A. */
struct word_names word_list(struct arena *a, const struct word *w);

/* The page of C as man(7) has it: hone-NAME(1). */
void manual_print_command(struct text *out, const struct command *c);
/* hone(1). */
void manual_print(struct text *out);

/* Scripts. */
void complete_bash(struct text *out);
void complete_zsh(struct text *out);

/* Adds to OUT, with A for what it needs: a part of C, or C itself where PART is NULL. */
typedef void describe_each(struct text *out, struct arena *a, const struct command *c, const struct command *part);
/* EACH of all commands, its parts behind each. */
void describe_all(struct text *out, describe_each *each);

#endif
