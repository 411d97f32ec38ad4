/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/gather.c - the lists of a model's stretches, one behind the other.
 *
 * Where a model is one stretch and no more, the stretch's arguments and results become the
 * library's inputs and outputs; else the interpreter runs what is around the stretches. */
#include "runtime/library/gather.h"

#include "base/err.h"

/* What the arguments and results of the stretch that is being added are to the library. */
struct stretch_ends {
	const struct library_place *args;	/* by argument of the stretch */
	const struct library_place *results;
};

/* --- steps */

/* Bytes of argument I of step S of F. */
static size_t arg_bytes(const struct flat *f, const struct flat_step *s, int i)
{
	const struct function *function = f->graph->functions.at[f->function];
	const struct binding *b = function_at(function, s->value);

	if (s->kind == FLAT_COPY)
		return s->bytes;
	if (i == s->nargs - 1)
		return (size_t)type_bytes(b->type);
	if (s->kind == FLAT_KERNEL) {
		size_t packed = s->site->choice->kernel.call.packed_bytes(i);

		if (packed)
			return packed;
		i = s->site->param[i];
	}
	return (size_t)type_bytes(function_at(function, b->args[i])->type);
}

static struct library_place place_of(struct library_content *c, const struct flat *f,
				     const struct flat_step *s, int i,
				     const struct stretch_ends *ends)
{
	const struct flat_place *p = &f->places.at[s->first + i];
	struct library_place place = { LIBRARY_MEMORY, 0, 0 };

	switch (p->at.room) {
	case LIVE_CONST:
		return (struct library_place){
			LIBRARY_WEIGHT, library_weight(c, p->constant, arg_bytes(f, s, i)), 0 };
	case LIVE_PARAM:
		place = ends->args[p->at.index];
		break;
	case LIVE_RESULT:
		place = ends->results[p->at.index];
		break;
	case LIVE_MEMORY:
		break;
	}
	place.offset = p->at.offset;
	return place;
}

static void add_step(struct library_content *c, const struct flat *f, const struct flat_step *s,
		     const struct stretch_ends *ends)
{
	static const enum library_doing doing[] = {
		[FLAT_KERNEL] = LIBRARY_KERNEL,
		[FLAT_COPY] = LIBRARY_COPY,
		[FLAT_INTERPRET] = LIBRARY_CALL,
	};
	struct library_step step = { .doing = doing[s->kind], .args = c->places.n,
				     .nargs = s->nargs, .bytes = s->bytes,
				     .workspace = s->workspace };

	if (s->kind == FLAT_KERNEL) {
		const struct choice *choice = s->site->choice;

		step.what = library_kernel(c, choice);
		if (choice->kernel.threads > c->threads)
			c->threads = choice->kernel.threads;
	}
	if (s->kind == FLAT_INTERPRET)
		step.what = function_at(c->graph->functions.at[f->function], s->value)->function;
	for (int i = 0; i < s->nargs; i++)
		vec_push(c->arena, &c->places, place_of(c, f, s, i, ends));
	vec_push(c->arena, &c->steps, step);
}

static void add_copy(struct library_content *c, struct library_place from, struct library_place to,
		     size_t bytes)
{
	vec_push(c->arena, &c->steps, (struct library_step){
		.doing = LIBRARY_COPY, .args = c->places.n, .nargs = 2, .bytes = bytes });
	vec_push(c->arena, &c->places, from);
	vec_push(c->arena, &c->places, to);
}

/* Stretches run one after the other, so their memory is the same. */
static void add_flat(struct library_content *c, const struct flat *f,
		     const struct stretch_ends *ends)
{
	if (f->memory.bytes > c->memory_bytes)
		c->memory_bytes = f->memory.bytes;
	for (int i = 0; i < f->steps.n; i++)
		add_step(c, f, &f->steps.at[i], ends);
}

static struct library_stretch begin_stretch(const struct library_content *c, int function)
{
	return (struct library_stretch){ .function = function, .steps = c->steps.n };
}

static void end_stretch(struct library_content *c, struct library_stretch s)
{
	s.nsteps = c->steps.n - s.steps;
	vec_push(c->arena, &c->stretches, s);
}

/* --- a model that is one stretch */

static bool is_whole(const struct flat *f)
{
	for (int i = 0; f && i < f->steps.n; i++)
		if (f->steps.at[i].kind == FLAT_INTERPRET)
			return false;
	return f != NULL;
}

/* Is main parameters, constants, and the fields of at most one stretch? That in *APPLY, or
 * VALUE_NONE. */
