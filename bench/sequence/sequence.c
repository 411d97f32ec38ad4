/* SPDX-License-Identifier: Apache-2.0 */
/* bench/sequence/sequence.c - buffers for the arguments of all steps, and runs of them. */
#include "bench/sequence/sequence.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/err.h"
#include "base/quantile.h"
#include "codegen/team.h"
#include "measure/runner/fill.h"

/* Runs that bring pages, threads and branch predictors to life and are not counted; as many as a
 * 10th percentile needs to have two below it; 32 MiB of figures. */
enum { WARM_RUNS = 3, MIN_RUNS = 20, MAX_FIGURES = 1 << 22 };

struct sequence_maker {
	struct arena *arena;
	struct sequence *s;
	const struct sequence_kernel *kernels;
	const struct workload *work;	      /* by task */
	const struct occurrence **occurrence; /* by step */
};

static size_t arg_bytes(const struct workload *w, int i)
{
	return (size_t)w->args[i].count * dtype_bytes(w->args[i].dtype);
}

static const struct workload *workloads(struct arena *a, const struct sequence_kernel *kernels,
					const struct occurrence_vec *order)
{
	int n = 0;

	for (int i = 0; i < order->n; i++)
		n = order->at[i].task >= n ? order->at[i].task + 1 : n;
	struct workload *w = arena_many(a, struct workload, n);

	for (int i = 0; i < n; i++)
		if (kernels[i].there)
			w[i] = task_workload(a, kernels[i].task, 1, CACHE_WARM, 1);
	return w;
}

static void add_steps(struct sequence_maker *m, const struct occurrence_vec *order)
{
	m->s->step = arena_many(m->arena, struct sequence_step, order->n);
	m->occurrence = arena_many(m->arena, const struct occurrence *, order->n);
	for (int i = 0; i < order->n; i++) {
		int task = order->at[i].task;

		if (!m->kernels[task].there)
			continue;
		m->occurrence[m->s->n] = &order->at[i];
		m->s->step[m->s->n++] = (struct sequence_step){
			.task = task,
			.kernel = &m->kernels[task].kernel,
			.args = arena_many(m->arena, void *, m->work[task].n_args),
		};
	}
}

static void plan(struct sequence_maker *m)
{
	struct value_use_vec *uses = arena_many(m->arena, struct value_use_vec, m->s->n);

	for (int i = 0; i < m->s->n; i++) {
		const struct workload *w = &m->work[m->s->step[i].task];

		for (int j = 0; j < w->n_args; j++) {
			int value = m->occurrence[i]->args.at[j];
			bool written = w->args[j].role == ARG_OUTPUT;

			if (value != VALUE_NONE)
				vec_push(m->arena, &uses[i],
					 (struct value_use){ value, arg_bytes(w, j), written });
		}
	}
	m->s->plan = values_place(m->arena, uses, m->s->n);
	for (int i = 0; i < m->s->plan.bytes.n; i++)
		vec_push(m->arena, &m->s->buffers, kernel_buffer(m->s->plan.bytes.at[i]));
}

/* Weights of +-sqrt(6 / inputs) keep the size of what flows through them (He et al. 2015, "Delving
 * deep into rectifiers"): with others a deep model ends in infinities, or in denormal numbers, on
 * which kernels are slower than on any that a trained model sees. */
static void fill_constant(const struct workload *w, int arg, uint64_t seed, void *data)
{
	const struct workload_arg *x = &w->args[arg];
	const struct domain *range = &x->range[INPUTS_RANDOM];
	bool weight = dtype_is_float(x->dtype) && range->low == -range->high;
	double reach = weight ? sqrt(6.0 / (double)w->reduction) : range->high;

	fill_random(x->dtype, data, x->count, weight ? -reach : range->low, reach, seed, arg);
}

