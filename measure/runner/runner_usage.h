/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/runner_usage.h - what the process hone-runner uses, and may use. */
#ifndef HONE_MEASURE_RUNNER_RUNNER_USAGE_H
#define HONE_MEASURE_RUNNER_RUNNER_USAGE_H

#include <stddef.h>

/* Bytes of address space. */
size_t usage_address_space(void);
int usage_threads(void);
/* Threads beyond EXPECTED. One that is just ending gets a moment to do so. */
int usage_threads_beyond(int expected);

/* No core dumps, and little stack: far above what generated code needs, far below what is
 * installed. */
void usage_limit_stack(void);
/* Address space of BYTES from now on; may be changed again. */
void usage_limit_address_space(size_t bytes);

#endif
