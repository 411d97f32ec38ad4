/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/target/test_vectors.c - functions on vectors: the fields of patterns, and which functions a body gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/vectors/pattern.h"
#include "target/vectors/vectors.h"

static const struct {
	struct vector_form form;
	const char *pattern, *text;
} patterns[] = {
	{{DTYPE_F32, 8, "f32x8", 0, 0}, "$V_mask $L $Z $T $B $E $W $f", "f32x8_mask 8 32 float 32 4 float f"},
	{{DTYPE_F64, 2, "f64x2", 0, 0}, "$V_mask $L $Z $T $B $E $W $f", "f64x2_mask 2 16 double 64 8 double "},
	{{DTYPE_I64, 4, "i64x4", 0, 0}, "loadu$K_mask maskload$A $M", "loadupd256_mask maskloadpd256 8"},
	{{DTYPE_F32, 16, "f32x16", 0, 0}, "loadu$K_mask $M", "loadups512_mask 16"},
	{{DTYPE_F32, 4, "f32x4", 0, 0}, "{$[p[$i]$]}", "{p[0], p[1], p[2], p[3]}"},
	{{DTYPE_F32, 4, "f32x4", 0, 0}, "$<($[$x$])$>", "(2, 3, 0, 1)(1, 0, 3, 2)"},
	/* all up to the last: the second vector ends with it */
	{{DTYPE_F32, 4, "f32x4", 2, -1}, "$(0v$k=$s;$)$(1$[$p$];$)", "v0=0;v1=3;0, 2, 5, 7;"},
	{{DTYPE_F32, 4, "f32x4", 2, 1}, "$(0v$k=$s;$)$(1$[$p$];$)", "v0=0;v1=4;1, 3, 5, 7;"},
};

static void test_patterns(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		struct text t = {0};

		pattern_print(&t, &patterns[i].form, patterns[i].pattern);
		assert_string_equal(text_str(&t), patterns[i].text);
		text_free(&t);
	}
}

/* What BODY gets for f32x8 and u8x8. */
static struct text functions_of(const char *body)
{
	struct arena *a = arena_new();
	const struct calls *c = calls_of(a, body);
	bool used[DTYPE_COUNT][VECTOR_SIZES] = {0};
	struct text t = {0};

	used[DTYPE_F32][3] = used[DTYPE_U8][3] = true;
	put_vector_functions(&t, c, used);
	put_element_functions(&t, c);
	put_intrinsic_functions(&t, c);
	arena_free(a);
	return t;
}

static const struct {
	const char *body;
	const char *has[4];
	const char *has_not[4];
} bodies[] = {
	{"f32x8 x;", {" f32x8_u ", " u8x8_bits ", " select_f32x8(", " max_u8x8("}, {"load_", "exp_", "PICK", "hone_"}},
	{"load_u8x8(p, lo, hi)", {" load_u8x8(", " hone_lanes("}, {" load_f32x8(", "ia32"}},
	/* one calls the other */
	{"some2_f32x8(p, lo, hi)", {" some2_f32x8(", " load_f32x8(", " lanes_f32x8(", "PICK("}, {"every", "some3"}},
	{"some3_f32x8_2(p, lo, hi)", {" some3_f32x8_2(", " load_f32x8("}, {" some3_f32x8(", "every"}},
	{"every2_f32x8_1(p)", {" every2_f32x8_1("}, {" every2_f32x8(", " every2_f32x8_0(", " load_"}},
	/* another name, or no call */
	{"my_exp_f32x8(x), exp_f32x80(x), exp_f32x8", {NULL}, {" exp_"}},
	{"exp_f32x8(x) + sin_f32x8(x)", {"__AVX512VL__", " exp_f32x8(", "__builtin_sinf(x[7])"}, {" cos_"}},
	{"hone_exp_f32(x)", {" hone_exp_f32("}, {" exp_f32x8(", "wide_"}},
	{"wide_f16(x)", {" wide_f16(", " narrow_f16("}, {"bf16"}},
	{"stream_f32x8(p, v)", {" stream_f32x8(", "movntps256", "__builtin_ia32_sfence"}, {" stream_u8x8(", "movntps512"}},
	{"neon_sdot(s, a, b)", {"arm_neon.h", " neon_sdot("}, {"neon_udot", "immintrin"}},
};

static void test_calls(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		struct text t = functions_of(bodies[i].body);

		for (int k = 0; k < 4; k++) {
			if (bodies[i].has[k] && !strstr(text_str(&t), bodies[i].has[k]))
				fail_msg("%s: no '%s'", bodies[i].body, bodies[i].has[k]);
			if (bodies[i].has_not[k] && strstr(text_str(&t), bodies[i].has_not[k]))
				fail_msg("%s: has '%s'", bodies[i].body, bodies[i].has_not[k]);
		}
		text_free(&t);
	}
}

/* --- compiled */

