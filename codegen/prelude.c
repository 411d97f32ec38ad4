/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/prelude.c - what stands before the functions of a generated file: the types and helpers that they use. */
#include "codegen/emitter.h"

static const char *const helper_text[] = {
#define X(name, text) text,
#include "codegen/helper.def"
#undef X
};

/* Compilers that may reorder sums or rule out NaN and infinity break exp, the start of a maximum
 * and what has to be NaN. clang does not tell of each of these flags: exp is written so that no
 * order of its terms loses it. */
static const char head[] =
	"#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__ || __FINITE_MATH_ONLY__ > 0\n"
	"#error \"this kernel needs IEEE arithmetic: compile it without -ffast-math and its parts\"\n"
	"#endif\n\n"
	"#include <stdint.h>\n#include <stddef.h>\n\n"
	"#ifdef __clang__\n"
	"#define WRITE_OUT _Pragma(\"clang loop unroll(full)\")\n"
	"#else\n"
	"#define WRITE_OUT _Pragma(\"GCC unroll 4\")\n"
	"#endif\n";

/* gcc aligns the vectors that it spills; clang leaves them where its caller's stack happens to be, so that most lie in two
 * lines: a kernel was 1.17 times as slow in every other process (docs/performance.md). */
static const char spills_aligned[] =
	"#if defined __clang__ && defined __x86_64__\n"
	"#define SPILLS_ALIGNED __attribute__((force_align_arg_pointer))\n"
	"#else\n"
	"#define SPILLS_ALIGNED\n"
	"#endif\n";

void prelude(struct text *out, const struct emitter *e)
{
	const struct calls *calls = calls_of(e->a, text_str(&e->body));

	text_puts(out, head);
	if (strstr(text_str(&e->body), "SPILLS_ALIGNED "))
		text_puts(out, spills_aligned);
	if (strstr(text_str(&e->body), "READ_AGAIN"))
		text_puts(out, "#define READ_AGAIN __asm__ volatile(\"\" ::: \"memory\")\n");
	if (strstr(text_str(&e->body), "ALIKE\n"))
		text_puts(out, "#define ALIKE _Pragma(\"omp simd\")\n");
	put_vector_functions(out, calls, e->used_vector);
	for (int i = 0; i < HELPER_COUNT; i++)
		if (e->used_helper[i])
			text_puts(out, helper_text[i]);
	put_element_functions(out, calls);
	put_intrinsic_functions(out, calls);
	text_puts(out, "\n");
}
