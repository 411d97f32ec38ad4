/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/sibling.h - at which clock a core runs that is measured on, and whether somebody else computes on the hardware thread beside it.
 *
 * In:   arithmetic that waits for its own results, and such that fills a core's vector units, before and behind each sample.
 * Out:  the clock, in parts of a nominal one; by how much others slow a core down; waiting, within bounds, until nobody does.
 * Holds: a guest is shown neither its clock, nor that its cores have a second thread, nor who runs there, and nothing is stolen or
 *        preempted. Beside somebody kernels take 1.2 to 1.7 times as long, for 10 to 200 ms; a clock moves by a quarter within
 *        a second (docs/performance.md). The one is told by what a burst takes over a chain, the other by the chain, neither ever by a
 *        kernel's own time. */
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

/* What one process has learned of its cores, for the next one, which may not be alone for long. 0: not known. */
struct cores_known {
	double alone;		/* what a burst takes on a core that is alone, in chains */
	double nominal_ns;	/* what a chain takes at the nominal clock */
	double fixed_us;	/* and the fixed kernel (measure/timing/burst.h) */
	double fixed_chains;	/* what that takes in chains at any clock, alone (measure/timing/fixed.h) */
};

/* For teams of THREADS threads; NULL: out of memory. It takes a few ms, in which it looks for what is not KNOWN, and some more
 * for the nominal clock: that at which the fixed kernel takes so long, or where that is not known, or cannot be, the usual one of this time. */
struct sibling *sibling_new(int threads, struct cores_known known);
/* The same of the N cores CPUS, which the calling thread visits one after the other: for who has others compute there. */
struct sibling *sibling_of_cores(const int *cpus, int n);
void sibling_free(struct sibling *s);	/* NULL is allowed */
struct cores_known sibling_known(const struct sibling *s);	/* of the slowest core */
/* In the calling thread, which is number THREAD of its team, before a sample and behind it. */
void sibling_look(struct sibling *s, int thread);
void sibling_look_again(struct sibling *s, int thread);
/* Behind a sample that others took: the calling thread visits the cores again. */
void sibling_visit_again(struct sibling *s);
/* The longest burst of both looks and all threads, in chains. */
double sibling_burst(const struct sibling *s);
/* The same over what a thread's takes alone. */
double sibling_slowdown(const struct sibling *s);
/* Whether no core's clock moved between the two looks. */
bool sibling_is_steady(const struct sibling *s);
/* The clock of the slowest core, of both looks, over the nominal one. */
double sibling_clock(const struct sibling *s);
/* Looks of all threads until all cores are their own at once, for at most MOST_MS, and for less where that was in vain before. The
 * milliseconds that it took. */
double sibling_await(struct sibling *s, double most_ms);

#endif
