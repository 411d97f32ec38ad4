/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/codegen/test_leaf.c - nests as leaves, for devices that are made up: nest text in, leaves out.
 *
 * The device has products of 4 inputs by 4x4 weights (16 bytes an entry of weights and of sums), memory that is addressed by 4 bytes, and
 * instructions with three loops; each test says what is otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/err.h"
#include "codegen/leaf/run.h"
#include "schedule/text/nest_text.h"

static const struct operand_scopes scopes = { .a = SCOPE_INPUTS, .b = SCOPE_WEIGHTS, .sum = SCOPE_ACCUMULATORS };

static struct leaf_limits device(void)
{
	const struct leaf_steps steps = {
		.count = 100, .stride = { [SCOPE_INPUTS] = 50, [SCOPE_WEIGHTS] = 50, [SCOPE_ACCUMULATORS] = 50 },
	};
	struct leaf_limits l = {
		.operands = &scopes,
		.entry_bytes = { [SCOPE_INPUTS] = 4, [SCOPE_WEIGHTS] = 16, [SCOPE_ACCUMULATORS] = 16 },
		.entries = { [SCOPE_INPUTS] = 64, [SCOPE_WEIGHTS] = 64, [SCOPE_ACCUMULATORS] = 64 },
		.unit_bytes = 4, .loops = 3, .products = steps, .vectors = steps, .rows = 1000,
		.number_least = -128, .number_most = 127,
	};

	for (int op = 0; op < LEAF_OPERATIONS; op++)
		l.computes[op] = true;
	return l;
}

/* --- leaves as text */

static void print_affine(struct text *out, const struct affine *f)
{
	text_printf(out, "%lld", (long long)f->constant);
	for (int i = 0; i < f->n; i++)
		text_printf(out, " + %lld*%c", (long long)f->term[i].coef, 'a' + f->term[i].slot);
}

static void print_leaf(struct text *out, const struct leaf *l)
{
	static const char *const kinds[] = { "load", "store", "zeros", "products", "vectors" };
	static const char *const operations[] = { "add", "max", "min", "mul", "shift", "shiftdown", "copy" };

	text_printf(out, "%s%s%s", kinds[l->kind], l->narrow ? " narrow" : "", l->columns ? " columns" : "");
	for (int j = 0; j < l->loops; j++)
		text_printf(out, " x%lld", (long long)l->loop[j].extent);
	for (int i = 0; i < l->n; i++) {
		text_printf(out, ", %s at ", l->of[i]->tensor.name);
		print_affine(out, &l->start[i]);
		for (int j = 0; j < l->loops; j++)
			text_printf(out, " by %lld", (long long)l->loop[j].stride[i]);
	}
	for (int i = 0; i < l->bounds; i++) {
		text_puts(out, ", where 0 <= ");
		print_affine(out, &l->bound[i].f);
		if (l->bound[i].loop >= 0)
			text_printf(out, " + %lld*loop %d", (long long)l->bound[i].coef, l->bound[i].loop);
	}
	for (int i = 0; i < l->vectors; i++) {
		const struct leaf_vector *v = &l->vector[i];

		text_printf(out, ", %s %d ", operations[v->op], v->destination);
		text_printf(out, v->source == VECTOR_NUMBER ? "number %d" : "with %d", v->source == VECTOR_NUMBER ? v->number : v->source);
	}
	text_puts(out, "\n");
}

static void print_list(struct text *out, const struct leaf_node *list, int depth)
{
	for (const struct leaf_node *n = list; n; n = n->next) {
		text_indent(out, depth);
		switch (n->kind) {
		case NODE_ALLOC:
			text_printf(out, "%s: %lld\n", n->buffer->tensor.name, (long long)n->room);
			break;
		case NODE_LET:
			text_printf(out, "%c = ", 'a' + n->slot);
			print_affine(out, &n->value);
			text_puts(out, "\n");
			break;
		case NODE_LOOP:
			text_printf(out, "%c in %lld..%lld\n", 'a' + n->slot, (long long)n->lo, (long long)n->hi);
			break;
		case NODE_LEAF:
			print_leaf(out, n->leaf);
			break;
		}
		print_list(out, n->body, depth + 1);
	}
}

