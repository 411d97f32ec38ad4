/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fault/test_campaign.c - a campaign whose strategy mixes good kernels with ones that do what
 * kernels must not: it goes on, and the records say what happened. */
#include "schedule/text/step_text.h"
#include "search/kernel_text.h"
#include "tests/fixture/db_fixture.h"
#include "tests/kernel_text.h"

#include "search/campaign/tuner.h"
#include "te/operator.h"

enum { N = 16, GOOD = 6 };

#define SPEC "matmul:m=16,n=16,k=16"

/* A right product, then what BODY does. C ends at its guard page. */
#define KERNEL(body)                                                                               \
	"#include <stdint.h>\n#include <stddef.h>\n#include <stdlib.h>\n"                          \
	"enum { N = 16 };\n"                                                                       \
	KERNEL_PROTOTYPE "\n{\n"                                                                  \
	"const float *A = args[0], *B = args[1]; float *C = args[2];\n"                            \
	"for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {\n"                              \
	"float sum = 0;\n"                                                                         \
	"for (int k = 0; k < N; k++) sum += A[i * N + k] * B[k * N + j];\n"                        \
	"C[i * N + j] = sum; }\n" body "\n}\n" NO_WORKSPACE NOTHING_PACKED

static const struct campaign_fault {
	const char *source;
	enum trial_status status;
	const char *text;
} faults[] = {
	/* beside a good one it is not waited for; tests/fault/test_runner.c has it alone */
	{ KERNEL("for (;;) __asm__ volatile(\"\");"), TRIAL_LOST_RACE, "its first run did not end within" },
	{ KERNEL("*(volatile int *)0 = 1;"), TRIAL_CRASH, "SIGSEGV at 0x0, a null pointer" },
	{ KERNEL("C[77] += 0.01f;"), TRIAL_WRONG, "[77] is " },
	{ KERNEL("C[N * N] = 1;"), TRIAL_CRASH, "0 bytes beyond the end of matmul" },
	{ KERNEL("C[0] = ;"), TRIAL_BUILD_ERROR, "expected expression" },
	{ KERNEL("exit(0);"), TRIAL_CRASH, "called exit(0)" },
#if !defined(__SANITIZE_ADDRESS__)	/* there the address space has no limit */
	{ KERNEL("char *volatile p = malloc(10ull << 30); p[0] = 1; C[0] += p[0];"), TRIAL_CRASH,
	  "a null pointer" },
#endif
};

enum { FAULTS = sizeof(faults) / sizeof(faults[0]), TRIALS = GOOD + FAULTS };

/* Candidate I: its steps are a split by I + 1; bad ones stand between good ones, and at the end. */
static bool is_fault(int i, int *fault)
{
	*fault = i < 2 * GOOD ? i / 2 : i - GOOD;
	return i % 2 == 1 || i >= 2 * GOOD;
}

static const char *steps_of(struct arena *a, int i)
{
	return arena_printf(a, "split 2 0 %d", i + 1);
}

static void propose(const struct problem *p, struct arena *a, struct rng *rng, struct batch *b)
{
	(void)rng;
	for (int i = (int)(p->history->trials + p->ahead); b->n < b->cap && i < TRIALS; b->n++, i++) {
		struct candidate *c = &b->at[b->n];
		int fault;

		c->steps = steps_of(a, i);
		if (is_fault(i, &fault))
			c->trial.source = faults[fault].source;
		else
			assert_true(candidate_emit(p, a, c));
	}
}

static const struct strategy faulty = { .name = "faulty", .propose = propose };

static void count_dump(void *user, const struct tell *t)
{
	const char *text = t->line;
	int *dumps = user;

	if (t->kind != TELL_DUMP)
		return;

	assert_non_null(strstr(text, "# >>> steps\nsplit matmul i "));
	assert_null(strstr(text, "# >>> nest"));
	assert_non_null(strstr(text, "# >>> features\nstore 0: matmul, in i"));
	const char *c = strstr(text, "# >>> c\n");

	assert_non_null(c);
	assert_non_null(strstr(c, "#include <stdint.h>"));
	*dumps += 1;
}

static void check_record(struct arena *a, const struct db_record *r)
{
	int fault;

	assert_string_equal(r->steps, steps_of(a, (int)r->trial));
	if (!is_fault((int)r->trial, &fault)) {
		/* One that the machine held up may lose its race; it is not a failure. */
		if (r->status != TRIAL_OK && r->status != TRIAL_LOST_RACE)
			fail_msg("a good kernel is %s: %s", trial_status_name(r->status),
				 r->message);
		return;
	}
	if (r->status != faults[fault].status || !strstr(r->message, faults[fault].text))
		fail_msg("fault %d is %s, '%s', not %s, '%s'", fault, trial_status_name(r->status),
			 r->message, trial_status_name(faults[fault].status), faults[fault].text);
}

