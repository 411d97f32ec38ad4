/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/codegen/test_vdla_generate.c - instructions with tokens: what generated programs lack or have too much is found.
 *
 * Kernels of virtual threads, as tests/property/vdla_case.h makes them: without any one of its tokens a program is a
 * race, so each is needed; with one half of a token, or half a token more, its units wait forever or leave one; a
 * load into a buffer that another one's entries are still in is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "tests/property/vdla_case.h"

enum { PROGRAMS = 200, FIRST_CASE = 51000000, PRODUCTS = 20000 };
/* Of instructions: few enough to run the program once for each token. */
enum { LEAST = 12, MOST = 300 };

/* The next case from *SEED on with virtual threads and a program of some length. */
static struct vdla_case *next_case(uint64_t *seed)
{
	for (;;) {
		struct vdla_case *c = vdla_case_new(*seed, 2 + (int)(*seed % 3), PRODUCTS);

		++*seed;
		if (c->binary && c->binary->code.n >= LEAST && c->binary->code.n <= MOST)
			return c;
		vdla_case_free(c);
	}
}

/* --- tokens */

/* The flag by which I gives (takes) C's tokens; NULL: its unit does not. */
static bool *flag(struct vdla_instruction *i, enum vdla_channel c, bool gives)
{
	static const enum vdla_unit from[] = { VDLA_LOAD_UNIT, VDLA_COMPUTE_UNIT, VDLA_COMPUTE_UNIT, VDLA_STORE_UNIT },
				    to[] = { VDLA_COMPUTE_UNIT, VDLA_LOAD_UNIT, VDLA_STORE_UNIT, VDLA_COMPUTE_UNIT };
	bool before = gives == (from[c] > to[c]);

	if (vdla_unit_of(i) != (gives ? from[c] : to[c]))
		return NULL;
	if (gives)
		return before ? &i->push_before : &i->push_behind;
	return before ? &i->pop_before : &i->pop_behind;
}

/* By which B gives (takes) the K-th token of C; NULL: there are no so many. */
static bool *nth(struct vdla_binary *b, enum vdla_channel c, bool gives, int k)
{
	for (int i = 0; i < b->code.n; i++) {
		bool *f = flag(&b->code.at[i], c, gives);

		if (f && *f && k-- == 0)
			return f;
	}
	return NULL;
}

/* 0, or -1 with a message, of a run that counts cycles, or that has DATA too. */
static int run(const struct vdla_case *c, const struct vdla_binary *b, bool data)
{
	struct vdla_cycles cycles;
	uint8_t *memory = data ? vdla_case_memory(c, c->program, b) : NULL;
	int rc = vdla_simulate(b, memory, &cycles, NULL);

	free(memory);
	return rc;
}

static void must_fail(const struct vdla_case *c, bool data, const char *says, const char *what)
{
	int rc = run(c, c->binary, data);

	if (rc == 0 || !strstr(err_get(), says)) {
		vdla_case_print(c);
		fail_msg("%s: %s, and not '%s'", what, rc == 0 ? "it runs" : err_get(), says);
	}
}

/* Takes each token away, as a whole and by halves; how many there are. */
static int take_each(struct vdla_case *c)
{
	int found = 0;
	bool *give, *take;

	for (int n = 0; n < VDLA_CHANNELS; n++)
		for (int k = 0; (give = nth(c->binary, n, true, k)); k++) {
			const char *what = arena_printf(c->arena, "without token %d from %s", k, vdla_channel_names[n]);

			take = nth(c->binary, n, false, k);
			assert_non_null(take);
			*give = false;
			must_fail(c, false, "deadlock", what);
			*take = false;
			must_fail(c, true, "", what);
			if (!strstr(err_get(), "no tokens order it") && !strstr(err_get(), "nothing has written"))
				fail_msg("%s: %s", what, err_get());
			*give = true;
			must_fail(c, false, "nobody takes", what);
			*take = true;
			found++;
		}
	return found;
}

/* Half a token more, at each instruction that has none there. */
static void add_each(struct vdla_case *c)
{
	for (int i = 0; i < c->binary->code.n; i++)
		for (int n = 0; n < VDLA_CHANNELS; n++)
			for (int gives = 0; gives < 2; gives++) {
				bool *f = flag(&c->binary->code.at[i], n, gives);

				if (!f || *f)
					continue;
				*f = true;
				must_fail(c, false, gives ? "nobody takes" : "deadlock",
					  arena_printf(c->arena, "instruction %d with a token more", i));
				*f = false;
			}
}

