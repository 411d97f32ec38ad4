/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/function.c - functions of each lane of a vector: own ones of f32 without a branch or a call, the C
 * library's, lane by lane, where there is none. */
#include <stdio.h>

#include "codegen/emitter.h"

/* The same polynomial as hone_exp_f32. A minimum or maximum whose second argument is NaN is that. One in 7 of all
 * floats: at most 0.89 units in the last place off, 1.17 without fused multiply-adds. */
static const char exp_text[] =
	"static inline f32x@ exp_f32x@(f32x@ x)\n{\n"
	"\tf32x@ t = max_f32x@(-104.0f - (f32x@){0}, min_f32x@(89.0f - (f32x@){0}, x));\n"
	"\tEXP_POWER_@(t)\n"
	"\tf32x@ r = (t - m * 0.693359375f) + m * 2.12194440e-4f;\n"
	"\tf32x@ p = 1.3863757e-3f * r + 8.3675092e-3f;\n\n"
	"\tp = p * r + 4.1667239e-2f;\n"
	"\tp = p * r + 1.6666534e-1f;\n"
	"\tp = p * r + 0.5f;\n"
	"\tp = p * r + 1.0f;\n"
	"\tp = p * r + 1.0f;\n"
	"\treturn EXP_SCALED_@(p);\n}\n";
/* m, the power of 2 that is next to exp(t), and p times that: in two factors, for the one may be too great or too
 * small where the product is not. */
static const char exp_power_text[] =
	"#define EXP_POWER_@(t) \\\n"
	"\tf32x@_mask k = (f32x@_mask)(t * 1.44269504f + 12582912.0f) - 0x4b400000, half = k >> 1; \\\n"
	"\tf32x@ m = __builtin_convertvector(k, f32x@);\n"
	"#define EXP_SCALED_@(p) (p * (f32x@)((half + 127) << 23) * (f32x@)((k - half + 127) << 23))\n";
