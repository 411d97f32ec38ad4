/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/tools/test_suite.c - lists of tasks; every operator of the suite has sketches whose samples
 * can be lowered and written. HONE_COUNTS=1 prints how many are refused, and why most of them. */
#include "search/kernel_text.h"
#include "tests/te_run.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "search/task.h"
#include "tools/list.h"

/* With fewer the search spends its time on refusals; those that reduce over a window of three
 * dimensions write much text. */
enum { SAMPLES = 64, MIN_ACCEPTED = 8, MAX_REASONS = 8 };

/* Why samples of a task did not become C. */
struct sample_refusals {
	const char *why[MAX_REASONS];
	int n[MAX_REASONS];
};

static void refuse(struct sample_refusals *r, const char *why)
{
	int i = 0;

	while (i < MAX_REASONS - 1 && r->why[i] && strcmp(r->why[i], why) != 0)
		i++;
	r->why[i] = why;
	r->n[i]++;
}

/* A device with AVX-512, whatever this one has. */
static const struct aim aim = { .target = &target_x86_64_avx512, .threads = 1,
				.l2_bytes = 1 << 19, .peak = 100, .mem_gbs = 13 };

/* How many of SAMPLES become C. */
static int accepted(const struct task *t, const struct sketch_vec *k, struct sample_refusals *r)
{
	struct rng rng = rng_seed(1);
	int ok = 0;

	for (int i = 0; i < SAMPLES; i++) {
		struct arena *a = arena_new();
		const struct sketch *sketch = k->at[rng_below(&rng, k->n)];
		struct state *s = sample(a, t->dag, sketch, &aim, &rng, NULL, NULL);
		const char *why = "the decisions do not fit together";

		if (s && state_source(a, s, aim.target, &why))
			ok++;
		else
			refuse(r, why);
		arena_free(a);
	}
	return ok;
}

static void print_refusals(const struct task *t, int sketches, int ok,
			   const struct sample_refusals *r)
{
	if (!getenv("HONE_COUNTS"))
		return;
	fprintf(stderr, "%-60s %2d sketches, %2d of %d accepted", t->name, sketches, ok, SAMPLES);
	for (int i = 0; i < MAX_REASONS && r->why[i]; i++)
		fprintf(stderr, "; %d %s", r->n[i], r->why[i]);
	fputs("\n", stderr);
}

static struct task_vec list_of(struct arena *a, const char *name)
{
	struct task_vec tasks = { 0 };

	if (list_tasks(a, arena_printf(a, TOP_SRCDIR "/bench/suites/%s", name), &tasks) < 0)
		fail_msg("%s", err_get());
	return tasks;
}

static void check_samples(const struct task *t, int least)
{
	struct arena *a = arena_new();
	struct sketch_vec k = sketches_of(a, t->dag, &aim);
	struct sample_refusals r = { 0 };

	assert_true(k.n > 0);
	int ok = accepted(t, &k, &r);

	print_refusals(t, k.n, ok, &r);
	assert_true(ok >= least);
	arena_free(a);
}

static void suite_can_be_sampled(void **state)
{
	struct arena *a = arena_new();
	struct task_vec tasks = list_of(a, "operators.tasks");

	(void)state;
	assert_int_equal(tasks.n, 40);
	for (int i = 0; i < tasks.n; i++)
		check_samples(tasks.at[i], MIN_ACCEPTED);
	arena_free(a);
}

static bool holds(const struct task_vec *tasks, const struct task *t)
{
	for (int i = 0; i < tasks->n; i++)
		if (strcmp(tasks->at[i]->key, t->key) == 0)
			return true;
	return false;
}

/* What judges a search is nothing that it was tuned on. */
static void judges_are_apart(void **state)
{
	struct arena *a = arena_new();
	struct task_vec judging = list_of(a, "judging.tasks");
	struct task_vec tuning = list_of(a, "tuning.tasks");
	struct task_vec operators = list_of(a, "operators.tasks");

	(void)state;
	assert_int_equal(judging.n, 12);
	for (int i = 0; i < judging.n; i++) {
		check_samples(judging.at[i], 1);	/* hard ones judge, too */
		assert_false(holds(&tuning, judging.at[i]));
		assert_false(holds(&operators, judging.at[i]));
	}
	arena_free(a);
}

/* --- lists */

/* The tasks of a list with TEXT; -1 where it is refused. */
static int read_list(struct arena *a, const char *text, struct task_vec *tasks)
{
	const char *folder = dir_temp(a);
	const char *te = "input A: f32[4]\nB[i] = A[i] * 2\n";
	const char *path = arena_printf(a, "%s/some.tasks", folder);

	assert_int_equal(file_write(path, text, strlen(text)), 0);
	assert_int_equal(file_write(arena_printf(a, "%s/my.te", folder), te, strlen(te)), 0);
	*tasks = (struct task_vec){ 0 };
	int rc = list_tasks(a, path, tasks);

	dir_remove(folder);
	return rc;
}

static void list_is_read(void **state)
{
	struct arena *a = arena_new();
	struct task_vec tasks;

	(void)state;
	assert_int_equal(read_list(a, "# two kinds\r\n\n\t relu:n=3 # one\n12 x my.te\n"
				   "3 x  relu:n=3", &tasks), 0);
	assert_int_equal(tasks.n, 2);
	assert_string_equal(tasks.at[0]->name, "relu:n=3");
	assert_true(tasks.at[0]->weight == 4);
	assert_true(tasks.at[1]->weight == 12);
	assert_int_equal(tasks.at[1]->dag->ops.n, 2);
	arena_free(a);
}

static void list_is_refused(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "some.tasks: lists no task" },
		{ "# nothing\n", "lists no task" },
		{ "relu:n=3\n\nodd:n=3\n", "some.tasks:3: there is no operator 'odd'" },
		{ "relu:n=0\n", "some.tasks:1: relu: n=0 is not" },
		{ "0 x relu:n=3\n", "some.tasks:1: the weight '0' is not" },
		{ "-1 x relu:n=3\n", "the weight '-1' is not" },
		{ "99999999999999999999 x relu:n=3\n", "the weight '99999999999999999999' is not" },
		{ "2 relu:n=3\n", "some.tasks:1: there is no operator" },
		{ "2 x \n", "some.tasks:1: there is no operator" },
		{ "other.te\n", "some.tasks:1: " },
		{ "other.te\n", "/other.te: cannot open" },
		{ "model.onnx\n", "some.tasks:1: there is no operator" },
	};
	struct arena *a = arena_new();
	struct task_vec tasks;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(read_list(a, cases[i].text, &tasks), -1);
		if (!strstr(err_get(), cases[i].message))
			fail_msg("'%s' does not say '%s'", err_get(), cases[i].message);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suite_can_be_sampled),
		cmocka_unit_test(judges_are_apart),
		cmocka_unit_test(list_is_read),
		cmocka_unit_test(list_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
