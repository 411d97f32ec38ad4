/* SPDX-License-Identifier: Apache-2.0 */
/* bench/models/setting.c - the setting of a contest of models as files, and back. */
#include "bench/models/setting.h"

#include <jansson.h>

#include "base/err.h"
#include "runtime/values/npy.h"

static const char *path_of(struct arena *a, const char *folder)
{
	return arena_printf(a, "%s/setting.json", folder);
}

static json_t *setting_json(const struct setting *s)
{
	json_t *dims = json_object(), *inputs = json_array();

	for (int i = 0; i < s->ndims; i++)
		json_object_set_new(dims, s->dims[i].name, json_integer(s->dims[i].size));
	for (int i = 0; i < s->ninputs; i++)
		json_array_append_new(inputs, json_string(s->inputs[i]));
	return json_pack("{s:s, s:s?, s:o, s:o}", "model", s->model, "db", s->db, "dims", dims,
			 "inputs", inputs);
}

int setting_write(const char *folder, const struct setting *s, const struct value *inputs)
{
	struct arena *a = arena_new();
	const char *path = path_of(a, folder);
	json_t *json = setting_json(s);
	int rc = json ? json_dump_file(json, path, 0)
		      : err_set("%s: a name in it is no UTF-8: engines cannot be told", s->model);

	if (json && rc < 0)
		err_set("%s: cannot be written", path);
	json_decref(json);
	arena_free(a);
	return rc < 0 ? -1 : tensors_write(folder, "input", inputs, s->ninputs);
}

static void take_dims(struct arena *a, const json_t *json, struct setting *out)
{
	struct onnx_dim *dims = arena_many(a, struct onnx_dim, json_object_size(json));
	const char *name;
	json_t *size;

	json_object_foreach((json_t *)json, name, size)
		dims[out->ndims++] =
			(struct onnx_dim){arena_strdup(a, name), json_integer_value(size)};
	out->dims = dims;
}

static void take_inputs(struct arena *a, const json_t *json, struct setting *out)
{
	const char **names = arena_many(a, const char *, json_array_size(json));
	size_t i;
	json_t *name;

	json_array_foreach(json, i, name)
		if (json_is_string(name))
			names[out->ninputs++] = arena_strdup(a, json_string_value(name));
	out->inputs = names;
}

int setting_read(struct arena *a, const char *folder, struct setting *out)
{
	const char *path = path_of(a, folder), *model;
	json_error_t error;
	json_t *json = json_load_file(path, 0, &error), *db, *dims, *inputs;

	*out = (struct setting){0};
	if (!json || json_unpack_ex(json, &error, 0, "{s:s, s:o, s:o, s:o}", "model", &model, "db",
				    &db, "dims", &dims, "inputs", &inputs) < 0) {
		json_decref(json);
		return err_set("%s: %s", path, error.text);
	}
	out->model = arena_strdup(a, model);
	out->db = json_is_string(db) ? arena_strdup(a, json_string_value(db)) : NULL;
	take_dims(a, dims, out);
	take_inputs(a, inputs, out);
	json_decref(json);
	return 0;
}

int tensors_write(const char *folder, const char *prefix, const struct value *values, int n)
{
	struct arena *a = arena_new();
	int rc = 0;

	for (int i = 0; i < n && rc == 0; i++) {
		const char *path = arena_printf(a, "%s/%s%d.npy", folder, prefix, i);

		rc = values[i].kind == VALUE_ARRAY ? npy_write(path, values[i].array)
						   : err_set("%s %d is no tensor", prefix, i);
	}
	arena_free(a);
	return rc;
}

int tensors_read(struct arena *a, const char *folder, const char *prefix, struct value *out, int n)
{
	for (int i = 0; i < n; i++) {
		const struct array *x =
			npy_read(a, arena_printf(a, "%s/%s%d.npy", folder, prefix, i));

		if (!x)
			return -1;
		out[i] = value_of_array(x);
	}
	return 0;
}
