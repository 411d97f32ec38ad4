/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/noise.c - times a fixed multiply-add kernel again and again. */
#include "measure/device/noise.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/err.h"
#include "measure/timing/cpu_time.h"
#include "measure/device/cpuinfo.h"
#include "measure/device/probe_isa.h"
#include "measure/timing/sibling.h"

enum {
	SAMPLE_NS = 1000000,
	SAMPLES = 100000, /* at most: two minutes */
};

static int64_t preemptions(void)
{
	struct rusage u;

	return getrusage(RUSAGE_THREAD, &u) == 0 ? u.ru_nivcsw : 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void spread(double *us, int n, struct noise *out)
{
	qsort(us, (size_t)n, sizeof(*us), compare);
	out->samples = n;
	out->min = us[0];
	out->p10 = us[n / 10];
	out->median = us[n / 2];
	out->p90 = us[(int)((int64_t)n * 9 / 10)];
	out->max = us[n - 1];
}

static void kernel_facts(struct arena *a, struct cpu_time before, struct noise *out)
{
	struct cpu_time after = cpu_time_now(a, NULL);
	double total = after.total - before.total;
	const char *psi = proc_read(a, "/proc/pressure/cpu");
	const char *load = proc_read(a, "/proc/loadavg");

	if (total > 0) {
		out->steal = (after.steal - before.steal) / total;
		out->busy = 1 - (after.idle - before.idle) / total;
	}
	if (psi && sscanf(psi, "some avg10=%lf", &out->pressure) == 1) {
		out->has_pressure = true;
		out->pressure /= 100;
	}
	if (load)
		out->load = strtod(load, NULL);
}

/* Of N bursts the share that took longer than a core of its own does. */
static double share_beside(const double *burst, int n, double alone)
{
	int beside = 0;

	for (int i = 0; i < n; i++)
		beside += burst[i] > SIBLING_ALONE * alone;
	return (double)beside / n;
}

void noise_measure(double seconds, struct noise *out)
{
	struct arena *a = arena_new();
	const struct probe_isa *isa = probe_isa_of(target_here());
	int64_t rounds = probe_fma_rounds(isa, SAMPLE_NS);
	double *us = malloc(SAMPLES * sizeof(*us)), *burst = malloc(SAMPLES * sizeof(*burst));
	struct sibling *sibling = sibling_new(1, (struct cores_known){ 0 });
	struct cpu_time before = cpu_time_now(a, NULL);
	int64_t preempted = preemptions(), begin = clock_ns();
	int n = 0;

	if (!us || !burst || !sibling)
		die("out of memory");
	*out = (struct noise){0};
	do {
		sibling_look(sibling, 0);
		burst[n] = sibling_burst(sibling);
		us[n++] = (double)probe_fma_ns(isa, rounds) / 1e3;
	} while (n < SAMPLES && (double)(clock_ns() - begin) < seconds * 1e9);
	out->seconds = (double)(clock_ns() - begin) / 1e9;
	out->preempted = preemptions() - preempted;
	spread(us, n, out);
	out->beside = share_beside(burst, n, sibling_known(sibling).alone);
	kernel_facts(a, before, out);
	sibling_free(sibling);
	free(burst);
	free(us);
	arena_free(a);
}

enum fitness noise_judge(struct arena *a, const struct noise *n, const char **reason)
{
	double s = n->p90 / n->p10;

	if (s > NOISE_NOISY_SPREAD) {
		*reason = arena_printf(a,
				       "a fixed kernel's time spreads %.2fx (p90 / p10, at most "
				       "%.2f is quiet); something else runs here",
				       s, NOISE_NOISY_SPREAD);
		return s > NOISE_UNFIT_SPREAD ? FITNESS_UNFIT : FITNESS_NOISY;
	}
	if (n->steal > NOISE_NOISY_STEAL) {
		*reason = arena_printf(a, "the hypervisor keeps %.0f%% of the CPU time",
				       100 * n->steal);
		return n->steal > NOISE_UNFIT_STEAL ? FITNESS_UNFIT : FITNESS_NOISY;
	}
	if (n->beside > NOISE_NOISY_BESIDE) {
		*reason = arena_printf(a, "somebody else computes on the core's second hardware thread for %.0f%% of the time",
				       100 * n->beside);
		return FITNESS_NOISY;
	}
	*reason = arena_printf(a, "a fixed kernel's time spreads %.2fx (p90 / p10)", s);
	return FITNESS_FIT;
}

const char *fitness_name(enum fitness f)
{
	static const char *const names[] = {"fit", "noisy", "unfit"};

	return names[f];
}
