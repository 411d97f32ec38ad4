/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/flush.h - empties the caches of all cores that a kernel's threads run on.
 *
 * In:   the CPUs of the process, bytes to stream through.
 * Out:  caches that hold nothing of what was there before.
 * Holds: a private cache is emptied by a thread on its core; while a kernel runs they are asleep. */
#ifndef HONE_MEASURE_RUNNER_FLUSH_H
#define HONE_MEASURE_RUNNER_FLUSH_H

#include <stddef.h>

struct flush;

/* Starts a thread on each CPU that the process may use. Together they stream through SHARED bytes,
 * which must be beyond the last cache, and each through PRIVATE at least, beyond what its core has
 * for itself. NULL where memory or threads are refused. They live as long as the process. */
struct flush *flush_new(size_t shared, size_t private);
/* Returns when all are done and asleep. NULL: nothing is to be flushed. */
void flush_caches(struct flush *f);

#endif
