/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/openblas.c - OpenBLAS's sgemm on the DAG's own layouts; batches are a loop.
 *
 * The library chooses its kernels by the CPU's model number, and falls back to those of old CPUs
 * where it does not know it: 0.3.21 runs SSE3 kernels on newer ones of Intel. Then it is started
 * again, told the core whose instructions this CPU has. */
#include <cblas.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "bench/contest/contestant.h"
#include "bench/contest/openblas_core.h"
#include "te/eval.h"

#define CORETYPE "OPENBLAS_CORETYPE"

/* A matrix of a batch as BLAS describes it, row-major. */
struct matrix {
	CBLAS_TRANSPOSE trans;
	blasint ld;
};

struct batch {
	int64_t a, b, y;	/* offsets in elements */
};

struct gemm {
	struct arena *arena;
	int threads;
	blasint m, n, k;
	struct matrix ma, mb, my;
	const float *a, *b;
	float *y;
	size_t bytes;
	struct batch *batch;
	int64_t nbatch;
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

/* The matrix of the dimensions ROW and COLUMN. False where neither runs one by one. */
static bool matrix_of(const struct view_dim *row, const struct view_dim *column,
		      struct matrix *out)
{
	int64_t r, c;

	if (!view_dim_stride(row, &r) || !view_dim_stride(column, &c))
		return false;
	out->trans = c <= 1 ? CblasNoTrans : CblasTrans;
	int64_t width = c <= 1 ? column->extent : row->extent;
	int64_t ld = c <= 1 ? r : c;

	if (ld < width)		/* of a single row; BLAS still asks for it */
		ld = width;
	out->ld = (blasint)ld;
	return (c <= 1 || r <= 1) && ld <= INT_MAX;
}

static int64_t offset_of(const struct view *v, const int64_t *at, int n)
{
	int64_t offset = 0;

	for (int i = 0; i < n; i++)
		if (v->dim[i].extent > 1)
			offset += view_dim_offset(&v->dim[i], at[i]);
	return offset;
}

static void list_batches(struct gemm *g, const struct work *w)
{
	int64_t at[TENSOR_MAX_DIMS] = { 0 };

	g->nbatch = 1;
	for (int i = 0; i < w->nbatch; i++)
		g->nbatch *= w->y.view.dim[i].extent;
	g->batch = arena_many(g->arena, struct batch, g->nbatch);
	for (int64_t i = 0; i < g->nbatch; i++) {
		g->batch[i] = (struct batch){ offset_of(&w->a.view, at, w->nbatch),
					      offset_of(&w->b.view, at, w->nbatch),
					      offset_of(&w->y.view, at, w->nbatch) };
		for (int d = w->nbatch - 1; d >= 0; d--) {
			if (++at[d] < w->y.view.dim[d].extent)
				break;
			at[d] = 0;
		}
	}
}

static const char *refusal(struct arena *a, const struct work *w)
{
	if (w->kind != WORK_MATMUL)
		return "OpenBLAS has no convolutions";
	if (w->epilogue.n > 0)
		return arena_printf(a, "OpenBLAS has no %s after a product",
				    epilogue_name(w->epilogue.at[0].kind));
	for (int i = w->nbatch; i < w->nbatch + 2; i++)
		if (w->a.view.dim[i].extent > INT_MAX || w->b.view.dim[i].extent > INT_MAX)
			return "an extent is too large for OpenBLAS";
	return NULL;
}

static void release(void *handle)
{
	struct gemm *g = handle;

	free(g->y);
	arena_free(g->arena);
	free(g);
}

static void *prepare(struct arena *a, const struct contestant_task *t, const char **why)
{
	const struct work *w = t->work;

	*why = w ? refusal(a, w) : t->why;
	if (*why)
		return NULL;
	struct gemm *g = calloc(1, sizeof(*g));
	int row = w->nbatch, column = w->nbatch + 1;

	if (!g)
		die("out of memory");
	g->arena = arena_new();
	g->threads = t->threads;
	g->m = (blasint)w->y.view.dim[row].extent;
	g->n = (blasint)w->y.view.dim[column].extent;
	g->k = (blasint)w->a.view.dim[column].extent;
	if (!matrix_of(&w->a.view.dim[row], &w->a.view.dim[column], &g->ma) ||
	    !matrix_of(&w->b.view.dim[row], &w->b.view.dim[column], &g->mb) ||
	    !matrix_of(&w->y.view.dim[row], &w->y.view.dim[column], &g->my) ||
	    g->my.trans != CblasNoTrans) {
		*why = "its layout is none that sgemm reads";
		release(g);
		return NULL;
	}
	g->a = t->args[dag_arg(t->dag, w->a.op)];
	g->b = t->args[dag_arg(t->dag, w->b.op)];
	g->bytes = tensor_bytes(w->y.view.tensor);
	g->y = aligned_alloc(64, (g->bytes + 63) / 64 * 64);
	if (!g->y)
		die("out of memory");
	memset(g->y, 0, g->bytes);	/* page faults belong here */
	list_batches(g, w);
	return g;
}

static int run(void *handle)
{
	const struct gemm *g = handle;

	openblas_set_num_threads(g->threads);
	for (int64_t i = 0; i < g->nbatch; i++)
		cblas_sgemm(CblasRowMajor, g->ma.trans, g->mb.trans, g->m, g->n, g->k, 1,
			    g->a + g->batch[i].a, g->ma.ld, g->b + g->batch[i].b, g->mb.ld, 0,
			    g->y + g->batch[i].y, g->my.ld);
	return 0;
}

static const char *kernel(void *handle)
{
	const struct gemm *g = handle;

	return g->nbatch > 1 ? "sgemm in a loop" : "sgemm";
}

static int output(void *handle, void *out)
{
	const struct gemm *g = handle;

	memcpy(out, g->y, g->bytes);
	return 0;
}

static const struct contestant_entry entries[] = {
	{ "sgemm", "plain matrices; it packs both in each call" },
	{ NULL, NULL },
};

static const struct contestant openblas = {
	.name = "openblas",
	.entries = entries,
	.version = version,
	.prepare = prepare,
	.run = run,
	.kernel = kernel,
	.output = output,
	.release = release,
};

int main(int argc, char **argv)
{
	const char *core = openblas_better_core(openblas_get_corename(), cpu_level());

	/* It reads the variable when it is loaded. Whoever has set it means it. */
	if (core && !getenv(CORETYPE) && setenv(CORETYPE, core, 1) == 0)
		execv("/proc/self/exe", argv);
	return contestant_main(&openblas, argc, argv);
}
