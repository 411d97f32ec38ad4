/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/dense/product.c - products of matrices, blocked for caches and registers.
 *
 * The blocking is that of [Goto & van de Geijn 2008]: a block of B, packed in panels of one cache
 * line a row, stays in the second cache; a panel of it and a panel of A's rows in the first; a tile
 * of C in registers. */
#include "graph/op/dense/product.h"

#include "base/integer.h"
#include "graph/eval/interp.h"

enum {
	LINE = 64,		/* bytes of a panel's row: one cache line */
	TILE_ROWS = 6,		/* x 2 vectors of 32 bytes: 12 of the 16 registers of AVX2 */
	BLOCK_K = 256,		/* a panel of B is 16 KiB, half of the smallest first cache */
	BLOCK_PANELS = 16,	/* a block of B is 256 KiB */
	BLOCK_ROWS = 16 * TILE_ROWS,	/* a block of A is 96 KiB */
};

enum element product_element(enum element e)
{
	if (element_is_float(e))
		return e == ELEMENT_F64 ? e : ELEMENT_F32;
	return element_bits(e) <= 32 ? ELEMENT_U32 : ELEMENT_U64;
}

static bool is_byte(enum element e)
{
	return e == ELEMENT_I8 || e == ELEMENT_U8;
}

enum element product_result(enum element e, enum element f)
{
	if (e == ELEMENT_COUNT || f == ELEMENT_COUNT)
		return ELEMENT_COUNT;
	if (is_byte(e) && is_byte(f))
		return ELEMENT_I32;
	return e == f ? e : ELEMENT_COUNT;
}

int infer_product_element(const struct infer *x, enum element *out)
{
	enum element e = infer_type(x, 0)->element;
	enum element f = infer_type(x, 1)->element;

	if (infer_class(x, 0, CLASS_NUMBERS) < 0 || infer_class(x, 1, CLASS_NUMBERS) < 0)
		return -1;
	*out = product_result(e, f);
	if (*out == ELEMENT_COUNT && e != ELEMENT_COUNT && f != ELEMENT_COUNT)
		return infer_error(x, "operands of %s and %s", element_name(e), element_name(f));
	return 0;
}

int eval_product_element(const struct eval *x, enum element *out)
{
	const struct array *a = eval_array(x, 0), *b = eval_array(x, 1);
	bool numbers = CLASS_NUMBERS >> element_class(a->element) & 1 &&
		       CLASS_NUMBERS >> element_class(b->element) & 1;

	*out = numbers ? product_result(a->element, b->element) : ELEMENT_COUNT;
	if (*out == ELEMENT_COUNT)
		return eval_error(x, "operands of %s and %s", element_name(a->element),
				  element_name(b->element));
	return 0;
}

/* Do the elements of E in memory look as those of F, a type of product_element? */
static bool same_bits(enum element e, enum element f)
{
	return e == f || (element_is_integer(e) && element_is_integer(f) &&
			  element_bits(e) == element_bits(f));
}

/* N elements of type FROM become elements of type TO. */
static void convert(enum element from, const void *in, enum element to, void *out, int64_t n)
{
	enum { CHUNK = 512 };
	double floats[CHUNK];
	int64_t ints[CHUNK];

	for (int64_t i = 0; i < n; i += CHUNK) {
		int64_t part = n - i < CHUNK ? n - i : CHUNK;

		if (to == ELEMENT_F32) {
			element_get_f32(from, in, i, part, (float *)out + i);
		} else if (from == ELEMENT_F32) {
			element_put_f32(to, out, i, part, (const float *)in + i);
		} else if (element_is_float(from)) {
			element_get_f64(from, in, i, part, floats);
			element_put_f64(to, out, i, part, floats);
		} else {
			element_get_i64(from, in, i, part, ints);
			element_put_i64(to, out, i, part, ints);
		}
	}
}

const void *product_operand(struct eval *x, const struct array *v, enum element e)
{
	if (same_bits(v->element, e))
		return v->data;
	void *out = eval_scratch(x, (size_t)v->count * element_bytes(e));

	convert(v->element, v->data, e, out, v->count);
	return out;
}

void *product_target(struct eval *x, struct array *y, enum element e)
{
	if (same_bits(y->element, e))
		return y->data;
	return eval_scratch(x, (size_t)y->count * element_bytes(e));
}

void product_store(struct array *y, enum element e, const void *computed)
{
	if (!same_bits(y->element, e))
		convert(e, computed, y->element, y->data, y->count);
}

