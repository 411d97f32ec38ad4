/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/simulated.h - a simulated device in the place of a machine.
 *
 * A job's text is a nest (schedule/text/nest_text.h); its time is what the simulator counts, in cycles of the device's clock. What
 * is faster than all before it of its task is run with data, and verified like every kernel: what never is the best
 * is timed alone.
 * Holds: the same jobs get the same answers, on any machine. */
#ifndef HONE_SEARCH_MEASURERS_SIMULATED_H
#define HONE_SEARCH_MEASURERS_SIMULATED_H

#include "search/measurers/measurer.h"

/* For DEVICE, which is simulated; SEED of the inputs. NULL and a message where its description is damaged. */
struct measurer *measurer_simulated(const struct device *device, uint64_t seed);

#endif
