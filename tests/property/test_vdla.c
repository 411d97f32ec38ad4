/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_vdla.c - kernels for a VDLA compute their DAGs.
 *
 * Random operators of bytes under samples of their sketches, for random machines and up to four virtual threads:
 * instructions, simulated with memory, leave what te/eval.h computes, bit for bit, and take the cycles that they take
 * without; the text of the nest is read back as one that prints alike, becomes the same instructions, and computes the
 * same. Few are refused. HONE_SEED=n runs one case and prints it; HONE_LONG=1 runs twenty times as many,
 * HONE_SHORT=1 a twentieth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "codegen/vdla/generate.h"
#include "schedule/text/nest_text.h"
#include "target/vdla/assembler.h"
#include "tests/property/vdla_case.h"

enum { CASES = 1500, LONG_FACTOR = 20 };	/* 7 ms each */
enum { FIRST_CASE = 50000000 };
/* Interpreting takes a microsecond a product. */
enum { INTERPRETED_PRODUCTS = 20000 };
/* Refused at most; those without a sample are none of them. */
#define REFUSED 0.25

/* How often each reason was given. */
struct refused_kinds {
	struct arena *arena;
	struct refused_kind {
		const char *why;
		int n;
		uint64_t seed;	/* one of them */
	} at[32];
	int kinds, n;
};

static void count_refusal(struct refused_kinds *all, const struct vdla_case *c)
{
	int i = 0;

	while (i < all->kinds && strcmp(all->at[i].why, c->why) != 0)
		i++;
	assert_true(i < (int)(sizeof(all->at) / sizeof(all->at[0])));
	if (i == all->kinds)
		all->at[all->kinds++] = (struct refused_kind){ arena_strdup(all->arena, c->why), 0, c->seed };
	all->at[i].n++;
	all->n++;
}

static void print_refusals(const struct refused_kinds *all, int n)
{
	fprintf(stderr, "%d of %d are refused:\n", all->n, n);
	for (int i = 0; i < all->kinds; i++)
		fprintf(stderr, "%6d %s, as HONE_SEED=%llu\n", all->at[i].n, all->at[i].why, (unsigned long long)all->at[i].seed);
}

static bool fails(const char *what, const char *more)
{
	fprintf(stderr, "%s: %s\n", what, more);
	return false;
}

/* The binary B of P runs, with memory and without, and leaves what the DAG computes. */
static bool runs(const struct vdla_case *c, const struct program *p, const struct vdla_binary *b)
{
	struct vdla_cycles alone, with;
	uint8_t *memory = vdla_case_memory(c, p, b);
	bool ok = vdla_binary_check(b, "binary") == 0 && vdla_simulate(b, NULL, &alone, NULL) == 0 &&
		  vdla_simulate(b, memory, &with, NULL) == 0;

	if (!ok)
		fails("it is no program", err_get());
	else if (memcmp(&alone, &with, sizeof(with)) != 0)
		ok = fails("cycles", "they differ with memory and without");
	else if (vdla_case_differs(c, b, memory))
		ok = fails(vdla_case_differs(c, b, memory), "it is not what the operator computes");
	free(memory);
	return ok;
}

static const char *nest_text(struct arena *a, const struct program *p)
{
	struct text t = { 0 };

	program_print(&t, p);
	const char *out = arena_strdup(a, text_str(&t));

	text_free(&t);
	return out;
}

static const char *code_text(struct arena *a, const struct vdla_binary *b)
{
	struct text t = { 0 };

	vdla_binary_print(&t, b);
	const char *out = arena_strdup(a, text_str(&t));

	text_free(&t);
	return out;
}

/* The text of the nest says all that instructions are made of. */
static bool reads_back(const struct vdla_case *c)
{
	const char *text = nest_text(c->arena, c->program), *why = NULL;
	struct program *p = program_parse(c->arena, "nest", text);

	if (!p)
		return fails("the nest is not read back", err_get());
	if (strcmp(nest_text(c->arena, p), text) != 0)
		return fails("the nest that is read back", nest_text(c->arena, p));
	p->target = c->aim.target;
	struct vdla_binary *b = vdla_generate(c->arena, p, &c->machine, &why);

	if (!b)
		return fails("the nest that is read back has no instructions", why);
	if (strcmp(code_text(c->arena, b), code_text(c->arena, c->binary)) != 0)
		return fails("the nest that is read back", "it becomes other instructions");
	if (c->products <= INTERPRETED_PRODUCTS && vdla_case_interpreted(c, p))
		return fails("interpreted", "it is not what the operator computes");
	return true;
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value == '1';
}

static void test_kernels(void **state)
{
	const char *one = getenv("HONE_SEED");
	int n = one ? 1 : is_set("HONE_LONG") ? CASES * LONG_FACTOR : is_set("HONE_SHORT") ? CASES / LONG_FACTOR : CASES;
	uint64_t first = one ? strtoull(one, NULL, 0) : FIRST_CASE;
	struct refused_kinds refusals = { .arena = arena_new() };
	int failed = 0, sampled = 0;

	(void)state;
	for (int i = 0; i < n && failed < 3; i++) {
		struct vdla_case *c = vdla_case_new(first + (uint64_t)i, 0, VDLA_CASE_PRODUCTS);
		bool ok = !c->binary || (runs(c, c->program, c->binary) && reads_back(c));

		sampled += c->state != NULL;
		if (c->state && !c->binary)
			count_refusal(&refusals, c);
		if (!ok || one)
			vdla_case_print(c);
		failed += !ok;
		vdla_case_free(c);
	}
	if (refusals.n > REFUSED * n || is_set("HONE_REFUSALS"))
		print_refusals(&refusals, n);
	arena_free(refusals.arena);
	assert_int_equal(failed, 0);
	assert_true(one || (refusals.n <= REFUSED * n && sampled > n * 3 / 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_kernels) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
