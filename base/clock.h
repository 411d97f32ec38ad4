/* SPDX-License-Identifier: Apache-2.0 */
/* base/clock.h - what time it is, and how much of it has passed. */
#ifndef HONE_BASE_CLOCK_H
#define HONE_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Monotonic clock in nanoseconds. */
static inline int64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The same in seconds. */
static inline double clock_s(void)
{
	return (double)clock_ns() * 1e-9;
}

/* Wall clock in seconds since 1970, UTC. */
static inline int64_t clock_wall(void)
{
	return (int64_t)time(NULL);
}

/* Seconds, milliseconds, microseconds since clock_ns() was BEGAN_NS. */
static inline double seconds_since(int64_t began_ns)
{
	return (double)(clock_ns() - began_ns) * 1e-9;
}

static inline double ms_since(int64_t began_ns)
{
	return (double)(clock_ns() - began_ns) * 1e-6;
}

static inline double us_since(int64_t began_ns)
{
	return (double)(clock_ns() - began_ns) * 1e-3;
}

#endif
