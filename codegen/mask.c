/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/mask.c - vectors of which some lanes alone may touch memory. */
#include <inttypes.h>
#include <stdio.h>

#include "codegen/emitter.h"
#include "schedule/mask.h"
#include "te/index/index.h"

static int64_t clamped(int64_t lane, int lanes)
{
	return lane < 0 ? 0 : lane > lanes ? lanes : lane;
}

struct lane_run lane_run(struct emitter *e)
{
	const struct axis *axis = e->vector_axis;
	struct mask m = { expr_int(e->a, axis->lo), expr_int(e->a, axis->hi), NULL };
	struct lane_run r = { .known = true };

	if (e->under && !mask_of(e->a, e->under, axis, &m))
		e->why = "a condition on lanes is no mask";
	m.lo = expr_add(e->a, m.lo, expr_int(e->a, -e->vector_start));
	m.hi = expr_add(e->a, m.hi, expr_int(e->a, -e->vector_start));
	r.known = index_known(e, m.lo, &r.from) & index_known(e, m.hi, &r.to);
	r.lo = index_text(e, m.lo);
	r.hi = index_text(e, m.hi);
	if (!r.known)
		return r;
	r.from = clamped(r.from, e->lanes);
	r.to = clamped(r.to, e->lanes);
	r.none = r.to <= r.from;
	r.all = r.from == 0 && r.to == e->lanes;
	r.lo = arena_printf(e->a, "%" PRId64, r.from);
	r.hi = arena_printf(e->a, "%" PRId64, r.to);
	return r;
}

const char *lanes_when(struct emitter *e, const struct expr *c)
{
	struct mask m;
	int64_t known = 1;

	if (!mask_of(e->a, c, e->vector_axis, &m))
		e->why = "a condition on lanes is no mask";
	if (!m.when || index_known(e, m.when, &known))
		return known ? NULL : "0";
	return scalar_text(e, m.when);
}

const struct expr *emit_under(struct emitter *e, const struct expr *c)
{
	const struct expr *before = e->under;

	e->under = before && c ? expr_binary(e->a, EXPR_AND, before, c) : c;
	return before;
}

bool reads_all_lanes(const struct emitter *e, const struct tensor *t, int64_t stride)
{
	bool ends = e->vector_axis->hi - e->vector_axis->lo < e->lanes;

	return !e->under && (!ends || mask_is_needless(t, stride));
}

/* --- the prelude
 *
 * In templates: $V the vector's type, $L its lanes, $T an element, $B its bits, $W the float of as many bits,
 * $K and $A what instructions of the size are called, $M the bits of a mask. */

/* A bit for each lane from LO on up to HI. */
const char mask_bits_text[] =
	"static inline uint64_t hone_lanes(int64_t lo, int64_t hi)\n"
	"{\n\tlo = lo < 0 ? 0 : lo;\n\thi = hi < 64 ? hi : 64;\n"
	"\treturn lo < hi ? (~UINT64_C(0) >> (64 - (hi - lo))) << lo : 0;\n}\n";

static const char lanes_text[] =
	"static inline $V_mask lanes_$V(int64_t lo, int64_t hi)\n{\n"
	"\tconst $V_mask i = {$I};\n\n"
	"\treturn (i >= (int$B_t)(lo < $L ? lo : $L)) & (i < (int$B_t)(hi > 0 ? hi < $L ? hi : $L : 0));\n}\n";

/* Lanes that are not read are 0. */
#define LOAD_AVX512                                                                                 \
	"#ifdef __AVX512VL__\n"                                                                     \
	"\ttypedef $W w __attribute__((vector_size($Z)));\n\n"                                      \
	"\treturn ($V)__builtin_ia32_loadu$K_mask((const void *)p, (w){0}, "                        \
	"(uint$M_t)hone_lanes(lo, hi));\n"
static const char load_avx512[] = LOAD_AVX512 "#else\n";
static const char load_avx[] =
	LOAD_AVX512 "#elif defined __AVX__\n"
	"\treturn ($V)__builtin_ia32_maskload$A((const void *)p, lanes_$V(lo, hi));\n"
	"#else\n";
