/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/calibration.h - comparing times that were taken while the device ran at another speed.
 *
 * In:   the speed of the device at two times.
 * Out:  by how much it has drifted, and what a time of then comes to now.
 * Holds: what is not known of either is taken to be as it was. */
#ifndef HONE_MEASURE_DEVICE_CALIBRATION_H
#define HONE_MEASURE_DEVICE_CALIBRATION_H

#include "db/db.h"
#include "measure/device/device.h"

/* A drift beyond this is said: below it are the usual moves of a clock and of a busy memory. */
#define CALIBRATION_DRIFT 0.1

/* The speed of D: its rates as last probed, the fixed kernel as timed when D was loaded. */
struct db_calibration calibration_of(const struct device *d);

/* What one microsecond of THEN comes to NOW, for a kernel that spends the share MEMORY (0..1) of
 * its time on what memory delivers. The rest follows the core's clock, which the fixed kernel
 * tells: arithmetic does, and so do the core's own caches. THREADS picks the rate of memory. */
double calibration_scale(const struct db_calibration *then, const struct db_calibration *now,
			 double memory, int threads);

/* The share of US microseconds THEN that BYTES from memory explain, 0..1; 0 where memory's rate is
 * not known. */
double calibration_memory(const struct db_calibration *then, double bytes, double us, int threads);

/* The largest relative change from THEN to NOW of the fixed kernel's time and of the rates, 0.1 for
 * a tenth; *WHAT names it ("" where nothing is known). Negative: slower now. */
double calibration_drift(const struct db_calibration *then, const struct db_calibration *now,
			 const char **what);

#endif
