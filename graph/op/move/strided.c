/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/strided.c - copies in even steps: runs by memcpy, planes that turn in blocks. */
#include "graph/op/move/strided.h"

#include <assert.h>
#include <string.h>

/* Two loops, the outer one first. */
struct plane {
	int64_t extent[2], to[2], from[2];
};

/* Blocks of 16 x 16 elements touch 16 cache lines on either side, which the first level holds. */
enum { BLOCK = 16 };

#define PLANE(type)                                                                                \
	static void plane_##type(const struct plane *p, type *to, const type *from)                \
	{                                                                                          \
		for (int64_t i0 = 0; i0 < p->extent[0]; i0 += BLOCK)                               \
			for (int64_t j0 = 0; j0 < p->extent[1]; j0 += BLOCK)                       \
				for (int64_t i = i0; i < i0 + BLOCK && i < p->extent[0]; i++)      \
					for (int64_t j = j0; j < j0 + BLOCK && j < p->extent[1];   \
					     j++)                                                  \
						to[i * p->to[0] + j * p->to[1]] =                  \
							from[i * p->from[0] + j * p->from[1]];     \
	}
PLANE(uint8_t)
PLANE(uint16_t)
PLANE(uint32_t)
PLANE(uint64_t)

static void copy_plane(const struct plane *p, unsigned char *to, const unsigned char *from,
		       size_t bytes)
{
	if (p->to[1] == 1 && p->from[1] == 1) {
		for (int64_t i = 0; i < p->extent[0]; i++)
			memcpy(to + i * p->to[0] * (int64_t)bytes,
			       from + i * p->from[0] * (int64_t)bytes,
			       (size_t)p->extent[1] * bytes);
		return;
	}
	switch (bytes) {
	case 1:
		plane_uint8_t(p, to, from);
		return;
	case 2:
		plane_uint16_t(p, (void *)to, (const void *)from);
		return;
	case 4:
		plane_uint32_t(p, (void *)to, (const void *)from);
		return;
	default:
		assert(bytes == 8);
		plane_uint64_t(p, (void *)to, (const void *)from);
		return;
	}
}

static void push_loop(struct strided *s, int64_t extent, int64_t to, int64_t from)
{
	s->extent[s->rank] = extent;
	s->to[s->rank] = to;
	s->from[s->rank++] = from;
}

/* The same copy in as few loops as possible. */
static struct strided merge(const struct strided *s)
{
	struct strided m = { 0 };

	for (int i = 0; i < s->rank; i++) {
		int last = m.rank - 1;

		if (s->extent[i] == 1)
			continue;
		if (last >= 0 && m.to[last] == s->to[i] * s->extent[i] &&
		    m.from[last] == s->from[i] * s->extent[i]) {
			m.extent[last] *= s->extent[i];
			m.to[last] = s->to[i];
			m.from[last] = s->from[i];
		} else {
			push_loop(&m, s->extent[i], s->to[i], s->from[i]);
		}
	}
	return m;
}

/* The loop that reads in single steps becomes the one before the last, so that planes are turned. */
static void order(struct strided *s)
{
	int reads = s->rank - 1;

	while (reads >= 0 && s->from[reads] != 1)
		reads--;
	if (reads < 0 || reads >= s->rank - 2)
		return;
	struct strided old = *s;

	s->rank = 0;
	for (int i = 0; i < old.rank; i++) {
		if (i == old.rank - 1)
			push_loop(s, old.extent[reads], old.to[reads], old.from[reads]);
		if (i != reads)
			push_loop(s, old.extent[i], old.to[i], old.from[i]);
	}
}

static void copy_loops(const struct strided *s, int loop, unsigned char *to,
		       const unsigned char *from, size_t bytes)
{
	int left = s->rank - loop;

	if (left <= 2) {
		struct plane p = { { 1, 1 }, { 0, 1 }, { 0, 1 } };

		for (int i = 0; i < left; i++) {
			p.extent[2 - left + i] = s->extent[loop + i];
			p.to[2 - left + i] = s->to[loop + i];
			p.from[2 - left + i] = s->from[loop + i];
		}
		copy_plane(&p, to, from, bytes);
		return;
	}
	for (int64_t i = 0; i < s->extent[loop]; i++)
		copy_loops(s, loop + 1, to + i * s->to[loop] * (int64_t)bytes,
			   from + i * s->from[loop] * (int64_t)bytes, bytes);
}

void strided_copy(const struct strided *s, void *to, const void *from, size_t bytes)
{
	for (int i = 0; i < s->rank; i++)
		if (s->extent[i] <= 0)
			return;
	struct strided m = merge(s);

	order(&m);
	copy_loops(&m, 0, to, from, bytes);
}

void dense_strides(int rank, const int64_t *dim, int64_t *stride)
{
	int64_t step = 1;

	for (int i = rank - 1; i >= 0; i--) {
		stride[i] = step;
		step *= dim[i];
	}
}

void array_fill(struct array *y, const struct array *value)
{
	static const char *const empty = "";
	static const uint64_t zero;
	struct strided s = { 1, { y->count }, { 1 }, { 0 } };
	const void *from = y->element == ELEMENT_STRING ? (const void *)&empty : &zero;

	strided_copy(&s, y->data, value ? value->data : from, element_bytes(y->element));
}

void *array_at(const struct array *x, int64_t i)
{
	return (unsigned char *)x->data + i * (int64_t)element_bytes(x->element);
}

void odometer_next(struct odometer *o)
{
	for (int i = o->rank - 1; i >= 0; i--) {
		o->offset += o->stride[i];
		if (++o->at[i] < o->dim[i])
			return;
		o->offset -= o->at[i] * o->stride[i];
		o->at[i] = 0;
	}
}
