/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/combine/lanes.c - cuts a tensor into lanes along an axis. */
#include "graph/op/combine/lanes.h"

/* Elements at work at a time, where the axis is not longer: half of a usual second cache. */
enum { ROOM = 1 << 16 };

void lanes_each(struct eval *x, const struct array *from, int axis, enum compute c,
		struct array *to, void (*each)(const struct strand *l, const void *user),
		const void *user)
{
	size_t bytes = compute_bytes(c);
	int64_t extent = from->rank ? from->dim[axis] : 1;
	int64_t inner = from->rank ? shape_count(from->rank - axis - 1, from->dim + axis + 1) : 1;

	if (from->count == 0 || to->count == 0)
		return;
	int64_t steps = to->count / (from->count / extent);	/* of the result */
	int64_t most = ROOM / extent < 1 ? 1 : ROOM / extent < inner ? ROOM / extent : inner;
	char *in = eval_scratch(x, (size_t)(extent * most) * bytes);
	char *out = eval_scratch(x, (size_t)(steps * most) * bytes);

	for (int64_t outer = 0; outer < from->count / (extent * inner); outer++)
		for (int64_t i = 0; i < inner; i += most) {
			struct strand l = { extent, (int)(inner - i < most ? inner - i : most), in,
					   out };
			/* steps lie side by side where nothing is beside the axis */
			int64_t reads = inner == 1 ? 1 : extent, writes = inner == 1 ? 1 : steps;
			int64_t read = inner == 1 ? extent : l.n, write = inner == 1 ? steps : l.n;

			for (int64_t s = 0; s < reads; s++)
				compute_get(c, from->element, from->data,
					    (outer * extent + s) * inner + i, read,
					    in + (size_t)(s * read) * bytes);
			each(&l, user);
			for (int64_t s = 0; s < writes; s++)
				compute_put(c, to->element, to->data,
					    (outer * steps + s) * inner + i, write,
					    out + (size_t)(s * write) * bytes);
		}
}
