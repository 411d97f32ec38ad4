/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/schedule/test_nest_text.c - the text form of programs: what is read of it, and what is refused, and where.
 * That what is printed is read back is for tests/property/test_nest.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/err.h"
#include "schedule/text/nest_text.h"
#include "schedule/pass/pass.h"

#define HEAD                                                                                       \
	"target x86-64-avx512\n"                                                                   \
	"input A: f32[8, 4]\n"                                                                     \
	"const B: f32[4]\n"                                                                        \
	"output C: f32[8]\n"

static struct program *parse(struct arena *a, const char *text)
{
	struct program *p = program_parse(a, "nest", text);

	if (!p)
		fail_msg("%s\n%s", err_get(), text);
	return p;
}

static void test_arguments(void **state)
{
	struct arena *a = arena_new();
	const struct program *p = parse(a, "target generic\n" "tiles overlap\n"
					   "const B: f32[4]\ninput X: i8[]\noutput C: f32[4]\n");

	(void)state;
	assert_ptr_equal(p->target, &target_generic);
	assert_true(p->overlaps);
	assert_null(p->state);
	assert_int_equal(p->args.n, 3);
	assert_true(p->args.at[0]->constant && p->args.at[0]->kind == BUFFER_INPUT);
	assert_false(p->args.at[1]->constant);
	assert_int_equal(p->args.at[1]->tensor.ndim, 0);
	assert_int_equal(p->args.at[2]->kind, BUFFER_OUTPUT);
	assert_int_equal(p->args.at[2]->arg, 2);
	arena_free(a);
}

/* The beginning of a pack. */
#define PACK "pack P: f32[2] of B\n"

static void test_pack(void **state)
{
	struct arena *a = arena_new();
	const struct program *p = parse(a, HEAD "pack P: f32[6] of B\n"
						"\ttemp T: f32[4]\n"
						"\tfor i in 0..4\n"
						"\t\tT[i] = B[i]\n"
						"\tfor i in 0..6\n"
						"\t\tif i < 4\n"
						"\t\t\tP[i] = T[i]\n"
						"\t\telse\n"
						"\t\t\tP[i] = f32(0)\n"
						"C[0] = P[5]\n");
	const struct pack *k = program_pack(p, 1);
	float raw[] = { 1, 2, 3, 4 }, packed[6], in[32], out[8];

	(void)state;
	assert_int_equal(k->raw->tensor.shape[0], 4);
	assert_int_equal(k->packed->tensor.shape[0], 6);
	pack_interpret(k, raw, packed);
	assert_memory_equal(packed, ((float[]){ 1, 2, 3, 4, 0, 0 }), sizeof(packed));
	program_interpret(p, (void *[]){ in, packed, out });
	arena_free(a);
}

static void test_nodes(void **state)
{
	struct arena *a = arena_new();
	const struct program *p =
		parse(a, HEAD "reload unrolled for i in 2..4 reduced\n"
			      "\tregisters R: f32[3, 8] as 4 lanes along dim 1, 2 apart, may overrun\n"
			      "\tif i < 3, guard of tile\n"
			      "\t\tC[i] max= f32(1)\n"
			      "\telse\n"
			      "\t\tvector for j in 0..7 of 8\n"
			      "\t\t\tR[0, j] = f32(0)\n"
			      "\t\t\tstream C[j] = f32(1)\n");
	const struct nest *loop = p->body, *alloc = loop->body, *cond = alloc->next;

	(void)state;
	assert_int_equal(loop->turns, TURNS_RELOAD);
	assert_int_equal(loop->annotation, ANNOTATION_UNROLL);
	assert_true(loop->axis->reduce && loop->axis->lo == 2 && loop->axis->hi == 4);
	assert_true(alloc->buffer->registers && alloc->buffer->kind == BUFFER_LOCAL);
	assert_int_equal(alloc->layout->lanes, 4);
	assert_int_equal(alloc->layout->dim, 1);
	assert_int_equal(alloc->layout->stride, 2);
	assert_true(alloc->layout->overruns);
	assert_int_equal(cond->guard, GUARD_TILE);
	assert_int_equal(cond->body->reducer, REDUCE_MAX);
	assert_ptr_equal(cond->body->index[0]->axis, loop->axis);
	assert_int_equal(cond->other->lanes, 8);
	assert_false(cond->other->body->streams);
	assert_true(cond->other->body->next->streams);
	assert_null(cond->next);
	assert_int_equal(loop->stores, 3);
	arena_free(a);
}

