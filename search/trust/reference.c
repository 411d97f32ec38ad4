/* SPDX-License-Identifier: Apache-2.0 */
/* search/trust/reference.c - the reference DAG as C text, and references in this process. */
#include "search/trust/reference.h"

#include <dlfcn.h>
#include <stdint.h>

#include "base/err.h"
#include "base/integer.h"
#include "codegen/team.h"
#include "measure/runner/fill.h"
#include "search/trust/spot_check.h"
#include "search/kernel_text.h"
#include "te/eval.h"

/* Of a reduction, between two looks at its sum in memory. */
enum { TERMS_AT_ONCE = 4 };

struct reference {
	const struct dag *dag;
	int n_inputs, n_args;
	const struct op *op[WORKLOAD_ARGS];	/* by argument */
	struct {
		void *data[WORKLOAD_ARGS];	/* inputs, and what outputs should be */
		void *bound[WORKLOAD_ARGS];	/* of outputs */
	} set[INPUT_SETS];
};

/* The longest of OP's reduce axes, as an iter of its stage. */
static int longest_reduce(const struct op *op)
{
	int longest = 0;

	for (int i = 1; i < op->nreduce; i++)
		if (op->reduce[i]->hi > op->reduce[longest]->hi)
			longest = i;
	return op->tensor.ndim + longest;
}

static void must(struct state *s, struct step step)
{
	const char *why = "";

	if (!state_apply(s, step, &why))
		die("%s: the reference's loops: %s", s->dag->name, why);
}

/* A reference takes seconds rather than minutes: the last space axis comes innermost, where the
 * compiler finds lanes by itself, but for a few terms of the longest reduction, which are summed
 * before they are stored (matmul 1024: a third less time). */
static void order_loops(struct state *s, int stage)
{
	const struct op *op = &s->stages.at[stage]->op;
	int n = op->tensor.ndim + op->nreduce, last = op->tensor.ndim - 1;

	if (last < 0 || !op_is_reduction(op) || n + 1 > STEP_MAX_ITERS)
		return;
	int at = longest_reduce(op);
	bool split = op->reduce[at - op->tensor.ndim]->hi >= 2 * TERMS_AT_ONCE;
	struct step order = step_reorder(stage, NULL, 0);

	if (split)	/* its halves are iters n and n + 1 */
		must(s, step_split(stage, at, TERMS_AT_ONCE));
	for (int i = 0; i < n; i++)
		if (i != last)
			step_push(&order, split && i == at ? n : i);
	step_push(&order, last);
	if (split)
		step_push(&order, n + 1);
	must(s, order);
	if (split)
		must(s, (struct step){ .kind = STEP_UNROLL, .stage = stage, .iter = n + 1 });
}

const char *reference_source(struct arena *a, const struct dag *reference)
{
	struct state *s = state_new(a, reference);
	const char *why = "";

	for (int i = 0; i < s->stages.n; i++)
		if (stage_computes(s->stages.at[i]))
			order_loops(s, i);
	const char *source = state_source(a, s, &target_generic, &why);

	if (!source)
		err_set("%s: its reference cannot be written: %s; cut it into smaller "
			"tasks", reference->name, why);
	return source;
}

struct dag *reference_dag(struct arena *a, const struct dag *d, enum input_set set,
			  struct domain *of)
{
	inputs_choose(a, d, set, of, NULL);
	return error_dag(a, d, of);
}

static size_t bound_bytes(const struct tensor *t)
{
	return (size_t)tensor_count(t) * dtype_bytes(error_bound_type(t->dtype));
}

static void fill_inputs(struct arena *a, struct reference *r, enum input_set set,
			const struct domain *of, uint64_t seed)
{
	struct workload_arg args[WORKLOAD_ARGS];
	struct workload w = { .args = args, .n_args = r->n_args, .seed = seed };

	for (int i = 0; i < r->n_args; i++) {
		const struct tensor *t = &r->op[i]->tensor;

		r->set[set].data[i] = arena_aligned(a, tensor_bytes(t), CALLABLE_ALIGN);
		if (i >= r->n_inputs) {
			r->set[set].bound[i] = arena_aligned(a, bound_bytes(t), CALLABLE_ALIGN);
			continue;
		}
		args[i] = (struct workload_arg){ .dtype = t->dtype, .count = tensor_count(t) };
		for (int j = 0; j < r->dag->ops.n; j++)
			if (r->dag->ops.at[j] == r->op[i])
				args[i].range[set] = of[j];
		fill_arg_of(&w, set, i, r->set[set].data[i]);
	}
}

/* Runs the kernel in the file OBJECT with one thread. */
static int run_object(const char *object, void *const *args)
{
	struct arena *a = arena_new();
	struct callable kernel;
	void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
	int rc = handle ? callable_find(&kernel, handle, "hone_kernel") : err_set("%s", dlerror());

	if (rc == 0) {
		void *workspace = arena_aligned(a, kernel.workspace_bytes(1), CALLABLE_ALIGN);

		callable_call(&kernel, 1, args, workspace);
	}
	if (handle)
		dlclose(handle);
	arena_free(a);
	return rc;
}

