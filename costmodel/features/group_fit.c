/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/group_fit.c - how a store fits the device: registers, caches, arithmetic intensity. */
#include "costmodel/features/site.h"

#include <math.h>

enum { INTENSITY_POINTS = 10 };

static bool seen_before(const struct site *s, int i)
{
	for (int j = 0; j < i; j++)
		if (s->access[j]->buffer == s->access[i]->buffer)
			return true;
	return false;
}

/* Elements of X in one execution of LEVEL, of the turns that a compiler leaves. */
static double elements_of(const struct site *s, const struct access *x, int level)
{
	return s->left < 1 ? fmin(x->at[level].elements, s->left * access_places(x, level, -1)) : x->at[level].elements;
}

/* Registers that values of X are in while the written-out body goes by: a compiler loads each value once, so what
 * the next turn of a written-out loop reads again is kept for it. Of a window that is so for values of all lanes,
 * which have to be spread; vectors are operands in memory as well. */
static double kept(const struct site *s, const struct access *x)
{
	double most = access_vectors(s, x, 1);

	for (int l = s->n_loops - 1; l >= s->fresh; l--) {
		double inside = access_vectors(s, x, x->at[l + 1].elements);
		double again = s->loops[l].extent * inside - access_vectors(s, x, x->at[l].elements);

		if (l != s->vector && l != s->group && (x->lanes != LANES_UNIT || !access_moves(x, l)))
			most = fmax(most, fmin(again, inside));
	}
	return most;
}

/* Values that the last index of X takes. */
static double row_of(const struct access *x)
{
	const struct motion *m = &x->dim[x->buffer->tensor.ndim - 1];
	int64_t reach = 1;

	for (int i = 0; i < m->n; i++)
		reach += m->at[i].step * (m->at[i].count - 1);
	return (double)reach;
}

/* Registers of X's buffer, which is in some. Of rows for whole vectors an edge of fewer lanes, or of none, leaves the rest alone. */
static double held(const struct site *s, const struct access *x)
{
	const struct tensor *t = &x->buffer->tensor;
	double vectors = access_vectors(s, x, (double)tensor_count(t));

	if (s->left < 1)
		vectors = fmin(vectors, access_vectors(s, x, elements_of(s, x, s->body)));
	if (t->ndim == 0 || (s->vector >= 0 && (x->lanes != LANES_UNIT || s->vector_lanes >= s->lanes)))
		return vectors;
	return vectors * fmin(1, row_of(x) / (double)t->shape[t->ndim - 1]);
}

static void fill_registers(const struct site *s, const struct aim *d, float *row)
{
	double acc = 0, operands = 0;

	for (int i = 0; i < s->n_accesses && !site_is_of_matrices(s); i++) {
		const struct access *x = s->access[i];

		if (!x->buffer->registers)
			operands += x->reads ? s->left * kept(s, x) : 0;
		else if (!seen_before(s, i))
			acc += held(s, x);
	}
	row[FEATURE_ACC_REGISTERS] = (float)acc;
	row[FEATURE_OPERAND_REGISTERS] = (float)operands;
	row[FEATURE_ACC_SHARE] = (float)(acc / d->target->vector_registers);
	row[FEATURE_ACC_FIT] = acc + operands <= d->target->vector_registers;
}

/* Instructions of the body that combine the lanes of vectors: a shuffle and an operation for each halving. */
static double across(const struct site *s)
{
	if (!site_has_vector(s) || !store_combines_lanes(s->store, s->loops[s->vector].nest->axis))
		return 0;
	return s->inside[s->body] / s->vector_lanes * 2 * ceil(log2(s->vector_lanes));
}

/* Tiles are loaded a row a time, as vectors are. A sum waits for one product in a turn of the loop around: 52 cycles,
 * published measurements of AMX say. */
static void fill_matrix_body(const struct site *s, const struct aim *d, float *row)
{
	enum { CYCLES = 52 };
	double ops = s->left * s->inside[s->body] / s->vector_lanes * ops_instructions(s->ops), bytes = 0;

	for (int i = 0; i < s->n_accesses; i++)
		if (!buffer_is_near(s->access[i]->buffer))
			bytes += s->left * s->access[i]->at[s->body].elements * (double)dtype_bytes(s->access[i]->buffer->tensor.dtype);
	row[FEATURE_BODY_OPS] = (float)ops;
	row[FEATURE_BODY_LOADS] = (float)(bytes / d->target->vector_bytes);
	row[FEATURE_BODY_CHAINS] = (float)(ops * d->target->costs->latency / CYCLES);
	row[FEATURE_WIDTH_USED] = 1;
}

/* Does X begin at other places than multiples of a vector? */
static bool is_askew(const struct site *s, const struct access *x)
{
	for (int l = 0; l < s->n_loops; l++)
		if (l != s->vector && access_moves(x, l) && access_stride(x, l) % (int64_t)s->lanes != 0)
			return true;
	return false;
}

/* Loads of X in the body: each value once, but in each turn anew that keeps nothing of the one before. Vectors that begin at different
 * places are different ones, however many elements they share. */
static double loads_of(const struct site *s, const struct access *x)
{
	double times = s->inside[s->body] / s->inside[s->fresh];

	if (!access_is_of_vectors(s, x))
		return times * access_vectors(s, x, elements_of(s, x, s->fresh));
	double vectors = fmin(access_places(x, s->fresh, s->vector), x->n * s->inside[s->fresh] / s->vector_lanes);

	return times * s->left * vectors / x->grouped * access_registers(s, x);
}

/* Shuffles for each instruction that loads or stores values of X: one of lanes that lie apart, or are picked out of vectors, one for
 * each halving of the lanes where they are transposed. */
