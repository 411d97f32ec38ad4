/* SPDX-License-Identifier: Apache-2.0 */
/* tools/vdla/vdla.c - `hone vdla`: programs for a simulated accelerator, run and looked at. */
#include "tools/vdla/vdla.h"

#include <argp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "target/vdla/assembler.h"
#include "tools/args/query.h"
#include "tools/command.h"
#include "tools/vdla/report.h"

enum { KEY_SEED = 256, PROGRAM_MAX = 1 << 30 };

struct vdla_binary *vdla_open(struct arena *a, const char *file)
{
	size_t n;
	char *data = file_read(a, file, PROGRAM_MAX, &n);

	if (!data)
		return NULL;
	if (n >= 4 && memcmp(data, "VDLA", 4) == 0)
		return vdla_binary_read(a, file, data, n);
	if (strlen(data) != n) {
		err_set("%s: this is no program for a VDLA: neither its file nor its text", file);
		return NULL;
	}
	return vdla_binary_parse(a, file, data);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct vdla_args *o = state->input;

	switch (key) {
	case 'j':
		o->json = true;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case KEY_SEED:
		o->seed = argp_int(state, "--seed", arg, 0, INT_MAX);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "one FILE at a time");
		o->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->file)
			argp_error(state, "which FILE?");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* What is made of a program: bytes in OUT, or what is printed; -1 and a message. */
typedef int vdla_work(const struct vdla_args *args, const struct vdla_binary *b, struct text *out);

/* Parses the line by ARGP, and hands WORK the program; the exit status. */
static int act(int argc, char **argv, const struct argp *argp, vdla_work *work)
{
	struct vdla_args args = { 0 };
	struct text out = { 0 };

	argp_parse(argp, argc, argv, 0, NULL, &args);
	struct arena *a = arena_new();
	const struct vdla_binary *b = vdla_open(a, args.file);
	int rc = b ? work(&args, b, &out) : -1;

	if (rc == 0 && out.s && args.output)
		rc = file_write(args.output, out.s, out.n);
	else if (rc == 0 && out.s)
		fwrite(out.s, 1, out.n, stdout);
	text_free(&out);
	arena_free(a);
	return rc < 0 ? command_failed() : EXIT_OK;
}

static const struct argp_option run_options[] = {
	{ "seed", KEY_SEED, "N", 0, "of inputs, and of constants that the program does not have (default 0)", 0 },
	{ "output", 'o', "FILE", 0, "write the bytes of all outputs, one behind the other", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of text", 0 },
	{ 0 },
};

static const struct argp run_argp = {
	.options = run_options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = "Executes a program for a VDLA, the file or the text, on random inputs, and tells how many cycles that took "
	       "and what its units waited for. A race between units, a read of what was never written and a deadlock are "
	       "failures.\v"
	       "Example:\n  hone vdla run dense.vdla --seed 7 --output y.bin\n",
};

static int work_run(const struct vdla_args *args, const struct vdla_binary *b, struct text *out)
{
	(void)out;
	return vdla_run(args, b);
}

static int run(int argc, char **argv)
{
	return act(argc, argv, &run_argp, work_run);
}

static const struct command vdla_command_run = {
	.name = "run",
	.summary = "execute a program and count its cycles",
	.argp = &run_argp,
	.run = run,
};

static const struct argp_option disassemble_options[] = {
	{ "output", 'o', "FILE", 0, "write there instead of standard output", 0 },
	{ 0 },
};

static const struct argp disassemble_argp = {
	.options = disassemble_options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = "Prints a program for a VDLA as text: its machine, its tensors without their data, and each instruction with its "
	       "number.\v"
	       "Example:\n  hone vdla disassemble dense.bin\n",
};

static int work_disassemble(const struct vdla_args *args, const struct vdla_binary *b, struct text *out)
{
	(void)args;
	vdla_binary_print(out, b);
	return 0;
}

static int disassemble(int argc, char **argv)
{
	return act(argc, argv, &disassemble_argp, work_disassemble);
}

static const struct command vdla_command_disassemble = {
	.name = "disassemble",
	.summary = "print a program as text",
	.argp = &disassemble_argp,
	.run = disassemble,
};

/* Bytes are not for a terminal. */
static error_t parse_assemble(int key, char *arg, struct argp_state *state)
{
	const struct vdla_args *o = state->input;

	if (key == ARGP_KEY_END && o->file && !o->output)
		argp_error(state, "where to? give --output");
	return parse(key, arg, state);
}

static const struct argp_option assemble_options[] = {
	{ "output", 'o', "FILE", 0, "where the program's file goes", 0 },
	{ 0 },
};

static const struct argp assemble_argp = {
	.options = assemble_options,
	.parser = parse_assemble,
	.args_doc = "FILE",
	.doc = "Makes a program's file of its text. Constants have no data in a text, and so in that file.\v"
	       "Example:\n  hone vdla assemble dense.vdla -o dense.bin\n",
};

static int work_assemble(const struct vdla_args *args, const struct vdla_binary *b, struct text *out)
{
	(void)args;
	vdla_binary_write(out, b);
	return 0;
}

static int assemble(int argc, char **argv)
{
	return act(argc, argv, &assemble_argp, work_assemble);
}

static const struct command vdla_command_assemble = {
	.name = "assemble",
	.summary = "make a program's file of its text",
	.argp = &assemble_argp,
	.run = assemble,
};

static const struct argp trace_argp = {
	.options = disassemble_options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = "Prints when each instruction of a program runs, for https://ui.perfetto.dev (Chrome's trace event format): a "
	       "lane for each unit, an arrow for each token. Cycles are counted, nothing is computed.\v"
	       "Example:\n  hone vdla trace dense.vdla -o dense.json\n",
};

static int work_trace(const struct vdla_args *args, const struct vdla_binary *b, struct text *out)
{
	struct vdla_span *spans = malloc(sizeof(*spans) * ((size_t)b->code.n + 1));
	struct vdla_cycles c;

	if (!spans)
		die("out of memory (%d instructions)", b->code.n);
	int rc = vdla_simulate(b, NULL, &c, spans);

	if (rc < 0)
		err_prefix("%s", args->file);
	else
		vdla_trace_print(out, b, spans);
	free(spans);
	return rc;
}

static int trace(int argc, char **argv)
{
	return act(argc, argv, &trace_argp, work_trace);
}

static const struct command vdla_command_trace = {
	.name = "trace",
	.summary = "print when each instruction runs",
	.argp = &trace_argp,
	.run = trace,
};

static const struct command *const parts[] = {
	&vdla_command_run, &vdla_command_disassemble, &vdla_command_assemble, &vdla_command_trace, NULL,
};

static const struct argp argp = {
	.parser = command_parse_parts,
	.args_doc = "run|disassemble|assemble|trace FILE",
	.doc = "Runs programs for a VDLA, a simulated accelerator, and shows what is in them.\v"
	       "Example:\n  hone vdla run dense.vdla && hone vdla trace dense.vdla -o dense.json\n",
	.help_filter = command_list_parts,
};

const struct command command_vdla = {
	.name = "vdla",
	.summary = "run programs for a simulated accelerator",
	.argp = &argp,
	.parts = parts,
};