static const char *const compilers[] = {"gcc", "clang"};

/* Of x86-64; a machine of another kind has none of these. */
static const char *const machines[] = {"-msse4.2", "-mavx2", "-mavx512vl -mavx512bw -mavx512dq"};

/* All that is masked or streamed, of types that machines have masks for, in vectors of 16 bytes and more: wider ones than a
 * register hold f64 in the lanes of f32. */
static void write_touching(int fd)
{
	static const enum dtype types[] = {DTYPE_F32, DTYPE_F64, DTYPE_I32, DTYPE_I64};
	struct arena *a = arena_new();
	struct text body = {0}, out = {0};
	bool used[DTYPE_COUNT][VECTOR_SIZES] = {0};

	for (size_t k = 0; k < sizeof(types) / sizeof(*types); k++)
		for (int i = 1; i < VECTOR_SIZES; i++) {
			const char *name = dtype_name(types[k]);
			size_t bytes = dtype_bytes(types[k]) << i;

			used[types[k]][i] = bytes >= 16;
			if (used[types[k]][i])
				text_printf(&body, "lanes_%sx%d(load_%sx%d(store_%sx%d(stream_%sx%d(", name, 1 << i, name,
					    1 << i, name, 1 << i, name, 1 << i);
		}
	put_vector_functions(&out, calls_of(a, text_str(&body)), used);
	FILE *f = fdopen(fd, "w");

	assert_non_null(f);
	fprintf(f, "#include <stddef.h>\n#include <stdint.h>\n%s", text_str(&out));
	assert_int_equal(fclose(f), 0);
	text_free(&out);
	text_free(&body);
	arena_free(a);
}
/* Products of matrices of several types share what sets tiles up, zeroes, loads and stores them. */
static void test_matrices(void **state)
{
	static const char *const once[] = {" matrix_shape(uint32_t now", "define matrix_load(", "define __AMX_INT8__",
					   "define amx_dpbusd(", "define amx_dpbssd("};
	struct text t = functions_of("amx_dpbusd(0, 4, 6); amx_dpbssd(1, 4, 7);");

	(void)state;
	for (size_t i = 0; i < sizeof(once) / sizeof(*once); i++) {
		const char *at = strstr(text_str(&t), once[i]);

		assert_non_null(at);
		assert_null(strstr(at + 1, once[i]));
	}
	text_free(&t);
}


static void test_compiled(void **state)
{
	char path[] = "/tmp/hone-vectors-XXXXXX", command[256];
	int compiled = 0;

	(void)state;
#ifndef __x86_64__
	skip();
#endif
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	write_touching(fd);
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++)
		for (size_t k = 0; k < sizeof(machines) / sizeof(*machines); k++) {
			snprintf(command, sizeof(command), "command -v %s >/dev/null || exit 9; "
				 "%s -std=gnu11 -w -S -o /dev/null %s -x c %s",
				 compilers[i], compilers[i], machines[k], path);
			int rc = WEXITSTATUS(system(command));

			if (rc != 0 && rc != 9)
				fail_msg("%s", command);
			compiled += rc == 0;
		}
	unlink(path);
	assert_true(compiled > 0);
}

/* --- run */

/* Of floats and words between integers, at limits of what has a fraction, and beyond bytes. */
static const char checks[] =
	"static const float floats[] = { 0, -0.0f, 0.5f, -0.5f, 1.5f, -1.5f, 2.5f, -2.5f, 0.49999997f, -0.49999997f, 254.5f, 255.5f,\n"
	"\t-128.5f, 4194303.5f, 4194304.5f, -4194303.5f, 8388607.5f, 8388609, -8388607.5f, 16777218, 1e9f, -1e9f, 2147483520,\n"
	"\t-2147483648.0f, 1e-40f, -1e-40f, 126.50001f, 0.1f };\n"
	"static const int32_t words[] = { 0, 1, -1, 127, 128, -128, -129, 255, 256, 65535, -65536, 2147483647, -2147483647 - 1, 77 };\n"
	"enum { FLOATS = sizeof(floats) / 4, WORDS = sizeof(words) / 4 };\n"
	"static int same(float x, float y) { return __builtin_memcmp(&x, &y, 4) == 0 || (x != x && y != y); }\n";

