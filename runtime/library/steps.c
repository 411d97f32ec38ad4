/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/steps.c - lists and regions, step by step. */
#include "runtime/library/steps.h"

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
	if (s->kind == FLAT_FOREIGN)
		i = foreign_argument(s->foreign, i);
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
		place.at = ends->memory;
		break;
	}
	place.offset = p->at.offset;
	return place;
}

/* -1 and a message, as all that adds steps. */
static int add_step(struct library_content *c, const struct flat *f, const struct flat_step *s,
		    const struct stretch_ends *ends)
{
	static const enum library_doing doing[] = {
		[FLAT_KERNEL] = LIBRARY_KERNEL,
		[FLAT_COPY] = LIBRARY_COPY,
		[FLAT_INTERPRET] = LIBRARY_CALL,
		[FLAT_FOREIGN] = LIBRARY_FOREIGN,
	};
	struct library_step step = { .doing = doing[s->kind], .args = c->places.n,
				     .nargs = s->nargs, .bytes = s->bytes,
				     .workspace = ends->memory + s->workspace };

	if (s->kind == FLAT_KERNEL) {
		const struct choice *choice = s->site->choice;

		step.what = library_kernel(c, choice);
		if (choice->kernel.threads > c->threads)
			c->threads = choice->kernel.threads;
	}
	if (s->kind == FLAT_INTERPRET)
		step.what = function_at(c->graph->functions.at[f->function], s->value)->function;
	if (s->kind == FLAT_FOREIGN && (step.what = library_region(c, s->foreign)) < 0)
		return -1;
	for (int i = 0; i < s->nargs; i++)
		vec_push(c->arena, &c->places, place_of(c, f, s, i, ends));
	vec_push(c->arena, &c->steps, step);
	return 0;
}

int library_add_region(struct library_content *c, const struct foreign *foreign,
		       const struct stretch_ends *ends)
{
	const struct hone_region *r = foreign_region(foreign);
	struct library_step step = { .doing = LIBRARY_FOREIGN, .what = library_region(c, foreign),
				     .args = c->places.n, .nargs = r->ninputs + r->noutputs };

	if (step.what < 0)
		return -1;
	for (int i = 0; i < r->ninputs; i++)
		vec_push(c->arena, &c->places, ends->args[foreign_parameter(foreign, i)]);
	for (int i = 0; i < r->noutputs; i++)
		vec_push(c->arena, &c->places, ends->results[foreign_result(foreign, i)]);
	vec_push(c->arena, &c->steps, step);
	return 0;
}

int library_add_function(struct library_content *c, const struct model_code *code, int function,
			 const struct stretch_ends *ends)
{
	const struct foreign *foreign = code_foreign(code, function);

	return foreign ? library_add_region(c, foreign, ends)
		       : library_add_flat(c, code->flats[function], ends);
}

void library_add_copy(struct library_content *c, struct library_place from, struct library_place to,
		     size_t bytes)
{
	vec_push(c->arena, &c->steps, (struct library_step){
		.doing = LIBRARY_COPY, .args = c->places.n, .nargs = 2, .bytes = bytes });
	vec_push(c->arena, &c->places, from);
	vec_push(c->arena, &c->places, to);
}

int library_add_flat(struct library_content *c, const struct flat *f, const struct stretch_ends *ends)
{
	if (ends->memory + f->memory.bytes > c->memory_bytes)
		c->memory_bytes = ends->memory + f->memory.bytes;
	for (int i = 0; i < f->steps.n; i++)
		if (add_step(c, f, &f->steps.at[i], ends) < 0)
			return -1;
	return 0;
}

struct library_stretch library_begin_stretch(const struct library_content *c, int function)
{
	return (struct library_stretch){ .function = function, .steps = c->steps.n };
}

void library_end_stretch(struct library_content *c, struct library_stretch s)
{
	s.nsteps = c->steps.n - s.steps;
	vec_push(c->arena, &c->stretches, s);
}

struct library_place library_given_place(struct library_content *c, int value)
{
	const struct binding *b = function_at(graph_main(c->graph), value);

	if (b->kind == BIND_PARAM)
		return (struct library_place){ LIBRARY_ARGUMENT, (size_t)value, 0 };
	return (struct library_place){
		LIBRARY_WEIGHT, library_weight(c, b->array->data, array_bytes(b->array)), 0 };
}

bool flat_is_whole(const struct flat *f)
{
	for (int i = 0; f && i < f->steps.n; i++)
		if (f->steps.at[i].kind == FLAT_INTERPRET)
			return false;
	return f != NULL;
}
