/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/amx_emulated.h - AMX's functions in plain C, for machines without: included before a kernel's text, it takes
 * the place of the compiler's.
 *
 * By the operations that Intel's SDM, volume 2, gives for each instruction: what a processor would fault at ends the
 * program, and what is not configured is zero. Denormals are not flushed. */
#ifndef HONE_TESTS_AMX_EMULATED_H
#define HONE_TESTS_AMX_EMULATED_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define __AMX_TILE__ 1
#define __AMX_INT8__ 1
#define __AMX_BF16__ 1

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbusd
#undef _tile_dpbssd
#undef _tile_dpbuud
#undef _tile_dpbsud
#undef _tile_dpbf16ps
#define _tile_loadconfig amx_loadconfig
#define _tile_release amx_release
#define _tile_zero amx_zero
#define _tile_loadd amx_loadd
#define _tile_stored amx_stored
#define _tile_dpbusd(c, a, b) amx_bytes(c, a, b, 0, 1)
#define _tile_dpbssd(c, a, b) amx_bytes(c, a, b, 1, 1)
#define _tile_dpbuud(c, a, b) amx_bytes(c, a, b, 0, 0)
#define _tile_dpbsud(c, a, b) amx_bytes(c, a, b, 1, 0)
#define _tile_dpbf16ps amx_pairs

struct amx_tile {
	int rows, bytes;	/* 0: not configured */
	uint8_t data[16][64];
};

static __thread struct amx_tile amx_tiles[8];

static inline struct amx_tile *amx_at(int i)
{
	if (i < 0 || i > 7 || amx_tiles[i].rows == 0 || amx_tiles[i].bytes == 0)
		__builtin_trap();
	return &amx_tiles[i];
}

static inline void amx_release(void)
{
	memset(amx_tiles, 0, sizeof(amx_tiles));
}

static inline void amx_loadconfig(const void *config)
{
	const uint8_t *c = config;

	amx_release();
	if (c[0] != 1 || c[1] != 0)
		__builtin_trap();
	for (int i = 2; i < 64; i++)
		if (((i < 16) || (i >= 32 && i < 48) || i >= 56) && c[i] != 0)
			__builtin_trap();
	for (int i = 0; i < 8; i++) {
		amx_tiles[i].bytes = c[16 + 2 * i] | c[17 + 2 * i] << 8;
		amx_tiles[i].rows = c[48 + i];
		if (amx_tiles[i].bytes > 64 || amx_tiles[i].rows > 16)
			__builtin_trap();
	}
}

static inline void amx_zero(int i)
{
	memset(amx_at(i)->data, 0, sizeof(amx_at(i)->data));
}

static inline void amx_loadd(int i, const void *from, long stride)
{
	struct amx_tile *t = amx_at(i);

	amx_zero(i);
	for (int r = 0; r < t->rows; r++)
		memcpy(t->data[r], (const char *)from + r * stride, (size_t)t->bytes);
}

static inline void amx_stored(int i, void *to, long stride)
{
	const struct amx_tile *t = amx_at(i);

	for (int r = 0; r < t->rows; r++)
		memcpy((char *)to + r * stride, t->data[r], (size_t)t->bytes);
}

/* What a product asks of its tiles. */
static inline void amx_check(int c, int a, int b)
{
	const struct amx_tile *x = amx_at(c), *y = amx_at(a), *z = amx_at(b);

	if (c == a || c == b || a == b || x->rows != y->rows || x->bytes != z->bytes || y->bytes / 4 != z->rows ||
	    x->bytes % 4 || y->bytes % 4)
		__builtin_trap();
}

static inline int32_t amx_byte(uint8_t x, int is_signed)
{
	return is_signed ? (int8_t)x : x;
}

static inline void amx_bytes(int c, int a, int b, int a_signed, int b_signed)
{
	amx_check(c, a, b);
	for (int m = 0; m < amx_tiles[c].rows; m++)
		for (int n = 0; n < amx_tiles[c].bytes / 4; n++) {
			uint32_t sum;

			memcpy(&sum, &amx_tiles[c].data[m][4 * n], 4);
			for (int k = 0; k < amx_tiles[a].bytes; k++)
				sum += (uint32_t)(amx_byte(amx_tiles[a].data[m][k], a_signed) *
						  amx_byte(amx_tiles[b].data[k / 4][4 * n + k % 4], b_signed));
			memcpy(&amx_tiles[c].data[m][4 * n], &sum, 4);
		}
}

static inline float amx_bf16(const uint8_t *x)
{
	uint32_t bits = (uint32_t)(x[0] | x[1] << 8) << 16;
	float f;

	memcpy(&f, &bits, 4);
	return f;
}

static inline void amx_pairs(int c, int a, int b)
{
	amx_check(c, a, b);
	for (int m = 0; m < amx_tiles[c].rows; m++)
		for (int n = 0; n < amx_tiles[c].bytes / 4; n++) {
			float sum, half[2] = {0, 0};

			for (int k = 0; k < amx_tiles[a].bytes / 2; k++)
				half[k % 2] = __builtin_fmaf(amx_bf16(&amx_tiles[a].data[m][2 * k]),
							     amx_bf16(&amx_tiles[b].data[k / 2][4 * n + 2 * (k % 2)]),
							     half[k % 2]);
			memcpy(&sum, &amx_tiles[c].data[m][4 * n], 4);
			sum += half[0] + half[1];
			memcpy(&amx_tiles[c].data[m][4 * n], &sum, 4);
		}
}

#endif
