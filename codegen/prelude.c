/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/prelude.c - the types and helpers at the head of a generated file. */
#include <stdio.h>

#include "codegen/emitter.h"

static const char *const helper_text[] = {
#define X(name, text) text,
#include "codegen/helper.def"
#undef X
};

/* The integer types of a lane's size, signed and unsigned. */
static const char *signed_type(enum dtype t)
{
	static const char *const by_bytes[] = {
		[1] = "int8_t", [2] = "int16_t", [4] = "int32_t", [8] = "int64_t"
	};

	return by_bytes[dtype_bytes(t)];
}

/* max, min and select by masks: compilers see the instruction behind them, which gives y where one of
 * both is NaN; NAN: and also those that are NaN where x is. */
static void choice_functions(struct text *out, const char *v, bool nan)
{
	static const char *const compare[] = { "max", ">", "min", "<" };

	text_printf(out, "static inline %s select_%s(%s_mask m, %s x, %s y)\n"
			 "{\n\treturn (%s)(((%s_mask)x & m) | ((%s_mask)y & ~m));\n}\n",
		    v, v, v, v, v, v, v, v);
	for (int i = 0; i < 4; i += 2)
		text_printf(out, "static inline %s %s_%s(%s x, %s y)\n"
				 "{\n\treturn select_%s(x %s y, x, y);\n}\n",
			    v, compare[i], v, v, v, v, compare[i + 1]);
	for (int i = 0; nan && i < 4; i += 2)
		text_printf(out, "static inline %s %s_nan_%s(%s x, %s y)\n"
				 "{\n\treturn select_%s(x == x, %s_%s(x, y), x);\n}\n",
			    v, compare[i], v, v, v, v, compare[i], v);
}

void put_lanes(struct text *out, const char *pattern, int lanes)
{
	for (const char *at; (at = strchr(pattern, '@')); pattern = at + 1) {
		text_putn(out, pattern, (size_t)(at - pattern));
		text_printf(out, "%d", lanes);
	}
	text_puts(out, pattern);
}

static void vector_types(struct text *out, const struct text *body, enum dtype t, int lanes)
{
	struct text v = { 0 };
	size_t bytes = dtype_bytes(t);

	text_printf(&v, "%sx%d", dtype_name(t), lanes);
	text_printf(out, "typedef %s %s __attribute__((vector_size(%zu)));\n", dtype_c(t),
		    text_str(&v), bytes * (size_t)lanes);
	text_printf(out, "typedef %s %s_u __attribute__((vector_size(%zu), aligned(%zu), "
			 "may_alias));\n",
		    dtype_c(t), text_str(&v), bytes * (size_t)lanes, bytes);
	text_printf(out, "typedef %s %s_mask __attribute__((vector_size(%zu)));\n", signed_type(t),
		    text_str(&v), bytes * (size_t)lanes);
	text_printf(out, "typedef u%s %s_bits __attribute__((vector_size(%zu)));\n",
		    signed_type(t), text_str(&v), bytes * (size_t)lanes);
	choice_functions(out, text_str(&v), strstr(text_str(body), "_nan_"));
	mask_functions(out, body, text_str(&v), t, lanes);
	apart_functions(out, body, text_str(&v), t, lanes);
	if (t == DTYPE_F32 || t == DTYPE_F64) {
		map_functions(out, body, text_str(&v), t, lanes);
		across_functions(out, body, text_str(&v), t, lanes);
	}
	if (dtype_is_narrow(t))
		convert_functions(out, body, t, lanes);
	text_free(&v);
}

/* Compilers that may reorder sums or rule out NaN and infinity break exp, the start of a maximum
 * and what has to be NaN. clang does not tell of each of these flags: exp is written so that no
 * order of its terms loses it. */
static const char refusal[] =
	"#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__ || __FINITE_MATH_ONLY__ > 0\n"
	"#error \"this kernel needs IEEE arithmetic: compile it without -ffast-math and its parts\"\n"
	"#endif\n\n";

void prelude(struct text *out, const struct emitter *e)
{
	text_puts(out, refusal);
	text_puts(out, "#include <stdint.h>\n#include <stddef.h>\n\n"
		       "#ifdef __clang__\n"
		       "#define WRITE_OUT _Pragma(\"clang loop unroll(full)\")\n"
		       "#else\n"
		       "#define WRITE_OUT _Pragma(\"GCC unroll 4\")\n"
		       "#endif\n");
	if (strstr(text_str(&e->body), "READ_AGAIN"))
		text_puts(out, "#define READ_AGAIN __asm__ volatile(\"\" ::: \"memory\")\n");
	if (e->used_picks)
		text_puts(out, pick_text);
	text_puts(out, "\n");
	if (e->used_masks)
		text_puts(out, mask_bits_text);
	for (int t = 0; t < DTYPE_COUNT; t++)
		for (int i = 0; i <= MAX_LANES_LOG2; i++)
			if (e->used_vector[t][i])
				vector_types(out, &e->body, (enum dtype)t, 1 << i);
	for (int i = 0; i < HELPER_COUNT; i++)
		if (e->used_helper[i])
			text_puts(out, helper_text[i]);
	intrinsic_functions(out, e);
	text_puts(out, "\n");
}
