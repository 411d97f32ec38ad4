/* SPDX-License-Identifier: Apache-2.0 */
/* A code generator for hone in plain C: convolutions, sums and relu. docs/partition.md goes through it. */
#include <hone_generator.h>
#include <stdlib.h>
#include <string.h>

typedef struct hone_region_tensor tensor;

struct example {
	const struct hone_region *region;
	const float *at[];	/* by tensor, its elements; behind them room for what calls compute */
};

static int64_t count_of(const tensor *t)
{
	int64_t count = 1;

	for (int d = 0; d < t->rank; d++)
		count *= t->dim[d];
	return count;
}

/* The first two numbers of attribute NAME; VALUE where the list is empty, as it is by default. */
static void read_pair(const struct hone_region_call *c, const char *name, int64_t value, int64_t *out)
{
	out[0] = out[1] = value;
	for (int i = 0; i < c->nattrs; i++)
		if (strcmp(c->attrs[i].name, name) == 0 && c->attrs[i].n >= 2)
			memcpy(out, c->attrs[i].ints, 2 * sizeof(*out));
}

/* Element I of the convolution OUT of image IN with weight K. */
static float conv(const int64_t *in, const float *x, const int64_t *k, const float *w, const int64_t *out,
		  const int64_t *stride, const int64_t *pad, int64_t i)
{
	int64_t top = i / out[3] % out[2] * stride[0] - pad[0], left = i % out[3] * stride[1] - pad[1];
	int64_t map = i / out[3] / out[2], taps = k[1] * k[2] * k[3];
	float sum = 0;

	for (int64_t t = 0; t < taps; t++) {
		int64_t row = top + t / k[3] % k[2], column = left + t % k[3];
		int64_t plane = map / out[1] * in[1] + t / k[3] / k[2];

		if (row >= 0 && row < in[2] && column >= 0 && column < in[3])
			sum += x[(plane * in[2] + row) * in[3] + column] * w[map % out[1] * taps + t];
	}
	return sum;
}

/* Which element of X stands at I of OUT: dims of 1, and those that X lacks, are repeated. */
static int64_t place(const tensor *x, const tensor *out, int64_t i)
{
	int64_t at = 0, size = 1;

	for (int d = x->rank - 1, o = out->rank - 1; d >= 0; i /= out->dim[o--], size *= x->dim[d--])
		at += x->dim[d] == 1 ? 0 : i % out->dim[o] * size;
	return at;
}

static void compute(const struct example *e, const struct hone_region_call *c)
{
	int a = c->inputs[0], b = c->inputs[c->ninputs - 1];
	const tensor *x = &e->region->tensors[a], *w = &e->region->tensors[b];
	const tensor *out = &e->region->tensors[c->output];
	float *y = (float *)e->at[c->output];
	int64_t stride[2], pad[2];

	read_pair(c, "strides", 1, stride);
	read_pair(c, "pads", 0, pad);
	for (int64_t i = 0; i < count_of(out); i++)
		if (*c->op == 'c')
			y[i] = conv(x->dim, e->at[a], w->dim, e->at[b], out->dim, stride, pad, i);
		else if (*c->op == 'a')
			y[i] = e->at[a][place(x, out, i)] + e->at[b][place(w, out, i)];
		else	/* relu */
			y[i] = e->at[a][i] < 0 ? 0 : e->at[a][i];
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	struct example *e = handle;
	const struct hone_region *r = e->region;

	(void)why;	/* nothing can go wrong */
	for (int i = 0; i < r->ninputs; i++)
		e->at[r->inputs[i]] = inputs[i];
	for (int i = 0; i < r->noutputs; i++)
		e->at[r->outputs[i]] = outputs[i];
	for (int i = 0; i < r->ncalls; i++)
		compute(e, &r->calls[i]);
	return 0;
}

/* Lays out memory, inputs and outputs have theirs in each run. Nothing was compiled; one thread does all. */
static int init(const struct hone_region *r, const void *artifact, size_t size, int threads, void **handle,
		char *why)
{
	size_t bytes = sizeof(struct example) + (size_t)r->ntensors * sizeof(float *);

	(void)artifact, (void)size, (void)threads;
	for (int i = 0; i < r->ncalls; i++)
		bytes += (size_t)count_of(&r->tensors[r->calls[i].output]) * sizeof(float);
	struct example *e = malloc(bytes);

	if (!e) {
		strcpy(why, "no memory");
		return -1;
	}
	e->region = r;
	for (int i = 0; i < r->ntensors; i++)
		e->at[i] = r->tensors[i].data;
	float *next = (float *)(e->at + r->ntensors);

	for (int i = 0; i < r->ncalls; i++) {
		e->at[r->calls[i].output] = next;
		next += count_of(&r->tensors[r->calls[i].output]);
	}
	*handle = e;
	return 0;
}

static const char *version(void)
{
	return "example 1";
}

const struct hone_generator hone_generator = {
	.abi = HONE_GENERATOR_ABI,
	.name = "example",
	.summary = "convolutions, sums and relu in plain loops",
	.patterns = (const struct hone_pattern[]){
		{ "conv", "conv2d[f32, const, groups=1, dilations=1, auto_pad=explicit] bias_add? relu?" },
		{ "add", "add[f32] relu?" },
		{ "relu", "relu[f32]" },
		{ NULL, NULL } },
	.version = version,
	.init = init,
	.run = run,
	.release = free,
};
