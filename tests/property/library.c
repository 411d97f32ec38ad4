/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/library.c - what users ask for: known operators, sketches. */
#include "tests/property/library.h"

#include <math.h>

#include "base/err.h"
#include "search/space/sample.h"
#include "te/operator.h"
#include "te/text/text.h"

static const char *const specs[] = {
#define S(spec) spec,
#include "tests/unit/specs.def"
#undef S
};

enum { NSPECS = sizeof(specs) / sizeof(*specs), TRIES = 8 };

struct dag *library_dag(struct arena *a, struct rng *r, const char **text)
{
	const char *spec = specs[rng_below(r, NSPECS)];
	struct dag *d = operator_build(a, spec);
	struct text t = {0};

	if (!d)
		die("%s: %s", spec, err_get());
	text_printf(&t, "# %s\n", spec);
	dag_print(&t, d);
	*text = arena_strdup(a, text_str(&t));
	text_free(&t);
	return d;
}

/* Division gives fractions, and so do functions and constants that are no whole numbers. */
static bool find_fraction(const struct expr *e, void *user)
{
	bool *exact = user;

	if (e->kind == EXPR_FLOAT && isfinite(e->f) && floor(e->f) < e->f)
		*exact = false;
	if (dtype_is_float(e->dtype) &&
	    (e->kind == EXPR_DIV ||
	     (e->kind >= EXPR_POW && e->kind <= EXPR_ERF && e->kind != EXPR_ABS)))
		*exact = false;
	return *exact;
}

bool dag_is_exact(const struct dag *d)
{
	bool exact = true;

	for (int i = 0; i < d->ops.n; i++)
		if (d->ops.at[i]->kind == OP_COMPUTE)
			expr_visit(d->ops.at[i]->body, find_fraction, &exact);
	return exact;
}

enum closeness agreement_of(const struct dag *d, const struct state *s)
{
	for (int i = 0; i < s->steps.n; i++)
		if (s->steps.at[i].kind == STEP_DERIVE)
			return AGREES_DERIVED;
	return dag_is_exact(d) ? AGREES_EXACTLY : AGREES_ROUNDED;
}

bool value_is_close(enum dtype t, double want, double got, enum closeness agreement)
{
	double unit = t == DTYPE_BF16 ? 0x1p-8 : t == DTYPE_F16 ? 0x1p-11 : 0x1p-23;

	if (isnan(want) || isnan(got))
		return isnan(want) && isnan(got);
	if (!(want < got) && !(want > got))
		return true;
	if (agreement == AGREES_EXACTLY)
		return false;
	/* A term that is missing is off by one at least. */
	double units = agreement == AGREES_DERIVED && unit < 0x1p-20 ? 8192 : 64;

	return fabs(want - got) <= units * unit * (1 + fabs(want));
}

struct state *sketched_state(struct arena *a, struct rng *r, const struct dag *dag,
			     const struct target *target)
{
	struct aim aim = {.target = target, .threads = (int)rng_below(r, 2) + 1};
	struct sketch_vec sketches = sketches_of(a, dag, &aim);
	struct state *s = NULL;

	if (sketches.n == 0)
		die("%s has no sketch", dag->name);
	for (int i = 0; i < TRIES && !s; i++)
		s = sample(a, dag, sketches.at[rng_below(r, sketches.n)], &aim, r,
			   NULL, NULL);
	return s;
}
