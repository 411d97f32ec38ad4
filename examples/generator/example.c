/* SPDX-License-Identifier: Apache-2.0 */
/* A code generator for hone in plain C: convolutions, sums and relu. docs/partition.md goes through it. */
#include <hone_generator_read.h>
#include <stdlib.h>

typedef struct hone_region_tensor tensor;

struct example {
	const struct hone_region *region;
	const float *at[];	/* by tensor, its elements; behind them room for what calls compute */
};

/* Element I of the convolution OUT of image IN with weight K. */
static float conv(const int64_t *in, const float *x, const int64_t *k, const float *w, const int64_t *out,
		  const struct hone_window *v, int64_t i)
{
	int64_t top = i / out[3] % out[2] * v->stride[0] - v->begin[0];
	int64_t left = i % out[3] * v->stride[1] - v->begin[1];
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

static void compute(const struct example *e, const struct hone_region_call *c)
{
	int a = c->inputs[0], b = c->inputs[c->ninputs - 1];
	const tensor *x = &e->region->tensors[a], *w = &e->region->tensors[b];
	const tensor *out = &e->region->tensors[c->output];
	float *y = (float *)e->at[c->output];
	bool is_conv = hone_is_op(c, "conv"), is_add = hone_is_op(c, "add");
	struct hone_window v = { 0 };

	if (is_conv)
		v = hone_window_of(e->region, c);
	for (int64_t i = 0; i < hone_count(out, 0); i++)
		if (is_conv)
			y[i] = conv(x->dim, e->at[a], w->dim, e->at[b], out->dim, &v, i);
		else if (is_add)
			y[i] = e->at[a][hone_broadcast(x, out, i)] + e->at[b][hone_broadcast(w, out, i)];
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
		bytes += (size_t)hone_count(&r->tensors[r->calls[i].output], 0) * sizeof(float);
	struct example *e = malloc(bytes);

	if (!e)
		return hone_refuse(why, "no memory");
	e->region = r;
	for (int i = 0; i < r->ntensors; i++)
		e->at[i] = r->tensors[i].data;
	float *next = (float *)(e->at + r->ntensors);

	for (int i = 0; i < r->ncalls; i++) {
		e->at[r->calls[i].output] = next;
		next += hone_count(&r->tensors[r->calls[i].output], 0);
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
