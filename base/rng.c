/* SPDX-License-Identifier: Apache-2.0 */
/* base/rng.c - xoshiro256** 1.0 (Blackman, Vigna: Scrambled linear pseudorandom generators). */
#include "base/rng.h"

#include <assert.h>

static uint64_t splitmix64(uint64_t *x)
{
	uint64_t z = (*x += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

struct rng rng_seed(uint64_t seed)
{
	struct rng r;

	for (int i = 0; i < 4; i++)
		r.s[i] = splitmix64(&seed);
	return r;
}

static uint64_t rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

uint64_t rng_u64(struct rng *r)
{
	uint64_t *s = r->s;
	uint64_t out = rotl(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return out;
}

int64_t rng_below(struct rng *r, int64_t n)
{
	assert(n > 0);
	uint64_t range = (uint64_t)n;
	uint64_t limit = UINT64_MAX - UINT64_MAX % range;	/* rejects the uneven rest */
	uint64_t x;

	do
		x = rng_u64(r);
	while (x >= limit);
	return (int64_t)(x % range);
}

double rng_unit(struct rng *r)
{
	return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

bool rng_chance(struct rng *r, double p)
{
	return rng_unit(r) < p;
}
