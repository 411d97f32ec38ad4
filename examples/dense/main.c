/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - runs the kernel of dense.te and compares it with the loops that dense.te stands for. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <hone_kernels.h>

/* The name is in hone_kernels.h: that of the operator and the beginning of its task's key. */
#define DENSE(what) hone_dense_9f93f81d##what

enum { M = 8, K = 48, N = 40 };

/* BYTES of what kernels want, 64-byte aligned; NULL for 0. */
static void *memory(size_t bytes)
{
	void *p = bytes ? aligned_alloc(64, (bytes + 63) / 64 * 64) : NULL;

	if (bytes && !p)
		abort();
	return p;
}

/* The constant RAW as the kernel wants argument INPUT. */
static void *packed(int input, void *raw)
{
	size_t bytes = DENSE(_packed_bytes)(input);
	void *p = memory(bytes);

	if (!bytes)
		return raw;
	DENSE(_pack)(input, raw, p);
	return p;
}

static float *numbers(int n, int step)
{
	float *x = memory((size_t)n * sizeof(*x));

	for (int i = 0; i < n; i++)
		x[i] = (float)(i * step % 17 - 8) / 8;
	return x;
}

/* The largest difference from the loops. */
static float error(const float *x, const float *w, const float *b, const float *y)
{
	float most = 0;

	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;

			for (int k = 0; k < K; k++)
				sum += x[i * K + k] * w[k * N + j];
			most = fmaxf(most, fabsf(fmaxf(sum + b[j], 0) - y[i * N + j]));
		}
	return most;
}

int main(void)
{
	float *x = numbers(M * K, 5), *w = numbers(K * N, 7), *b = numbers(N, 3);
	float *y = memory(M * N * sizeof(*y));
	void *args[] = { x, packed(1, w), packed(2, b), y };

	if (DENSE()(args, memory(DENSE(_workspace_bytes)(1)), 1) != 0 || error(x, w, b, y) > 1e-4f) {
		fprintf(stderr, "dense: the kernel is wrong\n");
		return 1;
	}
	printf("dense: %d x %d right\n", M, N);
	return 0;
}
