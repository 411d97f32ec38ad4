/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/search/test_kin.c - which tasks are kin, and what the steps of one are for another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "schedule/text/step_text.h"
#include "search/campaign/kin.h"
#include "te/dag.h"
#include "te/text/text.h"

#define SUMS "input A: f32[16, 64]\nconst B: f32[64, 32]\nC[i < 16, j < 32] = sum(k < 64) A[i, k] * B[k, j]\n"
#define BIAS "const D: f32[32]\nE[i < 16, j < 32] = C[i, j] + D[j]\n"
#define PLAIN SUMS
#define BIASED SUMS BIAS
#define RELU SUMS BIAS "F[i < 16, j < 32] = max(E[i, j], 0)\n"
#define ADDED SUMS BIAS "input R: f32[16, 32]\nG[i < 16, j < 32] = E[i, j] + R[i, j]\nF[i < 16, j < 32] = max(G[i, j], 0)\n"
#define WIDER \
	"input A: f32[16, 64]\nconst B: f32[64, 48]\nC[i < 16, j < 48] = sum(k < 64) A[i, k] * B[k, j]\n" \
	"const D: f32[48]\nE[i < 16, j < 48] = C[i, j] + D[j]\n"
#define NO_SUMS "input A: f32[16, 64]\nF[i < 16, j < 64] = max(A[i, j], 0)\n"

/* The tasks of a database. */
struct kinfolk {
	struct arena *a;
	struct kin_vec list;
};

static const char *key_of(struct arena *a, const char *text)
{
	char key[HASH_TEXT];
	const struct dag *dag = dag_parse(a, "a task", text);

	assert_non_null(dag);
	return arena_strdup(a, hash_text(dag_key(dag), key));
}

static struct kinfolk kinfolk_new(void)
{
	static const char *const texts[] = { PLAIN, BIASED, RELU, ADDED, WIDER, NO_SUMS };
	struct kinfolk f = { .a = arena_new() };
	char *dir = dir_temp(f.a);
	struct db *db = db_open(arena_printf(f.a, "%s/tune.db", dir), DB_WRITE);

	assert_non_null(db);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_true(db_task(db, &(struct db_task){ .key = key_of(f.a, texts[i]), .name = "a task",
							   .text = texts[i], .flop = 1 }) > 0);
	assert_true(db_task(db, &(struct db_task){ .key = "00000000000000000000000000000001", .name = "no DAG", .text = "",
						   .flop = 1 }) > 0);
	assert_int_equal(kin_list(f.a, db, &f.list), 0);
	db_close(db);
	dir_remove(dir);
	return f;
}

static const struct kin *find(const struct kinfolk *f, const char *text)
{
	return kin_find(&f->list, key_of(f->a, text));
}

static int number(const struct kinfolk *f, const char *text)
{
	return kin_number(&f->list, key_of(f->a, text));
}

static void test_who_is_kin(void **state)
{
	struct kinfolk f = kinfolk_new();

	(void)state;
	assert_int_equal(f.list.n, 5);
	assert_null(find(&f, NO_SUMS));
	assert_int_equal(number(&f, NO_SUMS), 0);
	assert_true(number(&f, BIASED) > 0);
	assert_int_equal(number(&f, BIASED), number(&f, RELU));
	assert_int_equal(number(&f, BIASED), number(&f, ADDED));
	assert_int_not_equal(number(&f, BIASED), number(&f, WIDER));
	assert_int_not_equal(number(&f, BIASED), number(&f, PLAIN));
	assert_true(is_kin(find(&f, RELU), find(&f, ADDED)));
	assert_false(is_kin(find(&f, RELU), find(&f, RELU)));
	assert_false(is_kin(find(&f, RELU), find(&f, WIDER)));
	arena_free(f.a);
}

/* STEPS of THEIRS are WANT of OWN, which OWN takes; NULL: they are none. */
static void check(const struct kinfolk *f, const char *theirs, const char *own, const char *steps, const char *want)
{
	const struct state *s = state_parse(f->a, find(f, theirs)->dag, "their steps", steps);

	if (!s)
		fail_msg("%s", err_get());
	const struct step_vec *got = kin_steps(f->a, find(f, theirs), find(f, own), s);

	if (!want) {
		assert_null(got);
		return;
	}
	assert_non_null(got);
	assert_string_equal(steps_text(f->a, got), want);
	if (!state_parse(f->a, find(f, own)->dag, "own steps", want))
		fail_msg("%s", err_get());
}

static void test_steps_of_kin(void **state)
{
	struct kinfolk f = kinfolk_new();

	(void)state;
	/* ops: A 0, B 1, C 2, D 3, E 4; F is 5 with relu; R is 5, G 6, F 7 where something is added */
	check(&f, BIASED, RELU, "split 4 1 8; vectorize 4 3; compute_at 2 4 0", "inline 4; split 5 1 8; vectorize 5 3; compute_at 2 5 0");
	check(&f, RELU, BIASED, "inline 4; split 5 1 8; vectorize 5 3; compute_at 2 5 0", "split 4 1 8; vectorize 4 3; compute_at 2 4 0");
	check(&f, RELU, ADDED, "inline 4; cache_write 2; split 5 1 8; split 6 0 4",
	      "inline 6; inline 4; cache_write 2; split 7 1 8; split 8 0 4");
	check(&f, ADDED, RELU, "inline 6; inline 4; split 7 1 8; compute_at 2 7 0; prefetch 7 5 0 1",
	      "inline 4; split 5 1 8; compute_at 2 5 0");
	/* a function that is computed apart is nothing that the other has */
	check(&f, RELU, BIASED, "split 4 1 8; split 5 1 8", NULL);
	arena_free(f.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_is_kin),
		cmocka_unit_test(test_steps_of_kin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
