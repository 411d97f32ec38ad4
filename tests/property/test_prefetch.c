/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_prefetch.c - what turns fetch is what later turns read.
 *
 * Random loops over a buffer, one of which asks for prefetches; behind the pass the nest is walked element by element. Each
 * element that a turn reads lies within a line that was fetched as many turns before as asked for, or earlier, but for what
 * the first turns bring; and there are not many more fetches than lines that turns read, each of them by turns that follow each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/rng.h"
#include "schedule/text/nest_text.h"
#include "schedule/pass/pass.h"

enum { CASES = 1500, LEAST_MADE = CASES / 4 };
enum { ELEMENTS = 1 << 17, MARGIN = 1 << 13 };	/* of the buffer; before and behind it, that fetches may reach */
enum { MOST_TURNS = 4000 };		/* of a case */
enum { NEVER = 1 << 30 };

/* A case: loops from the outermost on, number `asks` of which is to prefetch. */
struct loops_case {
	struct {
		int64_t count, by;
	} loop[5];
	int n, asks;
	int64_t turns;		/* ahead */
	int line;		/* elements */
	const char *type;
};

static int64_t random_stride(struct rng *r)
{
	static const int64_t usual[] = { 1, 1, 4, 16, 16, 17, 64, 100, 128, 500, 512 };

	return (rng_chance(r, 0.2) ? -1 : 1) * usual[rng_below(r, 11)] * (1 + rng_below(r, 2));
}

static struct loops_case random_case(struct rng *r)
{
	static const char *const types[] = { "f64", "f32", "u8" };
	static const int lines[] = { 8, 16, 64 };
	int type = (int)rng_below(r, 3);
	struct loops_case c = { .n = 1 + (int)rng_below(r, 4), .turns = 1 + rng_below(r, 4), .line = lines[type],
				.type = types[type] };
	int64_t all = 1;

	for (int i = 0; i < c.n; i++) {
		c.loop[i].count = 2 + rng_below(r, 8);
		if (all * c.loop[i].count > MOST_TURNS)
			c.loop[i].count = 2;
		all *= c.loop[i].count;
		c.loop[i].by = rng_chance(r, 0.1) ? 0 : random_stride(r);
		if (i > 0 && rng_chance(r, 0.3))	/* as windows do */
			c.loop[i].by = c.loop[i - 1].by;
	}
	c.asks = (int)rng_below(r, c.n);
	return c;
}

static const char *text_of(struct arena *a, const struct loops_case *c)
{
	const char *s = arena_printf(a, "target x86-64-avx512\ninput B: %s[%d]\noutput C: %s[1]\n", c->type, ELEMENTS, c->type);
	const char *at = arena_printf(a, "%d", ELEMENTS / 2);

	for (int i = 0; i < c->n; i++) {
		s = arena_printf(a, "%s%.*sfor l%d in %d..%d", s, i, "\t\t\t\t", i, i, (int)c->loop[i].count + i);
		if (i == c->asks)
			s = arena_printf(a, "%s prefetch B %d", s, (int)c->turns);
		s = arena_printf(a, "%s\n", s);
		at = arena_printf(a, "%s + l%d * %d", at, i, (int)c->loop[i].by);
	}
	return arena_printf(a, "%s%.*sC[0] = B[%s]\n", s, c->n, "\t\t\t\t\t", at);
}

/* --- the walk */

struct prefetch_walk {
	const struct loops_case *c;
	const struct axis *axis[16];
	int64_t value[16];
	int n;
	const struct axis *asks;
	int *fetched;		/* by element: the first turn of the loop that asks in which a line there was fetched */
	bool *begun;		/* by element: the first turns read it, or in its line */
	int *read;		/* by line: the last turn that read in it, of all */
	int64_t turn, since;	/* of the loop that asks; of all */
	int64_t lines, fetches, last;	/* where the last fetch was */
};

static int64_t value_of(const struct prefetch_walk *w, const struct expr *e)
{
	switch (e->kind) {
	case EXPR_INT:
		return e->i;
	case EXPR_AXIS:
		for (int i = w->n - 1; i >= 0; i--)
			if (w->axis[i] == e->axis)
				return w->value[i];
		fail_msg("%s is not known where it is used", e->axis->name);
		return 0;
	case EXPR_ADD:
		return value_of(w, e->arg[0]) + value_of(w, e->arg[1]);
	case EXPR_MUL:
		return value_of(w, e->arg[0]) * value_of(w, e->arg[1]);
	case EXPR_DIV:
		return value_of(w, e->arg[0]) / value_of(w, e->arg[1]);
	case EXPR_MOD:
		return value_of(w, e->arg[0]) % value_of(w, e->arg[1]);
	default:
		fail_msg("no sum of products and quotients");
		return 0;
	}
}

