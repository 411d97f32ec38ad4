/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/features/group_access.c - features of the most used accesses of a store. */
#include "costmodel/features/site.h"

static int uses(const struct access *x)
{
	return x->n + (x->reads && x->writes);
}

/* More uses first, then more memory; the order of the program where both are equal. */
static bool comes_before(const struct access *x, const struct access *y)
{
	if (uses(x) != uses(y))
		return uses(x) > uses(y);
	return x->at[0].elements > y->at[0].elements;
}

static int most_used(const struct site *s, const struct access *out[FEATURE_ACCESSES])
{
	int n = 0;

	for (int i = 0; i < s->n_accesses; i++) {
		const struct access *x = s->access[i];
		int at = n;

		while (at > 0 && comes_before(x, out[at - 1]))
			at--;
		if (at == FEATURE_ACCESSES)
			continue;
		n += n < FEATURE_ACCESSES;
		for (int j = n - 1; j > at; j--)
			out[j] = out[j - 1];
		out[at] = x;
	}
	return n;
}

/* --- reuse */

struct reuse {
	bool loop, serial;
	double turns, bytes, count;
};

static bool uses_buffer(const struct site *s, const struct buffer *b)
{
	for (int i = 0; i < s->n_accesses; i++)
		if (s->access[i]->buffer == b)
			return true;
	return false;
}

static int common_loops(const struct site *x, const struct site *y)
{
	int n = 0;

	while (n < x->n_loops && n < y->n_loops && x->loops[n].nest == y->loops[n].nest)
		n++;
	return n;
}

/* The innermost loop that leaves X where it is, or else the store that shares most loops with this
 * one and uses the buffer too. */
static struct reuse reuse_of(const struct site_vec *all, const struct site *s,
			     const struct access *x)
{
	struct reuse r = { 0 };
	int shared = -1;

	for (int l = s->n_loops - 1; l >= 0; l--)
		if (!access_moves(x, l))
			return (struct reuse){ true, false, s->inside[l + 1], s->bytes[l + 1],
					       s->loops[l].extent };
	for (int i = 0; i < all->n; i++) {
		const struct site *other = all->at[i];

		if (other == s || !uses_buffer(other, x->buffer))
			continue;
		int common = common_loops(s, other);

		shared = common > shared ? common : shared;
		r.count++;
	}
	if (shared < 0)
		return r;
	r.serial = true;
	r.turns = s->inside[shared];
	r.bytes = s->bytes[shared];
	return r;
}

/* --- columns */

static double moving_stride(const struct site *s, const struct access *x)
{
	for (int l = s->n_loops - 1; l >= 0; l--)
		if (access_moves(x, l))
			return (double)access_stride(x, l);
	return 0;
}

static void fill_access(const struct site_vec *all, const struct site *s,
			const struct aim *d, const struct access *x, float *to)
{
	double bytes = (double)dtype_bytes(x->buffer->tensor.dtype);
	struct reuse r = reuse_of(all, s, x);

	to[ACCESS_READ] = x->reads;
	to[ACCESS_WRITE] = x->writes;
	to[ACCESS_REGISTERS] = buffer_is_near(x->buffer);
	to[ACCESS_LOCAL] = x->buffer->kind == BUFFER_LOCAL;
	to[ACCESS_PACKED] = x->packed;
	to[ACCESS_BYTES] = (float)(s->turns * uses(x) * bytes);
	to[ACCESS_UNIQUE_BYTES] = (float)(x->at[0].elements * bytes);
	to[ACCESS_LINES] = (float)(x->at[s->body].lines * s->turns / s->inside[s->body]);
	to[ACCESS_UNIQUE_LINES] = (float)x->at[0].lines;
	to[ACCESS_REUSE_LOOP] = r.loop;
	to[ACCESS_REUSE_SERIAL] = r.serial;
	to[ACCESS_REUSE_TURNS] = (float)r.turns;
	to[ACCESS_REUSE_BYTES] = (float)r.bytes;
	to[ACCESS_REUSE_COUNT] = (float)r.count;
	to[ACCESS_STRIDE] = s->n_loops ? (float)access_stride(x, s->n_loops - 1) : 0;
	to[ACCESS_STRIDE_MOVING] = (float)moving_stride(s, x);
	to[ACCESS_BODY_ELEMENTS] = (float)x->at[s->body].elements;
	to[ACCESS_L1_MISS] = (float)access_miss(s, x, site_fit_level(s, d->l1_bytes));
}

void features_access(const struct site_vec *all, const struct site *s, const struct aim *d,
		     float *row)
{
	const struct access *most[FEATURE_ACCESSES];
	int n = most_used(s, most);

	for (int i = 0; i < n; i++)
		fill_access(all, s, d, most[i], row + FEATURE_SCALARS + i * ACCESS_FEATURES);
}