static void test_tokens(void **state)
{
	uint64_t seed = FIRST_CASE;
	int tokens = 0;

	(void)state;
	for (int i = 0; i < PROGRAMS; i++) {
		struct vdla_case *c = next_case(&seed);

		assert_int_equal(run(c, c->binary, true), 0);
		tokens += take_each(c);
		add_each(c);
		assert_int_equal(run(c, c->binary, true), 0);
		vdla_case_free(c);
	}
	assert_true(tokens > PROGRAMS * 10);
}

/* --- buffers */

/* Entries [first, last] of a scratchpad. */
struct touched_entries {
	enum vdla_scratchpad where;
	int first, last;
};

static struct touched_entries of_transfer(const struct vdla_transfer *t)
{
	return (struct touched_entries){ t->scratchpad, t->entry, t->entry + (int)vdla_transfer_entries(t) - 1 };
}

static struct touched_entries of_walk(enum vdla_scratchpad where, const struct vdla_walk *w, const int count[VDLA_LOOPS])
{
	return (struct touched_entries){ where, w->base,
					 w->base + (count[0] - 1) * w->stride[0] + (count[1] - 1) * w->stride[1] };
}

static bool meet(struct touched_entries x, struct touched_entries y)
{
	return x.where == y.where && x.first <= y.last && y.first <= x.last;
}

/* Does I, of the compute unit, read some of WHAT? */
static bool computes_with(const struct vdla_instruction *i, struct touched_entries what)
{
	const struct vdla_vector *v = &i->vector;

	if (i->op == VDLA_GEMM)
		return meet(of_walk(VDLA_INPUTS, &i->gemm.input, i->gemm.count), what) ||
		       meet(of_walk(VDLA_WEIGHTS, &i->gemm.weight, i->gemm.count), what);
	return i->op == VDLA_ALU && ((v->op != VDLA_COPY && meet(of_walk(VDLA_ACCUMULATORS, &v->destination, v->count), what)) ||
				     (!v->immediate && meet(of_walk(VDLA_ACCUMULATORS, &v->source, v->count), what)));
}

static bool is_load(const struct vdla_instruction *i)
{
	return i->op == VDLA_LOAD && i->transfer.rows > 0;
}

/* What load J of B wrote is read behind instruction I, before another load comes there. */
static bool is_live(const struct vdla_binary *b, int j, int i)
{
	const struct touched_entries what = of_transfer(&b->code.at[j].transfer);

	for (int k = j + 1; k < b->code.n; k++) {
		const struct vdla_instruction *x = &b->code.at[k];

		if (x->op == VDLA_LOAD && meet(of_transfer(&x->transfer), what))
			return false;
		if (k > i && computes_with(x, what))
			return true;
	}
	return false;
}

/* The last load before I whose entries are others, and still to be read; -1: none. */
static int live_before(const struct vdla_binary *b, int i)
{
	const struct touched_entries own = of_transfer(&b->code.at[i].transfer);

	for (int j = i - 1; j >= 0; j--) {
		const struct vdla_instruction *x = &b->code.at[j];

		if (is_load(x) && x->transfer.scratchpad == own.where && !meet(of_transfer(&x->transfer), own) && is_live(b, j, i))
			return j;
	}
	return -1;
}

/* Loads that go where another load's entries still are: how many C has, and how many of them the simulator refuses, or
 * let the outputs be others. */
static void move_each(struct vdla_case *c, int *moved, int *refused, int *wrong)
{
	struct vdla_binary *b = c->binary;

	for (int i = 1; i < b->code.n; i++) {
		struct vdla_transfer *t = &b->code.at[i].transfer;
		int j = is_load(&b->code.at[i]) ? live_before(b, i) : -1, entry = t->entry;
		uint8_t *memory;
		struct vdla_cycles cycles;

		if (j < 0)
			continue;
		t->entry = b->code.at[j].transfer.entry;
		if (!vdla_fits(&c->machine, &b->code.at[i])) {
			memory = vdla_case_memory(c, c->program, b);
			++*moved;
			if (vdla_simulate(b, memory, &cycles, NULL) < 0)
				++*refused;
			else if (vdla_case_differs(c, b, memory))
				++*wrong;
			free(memory);
		}
		t->entry = entry;
	}
}

static void test_overlapping(void **state)
{
	uint64_t seed = FIRST_CASE;
	int moved = 0, refused = 0, wrong = 0;

	(void)state;
	for (int i = 0; i < PROGRAMS; i++) {
		struct vdla_case *c = next_case(&seed);

		move_each(c, &moved, &refused, &wrong);
		vdla_case_free(c);
	}
	/* Where all that is read of it has other tokens, the values tell; shifts and limits hide a few of these. */
	print_message("%d moved: %d refused, %d wrong\n", moved, refused, wrong);
	assert_true(moved >= PROGRAMS && refused >= moved / 2 && refused + wrong >= moved * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_tokens), cmocka_unit_test(test_overlapping) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
