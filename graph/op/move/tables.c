/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/tables.c - copies for which each axis has a table of places. */
#include "graph/op/move/tables.h"

#include "graph/op/move/strided.h"

struct tables_job {
	const struct array *from;
	struct array *to;
	const int64_t *const *table;
	int64_t from_stride[GRAPH_MAX_RANK], to_stride[GRAPH_MAX_RANK];
	size_t bytes;
};

/* A row: runs of neighbours by memcpy. */
static void copy_row(const struct tables_job *j, int axis, unsigned char *to,
		     const unsigned char *from)
{
	const int64_t *at = j->table[axis];
	int64_t n = j->to->dim[axis];

	for (int64_t i = 0, end; i < n; i = end) {
		end = i + 1;
		if (at[i] == OUTSIDE)
			continue;
		while (end < n && at[end] == at[end - 1] + 1)
			end++;
		memcpy(to + (size_t)i * j->bytes, from + (size_t)at[i] * j->bytes,
		       (size_t)(end - i) * j->bytes);
	}
}

static void copy_axis(const struct tables_job *j, int axis, int64_t to, int64_t from)
{
	if (axis == j->to->rank - 1) {
		copy_row(j, axis, array_at(j->to, to), array_at(j->from, from));
		return;
	}
	for (int64_t i = 0; i < j->to->dim[axis]; i++)
		if (j->table[axis][i] != OUTSIDE)
			copy_axis(j, axis + 1, to + i * j->to_stride[axis],
				  from + j->table[axis][i] * j->from_stride[axis]);
}

void tables_copy(struct array *to, const struct array *from, const int64_t *const *table)
{
	struct tables_job j = { .from = from, .to = to, .table = table,
				.bytes = element_bytes(from->element) };

	dense_strides(from->rank, from->dim, j.from_stride);
	dense_strides(to->rank, to->dim, j.to_stride);
	if (to->rank)
		copy_axis(&j, 0, 0, 0);
	else
		memcpy(to->data, from->data, j.bytes);
}
