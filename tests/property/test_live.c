/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_live.c - random functions run on planned memory that says whose each piece is:
 * every application finds what it reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/rng.h"
#include "graph/text/text.h"
#include "runtime/plan/live.h"

/* PIECE elements of f32 are PLAN_ALIGN bytes. */
enum { FUNCTIONS = 3000, PIECE = PLAN_ALIGN / 4, MOST_PIECES = 12, MOST_ARGS = 5 };

enum live_work { WORK_ANY, WORK_POINTWISE, WORK_CONCAT, WORK_SLICE, WORK_VIEW, WORK_COUNT };

/* What the value that is made gives: which piece of whose result each of its pieces is. */
struct content {
	int n;
	struct stamp {
		int value, piece;
	} piece[MOST_PIECES];
};

struct random_function {
	struct arena *a;
	struct rng rng;
	struct text functions, body;
	int n, nparams;			/* values */
	struct content content[200];
	struct live_kernel kernel[200];
};

/* --- functions as text; value i is named v i */

static int any_value(struct random_function *x)
{
	int near = x->n < 6 ? x->n : 6;

	return rng_chance(&x->rng, 0.8) ? x->n - 1 - (int)rng_below(&x->rng, near)
					: (int)rng_below(&x->rng, x->n);
}

static void fresh(struct random_function *x, int pieces)
{
	struct content *c = &x->content[x->n];

	c->n = pieces;
	for (int i = 0; i < pieces; i++)
		c->piece[i] = (struct stamp){ x->n, i };
}

/* The head of the function that the next value applies, and the application. */
static void begin_apply(struct random_function *x, int nargs, const int *args)
{
	text_printf(&x->functions, "fn @f%d(", x->n);
	text_printf(&x->body, "\t%%v%d = call @f%d(", x->n, x->n);
	for (int i = 0; i < nargs; i++) {
		text_printf(&x->functions, "%s%%x%d: f32[%d]", i ? ", " : "", i,
			    x->content[args[i]].n * PIECE);
		text_printf(&x->body, "%s%%v%d", i ? ", " : "", args[i]);
	}
	text_printf(&x->functions, ") -> f32[%d] attrs {fused = 1} {\n", x->content[x->n].n * PIECE);
	text_printf(&x->body, ")\n");
}

/* Computes anything of two values, as large as the first. */
static void add_any(struct random_function *x, bool pointwise)
{
	int args[2] = { any_value(x), any_value(x) };
	bool same = x->content[args[0]].n == x->content[args[1]].n;

	fresh(x, x->content[args[0]].n);
	begin_apply(x, 2, args);
	text_printf(&x->functions, "\t%%y = add(%%x0, %%x%d)\n\treturn %%y\n}\n\n", same);
	x->kernel[x->n].workspace = rng_chance(&x->rng, 0.2) ? 100 : 0;
	if (pointwise)
		x->kernel[x->n].replaces = (uint64_t)rng_below(&x->rng, same ? 4 : 2);
}

static void add_concat(struct random_function *x)
{
	int args[MOST_ARGS], n = 0;
	struct content *c = &x->content[x->n];

	c->n = 0;
	for (int i = 0; i < MOST_ARGS; i++) {
		/* often what comes behind the last operand, as blocks with more and more have it */
		int v = n && args[n - 1] + 1 < x->n && rng_chance(&x->rng, 0.6) ? args[n - 1] + 1
										: any_value(x);

		if (c->n + x->content[v].n > MOST_PIECES)
			continue;
		memcpy(&c->piece[c->n], x->content[v].piece,
		       (size_t)x->content[v].n * sizeof(*c->piece));
		c->n += x->content[v].n;
		args[n++] = v;
	}
	begin_apply(x, n, args);
	text_printf(&x->functions, "\t%%y = concat(");
	for (int i = 0; i < n; i++)
		text_printf(&x->functions, "%s%%x%d", i ? ", " : "", i);
	text_printf(&x->functions, ") {axis = 0}\n\treturn %%y\n}\n\n");
}

static void add_slice(struct random_function *x)
{
	int from = any_value(x);
	const struct content *of = &x->content[from];
	int begin = (int)rng_below(&x->rng, of->n);
	struct content *c = &x->content[x->n];

	c->n = 1 + (int)rng_below(&x->rng, of->n - begin);
	memcpy(c->piece, &of->piece[begin], (size_t)c->n * sizeof(*c->piece));
	begin_apply(x, 1, &from);
	text_printf(&x->functions,
		    "\t%%b = const i64[1] [%d]\n\t%%e = const i64[1] [%d]\n"
		    "\t%%y = slice(%%x0, %%b, %%e)\n\treturn %%y\n}\n\n",
		    begin * PIECE, (begin + c->n) * PIECE);
}

static void add_view(struct random_function *x)
{
	int from = any_value(x);

	x->content[x->n] = x->content[from];
	text_printf(&x->body, "\t%%v%d = identity(%%v%d)\n", x->n, from);
}