static void begin(struct prefetch_walk *w)
{
	for (int i = 0; i < ELEMENTS + 2 * MARGIN; i++)
		w->fetched[i] = NEVER;
	memset(w->begun, 0, (ELEMENTS + 2 * MARGIN) * sizeof(*w->begun));
}

static void watch_read(struct prefetch_walk *w, int64_t at)
{
	int64_t i = at + MARGIN;

	if (w->read[i / w->c->line] != (int)w->since + 1)
		w->lines++;
	w->read[i / w->c->line] = (int)w->since + 1;
	if (w->turn < w->c->turns)
		for (int64_t j = i - w->c->line + 1; j < i + w->c->line; j++)
			w->begun[j] = true;
	else if (w->fetched[i] > w->turn - w->c->turns && !w->begun[i])
		fail_msg("element %jd, of turn %jd, is not fetched", (intmax_t)at, (intmax_t)w->turn);
}

static void watch_fetch(struct prefetch_walk *w, int64_t at)
{
	assert_true(at >= -MARGIN && at + w->c->line <= ELEMENTS + MARGIN);
	w->fetches += w->last != at;
	w->last = at;
	for (int64_t i = at + MARGIN; i < at + MARGIN + w->c->line; i++)
		w->fetched[i] = w->fetched[i] < w->turn ? w->fetched[i] : (int)w->turn;
}

static void walk(struct prefetch_walk *w, const struct nest *n)
{
	for (; n; n = n->next) {
		if (n->kind == NEST_PREFETCH)
			watch_fetch(w, value_of(w, n->value));
		if (n->kind == NEST_STORE)
			watch_read(w, value_of(w, n->value->index[0]));
		if (n->kind != NEST_LOOP)
			continue;
		if (n->axis == w->asks)
			begin(w);
		w->axis[w->n++] = n->axis;
		for (int64_t i = n->axis->lo; i < n->axis->hi; i++) {
			w->value[w->n - 1] = i;
			if (n->axis == w->asks)
				w->turn = i - n->axis->lo;
			w->since += n->axis == w->asks;
			walk(w, n->body);
		}
		w->n--;
	}
}

/* --- */

/* Is there nothing that could be in the way of a prefetch? */
static bool must_be_made(const struct loops_case *c)
{
	int64_t turns = 1;

	for (int i = c->asks + 1; i < c->n; i++)
		turns *= c->loop[i].count;
	return llabs(c->loop[c->asks].by) >= c->line && turns <= 64;
}

static bool check_case(struct arena *a, struct prefetch_walk *w, const struct loops_case *c)
{
	const char *text = text_of(a, c), *why = "";
	struct program *p = program_parse(a, "loops", text);

	if (!p)
		fail_msg("%s", err_get());
	const struct nest *asks = p->body;

	for (int i = 0; i < c->asks; i++)
		asks = asks->body;
	if (!nest_pass_prefetch(p, &why)) {
		if (must_be_made(c))
			fail_msg("%s: %s", why, text);
		return false;
	}
	struct text printed = { 0 };

	program_print(&printed, p);
	if (!program_parse(a, "printed", text_str(&printed)))
		fail_msg("%s", err_get());
	w->c = c;
	w->asks = asks->axis;
	w->lines = w->fetches = w->n = 0;
	w->last = -MARGIN - 1;
	walk(w, p->body);
	if (w->fetches > 2 * w->lines)
		fail_msg("%jd fetches for %jd lines\n%s", (intmax_t)w->fetches, (intmax_t)w->lines, text_str(&printed));
	text_free(&printed);
	return true;
}

static void test_loops(void **state)
{
	struct prefetch_walk w = { 0 };
	int made = 0;

	(void)state;
	w.fetched = calloc(ELEMENTS + 2 * MARGIN, sizeof(*w.fetched));
	w.begun = calloc(ELEMENTS + 2 * MARGIN, sizeof(*w.begun));
	w.read = calloc(ELEMENTS + 2 * MARGIN, sizeof(*w.read));
	assert_true(w.fetched && w.begun && w.read);
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		struct arena *a = arena_new();
		struct rng r = rng_seed(seed);
		struct loops_case c = random_case(&r);

		made += check_case(a, &w, &c);
		arena_free(a);
	}
	assert_true(made >= LEAST_MADE);
	free(w.fetched);
	free(w.begun);
	free(w.read);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_loops) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