static bool is_one_stretch(const struct model_code *code, int *apply)
{
	const struct function *main = graph_main(code->graph);

	*apply = VALUE_NONE;
	for (int i = 0; i < main->bindings.n; i++) {
		const struct binding *b = function_at(main, i);

		if (b->kind == BIND_PARAM || b->kind == BIND_CONST)
			continue;
		if (b->kind == BIND_FIELD && b->args[0] == *apply)
			continue;
		if (b->kind != BIND_APPLY || b->function == FUNCTION_NONE ||
		    *apply != VALUE_NONE || !is_whole(code->flats[b->function]))
			return false;
		*apply = i;
	}
	return true;
}

/* Where VALUE of main is, which is a parameter or a constant. */
static struct library_place given_place(struct library_content *c, int value)
{
	const struct binding *b = function_at(graph_main(c->graph), value);

	if (b->kind == BIND_PARAM)
		return (struct library_place){ LIBRARY_ARGUMENT, (size_t)value, 0 };
	return (struct library_place){
		LIBRARY_WEIGHT, library_weight(c, b->array->data, array_bytes(b->array)), 0 };
}

/* The result of the stretch, applied by APPLY, that VALUE is; -1: it is given. */
static int stretch_result(const struct function *main, int value, int apply)
{
	const struct binding *b = function_at(main, value);

	if (value == apply)
		return 0;
	return b->kind == BIND_FIELD ? b->field : -1;
}

/* What main applies the stretch to, and which output is the first of each of its results. */
static struct stretch_ends ends_at(struct library_content *c, const struct flat *f, int apply)
{
	const struct function *main = graph_main(c->graph);
	const struct binding *b = function_at(main, apply);
	int n = c->graph->functions.at[f->function]->nresults;
	struct library_place *args = arena_many(c->arena, struct library_place, b->nargs + 1);
	struct library_place *results = arena_many(c->arena, struct library_place, n + 1);

	for (int i = 0; i < b->nargs; i++)
		args[i] = given_place(c, b->args[i]);
	for (int i = main->nresults - 1; i >= 0; i--) {
		int result = stretch_result(main, main->results[i], apply);

		if (result >= 0)
			results[result] = (struct library_place){ LIBRARY_RESULT, (size_t)i, 0 };
	}
	return (struct stretch_ends){ args, results };
}

/* Outputs that no kernel writes: inputs, constants, and what is an output twice. */
static void add_output_copies(struct library_content *c, const struct stretch_ends *ends, int apply)
{
	const struct function *main = graph_main(c->graph);

	for (int i = 0; i < main->nresults; i++) {
		int value = main->results[i], result = stretch_result(main, value, apply);
		struct library_place from = result < 0 ? given_place(c, value)
						       : ends->results[result];

		if (from.room != LIBRARY_RESULT || from.at != (size_t)i)
			add_copy(c, from, (struct library_place){ LIBRARY_RESULT, (size_t)i, 0 },
				 (size_t)type_bytes(function_at(main, value)->type));
	}
}

static void add_only(struct library_content *c, const struct model_code *code, int apply)
{
	struct library_stretch s = begin_stretch(c, code->graph->main);
	struct stretch_ends ends = { NULL, NULL };

	if (apply != VALUE_NONE) {
		const struct flat *f =
			code->flats[function_at(graph_main(code->graph), apply)->function];

		ends = ends_at(c, f, apply);
		add_flat(c, f, &ends);
	}
	add_output_copies(c, &ends, apply);
	end_stretch(c, s);
}

/* --- a model with an interpreter around its stretches */

static struct library_place *places_in(struct arena *a, enum library_room room, int n)
{
	struct library_place *places = arena_many(a, struct library_place, n + 1);

	for (int i = 0; i < n; i++)
		places[i] = (struct library_place){ room, (size_t)i, 0 };
	return places;
}

static void add_all(struct library_content *c, const struct model_code *code)
{
	c->interpreted = true;
	for (int i = 0; i < code->graph->functions.n; i++) {
		const struct function *f = code->graph->functions.at[i];

		if (!code->flats[i])
			continue;
		const struct stretch_ends ends = {
			places_in(c->arena, LIBRARY_ARGUMENT, f->nparams),
			places_in(c->arena, LIBRARY_RESULT, f->nresults),
		};
		struct library_stretch s = begin_stretch(c, i);

		add_flat(c, code->flats[i], &ends);
		end_stretch(c, s);
	}
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
	int apply;

	c->arena = a;
	c->graph = code->graph;
	c->threads = threads > 1 ? threads : 1;
	for (int i = 0; i < main->nparams; i++)
		if (check_input(a, function_at(main, i)) < 0)
			return NULL;
	for (int i = 0; i < main->nresults; i++)
		if (check_output(a, function_at(main, main->results[i])) < 0)
			return NULL;
	if (is_one_stretch(code, &apply))
		add_only(c, code, apply);
	else
		add_all(c, code);
	return c;
}
