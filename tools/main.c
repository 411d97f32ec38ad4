/* SPDX-License-Identifier: Apache-2.0 */
/* tools/main.c - finds the subcommand and hands it the rest of the line. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/workdir.h"
#include "config.h"
#include "tools/command.h"

static const struct command *const commands[] = {
#define X(name) &command_##name,
#include "tools/commands.def"
#undef X
	NULL,
};

void command_hear(void *user, const struct tell *t)
{
	(void)user;
	if (tell_is_line(t))
		fprintf(stderr, "%s%s\n", t->kind == TELL_NOTE ? "" : "hone: ", t->line);
}

int command_failed(void)
{
	fprintf(stderr, "hone: %s\n", err_get());
	return EXIT_FAILED;
}

void command_catch(void (*handler)(int signal), int flags)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction act = { .sa_handler = handler, .sa_flags = flags };
	struct sigaction before;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &act, NULL);
}

/* What a signal does to most commands; no temporary folder stays behind. */
static void end(int number)
{
	workdir_wipe();
	raise(number);
}

const struct command *command_at(int i)
{
	return commands[i];
}

static void help(FILE *out)
{
	fputs("Usage: hone COMMAND [ARGUMENT...]\n\n"
	      "Finds fast kernels for deep-learning operators by searching on this machine.\n\n",
	      out);
	for (int i = 0; commands[i]; i++)
		fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\n`hone COMMAND --help` explains one, with an example.\n", out);
}

/* A table that was not written whole (a full disk) is no success. */
static int finish(int rc)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return rc;
	fprintf(stderr, "hone: the output cannot be written: %s\n", strerror(errno));
	return rc == EXIT_OK ? EXIT_FAILED : rc;
}

int main(int argc, char **argv)
{
	argp_err_exit_status = EXIT_USAGE;
	command_catch(end, (int)SA_RESETHAND);
	if (argc < 2) {
		help(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		help(stdout);
		return EXIT_OK;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts(PACKAGE_STRING);
		return EXIT_OK;
	}
	for (int i = 0; commands[i]; i++) {
		char name[64];

		if (strcmp(argv[1], commands[i]->name) != 0)
			continue;
		snprintf(name, sizeof(name), "hone %s", commands[i]->name);
		argv[1] = name;
		return finish(command_start(commands[i], argc - 1, argv + 1));
	}
	fprintf(stderr, "hone: there is no command '%s'; `hone --help` lists them\n", argv[1]);
	return EXIT_USAGE;
}
