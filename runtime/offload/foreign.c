/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/foreign.c - from arrays to the pointers that a generator takes. */
#include "runtime/offload/foreign.h"

#include <pthread.h>
#include <stdio.h>

#include "base/err.h"
#include "partition/region_source.h"
#include "partition/view.h"

struct foreign {
	const struct backend *backend;
	const struct function *function;
	const struct region_view *view;
	const struct kernel_region *kernel;	/* NULL: a region of any size */
	void *handle;
	int threads;
	struct text artifact;
	const void **inputs;
	void **outputs;
	int *result_of;		/* by output, which result of the function it is */
	pthread_mutex_t turn;
	bool falls_back;
	int failures;		/* so far, where it does */
	char why[HONE_WHY_BYTES + 128];	/* of the first */
};

static int failed(const struct backend *b, const struct function *f, char *why)
{
	why[HONE_WHY_BYTES - 1] = 0;
	return err_set("%s: generator %s: %s", f->name, b->generator->name,
		       *why ? why : "failed, and does not say why");
}

static void append(void *sink, const void *bytes, size_t n)
{
	text_putn(sink, bytes, n);
}

/* Has the generator compile the region of X. */
static int compile(struct foreign *x)
{
	const struct hone_generator *g = x->backend->generator;
	char why[HONE_WHY_BYTES] = "";

	return !g->compile || g->compile(&x->view->region, append, &x->artifact, why) == 0
		       ? 0 : failed(x->backend, x->function, why);
}

/* Makes the region of X ready, of an ARTIFACT of BYTES. */
static int init(struct foreign *x, const void *artifact, size_t bytes)
{
	char why[HONE_WHY_BYTES] = "";

	return x->backend->generator->init(&x->view->region, artifact, bytes, x->threads, &x->handle, why) == 0
		       ? 0 : failed(x->backend, x->function, why);
}

static int prepare(struct foreign *x, const struct foreign_past *past)
{
	if (past && !hash_equal(past->hash, foreign_hash(x)))
		return err_set("%s: generator %s was given another region", x->function->name,
			       x->backend->generator->name);
	if (past)
		return init(x, past->artifact, past->bytes);
	return compile(x) < 0 ? -1 : init(x, x->artifact.s, x->artifact.n);
}

static void done(void *data)
{
	struct foreign *x = data;

	x->backend->generator->release(x->handle);
	text_free(&x->artifact);
	pthread_mutex_destroy(&x->turn);
}

static int result_index(const struct function *f, int value)
{
	int i = 0;

	while (f->results[i] != value)
		i++;
	return i;
}

/* F, which VIEW is of, made ready. */
static struct foreign *make(struct arena *a, const struct function *f, const struct region_view *view,
			    const struct backend *backend, int threads, const struct foreign_past *past)
{
	struct foreign *x = arena_one(a, struct foreign);

	*x = (struct foreign){ .backend = backend, .function = f, .view = view, .threads = threads };
	if (prepare(x, past) < 0) {
		text_free(&x->artifact);
		return NULL;
	}
	pthread_mutex_init(&x->turn, NULL);
	arena_defer(a, done, x);
	return x;
}

struct foreign *foreign_kernel(struct arena *a, const struct kernel_region *r, const struct backend *backend,
			       int threads, const struct foreign_past *past)
{
	struct foreign *x = make(a, r->function, r->view, backend, threads, past);

	if (x)
		x->kernel = r;
	return x;
}

struct foreign *foreign_new(struct arena *a, const struct graph *g, int function,
			    const struct backend *backend, int threads, const struct foreign_past *past)
{
	const struct function *f = g->functions.at[function];
	const struct flow flow = flow_new(a, f);
	const struct value_vec calls = function_calls(a, f);
	const struct region_view *view = region_view_new(a, &flow, region_view_room(a, f), &calls, NULL);
	struct foreign *x = view ? make(a, f, view, backend, threads, past) : NULL;

	if (!view)
		err_set("%s: its shapes are not known", f->name);
	if (!x)
		return NULL;
	x->inputs = arena_many(a, const void *, x->view->inputs.n);
	x->outputs = arena_many(a, void *, x->view->outputs.n);
	x->result_of = arena_many(a, int, x->view->outputs.n);
	for (int i = 0; i < x->view->outputs.n; i++)
		x->result_of[i] = result_index(f, x->view->outputs.at[i]);
	return x;
}

