/* SPDX-License-Identifier: Apache-2.0 */
/* bench/models/exercise.c - a model's folder, and whether players agree on its results. */
#include "bench/models/exercise.h"

#include "base/err.h"
#include "runtime/values/agree.h"

static int write_folder(void *user, const char *folder)
{
	const struct model_exercise *m = user;

	return setting_write(folder, m->setting, m->inputs);
}

static const char *fault(void *user, struct arena *a, const char *folder)
{
	struct model_exercise *m = user;
	struct value *got = arena_many(m->arena, struct value, m->nresults);

	if (tensors_read(m->arena, folder, "output", got, m->nresults) < 0)
		return arena_strdup(a, err_get());
	if (!m->want) {
		m->want = got;
		return NULL;
	}
	const struct agreement *as = results_agree(a, got, m->want, m->nresults, AGREE_BOUND);

	for (int i = 0; i < m->nresults; i++)
		if (!as[i].agrees)
			return arena_printf(a, "result %d is not as the first engine has it: error "
					       "%.2g, %s", i, as[i].error, as[i].why);
	return NULL;
}

struct exercise model_exercise(struct model_exercise *m)
{
	return (struct exercise){.write = write_folder, .fault = fault, .user = m};
}
