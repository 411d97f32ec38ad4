/* SPDX-License-Identifier: Apache-2.0 */
/* tools/quantize/samples.c - samples from files. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "graph/onnx/data.h"
#include "runtime/values/npy.h"
#include "tools/quantize/quantize.h"

struct sample_vec VEC(struct value *);

static bool is_folder(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool is_npy(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && strcmp(path + n - 4, ".npy") == 0;
}

static int read_one(struct arena *a, const char *path, const struct binding *param, struct value *out)
{
	const struct array *x = is_npy(path) ? npy_read(a, path) : NULL;

	if (x)
		*out = value_of_array(x);
	else if (is_npy(path) || data_read(a, path, param->type, out) < 0)
		return -1;
	return open_argument(param, *out) < 0 ? err_prefix("%s", path) : 0;
}

/* A set of inputs from the folder PATH. */
static int add_folder(struct arena *a, const char *path, const struct function *main,
		      struct sample_vec *out)
{
	struct value *set = arena_many(a, struct value, main->nparams);

	for (int i = 0; i < main->nparams; i++) {
		const char *file = arena_printf(a, "%s/input_%d.npy", path, i);

		if (access(file, R_OK) < 0)
			file = arena_printf(a, "%s/input_%d.pb", path, i);
		if (read_one(a, file, function_at(main, i), &set[i]) < 0)
			return -1;
	}
	vec_push(a, out, set);
	return 0;
}

/* How many inputs of PARAM lie one behind the other in X; 0: none does. */
static int64_t sets_in(struct arena *a, const struct array *x, const struct binding *param)
{
	const struct type *t = param->type;
	int64_t dim[GRAPH_MAX_RANK];

	if (!type_is_static(t) || t->rank < 1 || x->rank != t->rank || x->element != t->element ||
	    type_equal(type_of_array(a, x), t))
		return 0;
	type_shape(t, dim);
	for (int i = 1; i < t->rank; i++)
		if (x->dim[i] != dim[i])
			return 0;
	return dim[0] > 0 && x->dim[0] % dim[0] == 0 ? x->dim[0] / dim[0] : 0;
}

static int add_file(struct arena *a, const char *path, const struct function *main, struct sample_vec *out)
{
	const struct binding *param = function_at(main, 0);
	const struct array *x = is_npy(path) ? npy_read(a, path) : NULL;
	int64_t n = x ? sets_in(a, x, param) : 0, dim[GRAPH_MAX_RANK];

	for (int64_t i = 0; i < n; i++) {
		struct value *set = arena_one(a, struct value);

		type_shape(param->type, dim);
		*set = value_of_array(array_around(a, x->element, x->rank, dim, (const char *)x->data +
						   i * (int64_t)(array_bytes(x) / (size_t)n)));
		vec_push(a, out, set);
	}
	if (n > 0)
		return 0;
	struct value *set = arena_one(a, struct value);

	if (read_one(a, path, param, set) < 0)
		return -1;
	vec_push(a, out, set);
	return 0;
}

int quantize_samples(struct arena *a, const struct quantize_args *args, const struct function *main,
		     struct sample_source *out)
{
	struct sample_vec all = { 0 };

	for (int i = 0; i < args->ncalibrate; i++) {
		const char *path = args->calibrate[i];

		if (!is_folder(path) && main->nparams != 1)
			return err_set("%s: %s has %d inputs: give a folder with input_0.npy, ...", path,
				       args->m.model, main->nparams);
		if ((is_folder(path) ? add_folder : add_file)(a, path, main, &all) < 0)
			return -1;
	}
	*out = samples_given(all.at, all.n);
	return 0;
}
