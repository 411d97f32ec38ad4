/* SPDX-License-Identifier: Apache-2.0 */
/* measure/process/device_lock.h - of all campaigns on a machine one measures at a time.
 *
 * The lock is an flock(2) on a file that all users of the machine share, so that it ends with the
 * process that has it, and flock(1) can keep hone off the device. The file is
 * /tmp/hone-device.lock, or of that name in $XDG_RUNTIME_DIR where there is no /tmp to write in;
 * HONE_DEVICE_LOCK names another one, or none where it is empty.
 * Holds: who waits comes before who had it last. */
#ifndef HONE_MEASURE_PROCESS_DEVICE_LOCK_H
#define HONE_MEASURE_PROCESS_DEVICE_LOCK_H

#include "base/tell.h"

struct device_lock;

/* Never NULL: where no file can be opened, the listener is warned, and nothing is locked. */
struct device_lock *device_lock_new(const struct listener *listener);
void device_lock_free(struct device_lock *l);	/* NULL is allowed */
/* Returns the seconds that it took. Who has had to wait too long gets a warning, and no lock. */
double device_lock_take(struct device_lock *l);
void device_lock_release(struct device_lock *l);

#endif
