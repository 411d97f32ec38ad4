/* SPDX-License-Identifier: Apache-2.0 */
/* graph/eval/interp.c - runs functions binding by binding; what is not read any more is released. */
#include "graph/eval/interp.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/err.h"
#include "graph/eval/control.h"
#include "graph/eval/eval.h"
#include "graph/ir/infer.h"

/* An hour is more than any model takes that is not stuck; 1,000 calls fit the usual stack of 8 MB. */
const struct interp_limits interp_usual_limits = {
	.bytes = INT64_C(16) << 30, .seconds = 3600, .loop_seconds = 60, .depth = 1000 };

struct interp interp_begin(struct arena *a, const struct graph *g, struct interp_limits limits)
{
	return (struct interp){
		.graph = g,
		.arena = a,
		.lasting = a,
		.scratch = arena_new(),
		.limits = limits,
		.rng = rng_seed(0),
		.until = clock_s() + limits.seconds,
		.allowed = limits.seconds,
		.last_use = arena_many(a, int *, g ? g->functions.n : 0),
	};
}

void interp_end(struct interp *x)
{
	arena_free(x->scratch);
	x->scratch = NULL;
}

/* For each value of F the last binding that reads it; the number of bindings where it is a result, or
 * its own where nobody does. */
static const int *last_use(struct interp *x, int function)
{
	const struct function *f = x->graph->functions.at[function];
	int *last = x->last_use[function];

	if (last)
		return last;
	last = x->last_use[function] = arena_many(x->lasting, int, f->bindings.n);
	for (int i = 0; i < f->bindings.n; i++) {
		const struct binding *b = &f->bindings.at[i];

		last[i] = i;
		for (int j = 0; j < b->nargs; j++)
			if (b->args[j] >= 0)
				last[b->args[j]] = i;
	}
	for (int i = 0; i < f->nresults; i++)
		last[f->results[i]] = f->bindings.n;
	return last;
}

/* Where evaluation and type relation contradict each other, one of them is wrong. */
static int check_result(const struct interp *x, const struct binding *b, struct value v)
{
	const struct type *t = value_type(x->scratch, v);
	const struct type *wanted_type = b->type->kind == TYPE_OPTIONAL ? b->type->field[0] : b->type;

	if (v.kind == VALUE_EMPTY || type_fits(t, wanted_type))
		return 0;
	return err_set("%s gave %s where %s was expected (the model declares another type, or this "
		       "is a fault of hone)", b->op->name, type_string(x->scratch, t),
		       type_string(x->scratch, b->type));
}

/* A result without elements is not computed: its other extents may be beyond any loop or scratch. */
static int give_nothing(const struct binding *b, struct value *result)
{
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(b->type, dim);
	struct array *y = array_new(b->type->element, b->type->rank, dim);

	if (!y)
		return -1;
	*result = value_of_array(y);
	return 0;
}

static int run_call(struct interp *x, const struct binding *b, const struct value *args,
		    struct value *result)
{
	if (type_count(b->type) == 0)
		return give_nothing(b, result);
	bool tuple = b->type->kind == TYPE_TUPLE;
	int n = tuple ? b->type->nfields : 1;
	struct value *results = values_new(n);
	struct eval e = { .interp = x, .call = b, .args = args, .results = results, .nresults = n };

	x->computing++;
	int rc = b->op->eval(&e);

	x->computing--;
	if (rc < 0)
		values_release(results, n);
	else
		*result = tuple ? value_of_items(VALUE_TUPLE, n, results) : results[0];
	free(results);
	if (rc == 0 && check_result(x, b, *result) < 0) {
		value_release(*result);
		*result = value_empty();
		rc = -1;
	}
	if (!x->computing)
		arena_reset(x->scratch);
	return rc;
}

/* FUNCTION of FIRST[0..nfirst) and then REST[0..nrest), which keep their holders. */
static int call_function(struct interp *x, int function, int nfirst, const struct value *first,
			 int nrest, const struct value *rest, struct value *result)
{
	struct value *all = values_new(nfirst + nrest);

	for (int i = 0; i < nfirst; i++)
		all[i] = value_hold(first[i]);
	for (int i = 0; i < nrest; i++)
		all[nfirst + i] = value_hold(rest[i]);
	int rc = interp_run(x, function, all, nfirst + nrest, result);

	free(all);
	return rc;
}

static int run_apply(struct interp *x, const struct binding *b, const struct value *args,
		     struct value *result)
{
	if (b->function != FUNCTION_NONE)
		return call_function(x, b->function, 0, NULL, b->nargs, args, result);
	if (args[0].kind != VALUE_CLOSURE)
		return err_set("an application of what is no function");
	return call_function(x, args[0].function, args[0].items->n, args[0].items->at,
			     b->nargs - 1, args + 1, result);
}