void copy_strided(void *out, const void *in, int64_t n, int64_t step, int64_t size)
{
	if (step == 1)
		memcpy(out, in, (size_t)(n * size));
	else if (size == 4)
		for (int64_t i = 0; i < n; i++)
			((uint32_t *)out)[i] = ((const uint32_t *)in)[i * step];
	else
		for (int64_t i = 0; i < n; i++)
			((uint64_t *)out)[i] = ((const uint64_t *)in)[i * step];
}

/* C[TILE_ROWS, a line], whose rows are LDC elements apart, += A x B of K columns of A's panel and
 * rows of B's. The accumulators are named one by one because compilers keep no array of vectors in
 * registers reliably. */
typedef void tile_multiply(int64_t k, const void *a, const void *b, void *c, int64_t ldc);

#define TILE(T, machine, attributes)                                                               \
	attributes static void tile_##T##_##machine(int64_t k, const void *a_panel,                \
						    const void *b_panel, void *c_tile, int64_t ldc)\
	{                                                                                          \
		typedef T vector                                                                   \
			__attribute__((vector_size(LINE / 2), aligned(sizeof(T)), may_alias));     \
		const T *a = a_panel;                                                              \
		const vector *b = b_panel;                                                         \
		T *c = c_tile;                                                                     \
		vector c00 = { 0 }, c01 = { 0 }, c10 = { 0 }, c11 = { 0 }, c20 = { 0 };            \
		vector c21 = { 0 }, c30 = { 0 }, c31 = { 0 }, c40 = { 0 }, c41 = { 0 };            \
		vector c50 = { 0 }, c51 = { 0 };                                                   \
                                                                                                   \
		for (int64_t p = 0; p < k; p++, a += TILE_ROWS, b += 2) {                          \
			c00 += a[0] * b[0];                                                        \
			c01 += a[0] * b[1];                                                        \
			c10 += a[1] * b[0];                                                        \
			c11 += a[1] * b[1];                                                        \
			c20 += a[2] * b[0];                                                        \
			c21 += a[2] * b[1];                                                        \
			c30 += a[3] * b[0];                                                        \
			c31 += a[3] * b[1];                                                        \
			c40 += a[4] * b[0];                                                        \
			c41 += a[4] * b[1];                                                        \
			c50 += a[5] * b[0];                                                        \
			c51 += a[5] * b[1];                                                        \
		}                                                                                  \
		const vector sums[TILE_ROWS][2] = { { c00, c01 }, { c10, c11 }, { c20, c21 },      \
						    { c30, c31 }, { c40, c41 }, { c50, c51 } };    \
                                                                                                   \
		for (int r = 0; r < TILE_ROWS; r++) {                                              \
			vector *row = (vector *)(c + r * ldc);                                     \
                                                                                                   \
			row[0] += sums[r][0];                                                      \
			row[1] += sums[r][1];                                                      \
		}                                                                                  \
	}

#define TILES(machine, attributes)                                                                 \
	TILE(float, machine, attributes)                                                           \
	TILE(double, machine, attributes)                                                          \
	TILE(uint32_t, machine, attributes)                                                        \
	TILE(uint64_t, machine, attributes)

TILES(any, )

/* Not target_clones: gcc takes vectors apart before it clones. */
#ifdef __x86_64__
TILES(avx2, __attribute__((target("avx2,fma"))))
#define FITTING(T) \
	(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? tile_##T##_avx2 \
									 : tile_##T##_any)
#else
#define FITTING(T) tile_##T##_any
#endif

static tile_multiply *tile_of(enum element e)
{
	return e == ELEMENT_F32 ? FITTING(float)
	     : e == ELEMENT_F64 ? FITTING(double)
	     : e == ELEMENT_U32 ? FITTING(uint32_t)
				: FITTING(uint64_t);
}

/* An edge of C: ROWS x COLUMNS of a tile. */
static void edge(tile_multiply *tile, int64_t size, int64_t k, const void *a, const void *b, char *c, int64_t ldc,
		 int64_t rows, int64_t columns)
{
	char buffer[TILE_ROWS * LINE] __attribute__((aligned(LINE))) = { 0 };

	for (int64_t r = 0; r < rows; r++)
		memcpy(buffer + r * LINE, c + r * ldc * size, (size_t)(columns * size));
	tile(k, a, b, buffer, LINE / size);
	for (int64_t r = 0; r < rows; r++)
		memcpy(c + r * ldc * size, buffer + r * LINE, (size_t)(columns * size));
}

/* A block of a product and where it is packed. */
struct dense_block {
	const struct dense_product *of;
	int64_t i, j, p;		/* where it begins */
	int64_t rows, columns, depth;	/* its extents */
	char *a, *b;			/* panels */
	char *row;			/* a row of B before it is dealt out to the panels */
};

/* Panels of ROWS x K of A to OUT; rows beyond are zeros. */
#define PACK(T)                                                                                    \
	static void pack_##T(const T *a, int64_t row, int64_t column, int64_t rows, int64_t k,     \
			     T *out)                                                               \
	{                                                                                          \
		for (int64_t i = 0; i < rows; i += TILE_ROWS, out += TILE_ROWS * k)                \
			for (int64_t r = 0; r < TILE_ROWS; r++) {                                  \
				const T *from = a + (i + r) * row;                                 \
                                                                                                   \
				for (int64_t p = 0; p < k; p++)                                    \
					out[p * TILE_ROWS + r] = i + r < rows ? from[p * column] : 0; \
			}                                                                          \
	}

