/* SPDX-License-Identifier: Apache-2.0 */
/* target/vectors/functions.c - the tables of functions, and which of them a body calls. */
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "target/intrinsic.h"
#include "target/matrix.h"
#include "target/vectors/pattern.h"
#include "target/vectors/vectors.h"

/* Where a function is written: where it is called, or where a word stands anywhere in the body, be it in
 * another name: all vectors have it then, and the hashes of texts on record are of such. */
enum where { CALLED, ALWAYS, BY_NAN, BY_GATHER, BY_BF16_DOT, BY_NEAREST, WHERE_COUNT };

static const char *const words[WHERE_COUNT] = {
	[CALLED] = "", [ALWAYS] = "", [BY_NAN] = "_nan_", [BY_GATHER] = "gather_", [BY_BF16_DOT] = "dpbf16ps(",
	[BY_NEAREST] = "nearest_",
};

/* What stands once, before all types, where a function needs it. */
enum once { NOTHING, LANES_PICKED, LANES_AS_BITS, STREAM_ENDS, SHARED_COUNT };

/* A function; a field that is not given does not matter. It is called by NAME, the type and BEHIND. */
struct vector_function {
	const char *name, *behind;
	unsigned types;		/* of its elements, a bit each */
	int from, to;		/* bytes of the vector */
	enum where where;
	const char *calls[2];	/* functions further up */
	enum once needs;
	int stride, phase;	/* of the pattern */
	const char *text;
};

#define OF(t) (1U << DTYPE_##t)
#define FLOATS (OF(F32) | OF(F64))
#define WORDS (FLOATS | OF(I32) | OF(I64))	/* that machines have masks for */

/* By name; of several of one name the first that a vector fits is its. What one calls is further up. */
static const struct vector_function functions[] = {
#define X(...) { __VA_ARGS__ },
#include "target/vectors/choice.def"
#include "target/vectors/mask.def"
#include "target/vectors/stream.def"
#include "target/vectors/apart.def"
#include "target/vectors/transpose.def"
#include "target/vectors/map.def"
#include "target/vectors/across.def"
#include "target/vectors/convert.def"
#undef X
};

enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

static const char *const shared_text[SHARED_COUNT] = {
	[NOTHING] = "",
	/* Lanes of two vectors by their numbers, those of the second behind those of the first; a vector TYPE of fewer. */
	[LANES_PICKED] =
		"#ifdef __clang__\n"
		"#define PICK(mask, x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)\n"
		"#define PICK_FEWER(type, mask, x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)\n"
		"#else\n"	/* gcc: a vector as it lies in memory is of another type */
		"#define PICK(mask, x, y, ...) __builtin_shuffle(x, (__typeof__(x))(y), (mask){__VA_ARGS__})\n"
		"#define PICK_FEWER(type, mask, x, y, ...) ((union { __typeof__(x) all; type fewer; }){ PICK(mask, x, y, __VA_ARGS__) }.fewer)\n"
		"#endif\n"
		"#if defined(__clang__) || __GNUC__ >= 12\n"
		"#define JOIN(type, x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)\n"
		"#else\n"
		"#define JOIN(type, x, y, ...) ((union { __typeof__(x) half[2]; type all; }){ .half = { x, y } }.all)\n"
		"#endif\n",
	/* A bit for each lane from LO on up to HI. */
	[LANES_AS_BITS] =
		"static inline uint64_t hone_lanes(int64_t lo, int64_t hi)\n"
		"{\n\tlo = lo < 0 ? 0 : lo;\n\thi = hi < 64 ? hi : 64;\n"
		"\treturn lo < hi ? (~UINT64_C(0) >> (64 - (hi - lo))) << lo : 0;\n}\n",
	/* What was stored past the caches is ordered before whatever this thread stores from here on: stores of x86 are
	 * so among themselves, but for these (Intel's manual, vol. 3A, 8.2.2). */
	[STREAM_ENDS] =
		"static inline void hone_streamed(void)\n{\n"
		"#ifdef __x86_64__\n\t__builtin_ia32_sfence();\n#endif\n}\n",
};

/* --- calls */

struct calls {
	struct call_vec VEC(struct call { const char *name; size_t n; }) all;	/* each once */
	bool has[WHERE_COUNT];	/* its word */
};

static void add_call(struct arena *a, struct calls *c, const char *name, size_t n)
{
	for (int i = 0; i < c->all.n; i++)
		if (c->all.at[i].n == n && memcmp(c->all.at[i].name, name, n) == 0)
			return;
	vec_push(a, &c->all, (struct call){ name, n });
}

struct calls *calls_of(struct arena *a, const char *body)
{
	struct calls *c = arena_one(a, struct calls);

	for (const char *at = body; (at = strchr(at, '(')); at++) {
		const char *name = at;

		while (name > body && text_in_identifier(name[-1]))
			name--;
		if (name < at)
			add_call(a, c, name, (size_t)(at - name));
	}
	for (int i = 0; i < WHERE_COUNT; i++)
		c->has[i] = strstr(body, words[i]);
	return c;
}

/* Is the function NAME of TYPE called, with BEHIND at its end? */
static bool is_called(const struct calls *c, const char *name, const char *type, const char *behind)
{
	size_t n = strlen(name), m = strlen(type), k = strlen(behind);

	for (int i = 0; i < c->all.n; i++) {
		const char *at = c->all.at[i].name;

		if (c->all.at[i].n == n + m + k && memcmp(at, name, n) == 0 &&
		    memcmp(at + n, type, m) == 0 && memcmp(at + n + m, behind, k) == 0)
			return true;
	}
	return false;
}

