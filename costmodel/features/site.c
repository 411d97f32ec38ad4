/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/site.c - what is derived from a store's loops and accesses. */
#include "costmodel/features/site.h"

#include <math.h>

#include "schedule/matrix.h"

static double register_lanes(enum dtype t, const struct target *target)
{
	return target_lanes(target, dtype_bytes(dtype_arithmetic(t)));
}

/* Do the turns around the vector go over what is side by side, as those of a block that is written at once? */
static bool is_across(const struct site *s, const struct access *x)
{
	int around = s->vector - 1;

	return around >= 0 && nest_is_whole(s->loops[around].nest) && access_stride(x, around) == 1;
}

/* Is there an index that lanes do not all move, as the quotient of one? */
static bool has_pieces(const struct site *s, const struct access *x)
{
	for (int d = 0; d < x->buffer->tensor.ndim; d++)
		for (int i = 0; i < x->dim[d].n; i++)
			if (x->dim[d].at[i].loop == s->vector && (double)x->dim[d].at[i].count < s->vector_lanes)
				return true;
	return false;
}

/* Lanes of X that are pieces: one after the other, or the same few again and again, they are a vector (codegen/pieces.c). Halves that are one
 * element each, side by side, pass for two elements again and again, which costs a load less: no layout has such. */
static enum lanes lanes_of_pieces(const struct site *s, const struct access *x)
{
	const struct tensor *t = &x->buffer->tensor;
	int64_t row = 1, run = 1, jump = 0, half = (int64_t)s->vector_lanes / 2;

	for (int d = t->ndim - 1; d >= 0; row *= t->shape[d--])
		for (int i = 0; i < x->dim[d].n; i++) {
			const struct motion_term *m = &x->dim[d].at[i];

			if (m->loop != s->vector)
				continue;
			if (m->step * row == 1 && m->count <= half)
				run = m->count;
			else if (m->count == 2)
				jump += m->step * row;
			else
				return LANES_APART;
		}
	if (jump == 0)
		return LANES_UNIT;
	return run < half && run > 1 ? LANES_APART : jump == half ? LANES_UNIT : LANES_HALVES;
}

static enum lanes lanes_of(const struct site *s, const struct access *x)
{
	if (!access_moves(x, s->vector))
		return LANES_SAME;
	if (buffer_is_near(x->buffer) || x->grouped > 1)	/* each is a vector, whatever lies beside what in the tensor */
		return LANES_UNIT;
	if (has_pieces(s, x))
		return x->writes ? LANES_APART : lanes_of_pieces(s, x);
	int64_t stride = access_stride(x, s->vector);

	if (stride == 1)
		return LANES_UNIT;
	if (is_across(s, x))
		return LANES_ACROSS;
	return stride_is_near(stride) && !x->writes ? LANES_NEAR : LANES_APART;
}

static void find_vector(struct site *s, const struct aim *d)
{
	s->body = s->n_loops;
	while (s->body > 0 && loop_is_written_out(&s->loops[s->body - 1]))
		s->body--;
	s->fresh = s->n_loops;
	while (s->fresh > s->body && s->loops[s->fresh - 1].nest->turns != TURNS_RELOAD)
		s->fresh--;
	s->vector = s->n_loops - 1;
	while (s->vector >= 0 && s->loops[s->vector].annotation != ANNOTATION_VECTOR)
		s->vector--;
	s->vector_lanes = s->vector >= 0 ? s->loops[s->vector].extent : 1;
	s->lanes = register_lanes(s->store->buffer->tensor.dtype, d->target);
	s->registers = (double)(int64_t)((s->vector_lanes + s->lanes - 1) / s->lanes);
}

/* The loop over the groups of an intrinsic. Where lanes are of a target's scratchpads, or of matrices, it is not for
 * vectors that are loaded. */
static int group_of_vectors(const struct site *s, const struct aim *d)
{
	for (int l = s->body; l < s->n_loops; l++)
		if (s->loops[l].nest->intrinsic && !d->target->operands && !site_is_of_matrices(s))
			return l;
	return -1;
}

/* A product of matrices is one instruction, which takes a row's time for all of its groups together. */
static void join_product(struct arena *a, struct site *s)
{
	int l = s->n_loops - 2;		/* around the lanes */

	while (l >= 0 && matrix_block(a, s->loops[l].nest).kind == MATRIX_PRODUCT) {
		struct site_loop *loop = &s->loops[l--];

		if (loop->annotation == ANNOTATION_NONE && loop->reduce)
			s->ops[FEATURE_F_FMA] /= loop->extent;
		if (loop->annotation == ANNOTATION_NONE)
			loop->annotation = ANNOTATION_UNROLL;
	}
	s->flop = ops_flop(s->ops);
}

void site_finish(struct arena *a, struct site *s, const struct aim *d)
{
	int n = s->n_loops;

	if (site_is_of_matrices(s))
		join_product(a, s);
	s->inside = arena_many(a, double, n + 1);
	s->bytes = arena_many(a, double, n + 1);
	s->inside[n] = 1;
	for (int l = n - 1; l >= 0; l--)
		s->inside[l] = s->inside[l + 1] * s->loops[l].extent;
	find_vector(s, d);
	s->group = group_of_vectors(s, d);
	for (int i = 0; i < s->n_accesses; i++) {
		struct access *x = s->access[i];

		x->streams = x->writes && s->store->streams;
		access_finish(a, x, n, s->inside);
		x->grouped = s->group >= 0 && access_moves(x, s->group) ? s->loops[s->group].extent : 1;
		if (s->vector >= 0)
			x->lanes = lanes_of(s, x);
		for (int l = 0; l <= n; l++)
			s->bytes[l] += x->at[l].bytes;
	}
}

bool access_is_of_vectors(const struct site *s, const struct access *x)
{
	return site_has_vector(s) && x->lanes != LANES_SAME && x->lanes != LANES_APART;
}

double access_registers(const struct site *s, const struct access *x)
{
	if (x->lanes == LANES_HALVES)
		return 2 * s->registers;
	if (x->lanes == LANES_NEAR)	/* of all that lies between the lanes, too */
		return ceil(s->vector_lanes * (double)access_stride(x, s->vector) / s->lanes);
	return s->registers;
}

double access_vectors(const struct site *s, const struct access *x, double elements)
{
	double vectors = elements / x->grouped;

	if (access_is_of_vectors(s, x))
		vectors = vectors / s->vector_lanes * access_registers(s, x);
	return vectors < 1 ? 1 : vectors;
}

/* --- caches */

int site_fit_level(const struct site *s, double bytes)
{
	int level = s->n_loops;

	while (level > 0 && s->bytes[level - 1] <= bytes)
		level--;
	return level;
}

/* Each execution of the level that fits brings in what it touches, but for what the execution
 * before it left there: all of it where the next loop outside does not move the access, what
 * overlaps where it does. Loops further outside find the cache full of other things. */
double access_miss(const struct site *s, const struct access *x, int level)
{
	int l = level;
	double sum = x->at[l].bytes;

	while (l > 0 && !access_moves(x, l - 1))
		l--;
	if (l > 0 && x->at[l].bytes > 0) {
		l--;
		sum *= x->at[l].bytes / x->at[l + 1].bytes;
	}
	while (l > 0)
		sum *= s->loops[--l].extent;
	return sum * s->taken;
}
