/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/judge.h - regions of a model: is the generator faster, or hone?
 *
 * In:   a model that was cut, all regions ready.
 * Out:  offers, as of kernels (runtime/offload/offers.h), by what a region computes: the generator's time and
 *       that of hone's kernels for the same calls.
 * Holds: both are timed in turns, on the same inputs. */
#ifndef HONE_RUNTIME_OFFLOAD_JUDGE_H
#define HONE_RUNTIME_OFFLOAD_JUDGE_H

#include "runtime/open.h"

/* What tells regions apart: all of F but the elements of its constants. */
struct hash128 region_key(const struct function *f);

/* Times each region of M that is not known yet, with kernels chosen by PLAN, or ANEW what is known, too, which may be of a busier
 * hour; what it took is learned there. How many there were; -1 and a message. */
int regions_judge(const struct choice_plan *plan, const struct offloaded *m, bool anew);
/* What region I of M takes its generator, us, as that tells or PLAN's offers have it; 0: nobody
 * timed it. */
double region_us(const struct choice_plan *plan, const struct offloaded *m, int i);

#endif