/* NEST becomes LEAVES, or is refused for that reason. */
static void must_become(const char *nest, const struct leaf_limits *limits, const char *leaves)
{
	struct arena *a = arena_new();
	struct text t = { 0 };
	const char *why = NULL;
	const struct program *p = program_parse(a, "nest", nest);

	if (!p)
		fail_msg("%s\n%s", err_get(), nest);
	const struct leaf_node *tree = leaf_tree(a, p, limits, &why);

	if (tree)
		print_list(&t, tree, 0);
	assert_string_equal(tree ? text_str(&t) : why, leaves);
	text_free(&t);
	arena_free(a);
}

/* --- products, and what goes there and back */

static const char product[] =
	"target aarch64-neon\n"
	"input A: i8[6, 16]\n"
	"input B: i8[4, 2, 4, 4]\n"
	"output C: i32[6, 8]\n"
	"accumulators M: i32[6, 8]\n"
	"for i in 0..6\n"
	"	for j.0 in 0..2\n"
	"		vector for j.1 in 0..4 of 4\n"
	"			M[i, j.0 * 4 + j.1] = i32(0)\n"
	"inputs X: i8[6, 16]\n"
	"for i in 0..6\n"
	"	for k in 0..16\n"
	"		X[i, k] = A[i, k]\n"
	"weights W: i8[4, 2, 4, 4]\n"
	"for k.0 in 0..4\n"
	"	for j.0 in 0..2\n"
	"		for j.1 in 0..4\n"
	"			for k.1 in 0..4\n"
	"				W[k.0, j.0, j.1, k.1] = B[k.0, j.0, j.1, k.1]\n"
	"for i in 0..6\n"
	"	for k.0 in 0..4 reduced\n"
	"		for j.0 in 0..2\n"
	"			unrolled for k.1 in 0..4 reduced by neon_sdot\n"
	"				vector for j.1 in 0..4 of 4\n"
	"					M[i, j.0 * 4 + j.1] += i32(X[i, k.0 * 4 + k.1]) * i32(W[k.0, j.0, j.1, k.1])\n"
	"for i in 0..6\n"
	"	vector for j in 0..8 of 8\n"
	"		C[i, j] = M[i, j]\n";

#define PRODUCT_BEFORE                                                                              \
	"M: 12\n"                                                                                   \
	"zeros x12, M at 0 by 1\n"                                                                  \
	"X: 24\n"

static void test_product(void **state)
{
	struct leaf_limits l = device();

	(void)state;
	must_become(product, &l,
		    PRODUCT_BEFORE
		    "load columns x24, X at 0 by 1, A at 0 by 1\n"
		    "W: 8\n"
		    "load columns x8, W at 0 by 1, B at 0 by 4\n"
		    "products x6 x4 x2, M at 0 by 2 by 0 by 1, X at 0 by 4 by 1 by 0, W at 0 by 0 by 2 by 1\n"
		    "store columns x12, M at 0 by 1, C at 0 by 4\n");
}

/* What an instruction has no room for is around it. */
static void test_loops(void **state)
{
	struct leaf_limits l = device();

	(void)state;
	l.loops = 1;
	l.rows = 5;
	must_become(product, &l,
		    PRODUCT_BEFORE
		    "load columns x6 x4, X at 0 by 4 by 1, A at 0 by 4 by 1\n"
		    "W: 8\n"
		    "load columns x4 x2, W at 0 by 2 by 1, B at 0 by 8 by 4\n"
		    "a in 0..6\n"
		    "	b in 0..4\n"
		    "		products x2, M at 0 + 2*a by 1, X at 0 + 4*a + 1*b by 0, W at 0 + 2*b by 1\n"
		    "store columns x6 x2, M at 0 by 2 by 1, C at 0 by 8 by 4\n");
	l.loops = 3;
	l.rows = 1000;
	l.products.stride[SCOPE_INPUTS] = 3;	/* of rows it is 4 */
	must_become(product, &l,
		    PRODUCT_BEFORE
		    "load columns x24, X at 0 by 1, A at 0 by 1\n"
		    "W: 8\n"
		    "load columns x8, W at 0 by 1, B at 0 by 4\n"
		    "a in 0..6\n"
		    "	products x4 x2, M at 0 + 2*a by 0 by 1, X at 0 + 4*a by 1 by 0, W at 0 by 2 by 1\n"
		    "store columns x12, M at 0 by 1, C at 0 by 4\n");
	l.products.count = 3;
	must_become(product, &l,
		    "M: 12\n"
		    "a in 0..6\n"
		    "	zeros x2, M at 0 + 2*a by 1\n"
		    "X: 24\n"
		    "load columns x24, X at 0 by 1, A at 0 by 1\n"
		    "W: 8\n"
		    "load columns x8, W at 0 by 1, B at 0 by 4\n"
		    "b in 0..6\n"
		    "	c in 0..4\n"
		    "		products x2, M at 0 + 2*b by 1, X at 0 + 4*b + 1*c by 0, W at 0 + 2*c by 1\n"
		    "store columns x12, M at 0 by 1, C at 0 by 4\n");
}

