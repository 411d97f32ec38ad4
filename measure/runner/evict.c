/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/evict.c - lines given up one by one, by the instruction of the machine. */
#include "measure/runner/evict.h"

enum { LINE = 64 };

#if defined __x86_64__
#include <cpuid.h>

enum { CAN_EVICT = true };

/* One clflush waits for the one before: 120 to 140 ns a line, and 2.6 for those that do not (a Xeon of 2023). */
static bool is_ordered(void)
{
	static int known = -1;	/* asked once: a guest's cpuid is answered by its host */
	unsigned a, b, c, d;

	if (known < 0)
		known = !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_CLFLUSHOPT);
	return known;
}

static void evict_lines(const char *p, size_t bytes)
{
	if (is_ordered())
		for (size_t at = 0; at < bytes; at += LINE)
			__asm__ volatile("clflush %0" : : "m"(p[at]));
	else
		for (size_t at = 0; at < bytes; at += LINE)
			__asm__ volatile("clflushopt %0" : : "m"(p[at]));
}

static void evict_end(void)
{
	__asm__ volatile("mfence" : : : "memory");
}
#elif defined __aarch64__
enum { CAN_EVICT = true };

static void evict_lines(const char *p, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += LINE)
		__asm__ volatile("dc civac, %0" : : "r"(p + at) : "memory");
}

static void evict_end(void)
{
	__asm__ volatile("dsb ish" : : : "memory");
}
#else
enum { CAN_EVICT = false };

static void evict_lines(const char *p, size_t bytes)
{
	(void)p, (void)bytes;
}

static void evict_end(void)
{
}
#endif

bool can_evict(void)
{
	return CAN_EVICT;
}

void evicted_take(const struct evicted *e, int thread, int threads)
{
	for (int i = 0; i < e->n; i++) {
		const volatile char *data = e->at[i].data;
		size_t lines = (e->at[i].bytes + LINE - 1) / LINE;
		size_t end = lines * (size_t)(thread + 1) / (size_t)threads;

		for (size_t at = lines * (size_t)thread / (size_t)threads; at < end; at++)
			(void)data[at * LINE];
	}
}

void evict(const struct evicted *e)
{
	for (int i = 0; i < e->n; i++)
		evict_lines(e->at[i].data, e->at[i].bytes);
	evict_end();
}
