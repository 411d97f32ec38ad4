/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/sibling.h - whether somebody else computes on the hardware thread beside one that is measured on.
 *
 * In:   a burst of arithmetic that fills a core's vector units, before and behind each sample.
 * Out:  by how much others slow a core down; waiting, within bounds, until nobody does.
 * Holds: a guest is shown neither that its cores have a second thread nor who runs there, and nothing is stolen or
 *        preempted: kernels take 1.2 to 1.7 times as long, for 10 to 200 ms (docs/performance.md). That is told
 *        by the burst's time over its least so far, never by a kernel's own time. */
#ifndef HONE_MEASURE_TIMING_SIBLING_H
#define HONE_MEASURE_TIMING_SIBLING_H

#include <stdbool.h>
#include <stdint.h>

/* A longer burst tells of a sibling that counts. On an EPYC (Zen 3) bursts took 1.00 to 1.02 or 1.17 of their least where kernels took
 * theirs, and from 1.25 on beside somebody who slowed them down, too: a burst asks for more of a core than they do. */
#define SIBLING_ALONE 1.2
/* Beside somebody who never stops one sample in so many counts, the quietest. Chosen, not measured. */
enum { SIBLING_QUIETEST_SHARE = 3 };

struct sibling;

/* For teams of THREADS threads; NULL: out of memory. LEAST_NS is what sibling_least_ns() of another process here said, or 0: this one
 * may not be alone for long. It takes a few ms, in which it looks for less. */
struct sibling *sibling_new(int threads, double least_ns);
/* The same of the N cores CPUS, which the calling thread visits one after the other: for who has others compute there. */
struct sibling *sibling_of_cores(const int *cpus, int n);
void sibling_free(struct sibling *s);	/* NULL is allowed */
/* A burst in the calling thread, which is number THREAD of its team, before a sample and behind it. */
void sibling_look(struct sibling *s, int thread);
void sibling_look_again(struct sibling *s, int thread);
/* Behind a sample that others took: the calling thread visits the cores again. */
void sibling_visit_again(struct sibling *s);
/* The longest burst of both looks and all threads, over what a thread's least took. */
double sibling_slowdown(const struct sibling *s);
/* What a burst takes alone, of the slowest core. */
double sibling_least_ns(const struct sibling *s);
/* Bursts of all threads until all cores are their own at once, for at most MOST_MS, and for less where that was in vain before. The
 * milliseconds that it took. */
double sibling_await(struct sibling *s, double most_ms);

#endif
