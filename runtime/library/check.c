/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/check.c - inputs and expectations as files of their bytes. */
#include "runtime/library/check.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "runtime/session.h"
#include "runtime/values/inputs.h"
#include "runtime/values/rounding.h"

/* The same in each export. */
enum { SEED = 1 };

static int interpret(struct arena *a, const struct graph *plain, struct library_check *c)
{
	struct model_task_vec none = { 0 };
	struct session *s = session_new(model_code_new(a, plain, &none, NULL, NULL), interp_usual_limits);
	struct value *want = values_new(c->n_want);
	int rc = session_run(s, c->inputs, want);
	struct value *kept = arena_many(a, struct value, c->n_want + 1);

	for (int i = 0; i < c->n_want && rc == 0; i++) {
		const struct array *x = want[i].array;

		kept[i] = want[i];
		if (want[i].kind == VALUE_ARRAY)
			kept[i].array = array_around(a, x->element, x->rank, x->dim,
						     arena_memdup(a, x->data, array_bytes(x)));
	}
	c->want = kept;
	values_release(want, c->n_want);
	free(want);
	session_free(s);
	return rc;
}

int library_check_make(struct arena *a, const struct graph *plain, const struct model_code *code,
		       struct library_check *out)
{
	const struct function *main = graph_main(plain);

	*out = (struct library_check){ .n_inputs = main->nparams, .n_want = main->nresults };
	out->inputs = inputs_random(a, main, SEED);
	if (!out->inputs)
		return -1;
	if (interpret(a, plain, out) < 0)
		return err_prefix("what a check expects, by the interpreter");
	out->bound = rounding_bound(a, code, interp_usual_limits, out->inputs);
	return out->bound < 0 ? -1 : 0;
}

static int put(const struct library_folder *f, const char *kind, int n, const struct value *values)
{
	for (int i = 0; i < n; i++) {
		const struct array *x = values[i].array;

		if (values[i].kind != VALUE_ARRAY)
			return err_set("%s %d of the model is no tensor: there is no check of such", kind, i);
		if (file_write(arena_printf(f->arena, "%s/check/%s_%d.bin", f->path, kind, i), x->data,
			       array_bytes(x)) < 0)
			return -1;
	}
	return 0;
}

int library_put_check(const struct library_folder *f, const struct library_check *c)
{
	if (dir_make(arena_printf(f->arena, "%s/check", f->path)) < 0 ||
	    put(f, "input", c->n_inputs, c->inputs) < 0 || put(f, "want", c->n_want, c->want) < 0)
		return -1;
	return library_put_template(f, "check.c", "check.c.in");
}
