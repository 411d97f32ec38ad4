/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/flat/run.c - an instance of a list, and its runs. */
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "codegen/team.h"
#include "runtime/flat/flat.h"

struct flat_instance {
	const struct flat *flat;
	unsigned char *memory;
	void **args;	/* by place of the list; those that are open, of the latest run */
	/* By argument of the function, then by result. */
	void **given;	/* what stands for the caller's */
	void **copies;	/* that, where the caller's was not aligned once; else NULL */
	struct flat_time *times;	/* by thread and step; NULL: nobody wants to know */
};

/* A run on its way. */
struct flat_running {
	struct flat_instance *instance;
	struct interp *interp;	/* thread 0's */
	int from, to;		/* the steps that the team runs now */
	atomic_int failed;	/* the step that failed; NONE_FAILED */
};

enum { NONE_FAILED = INT_MAX };

static const struct function *function_of(const struct flat *f)
{
	return f->graph->functions.at[f->function];
}

/* NULL where the caller says it at each run. */
static void *address(const struct flat_instance *x, const struct flat_place *p)
{
	switch (p->at.room) {
	case LIVE_CONST:
		return (void *)(uintptr_t)p->constant;
	case LIVE_MEMORY:
		return x->memory + p->at.offset;
	case LIVE_PARAM:
	case LIVE_RESULT:
		break;
	}
	return NULL;
}

/* N zeroed pointers, for free(). */
static void **pointers(int n)
{
	void **p = calloc((size_t)n + 1, sizeof(*p));

	if (!p)
		die("out of memory");
	return p;
}

/* At least BYTES, for free(). NULL and a message: a model may ask for any number. */
static unsigned char *block(size_t bytes)
{
	size_t lines = bytes / CALLABLE_ALIGN + 1;
	unsigned char *p = aligned_alloc(CALLABLE_ALIGN, lines * CALLABLE_ALIGN);

	if (!p)
		err_set("no memory for the model's tensors (%zu bytes)", bytes);
	return p;
}

struct flat_instance *flat_instance_new(const struct flat *f)
{
	const struct function *function = function_of(f);
	int given = function->nparams + function->nresults;
	unsigned char *memory = block(f->memory.bytes);
	struct flat_instance *x = memory ? calloc(1, sizeof(*x)) : NULL;

	if (!memory)
		return NULL;
	if (!x)
		die("out of memory");
	*x = (struct flat_instance){ .flat = f, .memory = memory, .args = pointers(f->places.n),
				     .given = pointers(given), .copies = pointers(given) };
	for (int i = 0; i < f->places.n; i++)
		x->args[i] = address(x, &f->places.at[i]);
	return x;
}

void flat_instance_free(struct flat_instance *x)
{
	if (!x)
		return;
	const struct function *f = function_of(x->flat);

	for (int i = 0; i < f->nparams + f->nresults; i++)
		free(x->copies[i]);
	free(x->copies);
	free(x->given);
	free(x->args);
	free(x->memory);
	free(x->times);
	free(x);
}

/* --- a step */

/* The tensor of TYPE at DATA, which stays its owner's. */
static struct value value_around(struct arena *a, const struct type *type, const void *data)
{
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(type, dim);
	return value_of_array(array_around(a, type->element, type->rank, dim, data));
}

/* STEP's function of VALUES, by the interpreter, to OUT. */
static int interpret_values(struct interp *interp, const struct flat *f, const struct flat_step *step,
			    struct value *values, void *out)
{
	const struct binding *b = function_at(function_of(f), step->value);
	struct value result;

	if (interp_run(interp, b->function, values, b->nargs, &result) < 0)
		return -1;
	memcpy(out, result.array->data, array_bytes(result.array));
	value_release(result);
	return 0;
}

static int interpret(struct interp *interp, const struct flat *f, const struct flat_step *step,
		     void *const *args)
{
	const struct function *function = function_of(f);
	const struct binding *b = function_at(function, step->value);
	struct value *values = arena_many(interp->arena, struct value, b->nargs);

	for (int i = 0; i < b->nargs; i++)
		values[i] = value_around(interp->arena, function_at(function, b->args[i])->type,
					 args[i]);
	return interpret_values(interp, f, step, values, args[b->nargs]);
}

/* The same of a step that its generator failed at: constants are none of its places. */
static int interpret_foreign(struct interp *interp, const struct flat *f, const struct flat_step *step,
			     void *const *args)
{
	const struct function *function = function_of(f);
	const struct binding *b = function_at(function, step->value);
	struct value *values = arena_many(interp->arena, struct value, b->nargs);

	for (int i = 0; i < b->nargs; i++) {
		const struct array *c = function_const(function, b->args[i]);

		if (c)
			values[i] = value_of_array((struct array *)(uintptr_t)c);
	}
	for (int i = 0; i < foreign_ninputs(step->foreign); i++) {
		int arg = foreign_argument(step->foreign, i);

		values[arg] = value_around(interp->arena, function_at(function, b->args[arg])->type, args[i]);
	}
	return interpret_values(interp, f, step, values, args[step->nargs - 1]);
}

