/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/steal.h - which samples a hypervisor may have taken time from.
 *
 * In:   samples as they come, and now and then the ticks stolen so far.
 * Out:  a range of samples to leave out.
 * Holds: whether a sample is left out depends on when it was taken, never on its time: the others
 *        are of a machine from which nothing is stolen. */
#ifndef HONE_MEASURE_TIMING_STEAL_H
#define HONE_MEASURE_TIMING_STEAL_H

#include <stdint.h>

/* Samples between two looks belong together: so fine the kernel counts. */
struct steal_watch {
	long ticks;		/* at the last look */
	int64_t looked_ns;	/* when that was */
	int before, since;	/* first sample after the look before the last, and after the last */
};

/* Clock ticks that the hypervisor has taken so far from the CPUs this process may use; 0 where
 * nobody tells. */
long steal_ticks(void);

/* Begins at sample 0, with TICKS at NOW_NS. */
void steal_begin(struct steal_watch *w, long ticks, int64_t now_ns);
/* True where a look is due. */
int steal_is_due(const struct steal_watch *w, int64_t now_ns);
/* A look, before sample N: the first sample to leave out, N where there is none. A tick is counted
 * up to one tick after the time was stolen, so those of the window before go, too. */
int steal_look(struct steal_watch *w, long ticks, int64_t now_ns, int n);

#endif