static void add_value(struct random_function *x)
{
	enum live_work work = rng_below(&x->rng, WORK_COUNT);

	x->kernel[x->n] = (struct live_kernel){ 0 };
	switch (work) {
	case WORK_ANY:
	case WORK_POINTWISE:
		add_any(x, work == WORK_POINTWISE);
		break;
	case WORK_CONCAT:
		add_concat(x);
		break;
	case WORK_SLICE:
		add_slice(x);
		break;
	case WORK_VIEW:
	case WORK_COUNT:
		add_view(x);
		break;
	}
	x->n++;
}

static struct graph *make_function(struct random_function *x, int size)
{
	struct text text = { 0 };
	int nresults = 1 + (int)rng_below(&x->rng, 3);

	x->n = x->nparams = 1 + (int)rng_below(&x->rng, 2);
	text_printf(&text, "graph \"t\" @main\n\nfn @main(");
	for (int i = 0; i < x->nparams; i++) {
		struct content *c = &x->content[i];

		c->n = 1 + (int)rng_below(&x->rng, 4);
		for (int j = 0; j < c->n; j++)
			c->piece[j] = (struct stamp){ i, j };
		text_printf(&text, "%s%%v%d: f32[%d]", i ? ", " : "", i, c->n * PIECE);
	}
	for (int i = 0; i < size; i++)
		add_value(x);
	text_printf(&x->body, "\treturn ");
	text_printf(&text, ") -> %s", nresults > 1 ? "(" : "");
	for (int i = 0; i < nresults; i++) {
		int v = any_value(x);

		text_printf(&x->body, "%s%%v%d", i ? ", " : "", v);
		text_printf(&text, "%sf32[%d]", i ? ", " : "", x->content[v].n * PIECE);
	}
	text_printf(&text, "%s {\n%s\n}\n\n%s", nresults > 1 ? ")" : "", text_str(&x->body),
		    text_str(&x->functions));
	struct graph *g = graph_parse(x->a, "random", text_str(&text));

	if (!g)
		fail_msg("%s\n%s", err_get(), text_str(&text));
	text_free(&text);
	text_free(&x->functions);
	text_free(&x->body);
	return g;
}

/* --- memory that says whose each piece is */

enum { ROOMS = 8, MOST_ROOM = 8192 };	/* the block, parameters, results */

struct stamped {
	const struct random_function *x;
	const struct graph *g;
	struct live_plan plan;
	struct stamp room[ROOMS][MOST_ROOM];
};

struct live_tally {
	int idle;	/* applications without a call */
	int replaced;	/* arguments */
};

static struct stamp *stamps_at(struct stamped *m, int value)
{
	const struct live_place *p = &m->plan.at[value];
	int room = p->room == LIVE_MEMORY ? 0 : p->room == LIVE_PARAM ? 1 + p->index : 4 + p->index;

	assert_int_equal(p->offset % PLAN_ALIGN, 0);
	assert_true(p->room != LIVE_CONST && room < ROOMS);
	if (p->room == LIVE_MEMORY)
		assert_true(p->offset + (size_t)m->x->content[value].n * PLAN_ALIGN <=
			    m->plan.memory.bytes);
	return &m->room[room][p->offset / PLAN_ALIGN];
}

static void check_content(struct stamped *m, int value)
{
	const struct content *c = &m->x->content[value];

	assert_memory_equal(stamps_at(m, value), c->piece, (size_t)c->n * sizeof(*c->piece));
}

/* Only who replaces an argument may write where it is. */
static bool is_replaced(struct stamped *m, int value, int i, int arg)
{
	const struct stamp *to = stamps_at(m, value), *from = stamps_at(m, arg);
	int nto = m->x->content[value].n, nfrom = m->x->content[arg].n;

	if (to >= from + nfrom || from >= to + nto)
		return false;
	assert_true(to == from && nto == nfrom && (m->x->kernel[value].replaces >> i & 1));
	return true;
}

static void run_application(struct stamped *m, int value, const struct binding *b,
			    struct live_tally *t)
{
	const struct content *c = &m->x->content[value];

	for (int i = 0; i < b->nargs; i++) {
		check_content(m, b->args[i]);
		t->replaced += is_replaced(m, value, i, b->args[i]);
	}
	for (size_t i = 0; i < m->x->kernel[value].workspace; i += PLAN_ALIGN)
		m->room[0][(m->plan.workspace[value] + i) / PLAN_ALIGN] = (struct stamp){ -1, -1 };
	for (int i = 0; i < b->nargs; i++)	/* the workspace is none of theirs */
		check_content(m, b->args[i]);
	memcpy(stamps_at(m, value), c->piece, (size_t)c->n * sizeof(*c->piece));
}

