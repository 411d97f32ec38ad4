/* SPDX-License-Identifier: Apache-2.0 */
/* graph/eval/control.c - branches and loops: what the body of BIND_LOOP is, graph/ir/ir.h says. */
#include "graph/eval/control.h"

#include <stdlib.h>

#include "base/err.h"

static bool is_number(struct value v)
{
	return v.kind == VALUE_ARRAY && v.array->count == 1 && v.array->element != ELEMENT_STRING;
}

static bool is_true(struct value v)
{
	return is_number(v) && array_int(v.array, 0) != 0;
}

int control_if(struct interp *x, const struct binding *b, const struct value *args,
	       struct value *result)
{
	if (!is_number(args[0]))
		return err_set("a condition that is not one number");
	struct value *held = values_held(args + 1, b->nargs - 1);
	int rc = interp_run(x, is_true(args[0]) ? b->function : b->otherwise, held, b->nargs - 1,
			    result);

	free(held);
	return rc;
}

/* The values that one scan has collected. */
struct scan_values {
	struct value *at;
	int n, cap;
};

struct loop {
	struct interp *x;
	const struct binding *b;
	struct value *state;	/* b->nstate */
	struct scan_values *scans;
	int nscans;
	bool go_on;
};

static void collect(struct scan_values *s, struct value v)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 16;
		s->at = realloc(s->at, (size_t)s->cap * sizeof(*s->at));
		if (!s->at)
			die("out of memory");
	}
	s->at[s->n++] = v;
}

static int iterate(struct loop *l, const struct value *args, int64_t iteration)
{
	const struct binding *b = l->b;
	int extra = b->nargs - 2 - b->nstate;
	struct array *counter = array_new(ELEMENT_I64, 0, NULL);
	struct value out;

	if (!counter)
		return -1;
	struct value *all = values_new(1 + b->nstate + extra);

	*(int64_t *)counter->data = iteration;
	all[0] = value_of_array(counter);
	for (int i = 0; i < b->nstate; i++) {
		all[1 + i] = l->state[i];	/* handed on */
		l->state[i] = value_empty();
	}
	for (int i = 0; i < extra; i++)
		all[1 + b->nstate + i] = value_hold(args[2 + b->nstate + i]);
	int rc = interp_run(l->x, b->function, all, 1 + b->nstate + extra, &out);

	free(all);
	if (rc < 0)
		return err_prefix("iteration %lld", (long long)iteration);
	struct value single[1] = { out };
	struct value *results = out.kind == VALUE_TUPLE ? out.items->at : single;

	l->go_on = is_true(results[0]);
	for (int i = 0; i < b->nstate; i++)
		l->state[i] = value_hold(results[1 + i]);
	for (int i = 0; i < l->nscans; i++)
		collect(&l->scans[i], value_hold(results[1 + b->nstate + i]));
	value_release(out);
	return 0;
}

/* The values of scan I along a new first dim; where there are none, dims that are not known are 0. */
static int stack(const struct loop *l, int i, struct value *result)
{
	const struct scan_values *s = &l->scans[i];
	const struct type *t = l->b->type->field[l->b->nstate + i];
	const struct array *first = s->n ? s->at[0].array : NULL;
	int64_t dim[GRAPH_MAX_RANK] = { s->n };
	int rank = first ? first->rank + 1 : type_is_ranked(t) ? t->rank : 1;

	if (rank > GRAPH_MAX_RANK)
		return err_set("a scan of rank %d (at most %d)", rank, GRAPH_MAX_RANK);
	for (int d = 1; d < rank; d++)
		dim[d] = first ? first->dim[d - 1] : t->dim[d].n > 0 ? t->dim[d].n : 0;
	enum element e = first ? first->element
			       : t->element == ELEMENT_COUNT ? ELEMENT_F32 : t->element;
	struct array *out = array_new(e, rank, dim);

	if (!out)
		return -1;
	*result = value_of_array(out);
	for (int j = 0; j < s->n; j++) {
		const struct array *v = s->at[j].array;

		if (s->at[j].kind != VALUE_ARRAY || !array_same_shape(v, first) ||
		    v->element != first->element)
			return err_set("a scan of values that differ in type or shape");
		memcpy((char *)out->data + (size_t)j * array_bytes(v), v->data, array_bytes(v));
	}
	return 0;
}

static int finish(struct loop *l, struct value *result)
{
	int n = l->b->nstate + l->nscans;
	struct value *out = values_new(n);
	int rc = 0;

	for (int i = 0; i < l->nscans && rc == 0; i++)
		rc = stack(l, i, &out[l->b->nstate + i]);
	for (int i = 0; i < l->b->nstate; i++) {
		out[i] = l->state[i];
		l->state[i] = value_empty();
	}
	if (rc < 0)
		values_release(out, n);
	else
		*result = value_of_items(VALUE_TUPLE, n, out);
	free(out);
	return rc;
}

int control_loop(struct interp *x, const struct binding *b, const struct value *args,
		 struct value *result)
{
	int nscans = x->graph->functions.at[b->function]->nresults - 1 - b->nstate;
	int64_t most = INT64_MAX;

	if (is_number(args[0]))
		most = array_int(args[0].array, 0);
	else if (args[0].kind != VALUE_EMPTY)
		return err_set("a number of iterations that is not one number");
	struct loop l = { x, b, values_held(args + 2, b->nstate),
			  calloc((size_t)nscans + 1, sizeof(*l.scans)), nscans,
			  args[1].kind == VALUE_EMPTY || is_true(args[1]) };
	struct interp_time before = interp_hurry(x, x->limits.loop_seconds > 0
							    ? x->limits.loop_seconds
							    : x->limits.seconds);
	int rc = 0;

	if (!l.scans)
		die("out of memory");
	for (int64_t i = 0; i < most && l.go_on && rc == 0; i++)
		rc = iterate(&l, args, i);
	interp_relax(x, before);
	if (rc == 0)
		rc = finish(&l, result);
	values_release(l.state, b->nstate);
	free(l.state);
	for (int i = 0; i < nscans; i++) {
		values_release(l.scans[i].at, l.scans[i].n);
		free(l.scans[i].at);
	}
	free(l.scans);
	return rc;
}