static void do_step(struct flat_running *r, struct team *t, int thread, int i)
{
	const struct flat_instance *x = r->instance;
	const struct flat_step *step = &x->flat->steps.at[i];
	void *const *args = &x->args[step->first];

	switch (step->kind) {
	case FLAT_KERNEL:
		callable_run(&step->site->choice->kernel.call, t, thread, args,
			     x->memory + step->workspace);
		break;
	case FLAT_FOREIGN:	/* between the team's runs */
		break;
	case FLAT_COPY:
		if (thread == 0)
			memcpy(args[1], args[0], step->bytes);
		break;
	case FLAT_INTERPRET:
		if (thread == 0 && interpret(r->interp, x->flat, step, args) < 0)
			atomic_store(&r->failed, i);
		break;
	}
}

/* All steps, together with the other threads. They wait for each other behind each, so that all see
 * whether it failed; where a step behind that one fails meanwhile, nobody stops too early. */
static void do_steps(struct team *t, int thread, void *user)
{
	struct flat_running *r = user;
	int n = r->instance->flat->steps.n;
	struct flat_time *times = r->instance->times;

	for (int i = r->from; i < r->to && atomic_load_explicit(&r->failed, memory_order_relaxed) >= i; i++) {
		struct flat_time *time = times ? &times[thread * n + i] : NULL;

		if (time)
			time->begin = clock_ns();
		do_step(r, t, thread, i);
		if (time)
			time->done = clock_ns();
		team_wait(t, thread);
		if (time)
			time->end = clock_ns();
	}
}

/* A generator's kernel has threads of its own, which are the team's where its library uses OpenMP: the
 * team ends before it and begins again behind it. */
static int do_foreign(struct flat_running *r, int i)
{
	const struct flat_instance *x = r->instance;
	const struct flat_step *step = &x->flat->steps.at[i];
	void *const *args = &x->args[step->first];
	struct flat_time *time = x->times ? &x->times[i] : NULL;

	if (time)
		time->begin = clock_ns();
	int rc = foreign_call(step->foreign, (const void *const *)args, args + step->nargs - 1);

	if (rc < 0 && foreign_falls_back(step->foreign))
		rc = interpret_foreign(r->interp, x->flat, step, args);
	if (time)
		time->end = time->done = clock_ns();
	return rc;
}

/* All steps: those between generators' kernels in one go. */
static int do_all(struct flat_running *r)
{
	const struct flat *f = r->instance->flat;

	while (r->from < f->steps.n) {
		r->to = r->from;
		while (r->to < f->steps.n && f->steps.at[r->to].kind != FLAT_FOREIGN)
			r->to++;
		if (r->from < r->to)
			team_run(f->threads, do_steps, r);
		if (r->failed != NONE_FAILED)
			return -1;
		if (r->to < f->steps.n && do_foreign(r, r->to) < 0)
			return -1;
		r->from = r->to + 1;
	}
	return 0;
}

/* --- what the caller brings */

static const struct type *type_of_given(const struct flat *f, int i)
{
	const struct function *function = function_of(f);

	return function_at(function, i < function->nparams
					     ? i : function->results[i - function->nparams])->type;
}

/* What stands for the caller's tensor I at P: itself where kernels can work on it. */
static void *stand_in(struct flat_instance *x, int i, const void *p)
{
	if ((uintptr_t)p % CALLABLE_ALIGN == 0)
		return (void *)(uintptr_t)p;
	if (!x->copies[i])
		x->copies[i] = kernel_buffer((size_t)type_bytes(type_of_given(x->flat, i)));
	return x->copies[i];
}

static void take_args(struct flat_instance *x, const void *const *args)
{
	for (int i = 0; i < function_of(x->flat)->nparams; i++) {
		x->given[i] = stand_in(x, i, args[i]);
		if (x->given[i] != args[i])
			memcpy(x->given[i], args[i], (size_t)type_bytes(type_of_given(x->flat, i)));
	}
}

static void take_results(struct flat_instance *x, void *const *results)
{
	int first = function_of(x->flat)->nparams;

	for (int i = 0; i < function_of(x->flat)->nresults; i++)
		x->given[first + i] = stand_in(x, first + i, results[i]);
}

static void give_results(const struct flat_instance *x, void *const *results)
{
	int first = function_of(x->flat)->nparams;

	for (int i = 0; i < function_of(x->flat)->nresults; i++)
		if (x->given[first + i] != results[i])
			memcpy(results[i], x->given[first + i],
			       (size_t)type_bytes(type_of_given(x->flat, first + i)));
}

/* Puts what stands for the caller's tensors where steps read and write them. */
static void open_places(struct flat_instance *x)
{
	const struct flat *f = x->flat;

	for (int i = 0; i < f->open.n; i++) {
		const struct live_place *p = &f->places.at[f->open.at[i]].at;
		int first = p->room == LIVE_PARAM ? 0 : function_of(f)->nparams;

		x->args[f->open.at[i]] = (char *)x->given[first + p->index] + p->offset;
	}
}

int flat_run(struct flat_instance *x, struct interp *interp, const void *const *args,
	     void *const *results)
{
	struct flat_running r = { .instance = x, .interp = interp, .failed = NONE_FAILED };

	take_args(x, args);
	take_results(x, results);
	open_places(x);
	if (do_all(&r) < 0)
		return -1;
	give_results(x, results);
	return 0;
}

const struct flat *flat_of(const struct flat_instance *x)
{
	return x->flat;
}

void flat_watch(struct flat_instance *x)
{
	if (x->times)
		return;
	x->times = calloc((size_t)(x->flat->steps.n * x->flat->threads) + 1, sizeof(*x->times));
	if (!x->times)
		die("out of memory");
}

struct flat_time flat_time(const struct flat_instance *x, int thread, int i)
{
	return x->times[thread * x->flat->steps.n + i];
}
