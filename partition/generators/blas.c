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

/* A matmul and what follows it in the same memory. */
struct blas_product {
	int a, b, bias, out;	/* tensors; bias -1: none */
	bool trans_a, trans_b, relu;
	int64_t m, n, k, matrices;
};

struct blas {
	const struct hone_region *region;
	int threads, nproducts;
	const float **at;		/* by tensor; inputs and outputs are where each run has them */
	float *inside;			/* memory of results that are none of these */
	struct blas_product products[];	/* no more than there are calls */
};

static int refuse(char *why, const char *what)
{
	snprintf(why, HONE_WHY_BYTES, "%s", what);
	return -1;
}

static int64_t elements(const struct hone_region_tensor *t)
{
	int64_t count = 1;

	for (int d = 0; d < t->rank; d++)
		count *= t->dim[d];
	return count;
}

static bool flag(const struct hone_region_call *c, const char *name)
{
	for (int i = 0; i < c->nattrs; i++)
		if (strcmp(c->attrs[i].name, name) == 0)
			return c->attrs[i].ints[0] != 0;
	return false;
}

/* --- a region becomes products */

/* Where all matrices are multiplied by one, they are one of more rows. */
static void join_rows(const struct hone_region *r, struct blas_product *p)
{
	const struct hone_region_tensor *a = &r->tensors[p->a], *b = &r->tensors[p->b];

	if (p->trans_a || elements(b) != p->k * p->n || elements(a) != p->matrices * p->m * p->k)
		return;
	p->m *= p->matrices;
	p->matrices = 1;
}

static int add_product(struct blas *x, const struct hone_region_call *c, char *why)
{
	const struct hone_region_tensor *t = x->region->tensors;
	const struct hone_region_tensor *a = &t[c->inputs[0]], *b = &t[c->inputs[1]], *out = &t[c->output];
	struct blas_product p = { .a = c->inputs[0], .b = c->inputs[1], .bias = -1, .out = c->output,
			     .trans_a = flag(c, "trans_a"), .trans_b = flag(c, "trans_b") };

	if (a->type != HONE_F32 || b->type != HONE_F32 || out->type != HONE_F32)
		return refuse(why, "elements that are not f32");
	if (a->rank < 2 || b->rank < 2)
		return refuse(why, "a product with a vector");
	p.m = out->dim[out->rank - 2];
	p.n = out->dim[out->rank - 1];
	p.k = a->dim[a->rank - (p.trans_a ? 2 : 1)];
	if (p.k == 0 || elements(out) == 0)
		return refuse(why, "a product without elements");
	p.matrices = elements(out) / (p.m * p.n);
	join_rows(x->region, &p);
	if (p.m > INT_MAX || p.n > INT_MAX || p.k > INT_MAX)
		return refuse(why, "more rows or columns than BLAS can count");
	x->products[x->nproducts++] = p;
	return 0;
}

/* The product whose result so far is TENSOR; NULL. */
static struct blas_product *product_with(struct blas *x, int tensor)
{
	for (int i = x->nproducts - 1; i >= 0; i--)
		if (x->products[i].out == tensor)
			return &x->products[i];
	return NULL;
}

/* Is T a row that is added to each of P's, or one number? */
static bool is_bias(const struct hone_region_tensor *t, const struct blas_product *p)
{
	int64_t count = elements(t);

	return t->data && t->type == HONE_F32 &&
	       (count == 1 || (count == p->n && t->dim[t->rank - 1] == p->n));
}

static int add_bias(struct blas *x, const struct hone_region_call *c, char *why)
{
	bool first = product_with(x, c->inputs[0]) != NULL;
	struct blas_product *p = product_with(x, c->inputs[first ? 0 : 1]);
	int bias = c->inputs[first ? 1 : 0];

	if (!p || p->bias >= 0 || p->relu)
		return refuse(why, "a sum that is not right behind a product");
	if (!is_bias(&x->region->tensors[bias], p) ||
	    x->region->tensors[c->output].rank != x->region->tensors[p->out].rank)
		return refuse(why, "a bias that is no constant row");
	p->bias = bias;
	p->out = c->output;
	return 0;
}

static int add_relu(struct blas *x, const struct hone_region_call *c, char *why)
{
	struct blas_product *p = product_with(x, c->inputs[0]);

	if (!p || strcmp(c->op, "relu") != 0)
		return refuse(why, "what is no product, bias or relu");
	p->relu = true;
	p->out = c->output;
	return 0;
}

static int add_call(struct blas *x, const struct hone_region_call *c, char *why)
{
	if (strcmp(c->op, "matmul") == 0)
		return add_product(x, c, why);
	if (strcmp(c->op, "add") == 0)
		return add_bias(x, c, why);
	return add_relu(x, c, why);
}