/* The same by instructions that are made for it. */
static const struct {
	int lanes;
	const char *text;
} exp_power_avx512[] = {
#define EXP_POWER(lanes, round, scale, mode)                                                                   \
	{ lanes, "#define EXP_POWER_" #lanes "(t) \\\n"                                                      \
		 "\tconst f32x" #lanes " s = t * 1.44269504f, m = __builtin_ia32_rndscaleps_" round            \
		 "mask(s, 0, s, -1" mode ");\n"                                                                \
		 "#define EXP_SCALED_" #lanes "(p) __builtin_ia32_scalefps" scale "_mask(p, m, p, -1" mode ")\n" }
	EXP_POWER(4, "128_", "128", ""),
	EXP_POWER(8, "256_", "256", ""),
	EXP_POWER(16, "", "512", ", 4"),
#undef EXP_POWER
};

/* Odd functions between -1 and 1 as x p(x^2) / q(x^2), the least relative error of such on what is not 1 in f32
 * anyway, by weighted least squares: 0.32 and 0.36 units of roundoff, all coefficients positive. As computed, with
 * and without fused multiply-adds, one in 7 of all floats: at most 6.9 and 5.8, rms 1.03 and 0.36. At `end`
 * both are beyond 1, so that what is 1 is that. A minimum whose second argument is NaN is that. */
static const char erf_text[] =
	"static inline f32x@ erf_f32x@(f32x@ x)\n{\n"
	"\tconst f32x@ one = 1.0f - (f32x@){0}, end = 4.1f - (f32x@){0};\n"
	"\tf32x@ t = max_f32x@(-end, min_f32x@(end, x)), s = t * t;\n"
	"\tf32x@ p = 2.05007109e-06f * s + 2.84880109e-04f, q = 3.80914098e-05f * s + 1.16252247e-03f;\n\n"
	"\tp = p * s + 3.76557652e-03f;\n"
	"\tq = q * s + 1.49691375e-02f;\n"
	"\tp = p * s + 5.27485944e-02f;\n"
	"\tq = q * s + 1.14108793e-01f;\n"
	"\tp = p * s + 1.90405771e-01f;\n"
	"\tq = q * s + 5.02075493e-01f;\n"
	"\tp = p * s + 1.12837911f;\n"
	"\tq = q * s + 1.0f;\n"
	"\treturn max_f32x@(-one, min_f32x@(one, t * p / q));\n}\n";
static const char tanh_text[] =
	"static inline f32x@ tanh_f32x@(f32x@ x)\n{\n"
	"\tconst f32x@ one = 1.0f - (f32x@){0}, end = 9.5f - (f32x@){0};\n"
	"\tf32x@ t = max_f32x@(-end, min_f32x@(end, x)), s = t * t;\n"
	"\tf32x@ p = 1.33187275e-08f * s + 2.05832257e-05f, q = 7.76187619e-07f * s + 3.28306720e-04f;\n\n"
	"\tp = p * s + 3.49401892e-03f;\n"
	"\tq = q * s + 2.58710142e-02f;\n"
	"\tp = p * s + 1.33797050e-01f;\n"
	"\tq = q * s + 4.67130214e-01f;\n"
	"\tp = p * s + 1.0f;\n"
	"\tq = q * s + 1.0f;\n"
	"\treturn max_f32x@(-one, min_f32x@(one, t * p / q));\n}\n";

/* Where no instruction does it, a sum with 2^23 has no place for a fraction: it is rounded half to even, and its bits
 * are those of 2^23 and the whole number. What is as large has no fraction. */
static const char rint_text[] =
	"static inline f32x@ rint_f32x@(f32x@ x)\n{\n"
	"#if @ == 16 && defined __AVX512F__\n"
	"\treturn __builtin_ia32_rndscaleps_mask(x, 8, x, -1, 4);\n"
	"#elif @ == 8 && defined __AVX__\n"
	"\treturn __builtin_ia32_roundps256(x, 8);\n"
	"#else\n"
	"\tf32x@_mask sign = (f32x@_mask)x & (int32_t)0x80000000;\n"
	"\tf32x@ t = (f32x@)((f32x@_mask)x ^ sign);\n"
	"\tf32x@ r = __builtin_convertvector((f32x@_mask)(t + 8388608.0f) - 0x4b000000, f32x@);\n\n"
	"\treturn (f32x@)((f32x@_mask)select_f32x@(t < 8388608.0f, r, t) | sign);\n"
	"#endif\n}\n";

static const char *const own_text[EXPR_KIND_COUNT] = {
	[EXPR_ROUND] = rint_text, [EXPR_ERF] = erf_text, [EXPR_TANH] = tanh_text,
};

static void put_exp(struct text *out, int lanes)
{
	const char *avx512 = NULL;

	for (size_t i = 0; i < sizeof(exp_power_avx512) / sizeof(*exp_power_avx512); i++)
		if (exp_power_avx512[i].lanes == lanes)
			avx512 = exp_power_avx512[i].text;
	if (avx512)
		text_printf(out, "#ifdef __AVX512VL__\n%s#else\n", avx512);
	put_lanes(out, exp_power_text, lanes);
	text_puts(out, avx512 ? "#endif\n" : "");
	put_lanes(out, exp_text, lanes);
}

/* That of the C library, lane by lane. */
static void put_calls(struct text *out, const char *name, const char *v, enum dtype t, int lanes)
{
	text_printf(out, "static inline %s %s_%s(%s x)\n{\n\treturn (%s){", v, name, v, v, v);
	for (int i = 0; i < lanes; i++)
		text_printf(out, "%s__builtin_%s%s(x[%d])", i ? ", " : "", name,
			    t == DTYPE_F64 ? "" : "f", i);
	text_puts(out, "};\n}\n");
}

void map_functions(struct text *out, const struct text *body, const char *v, enum dtype t, int lanes)
{
	char call[64];

	for (int k = 0; k < EXPR_KIND_COUNT; k++) {
		if (!c_function[k] || expr_kind_arity((enum expr_kind)k) != 1)
			continue;
		snprintf(call, sizeof(call), "%s_%s(", c_function[k], v);
		if (!strstr(text_str(body), call))
			continue;
		if (k == EXPR_EXP && t == DTYPE_F32)
			put_exp(out, lanes);
		else if (own_text[k] && t == DTYPE_F32)
			put_lanes(out, own_text[k], lanes);
		else
			put_calls(out, c_function[k], v, t, lanes);
	}
}