/* Sums and products are where the device has them. */
static void test_scratchpads(void **state)
{
	static const struct operand_scopes turned = { .a = SCOPE_WEIGHTS, .b = SCOPE_INPUTS, .sum = SCOPE_ACCUMULATORS };
	struct leaf_limits l = device();

	(void)state;
	l.operands = &turned;
	must_become(product, &l, "an operand is not in the scratchpad that instructions have it in");
	l = device();
	l.unit_bytes = 8;	/* two entries of inputs */
	must_become(product, &l, "an operand does not begin with an entry, or with a unit of memory");
	l = device();
	l.entry_bytes[SCOPE_ACCUMULATORS] = 20;	/* 5 sums */
	must_become(product, &l, "an entry of a scratchpad is not filled as a whole");
}

/* A window that reaches over the border, in a loop of tiles: rows and columns are where conditions hold. */
static void test_border(void **state)
{
	const struct leaf_limits l = device();

	(void)state;
	must_become("target aarch64-neon\n"
		    "input A: i8[9, 7, 4]\n"
		    "output C: i32[4]\n"
		    "for t in 0..3\n"
		    "	let y in -1..6 = t * 3 - 1\n"
		    "		inputs X: i8[5, 9, 4]\n"
		    "		for r in 0..5\n"
		    "			for c in 0..9\n"
		    "				for i in 0..4\n"
		    "					X[r, c, i] = select(0 <= y + r && 1 <= c && c < 8, A[y + r, c - 1, i], i8(0))\n",
		    &l,
		    "a in 0..3\n"
		    "	b = -1 + 3*a\n"
		    "		X: 45\n"
		    "		load columns x5 x9, X at 0 by 9 by 1, A at -1 + 7*b by 7 by 1, where 0 <= 0 + 1*b + 1*loop 0, "
		    "where 0 <= -1 + 1*loop 1, where 0 <= 7 + -1*loop 1\n");
}

/* --- runs */

/* What a run did: visits as text. */
struct noted {
	struct leaf_writer writer;	/* first */
	struct text text;
	int most;		/* visits */
};

static bool note_visit(struct leaf_writer *w, struct leaf_visit *v)
{
	struct noted *out = (struct noted *)w;

	if (v->turned)
		text_puts(&out->text, "turned ");
	v->turned = false;
	for (int j = 0; j < v->leaf->loops; j++)
		if (v->turns.none)
			text_puts(&out->text, "none ");
		else
			text_printf(&out->text, "%lld..%lld ", (long long)v->turns.lo[j], (long long)v->turns.hi[j]);
	for (int i = 0; i < v->leaf->n; i++)
		text_printf(&out->text, "%s %lld%s", v->leaf->of[i]->tensor.name, (long long)v->start[i], i < v->leaf->n - 1 ? ", " : "\n");
	return --out->most > 0;
}

static void note_allocation(struct leaf_writer *w, const struct buffer *b, int64_t first, int64_t n)
{
	struct noted *out = (struct noted *)w;

	text_printf(&out->text, "%s in %lld from %lld\n", b->tensor.name, (long long)n, (long long)first);
}

/* The run of TEXT, whose arguments are 1000 units apart, does this, in the first MOST visits; WHAT that is refused is its reason. */
static void must_run(const char *text, int most, const char *what)
{
	const struct leaf_limits l = device();
	struct noted out = { .writer = { note_visit, note_allocation }, .most = most };
	struct arena *a = arena_new();
	const struct program *p = program_parse(a, "nest", text);
	const char *why = NULL;

	assert_non_null(p);
	struct leaf_place *args = arena_many(a, struct leaf_place, p->args.n);
	struct leaf_node *tree = leaf_tree(a, p, &l, &why);

	for (int i = 0; i < p->args.n; i++)
		args[i] = (struct leaf_place){ p->args.at[i], 1000 * i };
	assert_non_null(tree);
	struct leaf_run *run = leaf_run_new(a, tree, args, p->args.n, l.entries, &why);

	if (run)
		leaf_run(run, &out.writer);
	assert_string_equal(run ? text_str(&out.text) : why, what);
	text_free(&out.text);
	arena_free(a);
}

