/* SPDX-License-Identifier: Apache-2.0 */
/* search/task.c - from a DAG to what the measuring side needs to know. */
#include "search/task.h"

#include "base/err.h"
#include "search/trust/reference.h"
#include "te/derive/fewer_products.h"
#include "te/error/error.h"
#include "te/text/text.h"

static const char *take(struct arena *a, struct text *t)
{
	const char *s = arena_strdup(a, text_str(t));

	text_free(t);
	return s;
}

/* The shapes of inputs and constants: 1x64x56x56, 64x64x3x3. */
static const char *shapes_text(struct arena *a, const struct dag *dag)
{
	struct text t = { 0 };

	for (int i = 0; i < dag->ops.n; i++) {
		const struct op *op = dag->ops.at[i];

		if (op->kind == OP_COMPUTE)
			continue;
		if (t.n)
			text_puts(&t, " ");
		for (int d = 0; d < op->tensor.ndim; d++)
			text_printf(&t, "%s%jd", d ? "x" : "", (intmax_t)op->tensor.shape[d]);
	}
	return take(a, &t);
}

struct task *task_new(struct arena *a, const struct dag *dag, const char *name, double weight)
{
	struct task *t = arena_one(a, struct task);
	struct text text = { 0 };

	t->dag = dag;
	hash_text(dag_key(dag), t->key);
	t->name = arena_strdup(a, name);
	dag_print(&text, dag);
	t->text = take(a, &text);
	t->flop = dag_flop(dag);
	t->weight = weight;
	t->op = arena_strndup(a, dag->name, strcspn(dag->name, ":"));
	t->shape = shapes_text(a, dag);
	return t;
}

struct load_chain {
	const struct dag *dag;
	const int64_t *length;	/* of the ops before */
	int64_t longest;
};

static bool follow_load(const struct expr *e, void *user)
{
	struct load_chain *c = user;

	for (int i = 0; e->kind == EXPR_LOAD && i < c->dag->ops.n; i++)
		if (&c->dag->ops.at[i]->tensor == e->tensor && c->length[i] > c->longest)
			c->longest = c->length[i];
	return true;
}

/* The longest chain of additions behind an element of OP; ops come after what they read. */
static int64_t reduction_length(const struct dag *dag, const struct op *op)
{
	struct arena *a = arena_new();
	int64_t *length = arena_many(a, int64_t, dag->ops.n);
	int64_t out = 1;

	for (int i = 0; i < dag->ops.n; i++) {
		const struct op *o = dag->ops.at[i];
		struct load_chain c = { .dag = dag, .length = length };

		length[i] = 1;
		for (int j = 0; j < o->nreduce; j++)
			length[i] *= o->reduce[j]->hi;
		if (o->kind == OP_COMPUTE)
			expr_visit(o->body, follow_load, &c);
		length[i] += c.longest;
		if (o == op)
			out = length[i];
	}
	arena_free(a);
	return out;
}

int task_reference(struct arena *a, const struct task *t, struct workload *w)
{
	struct domain *of = arena_many(a, struct domain, t->dag->ops.n);

	for (int set = 0; set < INPUT_SETS; set++) {
		const struct dag *d = reference_dag(a, t->dag, set, of);

		w->reference[set] = d ? reference_source(a, d) : NULL;
		if (!w->reference[set])
			return -1;
	}
	return 0;
}

void task_suspect(struct arena *a, const struct task *t)
{
	struct domain *of = arena_many(a, struct domain, t->dag->ops.n);
	const char *what, *message = arena_strdup(a, err_get());

	if (inputs_choose(a, t->dag, INPUTS_RANDOM, of, &what) > 0)
		err_set("%s (%s: maybe %s)", message, t->name, what);
}

/* What D's outputs may be off in all: only derived sums need more than bounds of elements. */
static double rms_most(const struct dag *d)
{
	for (int i = 0; i < d->ops.n; i++)
		if (d->ops.at[i]->kind == OP_COMPUTE && has_fewer_products(d->ops.at[i]))
			return ERROR_DERIVED_RMS;
	return 0;
}

struct workload task_workload(struct arena *a, const struct task *t, int threads,
			      enum cache_state cache, uint64_t seed)
{
	struct domain *of[INPUT_SETS];
	struct workload w = { .seed = seed, .reduction = 1, .threads = threads, .cache = cache,
			      .rms_most = rms_most(t->dag) };
	struct workload_arg *args = arena_many(a, struct workload_arg, t->dag->ops.n);

	for (int set = 0; set < INPUT_SETS; set++) {
		of[set] = arena_many(a, struct domain, t->dag->ops.n);
		inputs_choose(a, t->dag, set, of[set], NULL);
	}
	for (int pass = 0; pass < 2; pass++)	/* inputs, then outputs */
		for (int i = 0; i < t->dag->ops.n; i++) {
			const struct op *op = t->dag->ops.at[i];
			bool output = op->kind == OP_COMPUTE;

			if (output != (pass == 1) || (output && !op->output))
				continue;
			int64_t n = reduction_length(t->dag, op);

			w.reduction = n > w.reduction ? n : w.reduction;
			args[w.n_args++] = (struct workload_arg){
				.name = op->tensor.name,
				.dtype = op->tensor.dtype,
				.count = tensor_count(&op->tensor),
				.role = output ? ARG_OUTPUT
					       : op->kind == OP_CONST ? ARG_CONST : ARG_INPUT,
				.range = { of[INPUTS_RANDOM][i], of[INPUTS_EXACT][i] },
			};
		}
	w.args = args;
	return w;
}
