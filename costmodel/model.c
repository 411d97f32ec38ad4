/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/model.c - the table of cost models. */
#include "costmodel/model.h"

static const struct cost_model *const models[] = {
#define X(name) &cost_model_##name,
#include "costmodel/models.def"
#undef X
};

const struct cost_model *cost_model_find(const char *name)
{
	for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++)
		if (strcmp(models[i]->name, name) == 0)
			return models[i];
	return NULL;
}
