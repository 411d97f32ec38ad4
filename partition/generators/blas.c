/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/blas.c - OpenBLAS: products of matrices and of stacks of them, with a bias and relu
 * behind them in plain loops. */
#include "include/hone_generator_read.h"

#include <cblas.h>
#include <limits.h>
#include <stdlib.h>

typedef const struct hone_region_tensor tensor;

struct blas_product {
	const struct hone_region *region;
	tensor *factor[2], *bias, *out;		/* bias: NULL where there is none */
	bool trans[2], relu;
	int64_t m, n, k, matrices;
	int threads;
};

/* --- a match becomes a product */

static int take_sizes(struct blas_product *p, char *why)
{
	tensor *a = p->factor[0], *b = p->factor[1];

	if (a->rank < 2 || b->rank < 2)
		return hone_refuse(why, "a product with a vector");
	if (!hone_all_stored(p->region, HONE_CHANNELS_FIRST))
		return hone_refuse(why, "matrices that are not row-major");
	p->m = p->out->dim[p->out->rank - 2];
	p->n = p->out->dim[p->out->rank - 1];
	p->k = a->dim[a->rank - (p->trans[0] ? 2 : 1)];
	if (p->k == 0 || hone_count(p->out, 0) == 0)
		return hone_refuse(why, "a product without elements");
	p->matrices = hone_count(p->out, 0) / (p->m * p->n);
	/* where all matrices are multiplied by one, they are one of more rows */
	if (!p->trans[0] && hone_count(b, 0) == p->k * p->n &&
	    hone_count(a, 0) == p->matrices * p->m * p->k) {
		p->m *= p->matrices;
		p->matrices = 1;
	}
	if (p->m > INT_MAX || p->n > INT_MAX || p->k > INT_MAX)
		return hone_refuse(why, "more rows or columns than BLAS can count");
	return 0;
}

static int plan(struct blas_product *p, const struct hone_region *r, char *why)
{
	const struct hone_region_call *first = r->calls;

	*p = (struct blas_product){
		.region = r, .out = &r->tensors[r->outputs[0]],
		.factor = { hone_operand(r, first, 0), hone_operand(r, first, 1) },
		.trans = { hone_attr_int(first, "trans_a", 0, 0), hone_attr_int(first, "trans_b", 0, 0) },
	};
	if (take_sizes(p, why) < 0)
		return -1;
	for (const struct hone_region_call *c = first + 1; c < first + r->ncalls; c++) {
		p->relu = hone_is_op(c, "relu");
		if (p->relu)
			continue;
		p->bias = &r->tensors[hone_other(c, first->output)];
		if (!hone_is_number(p->bias) && !hone_is_vector(p->bias, p->out, p->out->rank - 1))
			return hone_refuse(why, "a bias that is no constant row");
	}
	return 0;
}

/* --- the interface */

static int claims(const struct hone_region *region, char *why)
{
	struct blas_product p;

	return plan(&p, region, why);
}

static int init(const struct hone_region *region, const void *artifact, size_t size, int threads,
		void **handle, char *why)
{
	struct blas_product *p = malloc(sizeof(*p));

	(void)artifact, (void)size;
	if (!p || plan(p, region, why) < 0) {
		free(p);
		return p ? -1 : hone_refuse(why, "no memory");
	}
	p->threads = threads;
	*handle = p;
	return 0;
}

/* The matrix of factor I that goes into matrix NUMBER of the result. */
static const float *matrix_of(const struct blas_product *p, int i, const void *const *inputs, int64_t number)
{
	const float *at = hone_elements(p->region, p->region->calls->inputs[i], inputs, NULL);
	struct hone_region_tensor stack = *p->factor[i], out = *p->out;

	stack.rank -= 2, out.rank -= 2;
	return at + hone_broadcast(&stack, &out, number) * hone_count(p->factor[i], stack.rank);
}

static void multiply(const struct blas_product *p, const float *a, const float *b, float *y)
{
	blasint m = (blasint)p->m, n = (blasint)p->n, k = (blasint)p->k;
	bool trans_a = p->trans[0], trans_b = p->trans[1];

	if (m == 1)	/* sgemm packs b first: 6.4 ms to 2.4 at n = k = 4096 (0.3.21, one core of an EPYC) */
		cblas_sgemv(CblasRowMajor, trans_b ? CblasNoTrans : CblasTrans, trans_b ? n : k,
			    trans_b ? k : n, 1, b, trans_b ? k : n, a, 1, 0, y, 1);
	else
		cblas_sgemm(CblasRowMajor, trans_a ? CblasTrans : CblasNoTrans,
			    trans_b ? CblasTrans : CblasNoTrans, m, n, k, 1, a, trans_a ? m : k, b,
			    trans_b ? k : n, 0, y, n);
}

static void finish(const struct blas_product *p, float *y)
{
	const float *bias = p->bias ? p->bias->data : NULL;
	int64_t step = bias && !hone_is_number(p->bias);

	for (int64_t i = 0; i < p->m && (bias || p->relu); i++, y += p->n) {
		for (int64_t j = 0; j < p->n && bias; j++)
			y[j] += bias[j * step];
		for (int64_t j = 0; j < p->n && p->relu; j++)
			y[j] = y[j] < 0 ? 0 : y[j];
	}
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	const struct blas_product *p = handle;
	float *y = outputs[0];

	(void)why;	/* nothing can go wrong any more */
	openblas_set_num_threads(p->threads);
	for (int64_t i = 0; i < p->matrices; i++, y += p->m * p->n) {
		multiply(p, matrix_of(p, 0, inputs, i), matrix_of(p, 1, inputs, i), y);
		finish(p, y);
	}
	return 0;
}

/* "OpenBLAS 0.3.21 Haswell": its kernels are those of one core. */
static const char *version(void)
{
	static char text[64];
	const char *config = openblas_get_config();
	const char *number = strncmp(config, "OpenBLAS ", 9) == 0 ? config + 9 : config;

	snprintf(text, sizeof(text), "OpenBLAS %.*s %s", (int)strcspn(number, " "), number,
		 openblas_get_corename());
	return text;
}

__attribute__((visibility("default"))) const struct hone_generator hone_generator = {
	.abi = HONE_GENERATOR_ABI,
	.name = "blas",
	.summary = "OpenBLAS: products of matrices, with a bias and relu",
	.patterns = (const struct hone_pattern[]){
		{ "dense", "matmul[f32, const] add[f32, const]? relu?" },
		{ "matmul", "matmul[f32] relu?" },
		{ NULL, NULL } },
	.grain = HONE_KERNELS,
	.version = version,
	.claims = claims,
	.init = init,
	.run = run,
	.release = free,
};