static void run_stamped(struct stamped *m, struct live_tally *t)
{
	const struct function *f = graph_main(m->g);

	for (int v = 0; v < f->nparams; v++)
		memcpy(stamps_at(m, v), m->x->content[v].piece,
		       (size_t)m->x->content[v].n * sizeof(struct stamp));
	for (int v = f->nparams; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);

		t->idle += m->plan.idle[v];
		if (b->kind == BIND_APPLY && !m->plan.idle[v])
			run_application(m, v, b, t);
	}
	for (int i = 0; i < f->nresults; i++)
		check_content(m, f->results[i]);
}

static void test_functions(void **state)
{
	struct stamped *m = calloc(1, sizeof(*m));
	struct random_function *x = calloc(1, sizeof(*x));
	struct live_tally t = { 0, 0 };
	int met = 0;

	(void)state;
	for (int i = 0; i < FUNCTIONS; i++) {
		*x = (struct random_function){ .a = arena_new(), .rng = rng_seed((uint64_t)i) };
		m->x = x;
		m->g = make_function(x, 2 + i % 40);
		assert_int_equal(live_plan(x->a, m->g, m->g->main, x->kernel, 0.02, &m->plan), 0);
		assert_true(m->plan.memory.bytes <= MOST_ROOM * PLAN_ALIGN);
		run_stamped(m, &t);
		met += m->plan.memory.bytes == m->plan.memory.bound;
		arena_free(x->a);
	}
	print_message("of %d functions %d at the bound; %d applications without a call, %d "
		      "arguments replaced\n",
		      FUNCTIONS, met, t.idle, t.replaced);
	assert_true(t.idle > FUNCTIONS && t.replaced > 0);
	free(x);
	free(m);
}

/* --- what is expected of some */

/* Each layer reads all before it: the block is where its layers are computed, and no concatenation is
 * a call. */
static const char dense_block[] =
	"graph \"t\" @main\n"
	"fn @main(%p: f32[1, 4, 4, 4]) -> f32[1, 4, 4, 4] {\n"
	"	%x = call @layer4(%p)\n"
	"	%a = call @layer4(%x)\n"
	"	%xa = call @join2(%x, %a)\n"
	"	%b = call @layer8(%xa)\n"
	"	%xab = call @join3(%x, %a, %b)\n"
	"	%c = call @layer12(%xab)\n"
	"	%d = call @layer4(%c)\n"
	"	return %d\n"
	"}\n"
	"fn @layer4(%x: f32[1, 4, 4, 4]) -> f32[1, 4, 4, 4] attrs {fused = 1} {\n"
	"	%y = relu(%x)\n	return %y\n}\n"
	"fn @layer8(%x: f32[1, 8, 4, 4]) -> f32[1, 4, 4, 4] attrs {fused = 1} {\n"
	"	%b = const i64[1] [0]\n"
	"	%e = const i64[1] [4]\n	%a = const i64[1] [1]\n"
	"	%y = slice(%x, %b, %e, %a)\n	%z = relu(%y)\n	return %z\n}\n"
	"fn @layer12(%x: f32[1, 12, 4, 4]) -> f32[1, 4, 4, 4] attrs {fused = 1} {\n"
	"	%b = const i64[1] [0]\n	%e = const i64[1] [4]\n	%a = const i64[1] [1]\n"
	"	%y = slice(%x, %b, %e, %a)\n	%z = relu(%y)\n	return %z\n}\n"
	"fn @join2(%x: f32[1, 4, 4, 4], %y: f32[1, 4, 4, 4]) -> f32[1, 8, 4, 4] "
	"attrs {fused = 1} {\n	%z = concat(%x, %y) {axis = 1}\n	return %z\n}\n"
	"fn @join3(%x: f32[1, 4, 4, 4], %y: f32[1, 4, 4, 4], %z: f32[1, 4, 4, 4]) "
	"-> f32[1, 12, 4, 4] attrs {fused = 1} {\n"
	"	%w = concat(%x, %y, %z) {axis = 1}\n	return %w\n}\n";

static void test_dense_block(void **state)
{
	enum { P, X, A, XA, B, XAB, C, D, VALUES, LAYER = 4 * 16 * 4 };
	const struct live_kernel kernels[VALUES] = { 0 };
	struct arena *a = arena_new();
	struct graph *g = graph_parse(a, "dense", dense_block);
	struct live_plan p;

	(void)state;
	if (!g)
		fail_msg("%s", err_get());
	assert_int_equal(live_plan(a, g, g->main, kernels, 1, &p), 0);
	assert_true(p.idle[XA] && p.idle[XAB]);
	assert_int_equal(p.at[A].offset, p.at[X].offset + LAYER);
	assert_int_equal(p.at[B].offset, p.at[X].offset + 2 * LAYER);
	assert_int_equal(p.at[XAB].offset, p.at[X].offset);
	assert_int_equal(p.at[D].room, LIVE_RESULT);
	assert_int_equal(p.memory.bytes, 4 * LAYER);	/* the block and what reads it */
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_dense_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