static void test_prefetches(void **state)
{
	struct arena *a = arena_new();
	const struct program *p = parse(a, HEAD "for i in 0..8 border guard prefetch A 2 prefetch C 64\n"
						"\tprefetch A at i * 4 - 64, far\n"
						"\tprefetch A at i\n"
						"\tC[i] = f32(1)\n");
	const struct nest *loop = p->body, *first = loop->body;
	float in[32], out[8] = { 0 };

	(void)state;
	assert_int_equal(loop->prefetches.n, 2);
	assert_ptr_equal(loop->prefetches.at[1].buffer, loop->body->next->next->buffer);
	assert_int_equal(loop->prefetches.at[1].turns, 64);
	assert_int_equal(first->kind, NEST_PREFETCH);
	assert_true(first->far && !first->next->far);
	assert_ptr_equal(first->buffer, loop->prefetches.at[0].buffer);
	program_interpret(p, (void *[]){ in, in, out });	/* beyond A: nothing comes of it */
	assert_true(out[7] > 0.5F);
	arena_free(a);
}

/* The innermost of a name is meant; printing gives each a name of its own. */
static void test_names(void **state)
{
	struct arena *a = arena_new();
	const struct program *p = parse(a, HEAD "for i in 0..8\n"
						"\tfor i in 0..4\n"
						"\t\tC[i] = A[i, i]\n"
						"\tC[i] = f32(0)\n");
	const struct nest *outer = p->body, *inner = outer->body;
	struct text t = { 0 };

	(void)state;
	assert_ptr_equal(inner->body->index[0]->axis, inner->axis);
	assert_ptr_equal(inner->next->index[0]->axis, outer->axis);
	program_print(&t, p);
	assert_non_null(strstr(text_str(&t), "\tfor i_1 in 0..4\n\t\tC[i_1] = A[i_1, i_1]\n\tC[i] ="));
	text_free(&t);
	arena_free(a);
}

