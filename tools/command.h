/* SPDX-License-Identifier: Apache-2.0 */
/* tools/command.h - a subcommand of `hone`: one file, one line in tools/commands.def. */
#ifndef HONE_TOOLS_COMMAND_H
#define HONE_TOOLS_COMMAND_H

#include <argp.h>

#include "base/tell.h"

/* Exit statuses, the same for every command; tools/describe/hone.man says more. */
enum {
	EXIT_OK = 0,
	EXIT_SLOWER = 1,	/* hone compare: a task got slower */
	EXIT_USAGE = 2,
	EXIT_FAILED = 3,
	EXIT_UNFIT = 4,
	EXIT_BARREN = 5,	/* a campaign ended, or all was to be exported, and a task has no kernel */
	EXIT_STOPPED = 75,
};

struct word;

/* One of the statuses that are not every command's. */
struct command_exit {
	int status;
	const char *meaning;	/* "a task got slower": when the command ends with it */
};

/* What --help, the manual and the completion of shells say of a command is all here. */
struct command {
	const char *name;
	const char *summary;	/* one line of `hone --help` */
	/* Options, usage and texts; NULL: those of the first part. */
	const struct argp *argp;
	/* Words of its usage and options that tools/args/words.c does not have, or that mean something else
	 * here; ends with a name of NULL. NULL: none. */
	const struct word *words;
	/* Beside EXIT_OK, EXIT_USAGE and EXIT_FAILED; ends with a meaning of NULL. NULL: none. */
	const struct command_exit *exits;
	/* Commands that it consists of (hone db check), a NULL behind the last; each has options of its own.
	 * NULL: none. */
	const struct command *const *parts;
	/* "suite": the option that says which part (the first, where it is not given). NULL: the first argument does. */
	const char *part_option;
	/* ARGV[0] is "hone NAME" or "hone NAME PART"; returns the exit status. NULL: the first argument names a part,
	 * which runs. */
	int (*run)(int argc, char **argv);
};

/* The I-th of tools/commands.def; NULL beyond the last. */
const struct command *command_at(int i);
/* C's options and texts, of its first part where it has none itself. */
const struct argp *command_argp(const struct command *c);
/* Runs C, or the part of it that ARGV[1] names; the exit status. ARGV[0] is "hone NAME". */
int command_start(const struct command *c, int argc, char **argv);
/* The parser and the help filter of the argp of a command whose first argument names a part: options are its parts',
 * and its help lists these. */
error_t command_parse_parts(int key, char *arg, struct argp_state *state);
char *command_list_parts(int key, const char *text, void *input);

#define X(name) extern const struct command command_##name;
#include "tools/commands.def"
#undef X

/* Prints a line that is told, warnings after "hone: ": what a struct listener of tools calls. */
void command_hear(void *user, const struct tell *t);

/* Has SIGINT, SIGTERM and SIGHUP call HANDLER, but for those that are ignored (nohup, a shell's
 * background job). FLAGS are of sigaction(2). */
void command_catch(void (*handler)(int signal), int flags);

/* Prints "hone: " and err_get(); returns EXIT_FAILED. */
int command_failed(void);

#endif
