/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/kernel.c - generations that the prior ranks, of which the first are counted. */
#include "partition/generators/vdla/kernel.h"

#include "base/err.h"
#include "codegen/vdla/generate.h"
#include "measure/device/simulated.h"
#include "partition/generators/vdla/tuned.h"
#include "search/aim.h"
#include "search/strategies/generations.h"
#include "target/vdla/simulator.h"
#include "target/vdla/target.h"

/* The prior's order and that of cycles agree to 0.94 to 0.99 (docs/vdla.md): the best of 400 is among the first 32 that have
 * instructions. */
static const struct generations effort = { .population = 192, .count = 8 };
enum { COUNTED = 128 };

/* Counts P's cycles; false and WHY where it has no instructions. */
static bool count(struct arena *a, const struct program *p, const struct vdla_machine *m, struct vdla_kernel *out, const char **why)
{
	struct vdla_cycles cycles;

	out->program = p;
	out->binary = vdla_generate(a, p, m, why);
	if (!out->binary || vdla_simulate(out->binary, NULL, &cycles, NULL) < 0)
		return false;
	out->cycles = cycles.total;
	return true;
}

static bool count_steps(struct arena *a, const struct problem *p, const struct vdla_machine *m, const char *steps,
			struct vdla_kernel *out, const char **why)
{
	const struct program *program = candidate_program(p, a, steps, why);

	return program && count(a, program, m, out, why);
}

/* The best of the generations; false and WHY. */
static bool search(struct arena *a, const struct task *t, const struct vdla_machine *m, struct vdla_kernel *out, const char **why)
{
	struct arena *scratch = arena_new();
	const struct aim aim = aim_of(device_simulated(scratch, m), VDLA_VIRTUAL_THREADS, CACHE_WARM);
	struct problem p;
	struct candidate *all;
	int n = generations_by_prior(scratch, t, &aim, effort, &p, &all), best = -1, counted = 0;
	int64_t least_cycles = 0;

	*why = "no schedule of it fits";
	for (int i = 0; i < n && counted < COUNTED; i++) {
		struct arena *once = arena_new();
		struct vdla_kernel k;
		bool there = count_steps(once, &p, m, all[i].steps, &k, why);

		counted += there;
		if (there && (best < 0 || k.cycles < least_cycles)) {
			best = i;
			least_cycles = k.cycles;
		}
		arena_free(once);
	}
	bool found = best >= 0 && count_steps(a, &p, m, all[best].steps, out, why);

	arena_free(scratch);
	return found;
}

int vdla_kernel_find(struct arena *a, const struct dag *d, const char *name, const struct vdla_options *o, struct vdla_kernel *out)
{
	const struct task *task = task_new(a, d, name, 1);
	const struct program *tuned = NULL;
	struct vdla_kernel other;
	const char *why = NULL;

	if (*o->db && vdla_tuned(a, task, o, &tuned) < 0)
		return -1;
	bool found = search(a, task, &o->machine, out, &why);

	if (tuned && count(a, tuned, &o->machine, &other, &why) && (!found || other.cycles < out->cycles)) {
		*out = other;
		found = true;
	}
	return found ? 0 : err_set("%s", why);
}
