/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/kernels_json.c - tables of register kernels, as lists of what was measured. */
#include "measure/device/kernels_json.h"

#include "base/err.h"

#define RATE_MAX 1e9	/* far beyond any machine */
#define SPREAD_MAX 1e9

static json_t *rates_json(const float gops[REGISTER_ROWS][REGISTER_VECTORS])
{
	json_t *list = json_array();

	for (int r = 0; r < REGISTER_ROWS; r++)
		for (int v = 0; v < REGISTER_VECTORS; v++)
			if (gops[r][v] > 0)
				json_array_append_new(list, json_pack("[i, i, f]", r + 1, v + 1, (double)gops[r][v]));
	return list;
}

json_t *kernels_json(const struct device_measured *m)
{
	json_t *all = json_object();

	for (int t = 0; t < TARGET_COUNT; t++) {
		const struct register_kernels *of = &m->kernels[t];
		json_t *o = of->spread > 0 ? json_pack("{s:f}", "spread", of->spread) : NULL;

		for (int k = 0; o && k < REGISTER_KIND_COUNT; k++) {
			json_t *list = rates_json(of->gops[k]);

			if (json_array_size(list) > 0)
				json_object_set(o, register_products(k)->name, list);
			json_decref(list);
		}
		if (o && json_object_set_new(all, target_at(t)->name, o) < 0)
			die("out of memory");
	}
	return all;
}

static bool rates_parse(const json_t *list, float gops[REGISTER_ROWS][REGISTER_VECTORS])
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *x = json_array_get(list, i);
		json_int_t rows = json_integer_value(json_array_get(x, 0)), vectors = json_integer_value(json_array_get(x, 1));
		double rate = json_number_value(json_array_get(x, 2));

		if (rows < 1 || rows > REGISTER_ROWS || vectors < 1 || vectors > REGISTER_VECTORS || !(rate > 0 && rate <= RATE_MAX))
			return false;
		gops[rows - 1][vectors - 1] = (float)rate;
	}
	return !list || json_is_array(list);
}

bool kernels_parse(const json_t *json, struct device_measured *m)
{
	for (int t = 0; t < TARGET_COUNT; t++) {
		const json_t *o = json_object_get(json, target_at(t)->name);
		struct register_kernels *to = &m->kernels[t];

		if (!o)
			continue;
		to->spread = json_number_value(json_object_get(o, "spread"));
		if (!(to->spread >= 1 && to->spread <= SPREAD_MAX))
			return false;
		for (int k = 0; k < REGISTER_KIND_COUNT; k++)
			if (!rates_parse(json_object_get(o, register_products(k)->name), to->gops[k]))
				return false;
	}
	return !json || json_is_object(json);
}
