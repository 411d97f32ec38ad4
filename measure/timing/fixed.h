/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/fixed.h - the fixed kernel in cycles, so that its time tells a clock, and a clock its time.
 *
 * Out:  what it takes in chains (measure/timing/burst.h) on a core that is alone: a constant of the processor.
 * Holds: beside somebody a burst takes longer by a hundredth where the fixed kernel does by a tenth, so only looks with the shortest bursts
 *        count. Of 400 looks the median was 17.46 in 20 processes of 20, where the least tenth was 15.7 to 19. */
#ifndef HONE_MEASURE_TIMING_FIXED_H
#define HONE_MEASURE_TIMING_FIXED_H

/* In the calling thread, for about MS milliseconds. */
double fixed_in_chains(double ms);

#endif