static void check_records(struct fixture *f, struct db *db, const struct task *t)
{
	struct db_want want = { .task_key = t->key };
	struct db_record_vec records;
	struct db_record best;
	int seen[TRIALS] = { 0 }, fault;

	assert_ok(db_records(db, f->a, &want, &records));
	for (int i = 0; i < records.n; i++) {
		const struct db_record *r = &records.at[i];

		if (r->final) {
			assert_int_equal(r->status, TRIAL_OK);
			continue;
		}
		assert_in_range(r->trial, 0, TRIALS - 1);
		seen[r->trial]++;
		check_record(f->a, r);
	}
	for (int i = 0; i < TRIALS; i++)
		assert_int_equal(seen[i], 1);
	assert_int_equal(db_best(db, f->a, &want, &best), 1);
	int number = atoi(best.steps + strlen("split 2 0 ")) - 1;

	assert_false(is_fault(number, &fault));
	assert_sound(db);
}

static void test_faults(void **state)
{
	struct fixture *f = *state;
	struct db *db = db_open(f->path, DB_WRITE);
	struct device *device = device_synthetic(f->a, "synthetic:core:2 pu:1");
	struct dag *dag = operator_build(f->a, SPEC);

	assert_non_null(db);
	assert_non_null(device);
	assert_non_null(dag);
	struct task_vec tasks = { 0 };
	int dumps = 0;
	struct tuner_options o = {
		.source = SPEC, .own_strategy = &faulty, .threads = 1, .budget.trials = TRIALS,
		.batch = 5, .seed = 1, .limit_s = 0.3, .debug = "SFC",
		.listener = { count_dump, &dumps },
	};

	vec_push(f->a, &tasks, task_new(f->a, dag, SPEC, 1));
	struct tuner *t = tuner_new(db, device, &tasks, &o);

	if (!t)
		fail_msg("%s", err_get());
	int rc = tuner_run(t);

	if (rc != 0)
		fail_msg("the campaign ended with %d: %s", rc, err_get());
	tuner_free(t);
	assert_int_equal(dumps, TRIALS);
	check_records(f, db, tasks.at[0]);
	db_close(db);
}

static void propose_broken(const struct problem *p, struct arena *a, struct rng *rng,
			   struct batch *b)
{
	(void)rng;
	for (int64_t i = p->history->trials + p->ahead; b->n < b->cap; b->n++, i++) {
		struct candidate *c = &b->at[b->n];

		c->steps = steps_of(a, (int)i);
		c->trial.source = KERNEL("C[0] = ;");
	}
}

static const struct strategy broken = { .name = "broken", .propose = propose_broken };

struct heard_lines {
	int stuck, barren;
};

static void hear(void *user, const struct tell *t)
{
	struct heard_lines *heard = user;

	if (t->kind == TELL_STUCK) {
		assert_non_null(strstr(t->line, "none of the last 64 trials ran; the last is build-error"));
		heard->stuck++;
	}
	if (t->kind == TELL_WARNING && strstr(t->line, "has no kernel")) {
		assert_non_null(strstr(t->line, "has no kernel: 80 build-error (build-error: "));
		heard->barren++;
	}
}

static void test_stuck(void **state)
{
	struct fixture *f = *state;
	struct db *db = db_open(f->path, DB_WRITE);
	struct heard_lines heard = { 0 };
	struct tuner_options o = {
		.source = SPEC, .own_strategy = &broken, .threads = 1, .budget.plateau = 72,
		.batch = 8, .seed = 1, .listener = { hear, &heard },
	};
	struct task_vec tasks = { 0 };

	vec_push(f->a, &tasks, task_new(f->a, operator_build(f->a, SPEC), SPEC, 1));
	struct tuner *t = tuner_new(db, device_synthetic(f->a, "synthetic:core:2 pu:1"), &tasks, &o);

	if (!t || tuner_run(t) != 0)
		fail_msg("%s", err_get());
	assert_int_equal(heard.stuck, 1);
	assert_int_equal(tuner_trials(t), 80);	/* a batch was on its way */
	assert_string_equal(tuner_stopped_by(t), "--plateau 72");
	assert_int_equal(tuner_barren(t), 1);
	assert_int_equal(heard.barren, 1);
	tuner_free(t);
	db_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_faults, fixture_new, fixture_free),
		cmocka_unit_test_setup_teardown(test_stuck, fixture_new, fixture_free),
	};

	return cmocka_run_group_tests_name("campaign", tests, NULL, NULL);
}