static double shuffles_of(const struct site *s, const struct access *x)
{
	if (!site_has_vector(s) || x->lanes == LANES_SAME || x->lanes == LANES_UNIT)
		return 0;
	return x->lanes == LANES_ACROSS ? log2(s->vector_lanes) : 1;
}

static void fill_body(const struct site *s, float *row)
{
	double turns = s->left * s->inside[s->body];
	double loads = 0, stores = 0, scattered = 0, askew = 0;

	if (site_has_vector(s))
		turns = turns / s->vector_lanes * s->registers;
	for (int i = 0; i < s->n_accesses; i++) {
		const struct access *x = s->access[i];

		if (buffer_is_near(x->buffer))
			continue;
		double loaded = x->reads ? loads_of(s, x) : 0;
		double stored = x->writes ? access_vectors(s, x, elements_of(s, x, s->body)) : 0;

		loads += loaded;
		stores += stored;
		askew += site_has_vector(s) && x->lanes == LANES_UNIT && is_askew(s, x) ? stored : 0;
		scattered += shuffles_of(s, x) * (loaded + stored);
	}
	const struct access *result = s->access[0];	/* the store itself comes first */

	row[FEATURE_BODY_OPS] = (float)(turns * ops_instructions(s->ops) + across(s));
	row[FEATURE_BODY_LOADS] = (float)loads;
	row[FEATURE_BODY_STORES] = (float)stores;
	row[FEATURE_BODY_SCATTERED] = (float)scattered;
	row[FEATURE_BODY_ASKEW] = (float)askew;
	row[FEATURE_BODY_CHAINS] =
		(float)access_vectors(s, result, elements_of(s, result, s->body));
	row[FEATURE_WIDTH_USED] = (float)(s->vector_lanes / (s->registers * s->lanes));
}

static double streamed(const struct site *s)
{
	return s->store->streams ? s->turns * (double)dtype_bytes(s->store->buffer->tensor.dtype) : 0;
}

/* Of all that S accesses, or of what it writes alone, which has to leave the cache of LEVEL again. */
static double sum_of_misses(const struct site *s, int level, bool written)
{
	double sum = 0;

	for (int i = 0; i < s->n_accesses; i++)
		sum += !written || s->access[i]->writes ? access_miss(s, s->access[i], level) : 0;
	return sum;
}

/* Working set of the innermost N loops. */
static double inner_bytes(const struct site *s, int n)
{
	return s->bytes[n < s->n_loops ? s->n_loops - n : 0];
}

static void fill_caches(const struct site *s, const struct aim *d, float *row)
{
	int l1 = site_fit_level(s, d->l1_bytes);
	int l2 = site_fit_level(s, d->l2_bytes);
	/* without an L3 all that misses L2 comes from memory */
	int l3 = d->l3_bytes > d->l2_bytes ? site_fit_level(s, d->l3_bytes) : l2;

	row[FEATURE_L1_LOOPS] = (float)l1;
	row[FEATURE_L1_TURNS] = (float)s->inside[l1];
	row[FEATURE_L1_SHARE] = (float)(s->bytes[l1] / d->l1_bytes);
	row[FEATURE_L1_MISS] = (float)sum_of_misses(s, l1, false);
	row[FEATURE_L2_LOOPS] = (float)l2;
	row[FEATURE_L2_TURNS] = (float)s->inside[l2];
	row[FEATURE_L2_SHARE] = (float)(s->bytes[l2] / d->l2_bytes);
	row[FEATURE_L2_MISS] = (float)sum_of_misses(s, l2, false);
	row[FEATURE_L3_MISS] = (float)sum_of_misses(s, l3, false);
	row[FEATURE_L3_BACK] = (float)sum_of_misses(s, l3, true);
	row[FEATURE_STREAMED] = (float)streamed(s);
	row[FEATURE_PREFETCHED] = (float)s->prefetched;
	row[FEATURE_INNER_BYTES] = (float)inner_bytes(s, 1);
	row[FEATURE_INNER_L1] = inner_bytes(s, 1) <= d->l1_bytes;
	row[FEATURE_SECOND_BYTES] = (float)inner_bytes(s, 2);
	row[FEATURE_SECOND_L1] = inner_bytes(s, 2) <= d->l1_bytes;
	row[FEATURE_THIRD_BYTES] = (float)inner_bytes(s, 3);
	row[FEATURE_THIRD_L2] = inner_bytes(s, 3) <= d->l2_bytes;
	row[FEATURE_ALL_BYTES] = (float)s->bytes[0];
}

/* Flop over bytes of one execution of a level; of all bytes in registers, of the flop alone. */
static double intensity(const struct site *s, int level)
{
	double flop = s->flop * s->inside[level];

	return s->bytes[level] > 1 ? flop / s->bytes[level] : flop;
}

static void fill_intensity(const struct site *s, float *row)
{
	for (int i = 0; i < INTENSITY_POINTS; i++) {
		double at = (double)s->n_loops * (1 - i / (INTENSITY_POINTS - 1.0));
		int low = (int)at;
		double part = at - low;
		double v = intensity(s, low);

		if (part > 0)
			v += part * (intensity(s, low + 1) - v);
		row[FEATURE_INTENSITY_0 + i] = (float)v;
	}
}

void features_fit(const struct site *s, const struct aim *d, float *row)
{
	row[FEATURE_BODY_LEFT] = (float)s->left;
	fill_registers(s, d, row);
	if (site_is_of_matrices(s))
		fill_matrix_body(s, d, row);
	else
		fill_body(s, row);
	fill_caches(s, d, row);
	fill_intensity(s, row);
}
