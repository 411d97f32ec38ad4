/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/site.c - packs weights, and hands arguments to kernels. */
#include "runtime/site.h"

#include <stdlib.h>

#include "base/err.h"
#include "te/eval.h"

static bool is_aligned(const void *p)
{
	return (uintptr_t)p % CALLABLE_ALIGN == 0;
}

static const void *ready_weight(const struct kernel_site *s, int arg, const void *raw)
{
	for (const struct site_weight *w = s->weights[arg]; w; w = w->next)
		if (w->raw == raw)
			return w->ready;
	return NULL;
}

/* X as buffer ARG of S's kernel reads it, where that is not as it lies. */
static size_t prepare(struct arena *a, struct kernel_site *s, int arg, const struct array *x)
{
	const struct kernel *k = &s->choice->kernel;
	size_t bytes = k->call.packed_bytes(arg);
	struct site_weight *w;
	void *ready;

	if ((!bytes && is_aligned(x->data)) || ready_weight(s, arg, x->data))
		return 0;
	if (bytes) {
		ready = kernel_packed(k, arg, x->data);
	} else {
		bytes = array_bytes(x);
		ready = memcpy(kernel_buffer(bytes), x->data, bytes);
	}
	w = arena_one(a, struct site_weight);
	*w = (struct site_weight){ x->data, ready, s->weights[arg] };
	s->weights[arg] = w;
	return bytes;
}

/* Where among the arguments of the application B the value is. */
static int param_of(const struct binding *b, int value)
{
	for (int i = 0; i < b->nargs; i++)
		if (b->args[i] == value)
			return i;
	return -1;
}

/* The parameters that the inputs of T's kernel come from at USE; NULL where one is from nowhere. */
static int *params_at(struct arena *a, const struct model_use *use, const struct binding *apply)
{
	int *param = arena_many(a, int, use->inputs.n + 1);

	for (int i = 0; i < use->inputs.n; i++) {
		param[i] = param_of(apply, use->inputs.at[i]);
		if (param[i] < 0)
			return NULL;
	}
	return param;
}

static bool same_params(const struct kernel_site *s, const int *param)
{
	return memcmp(s->param, param, (size_t)(s->nargs - 1) * sizeof(*param)) == 0;
}

static size_t add_use(struct arena *a, struct kernel_site *sites, const struct graph *g,
		      const struct model_use *use, int task, const struct model_task *t,
		      const struct choice *choice)
{
	const struct function *f = g->functions.at[use->function];
	const struct binding *apply = function_at(f, use->value);
	struct kernel_site *s = &sites[apply->function];
	int *param = params_at(a, use, apply);
	size_t bytes = 0;

	if (s->task < 0 && param) {
		*s = (struct kernel_site){ .task = task, .choice = choice, .nargs = use->inputs.n + 1, .param = param };
		s->weights = arena_many(a, struct site_weight *, s->nargs);
		s->ops = arena_many(a, const struct op *, s->nargs);
		for (int i = 0; i < s->nargs; i++)
			s->ops[i] = dag_arg_op(t->dag, i);
	} else if (s->task != task || !param || !same_params(s, param)) {
		s->choice = NULL;	/* no kernel stands for both */
	}
	for (int i = 0; s->choice && i < use->inputs.n; i++) {
		const struct array *x = function_const(f, use->inputs.at[i]);

		if (x && s->ops[i]->kind == OP_CONST)
			bytes += prepare(a, s, i, x);
	}
	return bytes;
}

struct kernel_site *sites_new(struct arena *a, const struct graph *g, const struct model_task_vec *tasks,
		       const struct choice *choices, size_t *bytes)
{
	struct kernel_site *sites = arena_many(a, struct kernel_site, g->functions.n);

	for (int i = 0; i < g->functions.n; i++)
		sites[i].task = -1;
	*bytes = 0;
	for (int i = 0; i < tasks->n; i++) {
		const struct model_task *t = &tasks->at[i];

		for (int j = 0; t->dag && choices[i].origin != CHOICE_NONE && j < t->uses.n; j++)
			*bytes += add_use(a, sites, g, &t->uses.at[j], i, t, &choices[i]);
	}
	return sites;
}

void sites_free(struct kernel_site *sites, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; sites[i].weights && j < sites[i].nargs; j++)
			for (struct site_weight *w = sites[i].weights[j]; w; w = w->next)
				free(w->ready);
}

/* An array as buffer ARG of S wants it; *COPY is to be freed. NULL where it is of another type or
 * size, or a weight that was never packed. */
static const void *buffer_of(const struct kernel_site *s, int arg, struct value v, void **copy)
{
	const struct tensor *t = &s->ops[arg]->tensor;
	const struct array *x = v.kind == VALUE_ARRAY ? v.array : NULL;

	if (!x || element_dtype(x->element) != t->dtype || x->count != tensor_count(t))
		return NULL;
	const void *ready = ready_weight(s, arg, x->data);

	if (ready || s->choice->kernel.call.packed_bytes(arg))
		return ready;
	if (is_aligned(x->data))
		return x->data;
	*copy = memcpy(kernel_buffer(array_bytes(x)), x->data, array_bytes(x));
	return *copy;
}

static int run_kernel(const struct kernel_site *s, void **buffers, void *workspace,
		      const struct type *type, struct value *result)
{
	int64_t dim[GRAPH_MAX_RANK];

	type_shape(type, dim);
	struct array *out = array_new(type->element, type->rank, dim);

	if (!out)
		return -1;
	buffers[s->nargs - 1] = out->data;
	kernel_run(&s->choice->kernel, buffers, workspace);
	*result = value_of_array(out);
	return 1;
}

int site_run(const struct kernel_site *s, const struct type *type, const struct value *args,
	     void *workspace, struct value *result)
{
	void *buffers[WORKLOAD_ARGS];
	void *copies[WORKLOAD_ARGS] = { NULL };
	int rc = 1;

	for (int i = 0; i < s->nargs - 1 && rc > 0; i++) {
		buffers[i] = (void *)(uintptr_t)buffer_of(s, i, args[s->param[i]], &copies[i]);
		rc = buffers[i] != NULL;
	}
	if (rc > 0)
		rc = run_kernel(s, buffers, workspace, type, result);
	for (int i = 0; i < s->nargs - 1; i++)
		free(copies[i]);
	return rc;
}