const struct backend *foreign_backend(const struct foreign *x)
{
	return x->backend;
}

struct hone_cost foreign_cost(const struct foreign *x)
{
	return backend_cost(x->backend, &x->view->region, x->threads);
}

double foreign_told_us(const struct foreign *x)
{
	return cost_us(foreign_cost(x));
}

const struct hone_region *foreign_region(const struct foreign *x)
{
	return &x->view->region;
}

struct hash128 foreign_hash(const struct foreign *x)
{
	struct text text = { 0 };

	region_source(&text, foreign_region(x), 0, NULL, NULL);
	struct hash128 hash = hash_bytes(text_str(&text), text.n);

	text_free(&text);
	return hash;
}

const struct text *foreign_artifact(const struct foreign *x)
{
	return &x->artifact;
}

void foreign_forget(struct foreign *x)
{
	text_free(&x->artifact);
}

const char *foreign_name(const struct foreign *x)
{
	return x->function->name;
}

int foreign_parameter(const struct foreign *x, int i)
{
	return x->view->inputs.at[i];
}

int foreign_result(const struct foreign *x, int i)
{
	return x->result_of[i];
}

int foreign_ninputs(const struct foreign *x)
{
	return x->view->inputs.n;
}

int foreign_argument(const struct foreign *x, int i)
{
	return x->kernel->argument[foreign_parameter(x, i)];
}

/* X's turn is the caller's. */
static int call(struct foreign *x, const void *const *inputs, void *const *outputs)
{
	char why[HONE_WHY_BYTES] = "";

	if (x->backend->generator->run(x->handle, inputs, outputs, why) == 0)
		return 0;
	failed(x->backend, x->function, why);
	if (x->falls_back && x->failures++ == 0)
		snprintf(x->why, sizeof(x->why), "%s", err_get());
	return -1;
}

void foreign_fall_back(struct foreign *x)
{
	x->falls_back = true;
}

bool foreign_falls_back(const struct foreign *x)
{
	return x->falls_back;
}

int foreign_failures(const struct foreign *x, const char **why)
{
	*why = x->why;
	return x->failures;
}

int foreign_call(struct foreign *x, const void *const *inputs, void *const *outputs)
{
	pthread_mutex_lock(&x->turn);
	int rc = call(x, inputs, outputs);

	pthread_mutex_unlock(&x->turn);
	return rc;
}

/* Is ARG what parameter P of the region says? */
static int check_argument(const struct foreign *x, int p, struct value arg)
{
	const struct binding *param = function_at(x->function, p);
	int64_t dim[GRAPH_MAX_RANK];
	const struct array *y = arg.kind == VALUE_ARRAY ? arg.array : NULL;

	type_shape(param->type, dim);
	if (!y || y->element != param->type->element || y->rank != param->type->rank ||
	    memcmp(y->dim, dim, (size_t)y->rank * sizeof(*dim)) != 0)
		return err_set("%s: argument %d is not of the type that generator %s was given",
			       x->function->name, p, x->backend->generator->name);
	return 0;
}

int foreign_run(struct foreign *x, const struct value *args, struct value *results)
{
	for (int i = 0; i < x->function->nparams; i++)
		if (check_argument(x, i, args[i]) < 0)
			return -1;
	pthread_mutex_lock(&x->turn);
	for (int i = 0; i < x->view->inputs.n; i++)
		x->inputs[i] = args[x->view->inputs.at[i]].array->data;
	for (int i = 0; i < x->view->outputs.n; i++)
		x->outputs[i] = results[x->result_of[i]].array->data;
	int rc = call(x, x->inputs, x->outputs);

	pthread_mutex_unlock(&x->turn);
	return rc;
}
