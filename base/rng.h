/* SPDX-License-Identifier: Apache-2.0 */
/* base/rng.h - seeded random numbers (xoshiro256**, Blackman and Vigna 2018, seeded by splitmix64).
 *
 * The state is plain data: save it and a search goes on where it was. */
#ifndef HONE_BASE_RNG_H
#define HONE_BASE_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

struct rng rng_seed(uint64_t seed);
uint64_t rng_u64(struct rng *r);
/* Uniform in [0, n), n > 0. */
int64_t rng_below(struct rng *r, int64_t n);
/* Uniform in [0, 1). */
double rng_unit(struct rng *r);
/* True with probability P. */
bool rng_chance(struct rng *r, double p);

#endif
