/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/libxsmm_product.c - a product made of libxsmm's small ones: a kernel for each
 * shape of block, threads share the blocks of the result.
 *
 * What libxsmm has for large products hands some of them on to a BLAS, another contestant. The
 * library counts in columns, so it computes the transpose: our B is its A. */
#include <libxsmm.h>

#include "base/integer.h"
#include "bench/contest/libraries/libxsmm.h"
#include "bench/contest/libraries/product.h"
#include "te/eval.h"

/* Four vectors of AVX-512 by eight times the six rows whose sums then fit its registers. A block of
 * A and a panel of B, 48 and 64 KiB, stay in a second level cache. */
enum { BLOCK_M = 48, BLOCK_N = 64, BLOCK_K = 256 };

/* Blocks along one dimension; the last one may be shorter, and a single one is the last. */
struct cut {
	int64_t blocks, size, last;
};

struct blocked {
	const struct contestant_task *task;
	struct product p;
	struct cut m, n, k;
	float *panels;		/* B in panels of BLOCK_N columns, [n.blocks][k][BLOCK_N]; or NULL */
	/* by: last along m, n, k; not the first along k, so that it adds */
	libxsmm_smmfunction kernel[2][2][2][2];
};

static struct cut cut(int64_t extent, int64_t size)
{
	struct cut c = { .blocks = ceil_div(extent, size) };

	c.last = extent - (c.blocks - 1) * size;
	c.size = c.blocks > 1 ? size : c.last;
	return c;
}

static int64_t length(const struct cut *c, bool last)
{
	return last ? c->last : c->size;
}

/* Elements from one row of B, or of its panel, to the next. */
static int64_t b_row(const struct blocked *h)
{
	return h->panels ? BLOCK_N : h->p.b.row;
}

/* The kernels of all shapes that occur; false where the library makes none. */
static bool dispatch(struct blocked *h)
{
	const float one = 1;

	for (int i = 0; i < 16; i++) {
		bool m = i & 1, n = i & 2, k = i & 4, adds = i & 8;
		const float beta = adds ? 1 : 0;
		const libxsmm_blasint lda = (libxsmm_blasint)b_row(h);
		const libxsmm_blasint ldb = (libxsmm_blasint)h->p.a.row;
		const libxsmm_blasint ldc = (libxsmm_blasint)h->p.y.row;
		libxsmm_smmfunction f = libxsmm_smmdispatch(
			(libxsmm_blasint)length(&h->n, n), (libxsmm_blasint)length(&h->m, m),
			(libxsmm_blasint)length(&h->k, k), &lda, &ldb, &ldc, &one, &beta, NULL,
			NULL);

		if (!f)
			return false;
		h->kernel[m][n][k][adds] = f;
	}
	return true;
}

/* Every matrix has its rows one by one; a single row or column has any strides. */
static void settle(struct matrix *x, int64_t rows, int64_t columns)
{
	if (columns == 1)
		x->column = 1;
	if (rows == 1)
		x->row = columns;
}

static void pack_panels(struct arena *a, struct blocked *h)
{
	const struct matrix *b = &h->p.b;

	h->panels = arena_many(a, float, h->n.blocks * h->p.k * BLOCK_N);
	for (int64_t j = 0; j < h->p.n; j++)
		for (int64_t k = 0; k < h->p.k; k++)
			h->panels[(j / BLOCK_N * h->p.k + k) * BLOCK_N + j % BLOCK_N] =
				b->at[k * b->row + j * b->column];
}

static const char *refusal(const struct blocked *h, bool plain)
{
	const struct product *p = &h->p;
	const struct operand *b = &h->task->work->b;

	if (!plain && (b->op->kind != OP_CONST || p->nbatch > 1))
		return "nothing can be packed before: see plain";
	if (p->a.column != 1 || p->y.column != 1 || (plain && p->b.column != 1) ||
	    p->a.row < p->k || p->y.row < p->n || (plain && p->b.row < p->n))
		return "libxsmm reads only matrices whose rows are contiguous";
	return NULL;
}

static void *prepare(struct arena *a, const struct contestant_task *t, bool plain, const char **why)
{
	struct blocked *h = arena_one(a, struct blocked);

	h->task = t;
	if (!product_of(a, t, &h->p, why))
		return NULL;
	settle(&h->p.a, h->p.m, h->p.k);
	settle(&h->p.b, h->p.k, h->p.n);
	settle(&h->p.y, h->p.m, h->p.n);
	*why = refusal(h, plain);
	if (*why)
		return NULL;
	h->m = cut(h->p.m, BLOCK_M);
	h->n = cut(h->p.n, BLOCK_N);
	h->k = cut(h->p.k, BLOCK_K);
	if (!plain)
		pack_panels(a, h);
	if (dispatch(h))
		return h;
	*why = "libxsmm makes no kernel for its shape";
	return NULL;
}

/* One block of the result of one batch. */
static void run_block(const struct blocked *h, const struct product_batch *at, int64_t i, int64_t j)
{
	const struct product *p = &h->p;
	const float *a = p->a.at + at->a + i * BLOCK_M * p->a.row;
	const float *b = h->panels ? h->panels + j * p->k * BLOCK_N
				   : p->b.at + at->b + j * BLOCK_N;
	float *y = p->y.at + at->y + i * BLOCK_M * p->y.row + j * BLOCK_N;

	for (int64_t k = 0; k < h->k.blocks; k++)
		h->kernel[i == h->m.blocks - 1][j == h->n.blocks - 1][k == h->k.blocks - 1][k > 0](
			b + k * BLOCK_K * b_row(h), a + k * BLOCK_K, y);
}

static void run(void *handle)
{
	const struct blocked *h = handle;

#pragma omp parallel for collapse(3) schedule(static) num_threads(h->task->threads)
	for (int64_t batch = 0; batch < h->p.nbatch; batch++)
		for (int64_t j = 0; j < h->n.blocks; j++)
			for (int64_t i = 0; i < h->m.blocks; i++)
				run_block(h, &h->p.batch[batch], i, j);
}

static const char *kernel(void *handle)
{
	(void)handle;
	return "its small products in blocks of 48x64x256";
}

static void output(void *handle, void *out)
{
	const struct blocked *h = handle;

	memcpy(out, h->p.y.at, contestant_output_bytes(h->task->dag));
}

static void release(void *handle)
{
	(void)handle;	/* its memory is the task's, the kernels are the library's */
}

const struct xsmm_kind xsmm_product = {
	.prepare = prepare,
	.run = run,
	.kernel = kernel,
	.output = output,
	.release = release,
};