static int run_field(const struct binding *b, const struct value *args, struct value *result)
{
	if (args[0].kind != VALUE_TUPLE || b->field >= args[0].items->n)
		return err_set("field %d of what is no such tuple", b->field);
	*result = value_hold(args[0].items->at[b->field]);
	return 0;
}

/* A tuple, or a closure, of N values that keep their holders. */
static struct value gather(const struct binding *b, const struct value *args)
{
	struct value *held = values_held(args, b->nargs);
	struct value v = b->kind == BIND_TUPLE ? value_of_items(VALUE_TUPLE, b->nargs, held)
					       : value_closure(b->function, b->nargs, held);

	free(held);
	return v;
}

int interp_binding(struct interp *x, const struct binding *b, const struct value *args,
		   struct value *result)
{
	switch (b->kind) {
	case BIND_PARAM:
		break;
	case BIND_CONST:
		*result = value_of_array(array_hold(array_aligned(b->array)));
		return result->array ? 0 : -1;
	case BIND_CALL:
		return run_call(x, b, args, result);
	case BIND_FIELD:
		return run_field(b, args, result);
	case BIND_TUPLE:
	case BIND_CLOSURE:
		*result = gather(b, args);
		return 0;
	case BIND_APPLY:
		return run_apply(x, b, args, result);
	case BIND_IF:
		return control_if(x, b, args, result);
	case BIND_LOOP:
		return control_loop(x, b, args, result);
	}
	die("a binding that is never computed");
}

/* Of calls within calls the innermost tell where a run failed. */
enum { MAX_PLACES = 6 };

/* The place of B in front of the message: its node in the model, or its function and value. */
static int explain(struct interp *x, const struct function *f, const struct binding *b)
{
	if (x->places++ >= MAX_PLACES)
		return -1;
	if (*b->origin->label)
		return err_prefix("node '%.200s'", b->origin->label);
	return err_prefix("%s: value %%%d", f->name, (int)(b - f->bindings.at));
}

static bool types_are_known(const struct function *f, const struct binding *b)
{
	for (int i = 0; i < b->nargs; i++)
		if (b->args[i] >= 0 && !type_is_static(f->bindings.at[b->args[i]].type))
			return false;
	return true;
}

/* What the type relation could not say when the graph was made: whether operands of the types that
 * have come of it can be. */
static int check_operands(struct interp *x, const struct binding *b, const struct value *args)
{
	struct function f = { .name = "" };
	struct binding call = *b;
	int *place = arena_many(x->scratch, int, b->nargs);

	for (int i = 0; i < b->nargs; i++) {
		const struct type *type = value_type(x->scratch, args[i]);
		bool array = args[i].kind == VALUE_ARRAY;
		bool none = args[i].kind == VALUE_EMPTY;

		if (args[i].kind == VALUE_CLOSURE || (none && i < b->op->min_args))
			return err_set("%s: operand %d is %s", b->op->name, i,
				       none ? "empty" : "a function");
		if (!core_op_takes(b->op, i, type))
			return err_set("%s: operand %d is %s, no tensor", b->op->name, i,
				       type_string(x->scratch, type));
		place[i] = none ? VALUE_NONE : i;
		vec_push(x->scratch, &f.bindings,
			 (struct binding){ .kind = array ? BIND_CONST : BIND_PARAM,
					   .type = type,
					   .array = array ? args[i].array : NULL });
	}
	call.args = place;
	return b->op->type(&(struct infer){ x->scratch, &f, &call, &type_unknown });
}

/* An operand that is a tensor by its type may have been left out by who called the function. */
static int check_present(const struct function *f, const struct binding *b,
			 const struct value *args)
{
	for (int i = 0; i < b->nargs && i < b->op->min_args; i++)
		if (args[i].kind != VALUE_ARRAY && type_is_tensor(function_at(f, b->args[i])->type))
			return err_set("%s: operand %d was left out", b->op->name, i);
	return 0;
}

/* Computes value I of F; what it was the last to read is released. ARGS has room for its operands. */
static int step(struct interp *x, int function, struct value *slots, const int *last, int i,
		struct value *args)
{
	const struct function *f = x->graph->functions.at[function];
	const struct binding *b = &f->bindings.at[i];
	double begin = x->watch.done ? clock_s() : 0;

