/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/content.c - constants, kernels and generators, each once. */
#include "runtime/library/content.h"

#include "base/integer.h"

#include <string.h>

size_t library_weight(struct library_content *c, const void *data, size_t bytes)
{
	for (int i = 0; i < c->weights.n; i++)
		if (c->weights.at[i].data == data && c->weights.at[i].bytes == bytes)
			return c->weights.at[i].at;
	size_t at = bytes_up(c->weight_bytes, LIBRARY_ALIGN);

	vec_push(c->arena, &c->weights, (struct library_weight){ data, bytes, at });
	c->weight_bytes = at + bytes;
	return at;
}

size_t library_weight_like(struct library_content *c, const void *data, size_t bytes)
{
	for (int i = 0; i < c->weights.n; i++)
		if (c->weights.at[i].bytes == bytes && memcmp(c->weights.at[i].data, data, bytes) == 0)
			return c->weights.at[i].at;
	return library_weight(c, data, bytes);
}

int library_kernel(struct library_content *c, const struct choice *choice)
{
	for (int i = 0; i < c->kernels.n; i++)
		if (c->kernels.at[i] == choice)
			return i;
	vec_push(c->arena, &c->kernels, choice);
	return c->kernels.n - 1;
}