/* Copies of a loop's body share their buffers. */
static void test_shared_buffer(void **state)
{
	struct arena *a = arena_new();
	const struct program *p = parse(a, HEAD "for i in 0..4\n\tlocal L: f32[2]\n\tL[0] = B[i]\n"
						"for i in 4..8\n\tlocal L: f32[2]\n\tL[0] = f32(0)\n");

	(void)state;
	assert_ptr_equal(p->body->body->buffer, p->body->next->body->buffer);
	arena_free(a);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "1:1: expected 'target'" },
		{ "target z80\n", "1:8: there is no target z80" },
		{ "target generic\ninput A: f32[2]\n", "3:1: expected input, const or output" },
		{ "target generic\noutput A: f32[2]\ninput B: f32[2]\n",
		  "3:7: an input behind an output" },
		{ "target generic\noutput A: f32[1000000, 1000000, 100]\n", "2:8: A: more than 2^40" },
		{ HEAD "input C: f32[2]\n", "5:7: an input behind" },
		{ HEAD "output A: f32[2]\n", "5:8: there is a buffer A already" },
		{ HEAD "transposed for i in 0..8\n\tC[i] = f32(0)\n", "5:16: what is transposed is a vector loop" },
		{ HEAD "interleaved for i in 0..2\n\tvector for j in 0..4 of 4\n\t\tC[i] = A[i, j]\n",
		  "5:17: what is interleaved is a whole vector" },
		{ HEAD "transposed for i in 0..8\n\tvector for j in 0..4 of 4\n\t\tC[i] = A[i, j]\n",
		  "5:16: what is transposed is a vector loop" },
		{ HEAD "pack P: f32[2] of A\n", "5:19: A is no constant above" },
		{ HEAD "pack P: f32[2] of B\npack Q: f32[2] of B\n", "6:19: B is no constant" },
		{ HEAD "pack B: f32[2] of B\n", "5:6: there is a buffer B already" },
		{ HEAD PACK "\tP[0] = A[0, 0]\n", "6:9: there is no tensor A above" },
		{ HEAD PACK "\tP[0] = B[j]\n", "6:11: there is no axis j" },
		{ HEAD PACK "C[0] = B[0]\n", "6:8: there is no tensor B above" },
		{ HEAD PACK "P[0] = f32(0)\n", "6:1: P is no buffer to write to" },
		{ HEAD PACK "\tlocal L: f32[1]\n", "6:8: a pack has temps alone" },
		{ HEAD PACK "\tvector for i in 0..2\n\t\tP[i] = f32(0)\n",
		  "6:13: the loops of a pack are plain" },
		{ HEAD "temp T: f32[4] in order 0,0\n", "5:16: not every dim is stored once" },
		{ HEAD "temp T: f32[1, 1, 1, 1] in order 0,1,2,3,0%4096,1%4096,2%4096,3%4096\n",
		  "5:25: more than" },
		{ HEAD "temp T: f32[4] in order 0,0%0\n", "5:30: expected a block" },
		{ HEAD "temp T: f32[4] in reading order\n", "5:6: only constants and packs" },
		{ "target generic\ninput A: f32[4] in order 0\n",
		  "2:7: an argument is stored as its caller has it" },
		{ HEAD "for i in 3..3\n", "5:13: expected where the range ends, a whole number in 4.." },
		{ HEAD "for i in 0 3\n", "5:12: expected '..'" },
		{ HEAD "few i in 0..3\n", "5:5: expected 'for'" },
		{ HEAD "for i in 0..8 of 8\n", "5:15: lanes of a loop that is no vector" },
		{ HEAD "vector for i in 0..8 of 4\n", "5:25: expected lanes, a whole number in 8..64" },
		{ HEAD "vector for i in 0..8 of 12\n", "5:25: lanes are a power of two" },
		{ HEAD "vector for i in 0..4097\n\tC[i] = f32(0)\n", "5:12: more than 4096 lanes" },
		{ HEAD "vector for i in 0..8\n\tfor j in 0..8\n\t\tC[i] = f32(0)\n",
		  "6:6: a loop inside of lanes" },
		{ HEAD "for i in 0..8 border control\n", "5:22: there is no such border" },
		{ HEAD "for i in 0..8\n\t\tC[i] = f32(0)\n", "6:3: expected no more than 1 tabs" },
		{ HEAD "for i in 0..8\n    C[i] = f32(0)\n", "6:5: expected tabs alone before a line" },
		{ HEAD "for i in 0..8\nC[i] = f32(0)\n", "6:3: there is no axis i" },
		{ HEAD "let i in 0..8 = f32(0)\n", "5:17: a let is i64, not f32" },
		{ HEAD "if A[0, 0]\n", "5:4: a condition is bool, not f32" },
		{ HEAD "if true, guard of honour\n", "5:19: expected tile or loop" },
		{ HEAD "else\n", "5:1: expected for, let, if" },
		{ HEAD "for i in 0..8\n\ttemp T: f32[2]\n", "6:7: a temp is of the whole program" },
		{ HEAD "local L: f32[2] as 4 lanes\n", "5:17: expected the end of the line" },
		{ HEAD "registers L: f32[4] as 4 lanes along dim 1\n", "5:42: expected a dim" },
		{ HEAD "for i in 0..8\n\tlocal L: f32[2]\nfor i in 0..8\n\tlocal L: f32[3]\n",
		  "8:8: L is another buffer above" },
		{ HEAD "for i in 0..8\n\tlocal L: f32[2]\nL[0] = f32(0)\n",
		  "7:1: L is no buffer to write to" },
		{ HEAD "A[0, 0] = f32(0)\n", "5:1: A is no buffer to write to" },
		{ HEAD "C[0, 0] = f32(0)\n", "5:6: C has 1 dimensions" },
		{ HEAD "C[0] = A[0]\n", "5:11: A has 2 dimensions, here are 1" },
		{ HEAD "C[0] -= A[0, 0]\n", "5:6: expected =, +=, *=, max= or min=" },
		{ HEAD "local L: f32[2]\nstream L[0] = f32(0)\n", "6:8: only outputs are stored past the caches" },
		{ HEAD "stream C[0] += A[0, 0]\n", "5:8: what is stored past the caches is not read" },
		{ HEAD "local L: f32[2]\nprefetch L at 0\n", "6:10: only arguments and temps are prefetched" },
		{ HEAD "prefetch A 0\n", "5:12: expected 'at'" },
		{ HEAD "prefetch A at f32(0)\n", "5:15: an element is i64, not f32" },
		{ HEAD "prefetch A at i64(0), near\n", "5:23: expected 'far'" },
		{ HEAD "for i in 0..8 prefetch A 257\n", "5:26: " },
		{ HEAD "vector for i in 0..8\n\tprefetch A at i\n", "6:11: lanes prefetch nothing" },
		{ HEAD "C[0] = i64(3)\n", "5:8: what is stored here is f32, not i64" },
		{ HEAD "C[0] = f32(0) + f32(f16(1) + f16(1))\n", "5:8: arithmetic on f16" },
		{ "target generic\noutput C: f16[1]\nC[0] += f16(1)\n", "3:1: a reduction to f16" },
		{ HEAD "for i in 0..1000000\n\tC[i * 1000000000000] = f32(0)\n",
		  "6:4: index arithmetic is beyond any buffer" },
		{ "target generic\noutput place: f32[1]\nplace[0] = f32(0) 1\n",
		  "3:19: expected the end of the line" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct arena *a = arena_new();
		const char *want = arena_printf(a, "nest:%s", cases[i].message);

		if (program_parse(a, "nest", cases[i].text))
			fail_msg("not refused:\n%s", cases[i].text);
		if (strncmp(err_get(), want, strlen(want)) != 0)
			fail_msg("'%s', not '%s', of\n%s", err_get(), want, cases[i].text);
		arena_free(a);
	}
}

