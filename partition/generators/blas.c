/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/blas.c - OpenBLAS: products of matrices and of stacks of them, with a bias and relu
 * behind them in plain loops. */
#include "include/hone_generator.h"

#include <cblas.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const struct hone_region_tensor tensor;

struct product {
	tensor *factor[2], *bias, *out;		/* bias: NULL where there is none */
	int input[2];				/* factors among the region's inputs; -1: a constant */
	bool trans[2], relu;
	int64_t m, n, k, matrices;
	int threads;
};

static int refuse(char *why, const char *what)
{
	snprintf(why, HONE_WHY_BYTES, "%s", what);
	return -1;
}

/* Elements of T's dims from FROM on. */
static int64_t count(tensor *t, int from)
{
	return from < t->rank ? t->dim[from] * count(t, from + 1) : 1;
}

static bool flag(const struct hone_region_call *c, const char *name)
{
	for (int i = 0; i < c->nattrs; i++)
		if (strcmp(c->attrs[i].name, name) == 0)
			return c->attrs[i].ints[0] != 0;
	return false;
}

/* --- a match becomes a product */

static bool is_row_major(tensor *t)
{
	return t->data || t->rank < 3 || !t->channels || t->dim[1] == 1 || count(t, 2) == 1;
}

static void take_factor(struct product *p, const struct hone_region *r, int i)
{
	const struct hone_region_call *c = r->calls;

	p->factor[i] = &r->tensors[c->inputs[i]];
	p->trans[i] = flag(c, i == 0 ? "trans_a" : "trans_b");
	p->input[i] = -1;
	for (int k = 0; k < r->ninputs; k++)
		if (r->inputs[k] == c->inputs[i])
			p->input[i] = k;
}

static int take_sizes(struct product *p, char *why)
{
	tensor *a = p->factor[0], *b = p->factor[1];

	if (a->rank < 2 || b->rank < 2)
		return refuse(why, "a product with a vector");
	if (!is_row_major(a) || !is_row_major(b) || !is_row_major(p->out))
		return refuse(why, "matrices that are not row-major");
	p->m = p->out->dim[p->out->rank - 2];
	p->n = p->out->dim[p->out->rank - 1];
	p->k = a->dim[a->rank - (p->trans[0] ? 2 : 1)];
	if (p->k == 0 || count(p->out, 0) == 0)
		return refuse(why, "a product without elements");
	p->matrices = count(p->out, 0) / (p->m * p->n);
	/* where all matrices are multiplied by one, they are one of more rows */
	if (!p->trans[0] && count(b, 0) == p->k * p->n && count(a, 0) == p->matrices * p->m * p->k) {
		p->m *= p->matrices;
		p->matrices = 1;
	}
	if (p->m > INT_MAX || p->n > INT_MAX || p->k > INT_MAX)
		return refuse(why, "more rows or columns than BLAS can count");
	return 0;
}

/* A row that is added to each of the product's, or one number. */
static int take_bias(struct product *p, tensor *t, char *why)
{
	bool is_row = count(t, 0) == 1 || (count(t, 0) == p->n && t->dim[t->rank - 1] == p->n);

	p->bias = t;
	return t->data && is_row ? 0 : refuse(why, "a bias that is no constant row");
}

static int plan(struct product *p, const struct hone_region *r, char *why)
{
	const struct hone_region_call *first = r->calls;

	*p = (struct product){ .out = &r->tensors[r->outputs[0]] };
	take_factor(p, r, 0);
	take_factor(p, r, 1);
	if (take_sizes(p, why) < 0)
		return -1;
	for (const struct hone_region_call *c = first + 1; c < first + r->ncalls; c++) {
		p->relu = strcmp(c->op, "relu") == 0;
		if (!p->relu && take_bias(p, &r->tensors[c->inputs[c->inputs[0] == first->output]], why) < 0)
			return -1;
	}
	return 0;
}

/* --- the interface */

static int claims(const struct hone_region *region, char *why)
{
	struct product p;

	return plan(&p, region, why);
}

static int init(const struct hone_region *region, const void *artifact, size_t size, int threads,
		void **handle, char *why)
{
	struct product *p = malloc(sizeof(*p));

	(void)artifact, (void)size;
	if (!p || plan(p, region, why) < 0) {
		free(p);
		return p ? -1 : refuse(why, "no memory");
	}
	p->threads = threads;
	*handle = p;
	return 0;
}

/* The first element of the matrix in X that goes into matrix I of OUT; dims of 1 are repeated. */
static int64_t matrix_at(tensor *x, tensor *out, int64_t i)
{
	int64_t at = 0, size = x->dim[x->rank - 1] * x->dim[x->rank - 2];

	for (int d = 3; d <= x->rank; d++) {
		int64_t dim = x->dim[x->rank - d], to = out->dim[out->rank - d];

		at += dim == 1 ? 0 : i % to * size;
		size *= dim;
		i /= to;
	}
	return at;
}

static void multiply(const struct product *p, const float *a, const float *b, float *y)
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

static void finish(const struct product *p, float *y)
{
	const float *bias = p->bias ? p->bias->data : NULL;
	int64_t step = bias && count(p->bias, 0) > 1;

	for (int64_t i = 0; i < p->m && (bias || p->relu); i++, y += p->n) {
		for (int64_t j = 0; j < p->n && bias; j++)
			y[j] += bias[j * step];
		for (int64_t j = 0; j < p->n && p->relu; j++)
			y[j] = y[j] < 0 ? 0 : y[j];
	}
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	const struct product *p = handle;
	const float *a = p->input[0] < 0 ? p->factor[0]->data : inputs[p->input[0]];
	const float *b = p->input[1] < 0 ? p->factor[1]->data : inputs[p->input[1]];
	float *y = outputs[0];

	(void)why;	/* nothing can go wrong any more */
	openblas_set_num_threads(p->threads);
	for (int64_t i = 0; i < p->matrices; i++, y += p->m * p->n) {
		multiply(p, a + matrix_at(p->factor[0], p->out, i), b + matrix_at(p->factor[1], p->out, i),
			 y);
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
