/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/compiled.h - the C of many cases, built and run.
 *
 * Holds: compiler flags are those of measure/build/builder.c, so that what is tested is what is shipped. */
#ifndef HONE_TESTS_PROPERTY_COMPILED_H
#define HONE_TESTS_PROPERTY_COMPILED_H

#include "measure/build/builder.h"
#include "tests/property/sample.h"

struct trial_batch;

/* Runs the kernel in the file OBJECT on S's arguments with THREADS threads, one after the other, the
 * last one first where LAST_FIRST. False where that cannot be. */
typedef bool case_run(void *user, struct schedule_sample *s, const char *object, int threads,
		      bool last_first);
/* In this process; compares what the kernel packs, too. */
case_run case_run_here;

/* NULL and a message where there is no compiler CC (NULL: the one that hone tune takes). */
struct build_pool *batch_builder(const char *cc, const struct target *target);
/* BUILDER must outlive it. */
struct trial_batch *batch_new(struct build_pool *builder, case_run *run, void *user);
/* Frees the samples too. */
void batch_free(struct trial_batch *b);
bool batch_has_room(const struct trial_batch *b);
/* Emits the C of S and owns it from then on. False where emit_c refuses: S stays the caller's. */
bool batch_add(struct trial_batch *b, struct schedule_sample *s);
/* Builds, runs and compares all; CURRENT is set to the seed of the case that runs. Returns how many
 * failed, each printed with its C. */
int batch_run(struct trial_batch *b, volatile uint64_t *current);

struct case_plan {
	const struct target *target;	/* that BUILDER compiles for */
	struct build_pool *builder;
	case_run *run;
	void *user;
};
/* Of N cases of the plan's target from seed FIRST on that have C text, how many failed before the first
 * batch with a failure ended. */
int cases_run(const struct case_plan *plan, uint64_t first, int n, volatile uint64_t *current);

#endif