/* Compiles the references D of the sets to N objects, OUT, in A. */
static int compile(struct arena *a, struct build_pool *b, const struct dag *const d[INPUT_SETS], struct trial out[INPUT_SETS],
		   int *n)
{
	for (int set = 0; set < INPUT_SETS; set++) {
		out[set] = (struct trial){ .source = reference_source(a, d[set]) };
		if (!out[set].source)
			return -1;
	}
	return build_alike(a, b, out, INPUT_SETS, n);
}

static int run_compiled(const struct trial *t, const struct dag *d, void *const *args)
{
	int rc = t->object ? run_object(t->object, args) : err_set("does not compile: %s", t->text);

	return rc < 0 ? err_prefix("%s: its reference", d->name) : 0;
}

/* COMPILED: what computes it; NULL: te/eval.h does. */
static int compute(struct reference *r, enum input_set set, const struct dag *d, const struct trial *compiled)
{
	void *args[2 * WORKLOAD_ARGS];
	int n = r->n_args;

	memcpy(args, r->set[set].data, sizeof(*args) * (size_t)n);
	memcpy(args + n, r->set[set].bound + r->n_inputs,
	       sizeof(*args) * (size_t)(n - r->n_inputs));
	if (!compiled)
		dag_eval(d, args);
	else if (run_compiled(compiled, d, args) < 0)
		return -1;
	for (int i = r->n_inputs; i < n; i++) {
		const struct tensor *t = &r->op[i]->tensor;
		int64_t count = tensor_count(t);
		int64_t silent = verify_settle(t->dtype, r->set[set].data[i],
					       r->set[set].bound[i], count);

		if (verify_says_little(silent, count))
			return err_set("%s: %jd of %jd elements of %s are NaN or infinite: nothing "
				       "can be verified by them; give the inputs other ranges",
				       r->dag->name, (intmax_t)silent, (intmax_t)count, t->name);
	}
	return 0;
}

struct reference *reference_new(struct arena *a, const struct dag *d, uint64_t seed,
				struct build_pool *builder)
{
	struct reference *r = arena_one(a, struct reference);
	struct domain *of = arena_many(a, struct domain, d->ops.n);
	const struct dag *with_bounds[INPUT_SETS];
	struct trial compiled[INPUT_SETS];
	int n = 0;		/* of these */

	r->dag = d;
	r->n_args = dag_arg_count(d);
	if (r->n_args > WORKLOAD_ARGS) {
		err_set("%s: more than %d tensors", d->name, WORKLOAD_ARGS);
		return NULL;
	}
	for (int i = 0; i < d->ops.n; i++) {
		if (dag_arg(d, d->ops.at[i]) < 0)
			continue;
		r->op[dag_arg(d, d->ops.at[i])] = d->ops.at[i];
		r->n_inputs += d->ops.at[i]->kind != OP_COMPUTE;
	}
	for (int set = 0; set < INPUT_SETS; set++) {
		with_bounds[set] = reference_dag(a, d, set, of);
		if (!with_bounds[set])
			return NULL;
		fill_inputs(a, r, set, of, seed);
	}
	int rc = builder ? compile(a, builder, with_bounds, compiled, &n) : 0;

	for (int set = 0; set < INPUT_SETS && rc == 0; set++) {
		rc = compute(r, set, with_bounds[set], builder ? &compiled[least(set, n - 1)] : NULL);
		if (rc == 0)
			rc = spot_check(d, (const void *const *)r->set[set].data, (const void *const *)r->set[set].bound, seed);
	}
	for (int i = 0; i < n; i++)
		trial_discard(&compiled[i]);
	return rc < 0 ? NULL : r;
}

void **reference_args(struct arena *a, const struct reference *r, enum input_set set)
{
	void **args = arena_memdup(a, r->set[set].data, sizeof(r->set[set].data));

	for (int i = r->n_inputs; i < r->n_args; i++) {
		const struct tensor *t = &r->op[i]->tensor;

		args[i] = arena_aligned(a, tensor_bytes(t), CALLABLE_ALIGN);
		verify_poison(t->dtype, args[i], r->set[set].data[i], tensor_count(t));
	}
	return args;
}

const char *reference_check(struct arena *a, const struct reference *r, enum input_set set,
			    void *const *args)
{
	for (int i = r->n_inputs; i < r->n_args; i++) {
		const struct tensor *t = &r->op[i]->tensor;
		const void *want = r->set[set].data[i], *bound = r->set[set].bound[i];
		int64_t at = verify_worst(t->dtype, args[i], want, bound, tensor_count(t));

		if (at >= 0)
			return arena_printf(a, "%s[%jd] is %.9g, the reference has %.9g, bound %.3g",
					    t->name, (intmax_t)at, dtype_load(t->dtype, args[i], at),
					    dtype_load(t->dtype, want, at),
					    verify_bound(t->dtype, bound, at));
	}
	return NULL;
}

const void *reference_want(const struct reference *r, enum input_set set, int arg)
{
	return r->set[set].data[arg];
}

const void *reference_bound(const struct reference *r, enum input_set set, int arg)
{
	return r->set[set].bound[arg];
}