/* Conditions are spans of turns, or leave none; they are told where they change. */
static void test_turns(void **state)
{
	(void)state;
	must_run("target aarch64-neon\n"
		 "input A: i8[16, 4]\n"
		 "output C: i32[4]\n"
		 "for y in -9..10\n"
		 "	inputs X: i8[4, 4]\n"
		 "	for r in 0..4\n"
		 "		for i in 0..4\n"
		 "			X[r, i] = select(0 <= y + r * 2 && y + r * 2 < 8, A[y + r * 2, i], i8(0))\n", 100,
		 "X in 4 from 0\nturned none X 0, A -9\n"
		 "X in 4 from 0\nnone X 0, A -8\n"
		 "X in 4 from 0\nnone X 0, A -7\n"
		 "X in 4 from 0\nturned 3..4 X 0, A -6\n"
		 "X in 4 from 0\n3..4 X 0, A -5\n"
		 "X in 4 from 0\nturned 2..4 X 0, A -4\n"
		 "X in 4 from 0\n2..4 X 0, A -3\n"
		 "X in 4 from 0\nturned 1..4 X 0, A -2\n"
		 "X in 4 from 0\n1..4 X 0, A -1\n"
		 "X in 4 from 0\nturned 0..4 X 0, A 0\n"
		 "X in 4 from 0\n0..4 X 0, A 1\n"
		 "X in 4 from 0\nturned 0..3 X 0, A 2\n"
		 "X in 4 from 0\n0..3 X 0, A 3\n"
		 "X in 4 from 0\nturned 0..2 X 0, A 4\n"
		 "X in 4 from 0\n0..2 X 0, A 5\n"
		 "X in 4 from 0\nturned 0..1 X 0, A 6\n"
		 "X in 4 from 0\n0..1 X 0, A 7\n"
		 "X in 4 from 0\nturned none X 0, A 8\n"
		 "X in 4 from 0\nnone X 0, A 9\n");
}

/* Starts are those of loops' values, of values that are computed of them, and of the copy that a buffer has. */
static void test_run(void **state)
{
	static const char nest[] = "target aarch64-neon\n"
				   "input A: i8[200, 4]\n"
				   "input B: i8[9, 4]\n"
				   "output C: i32[4]\n"
				   "inputs Y: i8[2, 4]\n"
				   "for t in 0..3\n"
				   "	let u in 0..7 = t * 3 + 1\n"
				   "		inputs X: i8[6, 4] copies 2\n"
				   "		for r in 0..2\n"
				   "			for c in 0..3\n"
				   "				for i in 0..4\n"
				   "					X[c * 2 + r, i] = A[u * 10 + r + c * 5 + t, i]\n"
				   "		for c in 0..2\n"
				   "			for i in 0..4\n"
				   "				Y[c, i] = B[u + c, i]\n";

	(void)state;
	must_run(nest, 100,
		 "Y in 2 from 0\n"
		 "X in 6 from 2\nturned 0..3 0..2 X 2, A 10\nturned 0..2 Y 0, B 1001\n"
		 "X in 6 from 8\n0..3 0..2 X 8, A 41\n0..2 Y 0, B 1004\n"
		 "X in 6 from 2\n0..3 0..2 X 2, A 72\n0..2 Y 0, B 1007\n");
	must_run(nest, 3,
		 "Y in 2 from 0\n"
		 "X in 6 from 2\nturned 0..3 0..2 X 2, A 10\nturned 0..2 Y 0, B 1001\n"
		 "X in 6 from 8\n0..3 0..2 X 8, A 41\n");
	must_run("target aarch64-neon\n"
		 "input A: i8[100, 4]\n"
		 "output C: i32[4]\n"
		 "inputs X: i8[65, 4]\n"
		 "for r in 0..65\n"
		 "	for i in 0..4\n"
		 "		X[r, i] = A[r, i]\n", 100, "a scratchpad has too little room");
}

/* --- vectors */

/* A nest that stores VALUE, of type DTYPE, made of M, what is the same for all rows (F) and bytes (R). */
static const char *epilogue(struct arena *a, const char *dtype, const char *value)
{
	return arena_printf(a, "target aarch64-neon\n"
			    "input R: i8[6, 8]\n"
			    "input F: i32[8]\n"
			    "output C: %s[6, 8]\n"
			    "accumulators M: i32[6, 8]\n"
			    "accumulators G: i32[8]\n"
			    "for j in 0..8\n"
			    "	G[j] = F[j]\n"
			    "for i in 0..6\n"
			    "	for j in 0..8\n"
			    "		M[i, j] = i32(R[i, j])\n"
			    "for i in 0..6\n"
			    "	vector for j in 0..8 of 8\n"
			    "		C[i, j] = %s\n", dtype, value);
}

