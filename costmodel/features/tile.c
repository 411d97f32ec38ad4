/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/tile.c - which register tile the body of a store is, and how fast that was measured to be. */
#include "costmodel/features/site.h"

/* What a body multiplies: its loops over rows and vectors of sums. */
struct tile_shape {
	enum register_kind kind;
	double rows, vectors;
};

static bool find_kind(const struct site *s, bool lanes, enum register_kind *out)
{
	const struct intrinsic *by = s->group >= 0 ? s->loops[s->group].nest->intrinsic : NULL;
	enum dtype sum = dtype_arithmetic(s->store->buffer->tensor.dtype);

	for (int k = 0; k < REGISTER_KIND_COUNT; k++) {
		const struct register_products *p = register_products(k);

		if (by ? by->a == p->a && by->b == p->b && by->sum == p->sum
		       : p->a == p->sum && p->sum == sum && p->lanes == lanes) {
			*out = k;
			return true;
		}
	}
	return false;
}

/* Is there an operand of S with lanes, or one that all lanes get, that loop L moves (-1: any)? */
static bool has_operand(const struct site *s, bool lanes, int l)
{
	for (int i = 1; i < s->n_accesses; i++) {
		const struct access *x = s->access[i];

		if (x->reads && (x->lanes != LANES_SAME) == lanes && (l < 0 || access_moves(x, l)))
			return true;
	}
	return false;
}

/* False where the body of S is none: it does not multiply, its sums are not in registers, or vectors are not whole. */
static bool shape_of(const struct site *s, struct tile_shape *out)
{
	const struct access *sums = s->access[0];

	if (s->store->reducer != REDUCE_SUM || !sums->buffer->registers || !site_has_vector(s) || site_is_of_matrices(s) ||
	    s->vector_lanes != s->registers * s->lanes || s->ops[FEATURE_F_FMA] == 0)
		return false;
	if (!find_kind(s, !has_operand(s, false, -1), &out->kind))
		return false;
	out->rows = 1;
	out->vectors = s->registers;
	for (int l = s->body; l < s->n_loops; l++) {
		if (l == s->vector || !access_moves(sums, l))
			continue;
		if (has_operand(s, true, l) && has_operand(s, false, -1) && !has_operand(s, false, l))
			out->vectors *= s->loops[l].extent;
		else
			out->rows *= s->loops[l].extent;
	}
	return true;
}

struct measured_tile features_tile(const struct site *s, const struct aim *d)
{
	struct tile_shape t;

	if (!d->kernels || !shape_of(s, &t))
		return (struct measured_tile){ 0 };
	double gops = register_rate(d->kernels, t.kind, (int64_t)t.rows, (int64_t)t.vectors);

	double products = s->left * s->inside[s->body] / s->vector_lanes * s->registers;

	return (struct measured_tile){
		.ns = gops > 0 ? 2 * s->left * s->inside[s->body] / gops : 0,
		.ops = products * s->ops[FEATURE_F_FMA],
		.loads = products / (t.rows * t.vectors) * (t.rows + t.vectors) /
			 (s->group >= 0 ? s->loops[s->group].extent : 1),
	};
}
