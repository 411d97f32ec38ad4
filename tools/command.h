/* SPDX-License-Identifier: Apache-2.0 */
/* tools/command.h - a subcommand of `hone`: one file, one line in tools/commands.def. */
#ifndef HONE_TOOLS_COMMAND_H
#define HONE_TOOLS_COMMAND_H

#include "base/tell.h"

/* Exit statuses, the same for every command; man/hone.1.in says more. */
enum {
	EXIT_OK = 0,
	EXIT_SLOWER = 1,	/* hone compare: a task got slower */
	EXIT_USAGE = 2,
	EXIT_FAILED = 3,
	EXIT_UNFIT = 4,
	EXIT_BARREN = 5,	/* a campaign ended, or all was to be exported, and a task has no kernel */
	EXIT_STOPPED = 75,
};

struct command {
	const char *name;
	const char *summary;	/* one line of `hone --help` */
	/* ARGV[0] is "hone NAME"; returns the exit status. */
	int (*run)(int argc, char **argv);
};

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