static void release(void *handle)
{
	struct blas *x = handle;

	free(x->at);
	free(x->inside);
	free(x);
}

/* The products of REGION, without memory to compute them in; NULL: it cannot be. */
static struct blas *plan(const struct hone_region *region, int threads, char *why)
{
	struct blas *x = calloc(1, sizeof(*x) + (size_t)region->ncalls * sizeof(*x->products));
	int rc = x ? 0 : refuse(why, "no memory");

	if (!x)
		return NULL;
	x->region = region;
	x->threads = threads;
	for (int i = 0; i < region->ncalls && rc == 0; i++)
		rc = add_call(x, &region->calls[i], why);
	if (rc == 0)
		return x;
	release(x);
	return NULL;
}

/* --- the interface */

static int claims(const struct hone_region *region, char *why)
{
	struct blas *x = plan(region, 1, why);

	if (x)
		release(x);
	return x ? 0 : -1;
}

/* What no run hands over has its place here. */
static int init(const struct hone_region *region, const void *artifact, size_t size, int threads,
		void **handle, char *why)
{
	struct blas *x = plan(region, threads, why);
	const struct hone_region_tensor *t = region->tensors;
	int64_t count = 0;

	(void)artifact, (void)size;
	if (!x)
		return -1;
	for (int i = 0; i < x->nproducts; i++)
		count += elements(&t[x->products[i].out]);
	x->at = calloc((size_t)region->ntensors + 1, sizeof(*x->at));
	x->inside = malloc((size_t)count * sizeof(float) + 1);
	if (!x->at || !x->inside) {
		release(x);
		return refuse(why, "no memory");
	}
	for (int i = 0; i < region->ntensors; i++)
		x->at[i] = t[i].data;
	float *next = x->inside;

	for (int i = 0; i < x->nproducts; i++) {
		x->at[x->products[i].out] = next;
		next += elements(&t[x->products[i].out]);
	}
	*handle = x;
	return 0;
}

/* The first element of the matrix in X that goes into matrix I of OUT; dims of 1 are repeated. */
static int64_t matrix_at(const struct hone_region_tensor *x, const struct hone_region_tensor *out, int64_t i)
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

static void multiply(const struct blas_product *p, const float *a, const float *b, float *y)
{
	blasint m = (blasint)p->m, n = (blasint)p->n, k = (blasint)p->k;

	if (m == 1)	/* sgemm packs b first: 6.4 ms to 2.4 at n = k = 4096 (0.3.21, one core of an EPYC) */
		cblas_sgemv(CblasRowMajor, p->trans_b ? CblasNoTrans : CblasTrans, p->trans_b ? n : k,
			    p->trans_b ? k : n, 1, b, p->trans_b ? k : n, a, 1, 0, y, 1);
	else
		cblas_sgemm(CblasRowMajor, p->trans_a ? CblasTrans : CblasNoTrans,
			    p->trans_b ? CblasTrans : CblasNoTrans, m, n, k, 1, a, p->trans_a ? m : k, b,
			    p->trans_b ? k : n, 0, y, n);
}

static void finish(const struct blas_product *p, const float *bias, int64_t step, float *y)
{
	for (int64_t i = 0; i < p->m && (bias || p->relu); i++, y += p->n) {
		for (int64_t j = 0; j < p->n && bias; j++)
			y[j] += bias[j * step];
		for (int64_t j = 0; j < p->n && p->relu; j++)
			y[j] = y[j] < 0 ? 0 : y[j];
	}
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	struct blas *x = handle;
	const struct hone_region *r = x->region;

	(void)why;	/* nothing can go wrong any more */
	for (int i = 0; i < r->ninputs; i++)
		x->at[r->inputs[i]] = inputs[i];
	for (int i = 0; i < r->noutputs; i++)
		x->at[r->outputs[i]] = outputs[i];
	openblas_set_num_threads(x->threads);
	for (const struct blas_product *p = x->products; p < x->products + x->nproducts; p++) {
		const struct hone_region_tensor *t = r->tensors, *out = &t[p->out];
		const float *bias = p->bias < 0 ? NULL : x->at[p->bias];
		float *y = (float *)x->at[p->out];

		for (int64_t i = 0; i < p->matrices; i++, y += p->m * p->n) {
			multiply(p, x->at[p->a] + matrix_at(&t[p->a], out, i),
				 x->at[p->b] + matrix_at(&t[p->b], out, i), y);
			finish(p, bias, bias && elements(&t[p->bias]) > 1, y);
		}
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
	.version = version,
	.claims = claims,
	.init = init,
	.run = run,
	.release = release,
};
