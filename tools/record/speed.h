/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/speed.h - what a recorded time comes to at another speed of the device. */
#ifndef HONE_TOOLS_RECORD_SPEED_H
#define HONE_TOOLS_RECORD_SPEED_H

#include "tools/args/query.h"

/* What one microsecond of R, a record of T, comes to at the speed NOW; 1 where that of then is not
 * known. The fixed kernel took FIXED_US then, or where that is 0 as long as when R's sitting began:
 * it must have been timed as NOW's was. -1 and a message where the database fails. */
int speed_scale(const struct query *q, const struct task *t, const struct db_record *r,
		double fixed_us, const struct db_calibration *now, double *scale);

#endif
