/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/burst.h - arithmetic in registers that tells what a core is like at the moment.
 *
 * Out:  nanoseconds, each of a few microseconds' work.
 * Holds: what waits for its own results takes a number of cycles, whoever is on the core's other hardware thread: it tells the
 *        clock. What fills the vector units takes longer beside somebody, too. Both use the widest vectors that there are, as kernels do: on
 *        a Xeon with AVX-512 looks of 16 bytes between kernels of 64 moved the clock themselves, by 4 to 10% at a third of them. */
#ifndef HONE_MEASURE_TIMING_BURST_H
#define HONE_MEASURE_TIMING_BURST_H

/* Fills the vector units. */
double burst_ns(void);
/* Waits for its own results. */
double chain_ns(void);
/* The fixed kernel: the same for some 50 us, in the vectors of every machine of the kind. Times of different days are compared by it. */
double fixed_ns(void);

#endif
