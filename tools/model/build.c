/* SPDX-License-Identifier: Apache-2.0 */
/* tools/model/build.c - `hone build`: a model as a C library. */
#include <argp.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "runtime/library/library.h"
#include "tools/args/backends.h"
#include "tools/args/model.h"
#include "tools/command.h"

struct build_args {
	struct model_args m;
	struct backend_args b;
	const char *folder, *name;
};

static const char doc[] =
	"Writes MODEL as a C library that needs nothing of hone: the C sources of its kernels, its "
	"weights, a header, a Makefile, files for pkg-config and CMake, and an example. Built with "
	"make, it depends on libc, libm and OpenMP (and does without that), and computes what "
	"hone run computes, bit for bit. With --backend it also has what code generators compute: "
	"their shared objects are copied to DIR, and the library loads them.\v"
	"Example:\n  hone build resnet18.onnx --db tune.db -o resnet18 && make -C resnet18\n"
	"  hone build resnet18.onnx --db tune.db --backend onednn -o resnet18\n";

enum { KEY_NAME = 256 };

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "folder to write to, made where missing (required)", 0 },
	{ "name", KEY_NAME, "NAME", 0, "of the library, an identifier; default: the model's file", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct build_args *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->m;
		state->child_inputs[1] = &args->b;
		return 0;
	case 'o':
		args->folder = arg;
		return 0;
	case KEY_NAME:
		if (!library_name_is_fit(arg))
			argp_error(state, "--name '%s': give letters, digits and _, a digit not first",
				   arg);
		args->name = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->folder || !*args->folder)
			argp_error(state, "which folder? give -o DIR");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &model_argp, 0, NULL, 0 }, { &backends_argp, 0, NULL, 0 }, { 0 }
};
static const struct argp argp = { options, parse, "MODEL", doc, children, NULL, NULL };

static int build(struct arena *a, const struct build_args *args)
{
	struct open_options how = model_options(&args->m);
	const char *name = args->name ? args->name : library_name(a, args->m.model);
	struct opened model;

	how.offload = backends_request(&args->b);
	int rc = open_model(a, &how, &model);

	if (rc == 0)
		rc = library_write(&(struct library_order){ model.code, args->folder, name,
							    args->m.model, NULL,
							    args->m.threads });
	if (rc < 0)
		return command_failed();
	printf("library %s written to %s: make -C %s\n", name, args->folder, args->folder);
	return EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct build_args args = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	struct arena *a = arena_new();
	int rc = build(a, &args);

	arena_free(a);
	return rc;
}

const struct command command_build = {
	.name = "build",
	.summary = "a model as a C library that needs nothing of hone",
	.argp = &argp,
	.run = run,
};
