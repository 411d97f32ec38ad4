/* SPDX-License-Identifier: Apache-2.0 */
/* tools/run/data.c - what goes into a run of a model and what comes out of it, as files. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/onnx/data.h"
#include "runtime/values/inputs.h"
#include "runtime/values/npy.h"
#include "tools/run/args.h"

static int read_file(struct arena *a, const char *path, const struct type *t, struct value *out)
{
	if (!text_ends_with(path, ".npy"))
		return data_read(a, path, t, out);
	const struct array *x = npy_read(a, path);

	if (!x)
		return -1;
	*out = value_of_array(x);
	return 0;
}

/* DIR/PREFIX_I.pb, a value of type T: 1 and *OUT, 0 where there is no such file, -1 and a message. */
static int read_numbered(struct arena *a, const char *dir, const char *prefix, int i,
			 const struct type *t, struct value *out)
{
	const char *path = arena_printf(a, "%s/%s_%d.pb", dir, prefix, i);

	if (access(path, R_OK) < 0)
		return errno == ENOENT ? 0 : err_set("%s: %s", path, strerror(errno));
	return data_read(a, path, t, out) < 0 ? -1 : 1;
}

int run_expected(struct arena *a, const struct run_args *args, const struct function *main, int i,
		 struct value got, struct value *out)
{
	const struct type *t = function_at(main, main->results[i])->type;

	return read_numbered(a, args->data, "output", i, data_result_type(a, t, got), out);
}

static const char *named_file(const struct run_args *args, const char *name)
{
	for (int i = 0; i < args->n_inputs; i++)
		if (strcmp(args->inputs[i].name, name) == 0)
			return args->inputs[i].file;
	return NULL;
}

static int check_names(const struct run_args *args, const struct function *main)
{
	for (int i = 0; i < args->n_inputs; i++) {
		bool found = false;

		for (int j = 0; j < main->nparams; j++)
			found |= strcmp(main->bindings.at[j].name, args->inputs[i].name) == 0;
		if (!found)
			return err_set("%s has no input '%s'; its first is '%s'", args->m.model,
				       args->inputs[i].name,
				       main->nparams ? main->bindings.at[0].name : "");
	}
	return 0;
}

int run_inputs(struct arena *a, const struct run_args *args, const struct function *main,
	       struct value *out)
{
	if (check_names(args, main) < 0)
		return -1;
	for (int i = 0; i < main->nparams; i++) {
		const struct binding *b = &main->bindings.at[i];
		const char *file = named_file(args, b->name);
		int found = 0;

		if (file)
			found = read_file(a, file, b->type, &out[i]) < 0 ? -1 : 1;
		else if (args->data)
			found = read_numbered(a, args->data, "input", i, b->type, &out[i]);
		if (found == 0)
			found = input_random(a, b, (uint64_t)(args->seed + i), &out[i]);
		if (found < 0 || open_argument(b, out[i]) < 0)
			return -1;
	}
	return 0;
}

/* NAME with what no file name should have replaced. */
static const char *file_name(struct arena *a, const char *name)
{
	char *file = arena_strdup(a, name);

	for (char *c = file; *c; c++)
		if (*c == '/' || (unsigned char)*c < ' ' || (c == file && *c == '.'))
			*c = '_';
	return file;
}

/* FOLDER/NAME.npy for a tensor, FOLDER/NAME.pb for what NumPy has no form of. */
static int write_result(struct arena *a, const char *folder, const char *name,
			const struct type *t, struct value v)
{
	if (v.kind == VALUE_ARRAY)
		return npy_write(arena_printf(a, "%s/%s.npy", folder, file_name(a, name)), v.array);
	return data_write(arena_printf(a, "%s/%s.pb", folder, file_name(a, name)), name, v,
			  t->kind == TYPE_OPTIONAL);
}

int run_write(const struct run_args *args, const struct function *main,
	      const struct value *results)
{
	struct arena *a = arena_new();
	int rc = dir_make(args->output);

	for (int i = 0; i < main->nresults && rc == 0; i++) {
		const struct binding *b = function_at(main, main->results[i]);
		const char *name = *b->name ? b->name : arena_printf(a, "output_%d", i);

		rc = write_result(a, args->output, name, b->type, results[i]);
	}
	arena_free(a);
	return rc;
}