/* --- functions of vectors */

static const char *behind(const struct vector_function *f)
{
	return f->behind ? f->behind : "";
}

static bool same_name(const struct vector_function *f, const struct vector_function *g)
{
	return strcmp(f->name, g->name) == 0 && strcmp(behind(f), behind(g)) == 0;
}

static bool fits(const struct vector_function *f, const struct vector_form *v, const struct calls *c)
{
	int bytes = (int)dtype_bytes(v->t) * v->lanes;

	return (!f->types || f->types >> v->t & 1) && bytes >= f->from && (!f->to || bytes <= f->to) &&
	       c->has[f->where];
}

/* Is function I, which V fits, the first of its name that it fits? */
static bool is_first(int i, const struct vector_form *v, const struct calls *c)
{
	for (int j = i - 1; j >= 0 && same_name(&functions[j], &functions[i]); j--)
		if (fits(&functions[j], v, c))
			return false;
	return true;
}

/* What is written for V: of what the body calls, and of what that calls. */
static void choose(bool chosen[FUNCTIONS], const struct vector_form *v, const struct calls *c)
{
	const char *called[2 * FUNCTIONS];	/* by other functions */
	int n = 0;

	for (int i = FUNCTIONS - 1; i >= 0; i--) {
		const struct vector_function *f = &functions[i];

		chosen[i] = false;
		if (!fits(f, v, c))
			continue;
		bool wanted = f->where != CALLED || is_called(c, f->name, v->type, behind(f));

		for (int j = 0; j < n && !wanted; j++)
			wanted = strcmp(called[j], f->name) == 0;
		chosen[i] = wanted && is_first(i, v, c);
		for (int j = 0; j < 2 && chosen[i] && f->calls[j]; j++)
			called[n++] = f->calls[j];
	}
}

/* NEEDED: what is shared and some function needs. */
static void put_type(struct text *out, struct vector_form v, const struct calls *c, bool needed[SHARED_COUNT])
{
	bool chosen[FUNCTIONS];

	choose(chosen, &v, c);
	for (int i = 0; i < FUNCTIONS; i++) {
		if (!chosen[i])
			continue;
		needed[functions[i].needs] = true;
		v.stride = functions[i].stride;
		v.phase = functions[i].phase;
		pattern_print(out, &v, functions[i].text);
	}
}

void put_vector_functions(struct text *out, const struct calls *c, const bool used[DTYPE_COUNT][VECTOR_SIZES])
{
	bool needed[SHARED_COUNT] = { false };
	struct text types = { 0 };
	char name[16];

	for (int t = 0; t < DTYPE_COUNT; t++)
		for (int i = 0; i < VECTOR_SIZES; i++) {
			if (!used[t][i])
				continue;
			snprintf(name, sizeof(name), "%sx%d", dtype_name((enum dtype)t), 1 << i);
			put_type(&types, (struct vector_form){ .t = (enum dtype)t, .lanes = 1 << i, .type = name }, c,
				 needed);
		}
	needed[LANES_PICKED] |= is_called(c, "PICK", "", "") || is_called(c, "PICK_FEWER", "", "") || is_called(c, "JOIN", "", "");
	text_puts(out, needed[LANES_PICKED] ? shared_text[LANES_PICKED] : "");
	text_puts(out, "\n");
	text_puts(out, needed[LANES_AS_BITS] ? shared_text[LANES_AS_BITS] : "");
	text_puts(out, needed[STREAM_ENDS] ? shared_text[STREAM_ENDS] : "");
	text_puts(out, text_str(&types));
	text_free(&types);
}

/* --- others */

void put_element_functions(struct text *out, const struct calls *c)
{
	static const struct {
		const char *name, *other, *text;
	} elements[] = {
#define X(name, other, text) { name, other, text },
#include "target/vectors/element.def"
#undef X
	};

	for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++)
		if (is_called(c, elements[i].name, "", "") || is_called(c, elements[i].other, "", ""))
			text_puts(out, elements[i].text);
}

/* FIRST: of several for matrices, which share their functions. */
static void put_intrinsic(struct text *out, const struct intrinsic *x, bool first)
{
	const char *macro = intrinsic_macro(x), *sum = dtype_name(x->sum);

	if (intrinsic_is_matrix(x) && first)
		text_puts(out, matrix_macros);
	if (macro)
		text_printf(out, "#ifndef %s\n#error \"%s: compile this kernel with -march=native, where the "
				 "machine has that\"\n#endif\n", macro, x->name);
	if (*x->header)
		text_printf(out, "#include <%s>\n", x->header);
	if (intrinsic_is_matrix(x)) {
		text_printf(out, "%s#define %s(sum, a, b) %s(sum, a, b)\n", first ? matrix_functions : "", x->name, x->text);
		return;
	}
	text_printf(out, "static inline %sx%d %s(%sx%d s, i32x%d a, i32x%d b)\n{\n\t%s\n}\n", sum,
		    x->lanes, x->name, sum, x->lanes, x->lanes, x->lanes, x->text);
}

void put_intrinsic_functions(struct text *out, const struct calls *c)
{
	bool first = true;

	for (int i = 0; i < INTRINSIC_COUNT; i++) {
		const struct intrinsic *x = intrinsic_at(i);

		if (!is_called(c, x->name, "", ""))
			continue;
		put_intrinsic(out, x, first);
		first &= !intrinsic_is_matrix(x);
	}
}
