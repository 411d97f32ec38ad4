/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of one's own for hone in plain C: convolutions of images, sums and relu of f32. docs/partition.md
 * says how hone calls them. */
#include <hone_kernels.h>
#include <string.h>

typedef struct hone_kernel_tensor tensor;

static int64_t count_of(const tensor *t)
{
	int64_t count = 1;

	for (int d = 0; d < t->rank; d++)
		count *= t->dim[d];
	return count;
}

static const struct hone_kernel_attr *attr(const struct hone_kernel_call *c, const char *name)
{
	for (int i = 0; i < c->nattrs; i++)
		if (strcmp(c->attrs[i].name, name) == 0)
			return &c->attrs[i];
	return NULL;
}

/* Number I of the list NAME; VALUE where the list is empty, as it is by default. */
static int64_t number(const struct hone_kernel_call *c, const char *name, int i, int64_t value)
{
	const struct hone_kernel_attr *a = attr(c, name);

	return a && i < a->n ? a->ints[i] : value;
}

/* What these kernels cannot do; hone computes it then. */
const char *kernels_refuse(const struct hone_kernel_call *c)
{
	const struct hone_kernel_attr *pad = attr(c, "auto_pad");

	for (int i = 0; i < c->ninputs; i++)
		if (c->inputs[i].type != HONE_KERNEL_F32)
			return "elements that are not f32";
	return pad && strcmp(pad->text, "explicit") != 0 ? "padding that is not written out" : NULL;
}

int kernel_conv2d(const struct hone_kernel_call *c, const void *const *inputs, void *output, int threads)
{
	const int64_t *in = c->inputs[0].dim, *k = c->inputs[1].dim, *out = c->output.dim;
	const float *x = inputs[0], *w = inputs[1];
	int64_t down = number(c, "strides", 0, 1), right = number(c, "strides", 1, 1);
	int64_t spread = number(c, "dilations", 0, 1), widen = number(c, "dilations", 1, 1);
	int64_t top = number(c, "pads", 0, 0), left = number(c, "pads", 1, 0);
	int64_t group = out[1] / number(c, "groups", 0, 1);	/* channels of the output in each */
	float *y = output;

	(void)threads;
	for (int64_t i = 0; i < count_of(&c->output); i++) {
		int64_t col = i % out[3], row = i / out[3] % out[2], map = i / out[3] / out[2] % out[1];
		int64_t first = i / out[3] / out[2] / out[1] * in[1] + map / group * k[1];
		float sum = 0;

		for (int64_t t = 0; t < k[1] * k[2] * k[3]; t++) {
			int64_t r = row * down - top + t / k[3] % k[2] * spread;
			int64_t q = col * right - left + t % k[3] * widen;
			int64_t plane = first + t / k[3] / k[2];

			if (r >= 0 && r < in[2] && q >= 0 && q < in[3])
				sum += x[(plane * in[2] + r) * in[3] + q] * w[map * k[1] * k[2] * k[3] + t];
		}
		y[i] = sum;
	}
	return 0;
}

/* Which element of T stands at I of OUT: dims of 1, and those that T lacks, are repeated. */
static int64_t place(const tensor *t, const tensor *out, int64_t i)
{
	int64_t at = 0, size = 1;

	for (int d = t->rank - 1, o = out->rank - 1; d >= 0; i /= out->dim[o--], size *= t->dim[d--])
		at += t->dim[d] == 1 ? 0 : i % out->dim[o] * size;
	return at;
}

int kernel_add(const struct hone_kernel_call *c, const void *const *inputs, void *output, int threads)
{
	const float *x = inputs[0], *y = inputs[1];
	float *sum = output;

	(void)threads;
	for (int64_t i = 0; i < count_of(&c->output); i++)
		sum[i] = x[place(&c->inputs[0], &c->output, i)] + y[place(&c->inputs[1], &c->output, i)];
	return 0;
}

int kernel_relu(const struct hone_kernel_call *c, const void *const *inputs, void *output, int threads)
{
	const float *x = inputs[0];
	float *y = output;

	(void)threads;
	for (int64_t i = 0; i < count_of(&c->output); i++)
		y[i] = x[i] < 0 ? 0 : x[i];
	return 0;
}