static const char load_loop[] =
	"\t$V v = {0};\n\n"
	"\tfor (int64_t i = lo < 0 ? 0 : lo; i < hi && i < $L; i++)\n"
	"\t\tv[i] = p[i];\n"
	"\treturn v;\n";

static const char store_avx512[] =
	"#ifdef __AVX512VL__\n"
	"\ttypedef $W w __attribute__((vector_size($Z)));\n\n"
	"\t__builtin_ia32_storeu$K_mask((void *)p, (w)v, (uint$M_t)hone_lanes(lo, hi));\n"
	"#else\n";
static const char store_loop[] =
	"\tfor (int64_t i = lo < 0 ? 0 : lo; i < hi && i < $L; i++)\n"
	"\t\tp[i] = v[i];\n";

struct vector_form {
	const char *type;
	enum dtype t;
	int lanes;
};

static void put_field(struct text *out, const struct vector_form *v, char field)
{
	size_t each = dtype_bytes(v->t), bytes = each * (size_t)v->lanes;
	const char *kind = each == 4 ? "ps" : "pd";

	switch (field) {
	case 'V':
		text_puts(out, v->type);
		break;
	case 'L':
		text_printf(out, "%d", v->lanes);
		break;
	case 'T':
		text_puts(out, dtype_c(v->t));
		break;
	case 'B':
		text_printf(out, "%zu", 8 * each);
		break;
	case 'W':
		text_puts(out, each == 4 ? "float" : "double");
		break;
	case 'Z':
		text_printf(out, "%zu", bytes);
		break;
	case 'K':
		text_printf(out, "%s%zu", kind, 8 * bytes);
		break;
	case 'A':
		text_printf(out, "%s%s", kind, bytes == 32 ? "256" : "");
		break;
	case 'M':
		text_puts(out, v->lanes > 8 ? "16" : "8");
		break;
	case 'I':
		for (int i = 0; i < v->lanes; i++)
			text_printf(out, "%s%d", i ? ", " : "", i);
		break;
	}
}

static void put(struct text *out, const struct vector_form *v, const char *pattern)
{
	for (const char *at; (at = strchr(pattern, '$')); pattern = at + 2) {
		text_putn(out, pattern, (size_t)(at - pattern));
		put_field(out, v, at[1]);
	}
	text_puts(out, pattern);
}

static bool calls(const struct text *body, const char *name, const char *type)
{
	char call[64];

	snprintf(call, sizeof(call), "%s_%s(", name, type);
	return strstr(text_str(body), call);
}

/* The way of the hardware, where it has one for the size, and the loop otherwise. */
static void put_ways(struct text *out, const struct vector_form *v, const char *hardware, const char *loop)
{
	bool has = dtype_bytes(v->t) * (size_t)v->lanes >= 16 && dtype_bytes(v->t) >= 4;

	put(out, v, has ? hardware : "");
	put(out, v, loop);
	text_puts(out, has ? "#endif\n}\n" : "}\n");
}

void mask_functions(struct text *out, const struct text *body, const char *type, enum dtype t,
		    int lanes)
{
	const struct vector_form v = { type, t, lanes };
	bool loads = calls(body, "load", type) || calls_some_apart(body, type);
	bool avx = loads && dtype_bytes(t) * (size_t)lanes < 64;

	if (calls(body, "lanes", type) || avx)
		put(out, &v, lanes_text);
	if (loads) {
		put(out, &v, "static inline $V load_$V(const $T *p, int64_t lo, int64_t hi)\n{\n");
		put_ways(out, &v, avx ? load_avx : load_avx512, load_loop);
	}
	if (calls(body, "store", type)) {
		put(out, &v, "static inline void store_$V($T *p, $V v, int64_t lo, int64_t hi)\n{\n");
		put_ways(out, &v, store_avx512, store_loop);
	}
}
