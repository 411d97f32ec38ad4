/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/access.c - footprints: what an access touches in one execution of each level. */
#include "costmodel/features/access.h"

#include "base/integer.h"

enum { LINE_BYTES = 64 };

/* The values of an index in one execution of a level: `blocks` runs of `run` values, `gap` from
 * one run to the next. */
struct index_spread {
	int64_t run, blocks, gap;
};

/* Loop BUT is left out. */
static struct index_spread spread_without(const struct motion *m, int level, int but, int64_t extent)
{
	struct index_spread s = { 1, 1, 0 };
	int64_t reach = 0;

	for (int i = 0; i < m->n; i++) {
		const struct motion_term *t = &m->at[i];

		if (t->loop < level || t->loop == but)
			continue;
		reach += t->step * (t->count - 1);
		if (s.blocks == 1 && t->step <= s.run) {
			s.run += t->step * (t->count - 1);
			continue;
		}
		s.gap = s.blocks == 1 ? t->step : s.gap;
		s.blocks = least(s.blocks * t->count, reach / s.gap + 1);
	}
	s.run = least(s.run, extent);
	if (s.blocks > 1)
		s.blocks = least(s.blocks, ceil_div(extent, s.run));
	return s;
}

static struct index_spread spread_of(const struct motion *m, int level, int64_t extent)
{
	return spread_without(m, level, -1, extent);
}

/* Lines that ELEMENTS fill, SHIFT the logarithm of those in a line: a division takes longer than all
 * else here. */
static double lines_of(int64_t elements, int shift)
{
	return (double)((elements + (INT64_C(1) << shift) - 1) >> shift);
}

/* What X touches where its dims spread like SPREAD. From the last dim outwards as long as what is
 * touched is one piece of memory, that piece's lines are counted; all pieces are alike. */
static struct footprint footprint_of(const struct access *x, const struct index_spread *spread)
{
	const struct tensor *t = &x->buffer->tensor;
	int64_t piece = 1, pieces = 1;	/* elements of one; number of them */
	int64_t gap = 0;		/* elements from one piece to the next */
	int64_t row = 1;		/* elements of a step in this dim */
	bool open = true;

	for (int d = t->ndim - 1; d >= 0; d--) {
		struct index_spread s = spread[d];

		if (gap == 0 && (s.blocks > 1 || !open))
			gap = s.run > 1 && !open ? row : s.gap * row;
		if (open)
			piece *= s.run;
		pieces *= open ? s.blocks : s.run * s.blocks;
		open = open && s.run == t->shape[d];
		row *= t->shape[d];
	}
	int line = __builtin_ctz(LINE_BYTES / (unsigned)dtype_bytes(t->dtype));
	double lines = (double)pieces * lines_of(piece, line);

	if (gap > 0 && gap < INT64_C(1) << line)	/* neighbours share lines */
		lines = lines_of(gap * (pieces - 1) + piece, line);
	return (struct footprint){ (double)piece * (double)pieces, lines, 0 };
}

/* One execution of a level cannot touch more than it has turns. */
static struct footprint bounded(const struct access *x, const struct index_spread *spread,
				double turns)
{
	struct footprint f = footprint_of(x, spread);
	double most = turns * x->n;

	f.elements = f.elements < most ? f.elements : most;
	f.lines = f.lines < most ? f.lines : most;
	f.bytes = buffer_is_near(x->buffer) || x->streams ? 0 : f.lines * LINE_BYTES;
	return f;
}

/* Several places of one access: as if a loop inside all others went from one to the next. */
static void add_places(struct motion *m, int64_t reach, int n, int loop)
{
	if (reach <= 0)
		return;
	int64_t step = n > 1 && reach / (n - 1) > 1 ? reach / (n - 1) : 1;

	motion_add_term(m, (struct motion_term){ loop, step, reach / step + 1 });
}

static uint64_t loops_of(const struct motion *m)
{
	uint64_t loops = 0;

	for (int i = 0; i < m->n; i++)
		loops |= UINT64_C(1) << m->at[i].loop;
	return loops;
}

void access_finish(struct arena *a, struct access *x, int n_loops, const double *inside)
{
	const struct tensor *t = &x->buffer->tensor;
	uint64_t moves[TENSOR_MAX_DIMS];	/* which loops move a dim */
	struct index_spread spread[TENSOR_MAX_DIMS];

	for (int d = 0; d < t->ndim; d++) {
		struct motion *m = &x->dim[d];

		moves[d] = loops_of(m);
		x->moves |= moves[d];
		add_places(m, x->top[d] - m->constant, x->n, n_loops);
		motion_sort(m);
		spread[d] = spread_of(m, n_loops, t->shape[d]);
	}
	x->at = arena_raw(a, ((size_t)n_loops + 1) * sizeof(*x->at));
	x->at[n_loops] = bounded(x, spread, 1);
	for (int l = n_loops - 1; l >= 0; l--) {
		for (int d = 0; d < t->ndim; d++)
			if (moves[d] >> l & 1)
				spread[d] = spread_of(&x->dim[d], l, t->shape[d]);
		x->at[l] = access_moves(x, l) ? bounded(x, spread, inside[l]) : x->at[l + 1];
	}
}

double access_places(const struct access *x, int level, int but)
{
	double places = 1;

	for (int d = 0; d < x->buffer->tensor.ndim; d++) {
		struct index_spread s = spread_without(&x->dim[d], level, but, INT32_MAX);

		places *= (double)(s.run * s.blocks);
	}
	return places;
}

int64_t access_stride(const struct access *x, int loop)
{
	const struct tensor *t = &x->buffer->tensor;
	int64_t row = 1, sum = 0;

	for (int d = t->ndim - 1; d >= 0; d--) {
		for (int i = 0; i < x->dim[d].n; i++)
			if (x->dim[d].at[i].loop == loop)
				sum += x->dim[d].at[i].step * row;
		row *= t->shape[d];
	}
	return sum;
}