static void must_store(const struct leaf_limits *l, const char *dtype, const char *value, const char *leaf)
{
	struct arena *a = arena_new();
	const char *narrow = arena_printf(a, "M: 12\nG: 2\nload columns x2, G at 0 by 1, F at 0 by 4\n"
					  "load narrow columns x12, M at 0 by 1, R at 0 by 1\n%s\n", leaf);

	must_become(epilogue(a, dtype, value), l, *leaf == 's' ? narrow : leaf);
	arena_free(a);
}

static void test_store(void **state)
{
	static const char bytes[] = "i8(min(max((M[i, j] * G[j] + 64) / 128, -128), 100))";
	struct leaf_limits l = device();

	(void)state;
	must_store(&l, "i8", bytes, "what goes to a scratchpad is no element of memory as it is, or zero beside");
	l.narrow = true;
	must_store(&l, "i8", bytes,
		   "store narrow columns x6 x2, M at 0 by 2 by 1, C at 0 by 2 by 1, G at 0 by 0 by 1, mul 0 with 2, "
		   "shift 0 number 7, max 0 number -128, min 0 number 100");
	must_store(&l, "i8", "i8(M[i, j])", "bytes that are stored are limited to their range");
	must_store(&l, "i32", "M[i, j] + 128", "a value is not what vector instructions compute");
	l.number_most = 128;
	must_store(&l, "i32", "M[i, j] + 128", "store columns x12, M at 0 by 1, C at 0 by 4, add 0 number 128");
	must_store(&l, "i32", "G[j] + 1", "what is read again would be written");
}

/* What vectors lack is done otherwise, or not at all. */
static void test_operations(void **state)
{
	struct leaf_limits l = device();

	(void)state;
	l.narrow = true;
	l.computes[LEAF_SHIFT] = false;
	must_store(&l, "i32", "(M[i, j] + 4) / 8", "store columns x12, M at 0 by 1, C at 0 by 4, add 0 number 4, shiftdown 0 number 3");
	l.computes[LEAF_SHIFT_DOWN] = false;
	must_store(&l, "i32", "(M[i, j] + 4) / 8", "a value is not what vector instructions compute");
	l.computes[LEAF_MUL] = false;
	must_store(&l, "i32", "M[i, j] * G[j]", "a value is not what vector instructions compute");
}

/* The greatest of windows: a vector operation whose loops are two of the nest's three. */
static void test_steps(void **state)
{
	static const char nest[] =
		"target aarch64-neon\n"
		"input A: i8[9, 8]\n"
		"output C: i32[3, 8]\n"
		"accumulators M: i32[3, 8]\n"
		"accumulators X: i32[9, 8]\n"
		"for y in 0..9\n"
		"	for j in 0..8\n"
		"		X[y, j] = i32(A[y, j])\n"
		"for y in 0..3\n"
		"	for j in 0..8\n"
		"		M[y, j] = i32(-128)\n"
		"for y in 0..3\n"
		"	for k in 0..3 reduced\n"
		"		for j in 0..8\n"
		"			M[y, j] max= X[y * 3 + k, j]\n";
	struct leaf_limits l = device();

	(void)state;
	l.narrow = true;
	l.vectors.stride[SCOPE_ACCUMULATORS] = 5;	/* of rows of X it is 6 */
	must_become(nest, &l,
		    "M: 6\nX: 18\n"
		    "load narrow columns x18, X at 0 by 1, A at 0 by 1\n"
		    "vectors x6, M at 0 by 1, copy 0 number -128\n"
		    "a in 0..3\n"
		    "	vectors x3 x2, M at 0 + 2*a by 0 by 1, X at 0 + 6*a by 2 by 1, max 0 with 1\n");
	l.computes[LEAF_MAX] = false;
	must_become(nest, &l, "a step of a reduction is neither an intrinsic nor a vector operation");
	l.number_least = -127;
	must_become(nest, &l, "a reduction begins with what no vector instruction has room for");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_product), cmocka_unit_test(test_loops), cmocka_unit_test(test_scratchpads),
		cmocka_unit_test(test_border), cmocka_unit_test(test_turns),
		cmocka_unit_test(test_run), cmocka_unit_test(test_store), cmocka_unit_test(test_operations),
		cmocka_unit_test(test_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
