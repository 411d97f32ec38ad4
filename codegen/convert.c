/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/convert.c - f16 and bf16 to f32 and back, a vector of @ lanes at a time.
 *
 * Written where no instruction does it in arithmetic on the bits, which no compiler flag changes;
 * rounded to nearest even, as te/dtype.c does. bf16 is the upper half of a f32. */
#include <string.h>

#include "codegen/emitter.h"
#include "target/intrinsic.h"

static const char bf16_wide_text[] =
	"static inline f32x@ wide_bf16x@(bf16x@ h)\n{\n"
	"\treturn (f32x@)(__builtin_convertvector(h, f32x@_bits) << 16);\n}\n";
static const char bf16_text[] =
	"static inline bf16x@ narrow_bf16x@(f32x@ v)\n{\n"
	"\tf32x@_bits u = (f32x@_bits)v, high = u >> 16;\n"
	"\tf32x@_bits nan = (f32x@_bits)((u & 0x7fffffff) > 0x7f800000);\n"
	"\tf32x@_bits near = (u + 0x7fff + (high & 1)) >> 16;\n\n"
	"\treturn __builtin_convertvector((near & ~nan) | ((high | 0x40) & nan), bf16x@);\n}\n";

/* gcc has no vector form of _Float16's conversion without AVX512-FP16, clang none of __fp16's
 * without F16C: each does it lane by lane, or by calls, then. */
static const char f16_text[] =
	"static inline f32x@ wide_f16x@(f16x@ h)\n{\n"
	"#if defined __clang__ && defined __F16C__\n"
	"\ttypedef __fp16 half __attribute__((vector_size(2 * @)));\n\n"
	"\treturn __builtin_convertvector((half)h, f32x@);\n"
	"#elif @ == 16 && !defined __clang__ && defined __AVX512F__\n"
	"\treturn __builtin_ia32_vcvtph2ps512_mask((f16x@_mask)h, (f32x@){0}, -1, 4);\n"
	"#elif @ == 8 && !defined __clang__ && defined __F16C__\n"
	"\treturn __builtin_ia32_vcvtph2ps256((f16x@_mask)h);\n"
	"#else\n"
	"\tf32x@_mask b = __builtin_convertvector(h, f32x@_mask), m = b & 0x7fff;\n"
	"\tf32x@_mask small = (f32x@_mask)(__builtin_convertvector(m, f32x@) * 0x1p-24f);\n"
	"\tf32x@_mask normal = (m << 13) + (112 << 23) + ((m >= 0x7c00) & (112 << 23));\n"
	"\tf32x@_mask is_small = m < 0x400;\n\n"
	"\treturn (f32x@)((b & 0x8000) << 16 | (small & is_small) | (normal & ~is_small));\n"
	"#endif\n}\n"
	"static inline f16x@ narrow_f16x@(f32x@ v)\n{\n"
	"#if defined __clang__ && defined __F16C__\n"
	"\ttypedef __fp16 half __attribute__((vector_size(2 * @)));\n\n"
	"\treturn (f16x@)__builtin_convertvector(v, half);\n"
	"#elif @ == 16 && !defined __clang__ && defined __AVX512F__\n"
	"\treturn (f16x@)__builtin_ia32_vcvtps2ph512_mask(v, 0, (f16x@_mask){0}, -1);\n"
	"#elif @ == 8 && !defined __clang__ && defined __F16C__\n"
	"\treturn (f16x@)__builtin_ia32_vcvtps2ph256(v, 0);\n"
	"#else\n"
	"\tf32x@_mask u = (f32x@_mask)v, m = u & 0x7fffffff;\n"
	"\tf32x@_mask small = (f32x@_mask)((f32x@)m + 0.5f) - 0x3f000000;\n"
	"\tf32x@_mask normal = ((m + 0xfff + (m >> 13 & 1)) >> 13) - (112 << 10);\n"
	"\tf32x@_mask is_small = m < 0x38800000, is_great = m >= 0x477ff000;\n"
	"\tf32x@_mask great = 0x7c00 | ((m > 0x7f800000) & 0x200);\n"
	"\tf32x@_mask bits = (small & is_small) | (great & is_great) |\n"
	"\t\t\t  (normal & ~(is_small | is_great));\n\n"
	"\treturn __builtin_convertvector((u >> 16 & 0x8000) | bits, f16x@);\n"
	"#endif\n}\n";

/* By one instruction, that takes denormals for zero: for kernels whose products do so, too. Its builtins have another
 * name or type with each compiler. */
static const char bf16_flushed_text[] =
	"static inline bf16x16 narrow_bf16x16(f32x16 v)\n{\n"
	"\tbf16x16 h;\n\n"
	"\t__asm__(\"vcvtneps2bf16 %1, %0\" : \"=v\"(h) : \"v\"(v));\n"
	"\treturn h;\n}\n";

void convert_functions(struct text *out, const struct text *body, enum dtype t, int lanes)
{
	bool flushes = strstr(text_str(body), intrinsic_at(INTRINSIC_AVX512_VDPBF16PS)->name);

	put_lanes(out, t == DTYPE_F16 ? f16_text : bf16_wide_text, lanes);
	if (t == DTYPE_BF16)
		put_lanes(out, flushes && lanes == 16 ? bf16_flushed_text : bf16_text, lanes);
}
