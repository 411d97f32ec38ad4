/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/cpuinfo.h - what the kernel's text files say of the processor and of our share of it. */
#ifndef HONE_MEASURE_DEVICE_CPUINFO_H
#define HONE_MEASURE_DEVICE_CPUINFO_H

#include "base/arena.h"

struct cpuinfo {
	const char *vendor, *model;
	int family, model_number, stepping;
	const char *flags;	/* only those that matter to kernels, sorted, one blank between */
	const char *extensions;	/* all that a compiler may use for this very machine, as the system lists them */
};

/* TEXT is the content of /proc/cpuinfo, of an x86 or an ARM kernel; the first processor counts.
 * What it does not say is "unknown", 0 or "". */
struct cpuinfo cpuinfo_parse(struct arena *a, const char *text);
/* Of this machine. */
struct cpuinfo cpuinfo_read(struct arena *a);
/* Those of EXTENSIONS, as struct cpuinfo has them, that this machine has not; "". */
const char *cpuinfo_lacks(struct arena *a, const char *extensions);

/* CPUs that the cgroups of this process grant (quota / period, the smallest on the way up, v1 and
 * v2); 0 where there is no limit. ROOT is put before each path: "" here, a folder in tests. */
double cgroup_quota(const char *root);

/* A file of /proc, /sys: its first 64 KB, in A; NULL, without a message, where it is not there. */
char *proc_read(struct arena *a, const char *path);

#endif