/* The functions that convert bytes, words and floats, of 1 << i lanes, and a main function that fails where one is wrong. */
static void write_conversions(int fd)
{
	struct arena *a = arena_new();
	struct text body = {0}, out = {0};
	bool used[DTYPE_COUNT][VECTOR_SIZES] = {0};

	for (int i = 2; i < 5; i++) {
		int n = 1 << i;

		used[DTYPE_F32][i] = used[DTYPE_BF16][i] = used[DTYPE_I8][i] = used[DTYPE_U8][i] = used[DTYPE_I32][i] = true;
		text_printf(&body, "for (int k = 0; k < FLOATS; k++) {\n"
			    "\tf32x%d x, nan, y; i32x%d r;\n"
			    "\tfor (int l = 0; l < %d; l++) x[l] = floats[(k + l) %% FLOATS], y[l] = floats[(k + 3 * l) %% FLOATS], nan[l] = l & 1 ? __builtin_nanf(\"\") : x[l];\n"
			    "\tr = nearest_i32x%d(x);\n"
			    "\tfor (int l = 0; l < %d; l++) bad += r[l] != (int32_t)__builtin_rintf(x[l]);\n", n, n, n, n, n);
		text_printf(&body, "\tf32x%d w = rint_f32x%d(nan), u = max_f32x%d(y, nan), v = min_f32x%d(y, nan);\n"
			    "\tfor (int l = 0; l < %d; l++) bad += !same(w[l], __builtin_rintf(nan[l])) + !same(u[l], y[l] > nan[l] ? y[l] : nan[l]) + !same(v[l], y[l] < nan[l] ? y[l] : nan[l]);\n}\n",
			    n, n, n, n, n);
		text_printf(&body, "for (int k = 0; k < WORDS; k++) {\n"
			    "\ti32x%d x; u8x%d b; i8x%d c;\n"
			    "\tfor (int l = 0; l < %d; l++) x[l] = words[(k + l) %% WORDS];\n"
			    "\tb = u8_of_i32x%d(x), c = i8_of_i32x%d(x);\n"
			    "\ti32x%d y = of_u8_i32x%d(b), z = of_i8_i32x%d(c);\n", n, n, n, n, n, n, n, n, n);
		text_printf(&body, "\tfor (int l = 0; l < %d; l++) bad += b[l] != (uint8_t)x[l] || c[l] != (int8_t)x[l] || y[l] != (uint8_t)x[l] || z[l] != (int8_t)x[l];\n", n);
		text_printf(&body, "\tbf16x%d h, g; i32x%d p, q;\n"
			    "\tfor (int l = 0; l < %d; l++) h[l] = (uint16_t)x[l], g[l] = (uint16_t)(x[l] >> 3);\n"
			    "\tp = pairs_i32x%d(h, g), q = quads_i32x%d(b, (u8x%d)c, b + 1, b + 128);\n"
			    "\tfor (int l = 0; l < %d; l++) bad += (uint32_t)p[l] != (h[l] | (uint32_t)g[l] << 16)\n"
			    "\t\t|| (uint32_t)q[l] != (b[l] | (uint8_t)c[l] << 8 | (uint8_t)(b[l] + 1) << 16 | (uint32_t)(uint8_t)(b[l] + 128) << 24);\n}\n",
			    n, n, n, n, n, n, n);
	}
	put_vector_functions(&out, calls_of(a, text_str(&body)), used);
	FILE *f = fdopen(fd, "w");

	assert_non_null(f);
	fprintf(f, "#include <stddef.h>\n#include <stdint.h>\n%s\n%s\nint main(void)\n{\nint bad = 0;\n%s\nreturn bad != 0;\n}\n",
		text_str(&out), checks, text_str(&body));
	assert_int_equal(fclose(f), 0);
	text_free(&out);
	text_free(&body);
	arena_free(a);
}

/* Whether this machine runs what is compiled for MACHINES[k]. */
static bool runs(size_t k)
{
#ifdef __x86_64__
	return k == 0 ? __builtin_cpu_supports("sse4.2") : k == 1 ? __builtin_cpu_supports("avx2")
	     : __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
#else
	return k == 0;
#endif
}

/* By each compiler, for each machine that runs here, and for one of which nothing is known. */
static void test_conversions(void **state)
{
	char path[] = "/tmp/hone-vectors-XXXXXX", command[512];
	int ran = 0;

	(void)state;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	write_conversions(fd);
	for (size_t i = 0; i < sizeof(compilers) / sizeof(*compilers); i++)
		for (size_t k = 0; k <= sizeof(machines) / sizeof(*machines); k++) {
			bool plain = k == sizeof(machines) / sizeof(*machines);

#ifndef __x86_64__
			if (!plain)
				continue;
#endif
			if (!plain && !runs(k))
				continue;
			snprintf(command, sizeof(command), "command -v %s >/dev/null || exit 9; "
				 "%s -std=gnu11 -w -Wno-psabi -O1 -fno-math-errno -fno-trapping-math -o %s.run %s -x c %s -lm && %s.run", compilers[i],
				 compilers[i], path, plain ? "" : machines[k], path, path);
			int rc = WEXITSTATUS(system(command));

			if (rc != 0 && rc != 9)
				fail_msg("%s", command);
			ran += rc == 0;
		}
	unlink(path);
	snprintf(command, sizeof(command), "%s.run", path);
	unlink(command);
	assert_true(ran > 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_matrices),
		cmocka_unit_test(test_compiled),
		cmocka_unit_test(test_conversions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
