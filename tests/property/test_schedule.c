/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_schedule.c - whatever steps state_apply takes, a program computes its DAG.
 *
 * Random DAGs under random steps: the interpreted nest, and the compiled C of some, give what the
 * naive evaluation of the DAG gives. It is compiled by each compiler that is here for each target
 * that runs here, with the flags of candidates. HONE_SEED=n runs one case and prints it; HONE_LONG=1 runs twenty times as
 * many, HONE_SHORT=1 a twentieth; HONE_COUNTS=1 prints what was tried; HONE_TEST=name runs one
 * test. */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "codegen/emit.h"
#include "measure/build/compiler.h"
#include "tests/property/compiled.h"
#include "tests/property/races.h"
#include "tests/skip.h"

enum { INTERPRETED = 12000, COMPILED = 120, LONG_FACTOR = 20, MAX_REASONS = 32 };
/* Another for each test, so that they do not repeat each other's cases. */
enum { FIRST_INTERPRETED = 1, FIRST_CLANG = 10000000, FIRST_GCC = 20000000 };

static struct {
	const char *why;
	int n;
} reasons[MAX_REASONS];

/* The case that is under way, for the signal handler. */
static volatile uint64_t current;

static void on_signal(int number)
{
	char line[80];
	int n = snprintf(line, sizeof(line), "signal %d in case HONE_SEED=%" PRIu64 "\n", number,
			 current);

	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		_exit(2);
	signal(number, SIG_DFL);
	raise(number);
}

/* In each test: cmocka has handlers of its own, which do not know the case. */
static void catch_signals(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], on_signal);
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value == '1';
}

static int cases(int n)
{
	return is_set("HONE_LONG") ? n * LONG_FACTOR : is_set("HONE_SHORT") ? n / LONG_FACTOR : n;
}

static void count_reason(const char *why)
{
	int i = 0;

	while (i < MAX_REASONS - 1 && reasons[i].why && strcmp(reasons[i].why, why) != 0)
		i++;
	reasons[i].why = why;
	reasons[i].n++;
}

static void print_counts(const struct step_counts *counts, int lowered, int all)
{
	if (!getenv("HONE_COUNTS"))
		return;
	for (int i = 0; i < STEP_KIND_COUNT; i++)
		fprintf(stderr, "%-12s tried %6d applied %6d\n", step_name((enum step_kind)i),
			counts->tried[i], counts->applied[i]);
	fprintf(stderr, "lowered %d of %d\n", lowered, all);
	for (int i = 0; i < MAX_REASONS && reasons[i].why; i++)
		fprintf(stderr, "%6d %s\n", reasons[i].n, reasons[i].why);
}

static bool interpret(struct schedule_sample *s)
{
	void **args = arena_many(s->arena, void *, s->nargs);

	for (int i = 0; i < s->nargs; i++)
		args[i] = s->args[i].data;
	program_interpret(s->program, args);
	return sample_matches(s, "interpreter");
}

/* All but the compiled C. */
static bool holds(struct schedule_sample *s)
{
	if (!sample_round_trips(s))
		return false;
	if (!s->program)
		return true;
	sample_prepare(s);
	if (!interpret(s))
		return false;
	sample_poison(s);
	return !program_is_parallel(s->program) ||
	       (sample_run_isolated(s) && sample_matches(s, "turns on their own"));
}

static void test_interpreted(void **state)
{
	struct step_counts counts = {0};
	int n = cases(INTERPRETED);
	int lowered = 0;
	int failed = 0;

	(void)state;
	catch_signals();
	for (int i = 0; i < n && failed < 5; i++) {
		current = FIRST_INTERPRETED + (uint64_t)i;
		struct schedule_sample *s = sample_new(current, &counts);

		if (sample_lower(s))
			lowered++;
		else
			count_reason(s->why);
		if (!holds(s)) {
			failed++;
			sample_print(s);
		}
		sample_free(s);
	}
	print_counts(&counts, lowered, n);
	assert_int_equal(failed, 0);
	assert_true(lowered > n * 2 / 5); /* or the test would say little */
	for (int i = 0; i < STEP_KIND_COUNT; i++)
		if (counts.applied[i] <= n / 200)
			fail_msg("%s: applied in %d of %d", step_name((enum step_kind)i), counts.applied[i], n);
}

/* Why CC cannot build all cases, in A; NULL where it can. */
static const char *unfit(struct arena *a, const char *cc)
{
	struct compiler c;

	if (compiler_check(a, cc, &c) < 0)
		die("%s", err_get());
	return c.works ? NULL : c.why;
}

/* Cases of TARGET by CC, production flags and all. */
static void compile_for(const char *cc, const struct target *target, uint64_t first, int n)
{
	struct case_plan plan = {target, batch_builder(cc, target), case_run_here, NULL};

	if (!plan.builder)
		fail_msg("%s", err_get());
	catch_signals();
	assert_int_equal(cases_run(&plan, first, n, &current), 0);
	build_pool_free(plan.builder);
}

/* Each target that this machine runs has its share of N cases; a compiler that is not here is skipped. */
static void compile_by(const char *cc, uint64_t first, int n)
{
	struct arena *a = arena_new();
	const char *why = unfit(a, cc);

	if (why)
		skip_part(cc, why);
	for (int i = 0; !why && i < TARGET_COUNT; i++)
		if (target_at(i)->runs())
			compile_for(cc, target_at(i), first, 1 + n / TARGET_COUNT);
	arena_free(a);
}

static void test_clang(void **state)
{
	(void)state;
	compile_by("clang", FIRST_CLANG, cases(COMPILED));
}

static void test_gcc(void **state)
{
	(void)state;
	compile_by("gcc", FIRST_GCC, cases(COMPILED));
}

static bool emits(const struct schedule_sample *s)
{
	struct text text = {0};
	bool ok = emit_c(&text, s->program, "one", NULL);

	text_free(&text);
	return ok;
}

static void compile_one(const char *cc, const struct schedule_sample *s)
{
	struct arena *a = arena_new();
	const char *why = s->target->runs() ? unfit(a, cc) : "another machine runs its code";

	if (why)
		skip_part(cc, why);
	else
		compile_for(cc, s->target, s->seed, 1);
	arena_free(a);
}

static void test_one(void **state)
{
	struct step_counts counts = {0};

	(void)state;
	catch_signals();
	current = strtoull(getenv("HONE_SEED"), NULL, 0);
	struct schedule_sample *s = sample_new(current, &counts);

	sample_print(s); /* the steps, should lower() not come back */
	bool written = sample_lower(s) && emits(s);

	sample_print(s);
	assert_true(holds(s));
	if (written) {
		compile_one("clang", s);
		compile_one("gcc", s);
	}
	sample_free(s);
}

int main(void)
{
	const struct CMUnitTest one[] = {cmocka_unit_test(test_one)};
	const struct CMUnitTest all[] = {
		cmocka_unit_test(test_interpreted),
		cmocka_unit_test(test_clang),
		cmocka_unit_test(test_gcc),
	};

	cmocka_set_test_filter(getenv("HONE_TEST"));
	if (getenv("HONE_SEED"))
		return cmocka_run_group_tests(one, NULL, NULL);
	return cmocka_run_group_tests(all, NULL, NULL);
}
