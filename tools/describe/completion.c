/* SPDX-License-Identifier: Apache-2.0 */
/* tools/describe/completion.c - `hone completion`: the scripts by which shells complete a command line. */
#include <argp.h>
#include <stdio.h>

#include "tools/describe/describe.h"

/* No options, no arguments. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		argp_error(state, "'%s': it takes no argument", arg);
	return ARGP_ERR_UNKNOWN;
}

static int print(int argc, char **argv, const struct argp *argp, void (*complete)(struct text *out))
{
	struct text out = { 0 };

	argp_parse(argp, argc, argv, 0, NULL, NULL);
	complete(&out);
	fputs(text_str(&out), stdout);
	text_free(&out);
	return EXIT_OK;
}

static const struct argp bash_argp = {
	.parser = parse,
	.doc = "Prints the script by which bash completes the command lines of hone. An installed hone has it "
	       "installed, and bash with the package bash-completion loads it by itself.\v"
	       "Example:\n"
	       "  eval \"$(hone completion bash)\"\n"
	       "  hone completion bash > ~/.local/share/bash-completion/completions/hone",
};

static int run_bash(int argc, char **argv)
{
	return print(argc, argv, &bash_argp, complete_bash);
}

static const struct command completion_bash = {
	.name = "bash",
	.summary = "for bash 4.3 and newer",
	.argp = &bash_argp,
	.run = run_bash,
};

static const struct argp zsh_argp = {
	.parser = parse,
	.doc = "Prints the script by which zsh completes the command lines of hone: a file _hone for a folder of "
	       "$fpath, or to be evaluated behind compinit. An installed hone has it installed.\v"
	       "Example:\n"
	       "  eval \"$(hone completion zsh)\"\n"
	       "  hone completion zsh > ~/.zfunc/_hone",
};

static int run_zsh(int argc, char **argv)
{
	return print(argc, argv, &zsh_argp, complete_zsh);
}

static const struct command completion_zsh = {
	.name = "zsh",
	.summary = "for zsh",
	.argp = &zsh_argp,
	.run = run_zsh,
};

static const struct command *const shells[] = { &completion_bash, &completion_zsh, NULL };

static const struct argp argp = {
	.parser = command_parse_parts,
	.args_doc = "bash|zsh",
	.doc = "Prints a script by which a shell completes the command lines of hone: commands, options, their values "
	       "where hone knows them, and files of the kinds that a command reads.\v"
	       "Example:\n"
	       "  eval \"$(hone completion bash)\"",
	.help_filter = command_list_parts,
};

const struct command command_completion = {
	.name = "completion",
	.summary = "prints scripts by which bash and zsh complete a command line",
	.argp = &argp,
	.parts = shells,
};
