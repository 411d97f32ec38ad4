/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_stream.c - results that are stored past the caches are what they are without.
 *
 * For each target with such stores random functions of elements of all types, by vectors or halves of them, with rows
 * that begin where vectors may or anywhere. Interpreted on every machine; compiled and run, by each compiler, where this
 * machine has the target: a store at a place where it may not be ends the process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "measure/build/compiler.h"
#include "schedule/text/step_text.h"
#include "te/text/text.h"
#include "tests/property/compiled.h"
#include "tests/skip.h"

enum { INTERPRETED = 200, COMPILED = 60 };
enum { FIRST = 60000000 };	/* seeds that no other test has */

/* The rows of a case. */
struct row_form {
	enum dtype t;
	int64_t n, length;
	int lanes;	/* that vectors are of: those of the target, or fewer */
};

static struct row_form random_rows(struct rng *r, const struct target *t)
{
	static const enum dtype types[] = { DTYPE_F32, DTYPE_F64, DTYPE_I32, DTYPE_I64,
					    DTYPE_F16, DTYPE_BF16, DTYPE_I8, DTYPE_U8 };
	struct row_form rows = { .t = types[rng_below(r, 8)], .n = 1 + rng_below(r, 5) };

	rows.lanes = target_lanes(t, dtype_bytes(dtype_arithmetic(rows.t))) >> rng_below(r, 2);
	rows.length = rng_chance(r, 0.6) ? rows.lanes * (1 + rng_below(r, 5)) : rows.lanes + rng_below(r, 70);
	return rows;
}

static const char *function_text(struct arena *a, const struct row_form *rows)
{
	const char *t = dtype_name(rows->t), *x = dtype_is_narrow(rows->t) ? "f32(A[i, j])" : "A[i, j]";

	return arena_printf(a, "input A: %s[%jd, %jd]\nC[i, j] = %s(%s + %s)\n", t, (intmax_t)rows->n,
			    (intmax_t)rows->length, dtype_is_narrow(rows->t) ? t : "", x, x);
}

static const char *steps_of(struct arena *a, struct rng *r, const struct row_form *rows)
{
	return arena_printf(a, "split C j %d\nsplit C j.1 %d\n%sunroll C j.1.0\nvectorize C j.1.1\nstream C\n%s",
			    rows->lanes * (1 + (int)rng_below(r, 3)), rows->lanes,
			    rng_chance(r, 0.3) ? "reorder C j.0 i\n" : "",
			    rng_chance(r, 0.5) ? "parallel C i\n" : "");
}

/* Are the rows of a case vectors that can be streamed? */
static bool must_stream(const struct row_form *rows, const struct target *t)
{
	return rows->length % rows->lanes == 0 && rows->lanes * (int)dtype_bytes(rows->t) >= t->stream_bytes;
}

static bool streams(const struct nest *n)
{
	for (; n; n = n->next)
		if (n->streams || streams(n->body))
			return true;
	return false;
}

/* NULL where no vector can be streamed. */
static struct schedule_sample *stream_sample(uint64_t seed, const struct target *t)
{
	struct arena *a = arena_new();
	struct schedule_sample *s = arena_one(a, struct schedule_sample);
	struct rng r = rng_seed(seed);
	struct row_form rows = random_rows(&r, t);

	s->seed = seed;
	s->arena = a;
	s->target = t;
	s->text = function_text(a, &rows);
	s->dag = dag_parse(a, "rows", s->text);
	s->state = s->dag ? state_parse(a, s->dag, "steps", steps_of(a, &r, &rows)) : NULL;
	if (!s->state)
		fail_msg("%s: %s", s->text, err_get());
	s->agreement = AGREES_EXACTLY;
	if (!sample_lower(s))
		fail_msg("%s: %s\n%s", t->name, s->why, s->text);
	if (streams(s->program->body))
		return s;
	if (must_stream(&rows, t))
		fail_msg("%s: nothing is streamed\n%s", t->name, s->text);
	sample_free(s);
	return NULL;
}

static void test_interpreted(void **state)
{
	(void)state;
	for (int i = 0; i < TARGET_COUNT; i++)
		for (int j = 0; j < INTERPRETED && target_at(i)->stream_bytes > 0; j++) {
			struct schedule_sample *s = stream_sample(FIRST + (uint64_t)j, target_at(i));
			void *args[2];

			if (!s)
				continue;
			sample_prepare(s);
			for (int k = 0; k < 2; k++)
				args[k] = s->args[k].data;
			assert_true(sample_round_trips(s));
			program_interpret(s->program, args);
			if (!sample_matches(s, target_at(i)->name)) {
				sample_print(s);
				fail();
			}
			sample_free(s);
		}
}

static void check_compiled(const char *cc, const struct target *t)
{
	struct build_pool *builder = batch_builder(cc, t);
	volatile uint64_t current = FIRST;
	uint64_t seed = FIRST;

	if (!builder)
		fail_msg("%s", err_get());
	for (int done = 0; done < COMPILED;) {
		struct trial_batch *b = batch_new(builder, case_run_here, NULL);

		while (batch_has_room(b)) {
			struct schedule_sample *s = stream_sample(seed++, t);

			if (s)
				assert_true(batch_add(b, s));
			done += s != NULL;
		}
		assert_int_equal(batch_run(b, &current), 0);
		batch_free(b);
	}
	build_pool_free(builder);
}

static void compile_by(const char *cc)
{
	struct arena *a = arena_new();
	struct compiler c;

	if (compiler_check(a, cc, &c) < 0)
		die("%s", err_get());
	for (int i = 0; i < TARGET_COUNT; i++) {
		const struct target *t = target_at(i);

		if (t->stream_bytes == 0)
			continue;
		if (!c.works)
			skip_part(t->name, c.why);
		else if (!t->runs())
			skip_part(t->name, "this machine does not have it");
		else
			check_compiled(cc, t);
	}
	arena_free(a);
}

static void test_clang(void **state)
{
	(void)state;
	compile_by("clang");
}

static void test_gcc(void **state)
{
	(void)state;
	compile_by("gcc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interpreted),
		cmocka_unit_test(test_clang),
		cmocka_unit_test(test_gcc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
