/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/gather.c - the lists of a model's stretches, one behind the other.
 *
 * Where nothing is around the stretches, their arguments and results become the library's inputs and
 * outputs (runtime/library/chain.h); else the interpreter runs what is there. */
#include "runtime/library/gather.h"

#include "base/err.h"
#include "runtime/library/chain.h"
#include "runtime/library/steps.h"

/* --- a model with an interpreter around its stretches */

static struct library_place *places_in(struct arena *a, enum library_room room, int n)
{
	struct library_place *places = arena_many(a, struct library_place, n + 1);

	for (int i = 0; i < n; i++)
		places[i] = (struct library_place){ room, (size_t)i, 0 };
	return places;
}

static int add_all(struct library_content *c, const struct model_code *code)
{
	c->interpreted = true;
	for (int i = 0; i < code->graph->functions.n; i++) {
		const struct function *f = code->graph->functions.at[i];

		if (!code->flats[i] && !code_foreign(code, i))
			continue;
		const struct stretch_ends ends = {
			places_in(c->arena, LIBRARY_ARGUMENT, f->nparams),
			places_in(c->arena, LIBRARY_RESULT, f->nresults),
			0,
		};
		struct library_stretch s = library_begin_stretch(c, i);

		if (library_add_function(c, code, i, &ends) < 0)
			return -1;
		library_end_stretch(c, s);
	}
	return 0;
}

/* --- all of it */

/* How the command line gives the first extent of input B that is open. */
static const char *dim_hint(struct arena *a, const struct binding *b)
{
	int i = 0;

	while (dim_is_number(b->type->dim[i]))
		i++;
	return b->type->dim[i].expr ? "--dim NAME=SIZE for each name in it"
				    : arena_printf(a, "--dim '%s.%d=SIZE'", b->name, i);
}

static bool is_of_numbers(const struct type *t)
{
	return type_is_ranked(t) && t->element != ELEMENT_COUNT && t->element != ELEMENT_STRING;
}

static int check_input(struct arena *a, const struct binding *b)
{
	if (type_is_static(b->type) && is_of_numbers(b->type))
		return 0;
	return err_set("the input '%s' is %s: a library takes tensors of numbers, of known shapes; %s",
		       b->name, type_string(a, b->type),
		       is_of_numbers(b->type) ? arena_printf(a, "give %s", dim_hint(a, b))
					      : "hone run and libhone take any");
}

static int check_output(struct arena *a, const struct binding *b)
{
	if (is_of_numbers(b->type))
		return 0;
	return err_set("the output '%s' is %s: a library gives tensors of numbers, of known ranks; "
		       "hone run and libhone give any", b->name, type_string(a, b->type));
}

struct library_content *library_gather(struct arena *a, const struct model_code *code,
				       int threads)
{
	const struct function *main = graph_main(code->graph);
	struct library_content *c = arena_one(a, struct library_content);

	c->arena = a;
	c->graph = code->graph;
	c->threads = threads > 1 ? threads : 1;
	for (int i = 0; i < main->nparams; i++)
		if (check_input(a, function_at(main, i)) < 0)
			return NULL;
	for (int i = 0; i < main->nresults; i++)
		if (check_output(a, function_at(main, main->results[i])) < 0)
			return NULL;
	int rc = library_is_chain(code) ? library_add_chain(c, code) : add_all(c, code);

	return rc < 0 ? NULL : c;
}
