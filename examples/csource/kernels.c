/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of one's own for hone in plain C: convolutions of images, sums and relu of f32. docs/partition.md
 * says how hone calls them. */
#include <hone_generator_read.h>

typedef struct hone_region_tensor tensor;

/* What these kernels cannot do; hone computes it then. */
const char *kernels_refuse(const struct hone_region *r, int call)
{
	const struct hone_region_call *c = &r->calls[call];

	for (int i = 0; i < c->ninputs; i++)
		if (hone_operand(r, c, i) && hone_operand(r, c, i)->type != HONE_F32)
			return "elements that are not f32";
	if (hone_is_op(c, "conv") && !hone_attr_is(c, "auto_pad", "explicit"))
		return "padding that is not written out";
	return NULL;
}

int kernel_conv2d(const struct hone_region *r, int call, const void *const *inputs, void *output, int threads)
{
	const struct hone_region_call *c = &r->calls[call];
	const int64_t *in = hone_operand(r, c, 0)->dim, *k = hone_operand(r, c, 1)->dim;
	const tensor *result = &r->tensors[c->output];
	const int64_t *out = result->dim;
	const float *x = inputs[0], *w = inputs[1];
	struct hone_window v = hone_window_of(r, c);
	int64_t group = out[1] / hone_attr_int(c, "groups", 0, 1);	/* channels of the output in each */
	float *y = output;

	(void)threads;
	for (int64_t i = 0; i < hone_count(result, 0); i++) {
		int64_t col = i % out[3], row = i / out[3] % out[2], map = i / out[3] / out[2] % out[1];
		int64_t first = i / out[3] / out[2] / out[1] * in[1] + map / group * k[1];
		float sum = 0;

		for (int64_t t = 0; t < k[1] * k[2] * k[3]; t++) {
			int64_t p = row * v.stride[0] - v.begin[0] + t / k[3] % k[2] * v.dilation[0];
			int64_t q = col * v.stride[1] - v.begin[1] + t % k[3] * v.dilation[1];
			int64_t plane = first + t / k[3] / k[2];

			if (p >= 0 && p < in[2] && q >= 0 && q < in[3])
				sum += x[(plane * in[2] + p) * in[3] + q] * w[map * k[1] * k[2] * k[3] + t];
		}
		y[i] = sum;
	}
	return 0;
}

int kernel_add(const struct hone_region *r, int call, const void *const *inputs, void *output, int threads)
{
	const struct hone_region_call *c = &r->calls[call];
	const tensor *x = hone_operand(r, c, 0), *y = hone_operand(r, c, 1), *out = &r->tensors[c->output];
	const float *a = inputs[0], *b = inputs[1];
	float *sum = output;

	(void)threads;
	for (int64_t i = 0; i < hone_count(out, 0); i++)
		sum[i] = a[hone_broadcast(x, out, i)] + b[hone_broadcast(y, out, i)];
	return 0;
}

int kernel_relu(const struct hone_region *r, int call, const void *const *inputs, void *output, int threads)
{
	const float *x = inputs[0];
	float *y = output;

	(void)threads;
	for (int64_t i = 0; i < hone_count(&r->tensors[r->calls[call].output], 0); i++)
		y[i] = x[i] < 0 ? 0 : x[i];
	return 0;
}
