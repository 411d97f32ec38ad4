/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/reference.c - the reference kernel of a workload, run once. */
#include "bench/contest/reference.h"

#include <stdint.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "bench/kernel.h"
#include "measure/fill.h"
#include "measure/verify.h"

struct reference {
	struct workload workload;
	void **args;
	struct tolerance *tolerance; /* by argument; of outputs */
};

static size_t arg_bytes(const struct workload_arg *arg)
{
	return (size_t)arg->count * dtype_bytes(arg->dtype);
}

static int compute(struct arena *a, struct builder *b, const struct reference *r)
{
	struct trial trial = {.source = r->workload.reference,
			      .parallel = r->workload.reference_parallel};
	struct kernel k;

	if (build_all(a, b, &trial, 1) < 0)
		return -1;
	if (!trial.object)
		return err_set("the reference does not compile: %s", trial.text ? trial.text : "");
	int rc = kernel_load(&k, trial.object, 1);

	unlink(trial.object);
	return rc < 0 ? -1 : kernel_run(&k, r->args);
}

struct reference *reference_new(struct arena *a, struct builder *b, const struct task *t,
				uint64_t seed)
{
	struct reference *r = arena_one(a, struct reference);

	r->workload = task_workload(a, t, 1, CACHE_WARM, seed);
	r->args = arena_many(a, void *, r->workload.n_args);
	r->tolerance = arena_many(a, struct tolerance, r->workload.n_args);
	for (int i = 0; i < r->workload.n_args; i++) {
		const struct workload_arg *arg = &r->workload.args[i];
		uintptr_t room = (uintptr_t)arena_alloc(a, arg_bytes(arg) + 64);

		r->args[i] = (void *)((room + 63) / 64 * 64);
		if (arg->role != ARG_OUTPUT)
			fill_arg(&r->workload, i, r->args[i]);
	}
	if (compute(a, b, r) < 0) {
		err_prefix("%s: reference", t->name);
		return NULL;
	}
	for (int i = 0; i < r->workload.n_args; i++) {
		const struct workload_arg *arg = &r->workload.args[i];

		if (arg->role == ARG_OUTPUT)
			r->tolerance[i] =
				verify_tolerance(arg->dtype, r->args[i], arg->count,
						 r->workload.reduction, r->workload.magnitude);
	}
	return r;
}

void *const *reference_args(const struct reference *r)
{
	return r->args;
}

static const char *fault_of(struct arena *a, const struct reference *r, int i, const void *got)
{
	const struct workload_arg *arg = &r->workload.args[i];
	int64_t at = verify_worst(arg->dtype, got, r->args[i], arg->count, r->tolerance[i]);

	if (at < 0)
		return NULL;
	double want = dtype_load(arg->dtype, r->args[i], at);

	return arena_printf(a, "%s[%jd] is %.9g, the reference has %.9g, bound %.3g", arg->name,
			    (intmax_t)at, dtype_load(arg->dtype, got, at), want,
			    verify_bound(arg->dtype, want, r->tolerance[i]));
}

const char *reference_fault(struct arena *a, const struct reference *r, const char *file)
{
	size_t want = 0, size;

	for (int i = 0; i < r->workload.n_args; i++)
		if (r->workload.args[i].role == ARG_OUTPUT)
			want += arg_bytes(&r->workload.args[i]);
	const char *got = file_read(a, file, want, &size);

	if (!got)
		return arena_strdup(a, err_get());
	if (size != want)
		return arena_printf(a, "it wrote %zu bytes, the outputs have %zu", size, want);
	for (int i = 0; i < r->workload.n_args; i++) {
		if (r->workload.args[i].role != ARG_OUTPUT)
			continue;
		const char *fault = fault_of(a, r, i, got);

		if (fault)
			return fault;
		got += arg_bytes(&r->workload.args[i]);
	}
	return NULL;
}
