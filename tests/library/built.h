/* SPDX-License-Identifier: Apache-2.0 */
/* tests/library/built.h - a model, and the library that hone builds of it, in a folder. */
#ifndef HONE_TESTS_LIBRARY_BUILT_H
#define HONE_TESTS_LIBRARY_BUILT_H

#include <fnmatch.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/rng.h"
#include "runtime/library/library.h"
#include "runtime/open.h"

/* Of any model that a test has. */
#define BUILT_MOST_BYTES ((size_t)1 << 30)

/* Is the case or network NAME among those that HONE_CASE, a pattern as for file names, asks for? */
static inline bool built_wanted(const char *name)
{
	const char *pattern = getenv("HONE_CASE");

	return !pattern || fnmatch(pattern, name, 0) == 0;
}

struct built_library {
	struct arena *a;
	const char *folder;
	struct opened model;
	struct session *session;	/* of it */
	struct value *args, *results;	/* of main; zeroed */
};

/* Opens a model, and writes its library "model" to a new folder. -1 and a message. */
static inline int built_open(struct built_library *l, const struct open_options *how)
{
	*l = (struct built_library){ .a = arena_new() };
	if (!(l->folder = dir_temp(l->a)) || open_model(l->a, how, &l->model) < 0)
		return -1;
	const struct function *main = graph_main(l->model.graph);

	l->session = session_new(l->model.code, interp_usual_limits);
	l->args = arena_many(l->a, struct value, main->nparams + 1);
	l->results = arena_many(l->a, struct value, main->nresults + 1);
	return library_write(&(struct library_order){ .code = l->model.code, .folder = l->folder,
						      .name = "model", .model = how->model,
						      .threads = how->threads });
}

static inline void built_close(struct built_library *l)
{
	if (l->results)
		values_release(l->results, graph_main(l->model.graph)->nresults);
	session_free(l->session);
	if (l->folder)
		dir_remove(l->folder);
	arena_free(l->a);
}

/* Whether `make VARIABLES` in its folder, and with caller.c of CALLER a program, go well. */
static inline bool built_make(const struct built_library *l, const char *caller,
			      const char *variables, const char *cc)
{
	return system(arena_printf(l->a,
				   "cd %s && make -s clean && make -s %s CC='%s' >log 2>&1 || "
				   "{ tail -n 40 log; false; }", l->folder, variables, cc)) == 0 &&
	       system(arena_printf(l->a,
				   "cd %s && %s -Wall -Wextra -Werror -DHEADER='\"model.h\"' "
				   "-DMODEL=model -I. -o caller %s libmodel.a -fopenmp -pthread -lm",
				   l->folder, cc, caller)) == 0;
}

/* Writes the arguments where caller.c reads them. */
static inline int built_put_args(const struct built_library *l)
{
	for (int i = 0; i < graph_main(l->model.graph)->nparams; i++)
		if (file_write(arena_printf(l->a, "%s/in_%d", l->folder, i),
			       l->args[i].array->data, array_bytes(l->args[i].array)) < 0)
			return -1;
	return 0;
}

/* Output I as caller.c has written it, in the model's arena; NULL and a message where it has not as many
 * bytes as its extents say. */
static inline const struct array *built_output(const struct built_library *l, int i)
{
	const struct function *main = graph_main(l->model.graph);
	const struct type *t = function_at(main, main->results[i])->type;
	size_t bytes, dim_bytes;
	const char *dim = file_read(l->a, arena_printf(l->a, "%s/shape_%d", l->folder, i),
				    GRAPH_MAX_RANK * sizeof(int64_t), &dim_bytes);
	const char *data = file_read(l->a, arena_printf(l->a, "%s/out_%d", l->folder, i),
				     BUILT_MOST_BYTES, &bytes);

	if (!dim || !data)
		return NULL;
	struct array *x = array_in(l->a, t->element, (int)(dim_bytes / sizeof(int64_t)),
				   arena_memdup(l->a, dim, dim_bytes));

	if (bytes != array_bytes(x)) {
		err_set("output %d has %zu bytes, not %zu", i, bytes, array_bytes(x));
		return NULL;
	}
	memcpy(x->data, data, bytes);
	return x;
}

/* Arguments of any values: fractions in [-1, 1), small whole numbers. */
static inline void built_any_args(struct built_library *l, uint64_t seed)
{
	const struct function *main = graph_main(l->model.graph);
	struct rng rng = rng_seed(seed);
	int64_t dim[GRAPH_MAX_RANK];

	for (int i = 0; i < main->nparams; i++) {
		const struct type *t = function_at(main, i)->type;

		type_shape(t, dim);
		struct array *x = array_in(l->a, t->element, t->rank, dim);

		for (int64_t j = 0; j < x->count; j++)
			element_store(t->element, x->data, j,
				      element_is_float(t->element) ? 2 * rng_unit(&rng) - 1
								   : (double)rng_below(&rng, 2));
		l->args[i] = value_of_array(x);
	}
}

#endif