static void *constant(struct sequence_maker *m, int step, int arg)
{
	const struct sequence_step *s = &m->s->step[step];
	const struct workload *w = &m->work[s->task];
	void *raw = kernel_buffer(arg_bytes(w, arg));

	if (w->args[arg].role == ARG_CONST)
		fill_constant(w, arg, (uint64_t)step + 1, raw);
	else
		fill_arg(w, arg, raw);
	void *packed = w->args[arg].role == ARG_CONST ? kernel_packed(s->kernel, arg, raw) : NULL;

	if (packed)
		free(raw);
	vec_push(m->arena, &m->s->buffers, packed ? packed : raw);
	return packed ? packed : raw;
}

static void fill_step(struct sequence_maker *m, int step)
{
	const struct sequence_step *s = &m->s->step[step];
	const struct workload *w = &m->work[s->task];

	for (int i = 0; i < w->n_args; i++) {
		int value = m->occurrence[step]->args.at[i];

		if (value == VALUE_NONE) {
			s->args[i] = constant(m, step, i);
			continue;
		}
		s->args[i] = m->s->buffers.at[m->s->plan.buffer[value]];
		if (!m->s->plan.written[value])
			fill_arg(w, i, s->args[i]);
	}
}

/* One workspace for all, as a planner would give them: it stays in the caches. */
static void share_workspace(struct sequence *s, struct arena *a)
{
	size_t bytes = 0;

	for (int i = 0; i < s->n; i++)
		if (s->step[i].kernel->workspace_bytes > bytes)
			bytes = s->step[i].kernel->workspace_bytes;
	s->workspace = kernel_buffer(bytes);
	vec_push(a, &s->buffers, s->workspace);
}

struct sequence *sequence_new(struct arena *a, const struct sequence_kernel *kernels,
			      const struct occurrence_vec *order)
{
	struct sequence_maker m = {
		.arena = a,
		.s = arena_one(a, struct sequence),
		.kernels = kernels,
		.work = workloads(a, kernels, order),
	};

	add_steps(&m, order);
	plan(&m);
	for (int i = 0; i < m.s->n; i++)
		fill_step(&m, i);
	share_workspace(m.s, a);
	return m.s;
}

void sequence_free(struct sequence *s)
{
	for (int i = 0; i < s->buffers.n; i++)
		free(s->buffers.at[i]);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* One run of S, and where it writes the times to. */
struct sequence_pass {
	const struct sequence *s;
	double *at;
};

static void run_steps(struct team *t, int thread, void *user)
{
	const struct sequence_pass *p = user;
	const struct sequence *s = p->s;

	for (int i = 0; i <= s->n; i++) {
		team_wait(t, thread);
		if (thread == 0)
			p->at[i] = now_us();
		if (i < s->n)
			callable_run(&s->step[i].kernel->call, t, thread, s->step[i].args,
				     s->workspace);
	}
}

void sequence_run(const struct sequence *s, double *at)
{
	team_run(s->n > 0 ? s->step[0].kernel->threads : 1, run_steps,
		 &(struct sequence_pass){ s, at });
}

void sequence_measure(struct arena *a, const struct sequence *s, double seconds,
		      struct sequence_times *out)
{
	struct figures VEC(double) us = { 0 };
	double *at = arena_many(a, double, s->n + 1);
	double end = 0;

	out->runs = 0;
	for (int run = -WARM_RUNS; run < MIN_RUNS || at[s->n] < end; run++) {
		sequence_run(s, at);
		if (run < 0) {
			end = at[s->n] + seconds * 1e6;
			continue;
		}
		for (int i = 0; i < s->n; i++)
			vec_push(a, &us, at[i + 1] - at[i]);
		out->runs++;
		if (us.n >= MAX_FIGURES)
			break;
	}
	out->us = us.at;
	out->steps = s->n;
}

double sequence_quantile(const struct sequence_times *t, const bool *counted, double q)
{
	struct arena *a = arena_new();
	double *sum = arena_many(a, double, t->runs);

	for (int i = 0; i < t->runs; i++)
		for (int j = 0; j < t->steps; j++)
			if (!counted || counted[j])
				sum[i] += t->us[(size_t)i * (size_t)t->steps + (size_t)j];
	sort_figures(sum, t->runs);
	double result = quantile(sum, t->runs, q);

	arena_free(a);
	return result;
}
