/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/register_text.c - which tiles there are, and what each computes. */
#include "measure/device/register_text.h"

#include "base/err.h"
#include "base/integer.h"
#include "codegen/emit.h"
#include "measure/device/register_probe.h"
#include "measure/trial.h"
#include "schedule/text/step_text.h"
#include "target/intrinsic.h"
#include "te/text/text.h"

enum {
	SPARE = 2,		/* registers for operands: a vector that was read, a value for all lanes */
	MOST_TERMS = 256,	/* what stores sums is some percent of the time then */
	LEAST_TERMS = 4,	/* a group of any intrinsic; terms are whole groups */
};

/* The first that there is for vectors of P; NULL: none. */
static const struct intrinsic *intrinsic_of(const struct register_products *p, const struct target *target)
{
	for (int i = 0; i < INTRINSIC_COUNT; i++) {
		const struct intrinsic *x = intrinsic_at(i);

		if (x->a == p->a && x->b == p->b && x->sum == p->sum && !intrinsic_is_matrix(x) &&
		    intrinsic_is_there(x, target))
			return x;
	}
	return NULL;
}

static bool is_grouped(const struct register_products *p)
{
	return p->a != p->sum;
}

int register_tiles(const struct target *target, enum register_kind kind, int rows[REGISTER_TILES],
		   int vectors[REGISTER_TILES])
{
	/* Rates rise with the tile as long as few sums wait for themselves, and fall where registers end: there
	 * neighbours are timed. */
	static const int some[] = { 1, 2, 3, 4, 6, 8, 12, 16, 24 };
	const struct register_products *p = register_products(kind);
	int registers = target->vector_registers - SPARE, n = 0;

	if (target->operands || (is_grouped(p) && !intrinsic_of(p, target)))
		return 0;
	for (int v = 1; v <= (p->lanes ? 1 : REGISTER_VECTORS); v++) {
		int most = (int)least(registers / v, REGISTER_ROWS);

		for (int r = 1; r <= most; r++) {
			bool wanted = r >= most - 1;

			for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
				wanted |= r == some[i];
			if (!wanted)
				continue;
			rows[n] = r;
			vectors[n++] = v;
		}
	}
	return n;
}

static int64_t row_elements(const struct register_tile *t)
{
	return register_products(t->kind)->lanes ? (int64_t)t->vectors * t->lanes : 1;
}

struct register_tile register_tile_of(const struct target *target, enum register_kind kind, int rows, int vectors,
				      double l1)
{
	const struct register_products *p = register_products(kind);
	struct register_tile t = { .kind = kind, .rows = rows, .vectors = vectors,
				   .lanes = target_lanes(target, dtype_bytes(p->sum)) };
	int64_t bytes = rows * row_elements(&t) * (int64_t)dtype_bytes(p->a) +
			(int64_t)vectors * t.lanes * (int64_t)dtype_bytes(p->b);
	int64_t terms = least((int64_t)(l1 / 2) / bytes, MOST_TERMS);

	t.terms = terms < LEAST_TERMS ? LEAST_TERMS : terms / LEAST_TERMS * LEAST_TERMS;
	return t;
}

double register_tile_operations(const struct register_tile *t)
{
	return 2.0 * t->rows * t->vectors * t->lanes * (double)t->terms;
}

size_t register_tile_bytes(const struct register_tile *t)
{
	const struct register_products *p = register_products(t->kind);
	size_t terms = (size_t)t->terms, columns = (size_t)t->vectors * (size_t)t->lanes, rows = (size_t)t->rows;
	size_t a = terms * rows * (size_t)row_elements(t) * dtype_bytes(p->a), b = terms * columns * dtype_bytes(p->b);
	size_t sums = rows * columns * dtype_bytes(p->sum);

	a = a > b ? a : b;
	return a > sums ? a : sums;
}

static void write_dag(struct text *out, const struct register_tile *t)
{
	const struct register_products *p = register_products(t->kind);
	const char *a = dtype_name(p->a), *b = dtype_name(p->b), *sum = dtype_name(p->sum);
	intmax_t columns = (intmax_t)t->vectors * t->lanes, terms = t->terms;

	if (p->lanes)
		text_printf(out, "input A: %s[%jd, %d, %jd]\nconst B: %s[%jd, %jd]\nC[i, j] = sum(k < %jd) A[k, i, j] * B[k, j]\n",
			    a, terms, t->rows, columns, b, terms, columns, terms);
	else
		text_printf(out, "input A: %s[%d, %jd]\nconst B: %s[%jd, %jd]\n"
			    "C[i, j] = sum(k < %jd) %s(A[i, k]) * %s(B[k, j])\n",
			    a, t->rows, terms, b, terms, columns, terms, sum, sum);
}

/* Sums in registers for one tile, the constant packed. What there is less of, rows or vectors, waits in registers. */
static void write_steps(struct text *out, const struct register_tile *t, const struct intrinsic *by)
{
	text_printf(out, "cache_write C\nsplit C i %d\nsplit C j %d\nreorder C i.0 i.1 j.0 j.1\nvectorize C j.1\nunroll C i.1\n"
		    "unroll C j.0\ncompute_at C.local C i.0\nsplit C.local j %d\n", t->rows, t->lanes, t->lanes);
	if (by)
		text_printf(out, "split C.local k %d\n", by->group);
	text_printf(out, "reorder C.local %s %s %s j.1\nvectorize C.local j.1\nunroll C.local i\nunroll C.local j.0\n",
		    by ? "k.0" : "k", t->rows < t->vectors ? "j.0 i" : "i j.0", by ? "k.1" : "");
	if (by)
		text_printf(out, "tensorize C.local k.1 %s\n", by->name);
	text_puts(out, "layout B\n");
}

struct program *register_tile_program(struct arena *a, const struct register_tile *t, const struct target *target)
{
	const struct register_products *p = register_products(t->kind);
	struct text te = { 0 }, steps = { 0 };
	const char *why = "";

	write_dag(&te, t);
	write_steps(&steps, t, is_grouped(p) ? intrinsic_of(p, target) : NULL);
	const struct dag *dag = dag_parse(a, "register tile", text_str(&te));
	const struct state *s = dag ? state_parse(a, dag, "register tile", text_str(&steps)) : NULL;
	struct program *program = s ? lower(a, s, target, &why) : NULL;

	if (!program)
		die("register tile of %d by %d, %s: %s", t->rows, t->vectors, p->name, s ? why : err_get());
	text_free(&te);
	text_free(&steps);
	return program;
}

const char *register_tile_source(struct arena *a, const struct register_tile *t, const struct target *target)
{
	const struct program *program = register_tile_program(a, t, target);
	struct text c = { 0 };
	const char *why = "";

	if (!emit_c(&c, program, TRIAL_SYMBOL, &why))
		die("register tile of %d by %d: %s", t->rows, t->vectors, why);
	const char *source = arena_strdup(a, text_str(&c));

	text_free(&c);
	return source;
}
