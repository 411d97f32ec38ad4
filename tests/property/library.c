/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/library.c - what users ask for: known operators, sketches. */
#include "tests/property/library.h"

#include <math.h>

#include "base/err.h"
#include "search/space/sampling/sample.h"
#include "te/operator.h"
#include "te/text/text.h"

static const char *const specs[] = {
#define S(spec) spec,
#include "tests/unit/te/specs.def"
#undef S
};

/* Products of what is computed: as little work as there can be where an operand is so large that sketches store it
 * for its reader (search/space/panel.h). */
static const char *const chains[] = {
	/* of a product, on the left and on the right */
	"input A: f32[37, 3]\ninput B: f32[3, 59]\ninput V: f32[59, 5]\n"
	"S[i, j] = sum(k < 3) A[i, k] * B[k, j]\n"
	"O[i, j] = sum(k < 59) S[i, k] * V[k, j]\n",
	"input A: f32[59, 3]\ninput B: f32[3, 37]\ninput P: f32[5, 59]\n"
	"V[i, j] = sum(k < 3) A[i, k] * B[k, j]\n"
	"O[i, j] = sum(k < 59) P[i, k] * V[k, j] + 1\n",
	/* of weights of rows that add up to one */
	"input Q: f32[2, 33, 3]\ninput K: f32[2, 35, 3]\ninput V: f32[2, 35, 4]\n"
	"S[b < 2, i < 33, j < 35] = sum(d < 3) Q[b, i, d] * K[b, j, d]\n"
	"M[b, i] = max(j < 35) S[b, i, j]\n"
	"E[b, i, j] = exp(S[b, i, j] - M[b, i])\n"
	"D[b, i] = sum(j < 35) E[b, i, j]\n"
	"P[b, i, j] = E[b, i, j] / D[b, i]\n"
	"O[b < 2, i < 33, d < 4] = sum(j < 35) P[b, i, j] * V[b, j, d]\n",
	/* of windows of each row, with a function between: rows in strips */
	"input X: f32[9, 11, 8]\nconst K: f32[3, 8]\nconst W: f32[8, 9]\n"
	"P[y < 11, x < 11, c < 8] = select(1 <= y && y < 10, X[y - 1, x, c], 0)\n"
	"D[y < 9, x < 11, c < 8] = sum(r < 3) P[y + r, x, c] * K[r, c]\n"
	"R[y, x, c] = max(D[y, x, c], 0)\n"
	"O[y, x, k < 9] = sum(c < 8) R[y, x, c] * W[c, k]\n",
	/* in a window, with a stride */
	"input X: f32[13, 3]\nconst W: f32[3, 8]\nconst K: f32[3, 8]\n"
	"S[x, c] = sum(k < 3) X[x, k] * W[k, c]\n"
	"R[x, c] = min(max(S[x, c] + 1, 0), 6)\n"
	"D[x < 6, c < 8] = sum(r < 3) R[2 * x + r, c] * K[r, c]\n",
	/* of what two products read, and the caller */
	"input A: f16[33, 69]\ninput V: f32[69, 5]\ninput W: f32[33, 6]\n"
	"S[i, j] = max(f32(A[i, j]), 0)\noutput S\n"
	"O[i, j] = sum(k < 69) S[i, k] * V[k, j]\n"
	"T[i, j] = sum(k < 33) S[k, i] * W[k, j]\n",
};

enum {
	NSPECS = sizeof(specs) / sizeof(*specs),
	NCHAINS = sizeof(chains) / sizeof(*chains),
	TRIES = 8,
};
/* Of the known DAGs. */
#define CHAIN_SHARE 0.15

static struct dag *chain_dag(struct arena *a, struct rng *r, const char **text)
{
	*text = chains[rng_below(r, NCHAINS)];
	struct dag *d = dag_parse(a, "chain.te", *text);

	if (!d)
		die("%s\n%s", err_get(), *text);
	return d;
}

static struct dag *operator_dag(struct arena *a, struct rng *r, const char **text)
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

struct dag *library_dag(struct arena *a, struct rng *r, const char **text)
{
	return rng_chance(r, CHAIN_SHARE) ? chain_dag(a, r, text) : operator_dag(a, r, text);
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

static bool find_truncation(const struct expr *e, void *user)
{
	bool *found = user;

	*found |= e->kind == EXPR_CAST && !dtype_is_float(e->dtype) && dtype_is_float(e->arg[0]->dtype);
	return !*found;
}

bool dag_truncates(const struct dag *d)
{
	bool found = false;

	for (int i = 0; i < d->ops.n; i++)
		if (d->ops.at[i]->kind == OP_COMPUTE)
			expr_visit(d->ops.at[i]->body, find_truncation, &found);
	return found;
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
	struct aim aim = {.target = target, .threads = (int)rng_below(r, 2) + 1, .l2_bytes = 1 << 19,
			  .peak = 100, .mem_gbs = 13, .exact = dag_truncates(dag)};

	if (rng_chance(r, 0.2))
		aim.l2_bytes = 1 << 8;	/* most DAGs have more: their results may be streamed */
	struct sketch_vec sketches = sketches_of(a, dag, &aim);
	struct state *s = NULL;

	if (sketches.n == 0)
		die("%s has no sketch", dag->name);
	for (int i = 0; i < TRIES && !s; i++)
		s = sample(a, dag, sketches.at[rng_below(r, sketches.n)], &aim, r,
			   NULL, NULL);
	return s;
}
