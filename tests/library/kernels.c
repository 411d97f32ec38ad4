/* SPDX-License-Identifier: Apache-2.0 */
/* tests/library/kernels.c - a code generator of HONE_KERNELS in plain C: convolutions of plain images with a
 * bias and relu. It says that it takes next to nothing, so it gets all that it claims; it wants back
 * the artifact that it compiled, and sees whether two calls of a handle overlap.
 *
 * KERNELS_FAIL=init and KERNELS_FAIL=run make that fail. */
#include <hone_generator.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct hone_region_tensor tensor;

struct planted_conv {
	const struct hone_region *region;
	const float *weight, *bias;	/* the latter may be NULL */
	int relu;
	int64_t stride[2], pad[2], dilation[2];
	atomic_int callers;
};

static const char artifact[] = "a convolution";

static int fails(const char *what)
{
	const char *asked = getenv("KERNELS_FAIL");

	return asked && strcmp(asked, what) == 0;
}

/* The first two numbers of attribute NAME of the convolution; VALUE where the list is empty. */
static void read_pair(const struct hone_region_call *c, const char *name, int64_t value, int64_t *out)
{
	out[0] = out[1] = value;
	for (int i = 0; i < c->nattrs; i++)
		if (strcmp(c->attrs[i].name, name) == 0 && c->attrs[i].n >= 2)
			memcpy(out, c->attrs[i].ints, 2 * sizeof(*out));
}

static int claims(const struct hone_region *r, char *why)
{
	for (int i = 0; i < r->ntensors; i++)
		if (r->tensors[i].channels != HONE_CHANNELS_FIRST) {
			snprintf(why, HONE_WHY_BYTES, "an image that is not plain");
			return -1;
		}
	return 0;
}

static struct hone_cost cost(const struct hone_region *r, int threads)
{
	(void)r, (void)threads;
	return (struct hone_cost){ .kernels_us = 0.001 };
}

static int configure(const char *text, char *why)
{
	if (!fails("configure") && strcmp(text, "plainly") == 0)
		return 0;
	snprintf(why, HONE_WHY_BYTES, "asked to fail");
	return -1;
}

static int compile(const struct hone_region *r, void (*write)(void *sink, const void *bytes, size_t n),
		   void *sink, char *why)
{
	(void)r, (void)why;
	write(sink, artifact, sizeof(artifact));
	return 0;
}

static int init(const struct hone_region *r, const void *got, size_t size, int threads, void **handle,
		char *why)
{
	struct planted_conv *c = fails("init") ? NULL : calloc(1, sizeof(*c));

	if (!c || threads < 1 || size != sizeof(artifact) || memcmp(got, artifact, size) != 0) {
		snprintf(why, HONE_WHY_BYTES, c ? "another artifact came back" : "asked to fail");
		free(c);
		return -1;
	}
	c->region = r;
	c->weight = r->tensors[r->calls[0].inputs[1]].data;
	for (int i = 1; i < r->ncalls; i++) {
		const int *operands = r->calls[i].inputs;

		if (strcmp(r->calls[i].op, "relu") == 0)
			c->relu = 1;
		else
			c->bias = r->tensors[r->tensors[operands[0]].data ? operands[0] : operands[1]].data;
	}
	read_pair(&r->calls[0], "strides", 1, c->stride);
	read_pair(&r->calls[0], "pads", 0, c->pad);
	read_pair(&r->calls[0], "dilations", 1, c->dilation);
	*handle = c;
	return 0;
}

/* Output MAP at ROW and COLUMN of the image at X. */
static float element(const struct planted_conv *c, const float *x, int64_t map, int64_t row, int64_t column)
{
	const struct hone_region *r = c->region;
	const int64_t *in = r->tensors[r->inputs[0]].dim;
	const int64_t *k = r->tensors[r->calls[0].inputs[1]].dim;
	float sum = 0;

	for (int64_t t = 0; t < k[1] * k[2] * k[3]; t++) {
		int64_t y = row * c->stride[0] - c->pad[0] + t / k[3] % k[2] * c->dilation[0];
		int64_t z = column * c->stride[1] - c->pad[1] + t % k[3] * c->dilation[1];

		if (y >= 0 && y < in[2] && z >= 0 && z < in[3])
			sum += x[(t / k[3] / k[2] * in[2] + y) * in[3] + z] *
			       c->weight[map * k[1] * k[2] * k[3] + t];
	}
	sum += c->bias ? c->bias[map] : 0;
	return c->relu && sum < 0 ? 0 : sum;
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	struct planted_conv *c = handle;
	const struct hone_region *r = c->region;
	const tensor *in = &r->tensors[r->inputs[0]], *out = &r->tensors[r->outputs[0]];
	const float *x = inputs[0];
	float *y = outputs[0];

	if (fails("run") || atomic_fetch_add(&c->callers, 1) > 0) {
		snprintf(why, HONE_WHY_BYTES, fails("run") ? "asked to fail" : "two callers at once");
		return -1;
	}
	for (int64_t n = 0; n < out->dim[0]; n++, x += in->dim[1] * in->dim[2] * in->dim[3])
		for (int64_t i = 0; i < out->dim[1] * out->dim[2] * out->dim[3]; i++)
			*y++ = element(c, x, i / out->dim[3] / out->dim[2], i / out->dim[3] % out->dim[2],
				       i % out->dim[3]);
	atomic_fetch_sub(&c->callers, 1);
	return 0;
}

static const char *version(void)
{
	return "kernels 1";
}

const struct hone_generator hone_generator = {
	.abi = HONE_GENERATOR_ABI,
	.name = "kernels",
	.summary = "convolutions in plain loops, one at a time",
	.patterns = (const struct hone_pattern[]){
		{ "conv", "conv2d[f32, const, groups=1, auto_pad=explicit] bias_add? relu?" },
		{ NULL, NULL } },
	.grain = HONE_KERNELS,
	.configure = configure,
	.version = version,
	.claims = claims,
	.cost = cost,
	.compile = compile,
	.init = init,
	.run = run,
	.release = free,
};
