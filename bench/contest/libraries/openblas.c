/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/openblas.c - OpenBLAS's sgemm on the DAG's own layouts; batches are a loop.
 *
 * The library chooses its kernels by the CPU's model number, and falls back to those of old CPUs
 * where it does not know it: 0.3.21 runs SSE3 kernels on newer ones of Intel. Then it is started
 * again, told the core whose instructions this CPU has. */
#include <cblas.h>
#include <limits.h>
#include <stdlib.h>

#include "bench/contest/libraries/openblas_core.h"
#include "bench/contest/libraries/sgemm.h"

#define CORETYPE "OPENBLAS_CORETYPE"

/* A matrix as BLAS describes it, row-major. */
struct shape {
	CBLAS_TRANSPOSE trans;
	blasint ld;
};

struct gemm {
	struct product p;	/* first: sgemm_kernel's */
	struct shape a, b, y;
	int threads;
};

static const char *version(struct arena *a)
{
	/* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": its name and number */
	const char *config = openblas_get_config();
	const char *at = strncmp(config, "OpenBLAS ", 9) == 0 ? config + 9 : config;
	static const char *const kinds[] = { "one thread", "pthreads", "OpenMP" };
	int kind = openblas_get_parallel();

	const char *told = getenv(CORETYPE);

	return arena_printf(a, "OpenBLAS %.*s, %s, %s%s%s", (int)strcspn(at, " "), at,
			    kinds[kind >= 0 && kind <= 2 ? kind : 0], openblas_get_corename(),
			    told ? ", by " CORETYPE "=" : "", told ? told : "");
}

/* The shape of X; false where neither its rows nor its columns run one by one. */
static bool shape_of(const struct matrix *x, int64_t rows, int64_t columns, struct shape *out)
{
	bool plain = x->column <= 1;
	int64_t width = plain ? columns : rows, ld = plain ? x->row : x->column;

	if (ld < width)		/* of a single row; BLAS still asks for it */
		ld = width;
	*out = (struct shape){ plain ? CblasNoTrans : CblasTrans, (blasint)ld };
	return (plain || x->row <= 1) && ld <= INT_MAX && rows <= INT_MAX && columns <= INT_MAX;
}

static void *prepare(struct arena *a, const struct contestant_task *t, const char **why)
{
	struct gemm *g = arena_one(a, struct gemm);
	const struct product *p = &g->p;

	g->threads = t->threads;
	if (!product_of(a, t, &g->p, why))
		return NULL;
	if (shape_of(&p->a, p->m, p->k, &g->a) && shape_of(&p->b, p->k, p->n, &g->b) &&
	    shape_of(&p->y, p->m, p->n, &g->y) && g->y.trans == CblasNoTrans)
		return g;
	*why = "its layout is none that sgemm reads";
	return NULL;
}

static int run(void *handle)
{
	const struct gemm *g = handle;
	const struct product *p = &g->p;

	openblas_set_num_threads(g->threads);
	for (int64_t i = 0; i < p->nbatch; i++)
		cblas_sgemm(CblasRowMajor, g->a.trans, g->b.trans, (blasint)p->m, (blasint)p->n,
			    (blasint)p->k, 1, p->a.at + p->batch[i].a, g->a.ld,
			    p->b.at + p->batch[i].b, g->b.ld, 0, p->y.at + p->batch[i].y, g->y.ld);
	return 0;
}

static void choose(char **argv)
{
	const char *core = openblas_better_core(openblas_get_corename(), cpu_level());

	if (core)	/* it reads the variable when it is loaded */
		sgemm_choose(CORETYPE, core, argv);
}

const struct contestant contestant = {
	.name = "openblas",
	.entries = sgemm_entries,
	.choose = choose,
	.version = version,
	.prepare = prepare,
	.run = run,
	.kernel = sgemm_kernel,
};