static char *nested(struct arena *a, int depth)
{
	struct text t = { 0 };

	text_puts(&t, HEAD);
	for (int i = 0; i < depth; i++) {
		text_indent(&t, i);
		text_puts(&t, "for i in 0..1\n");
	}
	text_indent(&t, depth);
	text_puts(&t, "C[i] = f32(0)\n");
	char *out = arena_strdup(a, text_str(&t));

	text_free(&t);
	return out;
}

static void test_nesting(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_non_null(program_parse(a, "nest", nested(a, 200)));
	assert_null(program_parse(a, "nest", nested(a, 201)));
	assert_non_null(strstr(err_get(), "more than 200 levels"));
	arena_free(a);
}

/* No pass but the first asks for a state. */
static void test_without_state(void **state)
{
	struct arena *a = arena_new();
	struct program *p = parse(a, HEAD "for i in 0..8\n\tC[i] = A[i, 0]\n");
	const char *why;

	(void)state;
	for (int i = PASS_place + 1; i < NEST_PASSES; i++)
		assert_true(nest_passes[i].run(p, &why));
	assert_int_equal(program_replaces(p), 0);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),     cmocka_unit_test(test_pack),
		cmocka_unit_test(test_nodes),	      cmocka_unit_test(test_names),
		cmocka_unit_test(test_prefetches),
		cmocka_unit_test(test_shared_buffer), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_nesting),	      cmocka_unit_test(test_without_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