PACK(uint32_t)
PACK(uint64_t)

static void pack_a(const struct dense_block *at)
{
	const struct dense_product *g = at->of;
	int64_t from = at->i * g->a_row + at->p * g->a_column;

	if (element_bytes(g->element) == sizeof(uint32_t))
		pack_uint32_t((const uint32_t *)g->a + from, g->a_row, g->a_column, at->rows,
			      at->depth, (uint32_t *)at->a);
	else
		pack_uint64_t((const uint64_t *)g->a + from, g->a_row, g->a_column, at->rows,
			      at->depth, (uint64_t *)at->a);
}

static void pack_b(const struct dense_block *at)
{
	const struct dense_product *g = at->of;
	int64_t size = (int64_t)element_bytes(g->element);
	int64_t bytes = round_up(at->columns * size, LINE);

	memset(at->row, 0, (size_t)bytes);
	for (int64_t p = 0; p < at->depth; p++) {
		g->fill(g->user, at->p + p, at->j, at->columns, at->row);
		for (int64_t from = 0; from < bytes; from += LINE)
			memcpy(at->b + from * at->depth + p * LINE, at->row + from, LINE);
	}
}

static void multiply(const struct dense_block *at)
{
	const struct dense_product *g = at->of;
	int64_t size = (int64_t)element_bytes(g->element);
	int64_t wide = LINE / size;
	tile_multiply *tile = tile_of(g->element);

	for (int64_t j = 0; j < at->columns; j += wide)
		for (int64_t i = 0; i < at->rows; i += TILE_ROWS) {
			const char *a = at->a + i * at->depth * size;
			const char *b = at->b + j * at->depth * size;
			char *c = (char *)g->c + ((at->i + i) * g->n + at->j + j) * size;

			if (i + TILE_ROWS <= at->rows && j + wide <= at->columns)
				tile(at->depth, a, b, c, g->n);
			else
				edge(tile, size, at->depth, a, b, c, g->n,
				     least(TILE_ROWS, at->rows - i), least(wide, at->columns - j));
		}
}

/* Bytes of the parts of a product's room. */
static int64_t a_bytes(const struct dense_product *g)
{
	int64_t rows = round_up(least(g->m, BLOCK_ROWS), TILE_ROWS);

	return round_up(rows * least(g->k, BLOCK_K) * (int64_t)element_bytes(g->element), LINE);
}

static int64_t row_bytes(const struct dense_product *g)
{
	return least(round_up(g->n * (int64_t)element_bytes(g->element), LINE),
		     BLOCK_PANELS * LINE);
}

void product_room(struct eval *x, struct dense_product *g)
{
	int64_t b = row_bytes(g) * least(g->k, BLOCK_K);

	g->room = arena_aligned(x->interp->scratch, (size_t)(a_bytes(g) + row_bytes(g) + b), LINE);
}

int product_run(struct eval *x, const struct dense_product *g)
{
	int64_t size = (int64_t)element_bytes(g->element);
	struct dense_block at = { .of = g, .a = g->room };

	at.row = at.a + a_bytes(g);
	at.b = at.row + row_bytes(g);
	memset(g->c, 0, (size_t)(g->m * g->n * size));
	for (at.j = 0; at.j < g->n; at.j += at.columns) {
		at.columns = least(g->n - at.j, BLOCK_PANELS * LINE / size);
		for (at.p = 0; at.p < g->k; at.p += at.depth) {
			at.depth = least(g->k - at.p, BLOCK_K);
			if (eval_clock(x) < 0)
				return -1;
			pack_b(&at);
			for (at.i = 0; at.i < g->m; at.i += at.rows) {
				at.rows = least(g->m - at.i, BLOCK_ROWS);
				pack_a(&at);
				multiply(&at);
			}
		}
	}
	return 0;
}
