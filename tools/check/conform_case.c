/* SPDX-License-Identifier: Apache-2.0 */
/* tools/check/conform_case.c - a case is read, interpreted, compared. */
#include "tools/check/conform_case.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "graph/eval/compare.h"
#include "graph/eval/interp.h"
#include "graph/onnx/data.h"
#include "graph/onnx/onnx.h"

const char *conform_status_name(enum conform_status s)
{
	static const char *const names[] = {
		[CONFORM_PASSED] = "passed",
		[CONFORM_FAILED] = "failed",
		[CONFORM_UNSUPPORTED] = "unsupported",
	};

	return names[s];
}

static const struct type **param_types(struct arena *a, const struct function *f)
{
	const struct type **types = arena_many(a, const struct type *, f->nparams);

	for (int i = 0; i < f->nparams; i++)
		types[i] = f->bindings.at[i].type;
	return types;
}

static const struct type **result_types(struct arena *a, const struct function *f,
					const struct value *got)
{
	const struct type **types = arena_many(a, const struct type *, f->nresults);

	for (int i = 0; i < f->nresults; i++)
		types[i] = data_result_type(a, f->nresults == 1 ? f->result : f->result->field[i],
					    got[i]);
	return types;
}

/* Runs G on the inputs in FOLDER; the results in RESULTS, which the caller releases. */
static int run(struct arena *a, const struct graph *g, const char *folder, struct value *results)
{
	const struct function *f = graph_main(g);
	struct value *args = arena_many(a, struct value, f->nparams);
	struct value v;

	if (data_read_all(a, folder, "input", f->nparams, param_types(a, f), args) < 0)
		return -1;
	struct interp interp = interp_begin(a, g, interp_usual_limits);
	int rc = interp_run(&interp, g->main, args, f->nparams, &v);

	interp_end(&interp);
	if (rc < 0)
		return -1;
	for (int i = 0; i < f->nresults; i++)
		results[i] = value_hold(f->nresults == 1 ? v : v.items->at[i]);
	value_release(v);
	return 0;
}

static int check(struct arena *a, const struct graph *g, const char *folder)
{
	const struct function *f = graph_main(g);
	struct value *got = arena_many(a, struct value, f->nresults);
	struct value *want = arena_many(a, struct value, f->nresults);
	struct text why = { 0 };
	int rc = 0;

	if (run(a, g, folder, got) < 0)
		return -1;
	if (data_read_all(a, folder, "output", f->nresults, result_types(a, f, got), want) < 0)
		rc = -1;
	for (int i = 0; i < f->nresults && rc == 0; i++)
		if (!value_agrees(got[i], want[i], &tolerance_of_onnx, &why))
			rc = err_set("output %d: %s", i, text_str(&why));
	text_free(&why);
	values_release(got, f->nresults);
	values_release(want, f->nresults);
	return rc;
}

/* The message that is set, without the file's name, which is always the same. */
static const char *reason(struct arena *a, const char *path)
{
	const char *why = err_get();
	size_t n = strlen(path);

	return arena_strdup(a, strncmp(why, path, n) == 0 ? why + n + strspn(why + n, ": ") : why);
}

enum conform_status conform_case(struct arena *a, const char *folder, const char **why)
{
	const char *path = arena_printf(a, "%s/model.onnx", folder);
	struct graph *g = onnx_read(a, path, NULL);
	enum conform_status status = g ? CONFORM_PASSED : CONFORM_UNSUPPORTED;
	int sets = 0;

	for (; status == CONFORM_PASSED; sets++) {
		const char *set = arena_printf(a, "%s/test_data_set_%d", folder, sets);

		if (access(set, F_OK) < 0)
			break;
		if (check(a, g, set) < 0)
			status = CONFORM_FAILED;
	}
	if (status == CONFORM_PASSED && sets == 0) {
		err_set("it has no test_data_set_0");
		status = CONFORM_FAILED;
	}
	*why = status == CONFORM_PASSED ? "" : reason(a, path);
	return status;
}