	for (int j = 0; j < b->nargs; j++)
		args[j] = b->args[j] < 0 ? value_empty() : slots[b->args[j]];
	if (b->kind == BIND_CALL && check_present(f, b, args) < 0)
		return -1;
	if (b->kind == BIND_CALL && !types_are_known(f, b) && check_operands(x, b, args) < 0)
		return -1;
	if (interp_binding(x, b, args, &slots[i]) < 0)
		return -1;
	if (x->watch.done)
		x->watch.done(x->watch.user, function, b, clock_s() - begin);
	for (int j = 0; j < b->nargs; j++) {
		int read = b->args[j];

		if (read >= 0 && last[read] == i) {
			value_release(slots[read]);
			slots[read] = value_empty();	/* it may be an operand twice */
		}
	}
	if (last[i] == i) {
		value_release(slots[i]);
		slots[i] = value_empty();
	}
	return 0;
}

/* Reading the clock costs more than a small operator; so often is often enough. */
enum { CLOCK_EVERY = 64 };

static int run_body(struct interp *x, int function, struct value *slots, struct value *args)
{
	const struct function *f = x->graph->functions.at[function];
	const int *last = last_use(x, function);

	for (int i = f->nparams; i < f->bindings.n; i++) {
		if (i % CLOCK_EVERY == 0 && interp_clock(x) < 0)
			return -1;
		if (step(x, function, slots, last, i, args) < 0)
			return explain(x, f, &f->bindings.at[i]);
	}
	return 0;
}

static struct value take_results(const struct function *f, const struct value *slots)
{
	if (f->nresults == 1)
		return value_hold(slots[f->results[0]]);
	struct value *results = values_new(f->nresults);

	for (int i = 0; i < f->nresults; i++)
		results[i] = value_hold(slots[f->results[i]]);
	struct value v = value_of_items(VALUE_TUPLE, f->nresults, results);

	free(results);
	return v;
}

static int most_args(const struct function *f)
{
	int most = 0;

	for (int i = 0; i < f->bindings.n; i++)
		most = f->bindings.at[i].nargs > most ? f->bindings.at[i].nargs : most;
	return most;
}

static int run_function(struct interp *x, int function, const struct value *args, int nargs,
			struct value *result)
{
	const struct function *f = x->graph->functions.at[function];
	struct value *slots = values_new(f->bindings.n);
	struct value *operands = values_new(most_args(f));

	if (nargs)
		memcpy(slots, args, (size_t)nargs * sizeof(*args));
	int rc = run_body(x, function, slots, operands);

	if (rc == 0)
		*result = take_results(f, slots);
	values_release(slots, f->bindings.n);
	free(slots);
	free(operands);
	return rc;
}

/* Can V be what a parameter of type T stands for? Anything may be left out; the items of a sequence
 * are checked where they are taken out of it. */
static bool is_of(struct value v, const struct type *t)
{
	const struct array *array = v.array;

	if (t->kind == TYPE_UNKNOWN || t->kind == TYPE_OPTIONAL || v.kind == VALUE_EMPTY)
		return true;
	if (t->kind == TYPE_FUNCTION || t->kind == TYPE_SEQUENCE)
		return v.kind == (t->kind == TYPE_FUNCTION ? VALUE_CLOSURE : VALUE_SEQUENCE);
	if (t->kind == TYPE_TUPLE) {
		bool fits = v.kind == VALUE_TUPLE && v.items->n == t->nfields;

		for (int i = 0; fits && i < t->nfields; i++)
			fits = is_of(v.items->at[i], t->field[i]);
		return fits;
	}
	if (v.kind != VALUE_ARRAY || (t->element != ELEMENT_COUNT && array->element != t->element))
		return false;
	for (int i = 0; i < t->rank; i++)
		if (array->rank != t->rank || (t->dim[i].n >= 0 && array->dim[i] != t->dim[i].n))
			return false;
	return t->rank != 0 || array->rank == 0;
}

static int check_arguments(const struct function *f, const struct value *args)
{
	for (int i = 0; i < f->nparams; i++)
		if (!is_of(args[i], f->bindings.at[i].type))
			return err_set("%s: argument %d is not of the parameter's type", f->name, i);
	return 0;
}

int interp_run(struct interp *x, int function, struct value *args, int nargs,
	       struct value *result)
{
	const struct function *f = x->graph->functions.at[function];
	int rc = 0;

	if (x->depth == 0)
		x->places = 0;
	if (nargs != f->nparams)
		rc = err_set("%s: %d arguments for %d parameters", f->name, nargs, f->nparams);
	else if (x->depth >= x->limits.depth)
		rc = err_set("%s: calls nested deeper than %d", f->name, x->limits.depth);
	else if (interp_clock(x) < 0 || check_arguments(f, args) < 0)
		rc = -1;
	else if (x->kernels.apply)
		rc = x->kernels.apply(x->kernels.user, x, function, args, nargs, result);
	if (rc != 0) {	/* done, or failed: the arguments are not handed on */
		values_release(args, nargs);
		return rc < 0 ? -1 : 0;
	}
	x->depth++;
	rc = run_function(x, function, args, nargs, result);
	x->depth--;
	return rc;
}
