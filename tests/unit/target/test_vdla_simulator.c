/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/target/test_vdla_simulator.c - what a VDLA computes, against plain C; what it takes, against counting by hand; what
 * is wrong with a program, found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/err.h"
#include "base/integer.h"
#include "target/vdla/simulator.h"
#include "tests/fixture/vdla_fixture.h"
#include "tools/vdla/report.h"

static struct vdla_binary *parse(struct arena *a, const char *text)
{
	struct vdla_binary *b = vdla_binary_parse(a, "text", text);

	if (!b)
		fail_msg("%s\n%s", err_get(), text);
	return b;
}

/* Each unit's cycles are all of them, and they are the same without memory. */
static void must_run(const struct vdla_binary *b, uint8_t *memory, struct vdla_cycles *c)
{
	struct vdla_cycles alone;

	if (vdla_simulate(b, NULL, c, NULL) < 0)
		fail_msg("%s", err_get());
	for (int u = 0; u < VDLA_UNITS; u++) {
		const struct vdla_unit_cycles *unit = &c->unit[u];
		int64_t sum = unit->busy + unit->port + unit->idle;

		for (int k = 0; k < VDLA_CHANNELS; k++)
			sum += unit->waiting[k];
		assert_int_equal(sum, c->total);
	}
	if (!memory)
		return;
	if (vdla_simulate(b, memory, &alone, NULL) < 0)
		fail_msg("%s", err_get());
	assert_memory_equal(c, &alone, sizeof(alone));
}

static void must_fail(const struct vdla_binary *b, bool memory, const char *says)
{
	uint8_t *m = memory ? vdla_memory_new(b) : NULL;
	struct vdla_cycles c;

	if (vdla_simulate(b, m, &c, NULL) == 0)
		fail_msg("it runs: '%s'", says);
	if (!strstr(err_get(), says))
		fail_msg("'%s' is not in '%s'", says, err_get());
	free(m);
}

static void fill(struct rng *r, uint8_t *at, int n)
{
	for (int i = 0; i < n; i++)
		at[i] = (uint8_t)rng_below(r, 256);
}

/* Memory in units: x 4x32 at 0, w 16x32 at 8, bias at 40, y at 56. */
#define DENSE                                                                                                          \
	"machine\ndma_bytes 16\nmemory 1024\n"                                                                                       \
	"input x at 0 bytes 128\nconstant w at 8 bytes 512\nconstant bias at 40 bytes 256\noutput y at 56 bytes 64\n"  \
	"load inputs 0 memory 0 1x8 every 0\n"                                                                         \
	"load weights 0 memory 8 1x2 every 0\n"                                                                        \
	"load accumulators 0 memory 40 1x4 every 0 push behind\n"                                                      \
	"gemm 4x2 sum 0+1,0 input 0+2,1 weight 0+0,1 pop before\n"                                                     \
	"alu shift number 7 4x1 destination 0+1,0\n"                                                                   \
	"alu clip number 100 4x1 destination 0+1,0 push behind\n"                                                      \
	"store accumulators narrow 0 memory 56 1x4 every 0 pop before\n"

/* A dense layer on 4 rows of 32, bias, shift, clip. */
static void test_dense(void **state)
{
	struct arena *a = arena_new();
	const struct vdla_binary *b = parse(a, DENSE);
	uint8_t *memory = vdla_memory_new(b);
	struct rng r = rng_seed(1);
	struct vdla_cycles c;

	(void)state;
	fill(&r, memory, 56 * VDLA_UNIT_BYTES);
	must_run(b, memory, &c);
	for (int row = 0; row < 4; row++)
		for (int l = 0; l < VDLA_LANES; l++) {
			int32_t bias;

			memcpy(&bias, memory + 40 * VDLA_UNIT_BYTES + (row * VDLA_LANES + l) * 4, sizeof(bias));
			int64_t s = bias;

			for (int k = 0; k < 32; k++)
				s += (int8_t)memory[row * 32 + k]
				     * (int8_t)memory[128 + (k / 16) * 256 + l * 16 + k % 16];
			s = floor_div((int32_t)s + 64, 128);
			s = least(most(s, -101), 100);
			assert_int_equal((int8_t)memory[56 * VDLA_UNIT_BYTES + row * VDLA_LANES + l], s);
		}
	free(memory);
	arena_free(a);
}

/* The same program, by hand: docs/vdla.md has the rules. */
static void test_cycles(void **state)
{
	struct arena *a = arena_new();
	struct vdla_cycles c;

	(void)state;
	must_run(parse(a, DENSE), NULL, &c);
	const struct vdla_unit_cycles *load = &c.unit[VDLA_LOAD_UNIT], *compute = &c.unit[VDLA_COMPUTE_UNIT],
				      *store = &c.unit[VDLA_STORE_UNIT];

	/* loads: 64 and 8, 32, 16; they end at 2072, 2168, 2248; 8 + 8; 6 + 4 twice; 64 + 4 */
	assert_int_equal(c.total, 2248 + 16 + 20 + 68);
	assert_int_equal(load->busy, 248);
	assert_int_equal(load->idle, 2000 + 104);
	assert_int_equal(compute->busy, 36);
	assert_int_equal(compute->waiting[VDLA_LOAD_TO_COMPUTE], 245);	/* from 2003, when it was fetched */
	assert_int_equal(store->busy, 68);
	assert_int_equal(store->waiting[VDLA_COMPUTE_TO_STORE], 278);
	assert_int_equal(c.products, 8);
	assert_int_equal(c.loaded[VDLA_INPUTS], 128);
	assert_int_equal(c.loaded[VDLA_WEIGHTS], 512);
	assert_int_equal(c.loaded[VDLA_ACCUMULATORS], 256);
	assert_int_equal(c.stored, 64);
	assert_int_equal(c.unit[VDLA_COMPUTE_UNIT].instructions, 3);
	arena_free(a);
}

/* A load and a store want the port; a queue is full; rows and zeros take their time. */
static void test_cycles_shared(void **state)
{
	struct arena *a = arena_new();
	struct vdla_span span[4];
	struct vdla_cycles c;

	(void)state;
	must_run(parse(a, "machine\ndma_bytes 16\nmemory 1024\n"
			  "alu copy number 0 1x1 destination 0+0,0 push behind\n"			/* 2000 to 2007 */
			  "store accumulators 0 memory 0 1x1 every 0 pop before\n"	/* asks at 2071, for 4 */
			  "load inputs 0 memory 4 1x20 every 0\n"), NULL, &c);		/* asks at 2066, for 20 */
	assert_int_equal(c.unit[VDLA_STORE_UNIT].port, 15);
	assert_int_equal(c.total, 2090);
	const struct vdla_binary *b = parse(a, "machine\ndma_bytes 16\nqueue_length 1\nmemory 1024\n"
					       "load inputs 0 memory 0 1x8 every 0\n"		/* 2000 to 2072 */
					       "load inputs 8 memory 0 1x8 every 0\n"		/* to 2144 */
					       "load inputs 0 memory 0 1x8 every 0\n"		/* fetched at 2072 */
					       "alu copy number 0 1x1 destination 0+0,0\n");
	assert_int_equal(vdla_simulate(b, NULL, &c, span), 0);
	assert_int_equal(span[1].start, 2072);
	assert_int_equal(span[3].start, 2073);
	assert_int_equal(span[3].end, 2080);
	must_run(parse(a, "machine\ndma_bytes 64\nlaunch_cycles 0\nmemory 1024\n"
			  "load inputs 0 memory 0 5x2 every 2 zeros 1,1,0,0\n"), NULL, &c);	/* 6 x 3 entries, 10 loaded */
	assert_int_equal(c.total, 64 + 5 + 8);
	must_run(parse(a, "machine\nlaunch_cycles 0\nmemory 16\nload inputs 0 memory 0 0x7 every 0 zeros 2,0,1,0\n"), NULL, &c);
	assert_int_equal(c.total, 21);
	must_run(parse(a, "machine\nlaunch_cycles 5\nmemory 16\n"), NULL, &c);
	assert_int_equal(c.total, 5);
	arena_free(a);
}

/* A convolution of 3x3 over 6x5 pixels of 16 channels, surrounded by zeros. */
static void test_convolution(void **state)
{
	struct arena *a = arena_new();
	struct text t = { 0 };
	struct rng r = rng_seed(2);
	struct vdla_cycles c;

	(void)state;
	text_puts(&t, "machine\nmemory 8192\ninput x at 0 bytes 480\nconstant w at 30 bytes 2304\noutput y at 200 bytes 1920\n"
		      "load inputs 0 memory 0 6x5 every 5 zeros 1,1,1,1\n"
		      "load weights 0 memory 30 3x3 every 48 push behind\n"
		      "alu copy number 0 6x5 destination 0+5,1 pop before\n");
	for (int k = 0; k < 9; k++)
		text_printf(&t, "gemm 6x5 sum 0+5,1 input %d+7,1 weight %d+0,0%s\n", k / 3 * 7 + k % 3, k,
			    k == 8 ? " push behind" : "");
	text_puts(&t, "store accumulators 0 memory 200 6x5 every 20 pop before\n");
	const struct vdla_binary *b = parse(a, text_str(&t));
	uint8_t *memory = vdla_memory_new(b);

	fill(&r, memory, 30 * VDLA_UNIT_BYTES + 2304);
	must_run(b, memory, &c);
	for (int n = 0; n < 6 * 5 * VDLA_LANES; n++) {
		int y = n / VDLA_LANES / 5, x = n / VDLA_LANES % 5, l = n % VDLA_LANES;
		int32_t s = 0, got;

		for (int k = 0; k < 9 * VDLA_LANES; k++) {
			int yy = y + k / VDLA_LANES / 3 - 1, xx = x + k / VDLA_LANES % 3 - 1, ch = k % VDLA_LANES;

			if (yy >= 0 && yy < 6 && xx >= 0 && xx < 5)
				s += (int8_t)memory[(yy * 5 + xx) * VDLA_LANES + ch]
				     * (int8_t)memory[480 + k / VDLA_LANES * 256 + l * VDLA_LANES + ch];
		}
		memcpy(&got, memory + 3200 + n * 4, sizeof(got));
		assert_int_equal(got, s);
	}
	free(memory);
	text_free(&t);
	arena_free(a);
}

static int step(const struct vdla_walk *w, int i, int j)
{
	return w->base + i * w->stride[0] + j * w->stride[1];
}

static struct vdla_walk short_walk(struct rng *r, int entries)
{
	/* counts are below 8 */
	int most = (entries - 1) / 14;

	return (struct vdla_walk){ (int)rng_below(r, entries - 14 * most),
				   { (int)rng_below(r, most + 1), (int)rng_below(r, most + 1) } };
}

/* Walks of any kind, also where sums meet themselves. */
static void test_walks(void **state)
{
	enum { INPUTS = 200, WEIGHTS = 40, SUMS = 90, Y = INPUTS + 16 * WEIGHTS + 4 * SUMS };
	struct arena *a = arena_new();
	struct vdla_binary *b = parse(a, arena_printf(a, "machine\nmemory 32768\ninput x at 0 bytes %d\n"
							 "load inputs 0 memory 0 1x%d every 0\n"
							 "load weights 0 memory %d 1x%d every 0\n"
							 "load accumulators 0 memory %d 1x%d every 0 push behind\n"
							 "gemm 1x1 sum 0+0,0 input 0+0,0 weight 0+0,0 pop before push behind\n"
							 "store accumulators 0 memory %d 1x%d every 0 pop before\n", 16 * Y, INPUTS,
						      INPUTS, WEIGHTS, INPUTS + 16 * WEIGHTS, SUMS, Y, SUMS));
	struct vdla_gemm *g = &b->code.at[3].gemm;
	struct rng r = rng_seed(6);

	(void)state;
	for (int n = 0; n < 200; n++) {
		uint8_t *memory = vdla_memory_new(b);
		int32_t sums[SUMS][VDLA_LANES];
		struct vdla_cycles c;

		*g = (struct vdla_gemm){ false, { 1 + (int)rng_below(&r, 8), 1 + (int)rng_below(&r, 8) },
					 short_walk(&r, SUMS), short_walk(&r, INPUTS), short_walk(&r, WEIGHTS) };
		fill(&r, memory, 16 * Y);
		memcpy(sums, memory + 16 * (INPUTS + 16 * WEIGHTS), sizeof(sums));
		must_run(b, memory, &c);
		assert_int_equal(c.products, g->count[0] * g->count[1]);
		for (int i = 0; i < g->count[0]; i++)
			for (int j = 0; j < g->count[1]; j++)
				for (int k = 0; k < VDLA_LANES * VDLA_LANES; k++) {
					const uint8_t *x = memory + 16 * step(&g->input, i, j);
					const uint8_t *w = memory + 16 * INPUTS + 256 * step(&g->weight, i, j);
					int32_t *s = &sums[step(&g->sum, i, j)][k / VDLA_LANES];

					*s = (int32_t)((uint32_t)*s
						       + (uint32_t)((int8_t)x[k % VDLA_LANES] * (int8_t)w[k]));
				}
		assert_memory_equal(memory + 16 * Y, sums, sizeof(sums));
		free(memory);
	}
	arena_free(a);
}

static int32_t wrap(int64_t v)
{
	return (int32_t)(uint32_t)(uint64_t)v;
}

/* What VDLA_ALU says in words, in 64 bits. */
static int32_t expected(enum vdla_alu op, int64_t x, int64_t y)
{
	switch (op) {
	case VDLA_ADD:
		return wrap(x + y);
	case VDLA_MAX:
		return wrap(most(x, y));
	case VDLA_MIN:
		return wrap(least(x, y));
	case VDLA_MUL:
		return wrap(x * y);
	case VDLA_SHIFT:
		return y > 0 ? wrap(floor_div(wrap(x + (1LL << (y - 1))), 1LL << y)) : wrap(x * (1LL << -y));
	case VDLA_CLIP:
		return wrap(least(most(x, -y - 1), y));
	case VDLA_SHIFT_DOWN:
		return y > 0 ? wrap(floor_div(x, 1LL << y)) : wrap(x * (1LL << -y));
	case VDLA_COPY:
	case VDLA_ALUS:
		break;
	}
	return wrap(y);
}

static int32_t some_value(struct rng *r)
{
	static const int32_t extremes[] = { INT32_MIN, INT32_MAX, -1, 0, 1, 1 << 30, -(1 << 30) };

	return rng_chance(r, 0.3) ? extremes[rng_below(r, 7)] : (int32_t)(uint32_t)rng_u64(r) >> rng_below(r, 31);
}

static void test_vectors(void **state)
{
	struct rng r = rng_seed(3);

	(void)state;
	for (int n = 0; n < 50 * VDLA_ALUS; n++) {
		enum vdla_alu op = (enum vdla_alu)(n % VDLA_ALUS);
		bool immediate = n / VDLA_ALUS % 2;
		int32_t number = (int32_t)(vdla_alu_shifts(op) ? rng_below(&r, 63) - 31 : rng_below(&r, 65536) + INT16_MIN);
		int32_t x[64], y[64], z[64];
		struct arena *a = arena_new();
		char *operand = immediate ? arena_printf(a, " number %d", number) : "";
		const struct vdla_binary *b = parse(a, arena_printf(a, "machine\nmemory 768\ninput x at 0 bytes 512\noutput y at 32 bytes 256\n"
				"load accumulators 0 memory 0 1x8 every 0 push behind\n"
				"alu %s%s 2x2 destination 0+2,1%s pop before push behind\n"
				"store accumulators 0 memory 32 1x4 every 0 pop before\n",
				vdla_alu_names[op], operand, immediate ? "" : " source 4+2,1"));
		uint8_t *memory = vdla_memory_new(b);
		struct vdla_cycles c;

		for (int i = 0; i < 64; i++) {
			x[i] = some_value(&r);
			y[i] = immediate ? number : vdla_alu_shifts(op) ? (int32_t)rng_below(&r, 63) - 31 : some_value(&r);
		}
		memcpy(memory, x, sizeof(x));
		memcpy(memory + 256, y, sizeof(y));
		must_run(b, memory, &c);
		assert_int_equal(c.unit[VDLA_COMPUTE_UNIT].busy, immediate ? 10 : 14);
		memcpy(z, memory + 512, sizeof(z));
		for (int i = 0; i < 64; i++)
			if (z[i] != expected(op, x[i], y[i]))
				fail_msg("%s of %d and %d: %d", vdla_alu_names[op], x[i], y[i], z[i]);
		free(memory);
		arena_free(a);
	}
}

/* i8 come as i32, and go limited to their range. */
static void test_narrow(void **state)
{
	struct arena *a = arena_new();
	const struct vdla_binary *b = parse(a, "machine\nmemory 256\ninput x at 0 bytes 48\n"
					       "load accumulators narrow 1 memory 0 2x1 every 2 zeros 0,0,1,1 push behind\n"
					       "alu add number 30 4x1 destination 1+1,0 pop before push behind\n"
					       "store accumulators narrow 1 memory 8 1x4 every 0 pop before\n"
					       "store accumulators 1 memory 12 1x1 every 0\n");
	uint8_t *memory = vdla_memory_new(b);
	struct rng r = rng_seed(4);
	struct vdla_cycles c;
	int32_t wide[VDLA_LANES];

	(void)state;
	fill(&r, memory, 48);
	must_run(b, memory, &c);
	memcpy(wide, memory + 192, sizeof(wide));
	for (int l = 0; l < VDLA_LANES; l++) {
		assert_int_equal(wide[l], (int8_t)memory[l] + 30);
		assert_int_equal((int8_t)memory[128 + l], least((int8_t)memory[l] + 30, 127));
		assert_int_equal(memory[144 + l], 30);	/* of zeros: the column behind, then the next row */
		assert_int_equal((int8_t)memory[160 + l], least((int8_t)memory[32 + l] + 30, 127));
	}
	free(memory);
	arena_free(a);
}

#define HEAD "machine\nmemory 512\ninput x at 0 bytes 256\noutput y at 16 bytes 256\n"

/* What only a run with memory can find. */
static void test_refused(void **state)
{
	static const struct {
		const char *code, *says;
	} cases[] = {
		{ "gemm 1x1 sum 0+0,0 input 0+0,0 weight 0+0,0\n",
		  "instruction 0 (gemm 1x1 sum 0+0,0 input 0+0,0 weight 0+0,0) reads accumulators 0, which nothing has written" },
		{ "alu copy number 0 1x1 destination 0+0,0\ngemm 1x1 sum 0+0,0 input 3+0,0 weight 0+0,0\n", "instruction 1 (gemm 1x1 sum 0+0,0 input "
		  "3+0,0 weight 0+0,0) reads inputs 3, which nothing" },
		{ "alu add number 3 1x1 destination 7+0,0\n", "reads accumulators 7, which nothing" },
		{ "load inputs 0 memory 16 1x1 every 0\n", "reads unit of memory 16, which nothing has written" },
		/* no token: it reads what is still being loaded */
		{ "load accumulators 0 memory 0 1x2 every 0\nalu add number 1 1x1 destination 1+0,0\n",
		  "instruction 1 (alu add number 1 1x1 destination 1+0,0) reads accumulators 1, and no tokens order it behind the one "
		  "that wrote it, instruction 0 (load" },
		/* the next load is not ordered behind who reads the last one */
		{ "load accumulators 0 memory 0 1x1 every 0 push behind\nalu add number 1 1x1 destination 0+0,0 pop before\n"
		  "load accumulators 0 memory 4 1x1 every 0\n",
		  "instruction 1 (alu add number 1 1x1 destination 0+0,0 pop before) reads accumulators 0, and no tokens order it behind "
		  "the one that wrote it, instruction 2" },
		/* a buffer of two entries that overlaps what is still stored */
		{ "alu copy number 0 4x1 destination 0+1,0 push behind\nstore accumulators narrow 0 memory 16 1x4 every 0 pop before\n"
		  "alu copy number 0 2x1 destination 3+1,0\n",
		  "instruction 1 (store accumulators narrow 0 memory 16 1x4 every 0 pop before) reads accumulators 3, and no tokens "
		  "order it behind the one that wrote it, instruction 2" },
		/* the same, when the store came first */
		{ "alu copy number 0 1x1 destination 0+0,0 push behind\nstore accumulators narrow 0 memory 16 1x1 every 0 pop before\n"
		  "alu copy number 0 90x1 destination 9+1,0\nalu copy number 0 1x1 destination 0+0,0\n",
		  "instruction 3 (alu copy number 0 1x1 destination 0+0,0) writes accumulators 0, and no tokens order it behind the one that read it, "
		  "instruction 1 (store" },
		/* a load reads what is still being stored, and a store goes where a load still reads */
		{ "alu copy number 0 1x1 destination 0+0,0 push behind\nstore accumulators narrow 0 memory 16 1x1 every 0 pop before push before\n"
		  "load inputs 5 memory 0 1x1 every 0\n"
		  "alu add number 1 1x1 destination 0+0,0 pop behind push before\nload inputs 5 memory 16 1x1 every 0 pop behind\n"
		  "load inputs 0 memory 16 1x1 every 0\nalu copy number 0 1x1 destination 1+0,0 push behind\n"
		  "store accumulators narrow 1 memory 16 1x1 every 0 pop before\n",
		  "instruction 7 (store accumulators narrow 1 memory 16 1x1 every 0 pop before) writes unit of memory 16, and no tokens "
		  "order it behind the one that read it" },
		{ "load accumulators 0 memory 0 1x2 every 0 push behind\nalu shift 1x1 destination 0+0,0 source 1+0,0 pop before\n", NULL },
		/* a walk over every other entry, one of which is not there */
		{ "load inputs 0 memory 0 1x2 every 0\nload inputs 4 memory 0 1x1 every 0\nload weights 0 memory 0 1x1 every 0 push behind\n"
		  "gemm reset 2x3 sum 0+3,1 input 0+0,2 weight 0+0,0 pop before\n", "reads inputs 2, which nothing has written" },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct vdla_binary *b = parse(a, arena_printf(a, HEAD "%s", cases[i].code));
		struct vdla_cycles c;

		must_run(b, NULL, &c);
		if (cases[i].says)
			must_fail(b, true, cases[i].says);
	}
	arena_free(a);
}

/* Every other entry, whose neighbours nobody wrote; numbers whose products are the largest. */
static void test_extremes(void **state)
{
	struct arena *a = arena_new();
	const struct vdla_binary *b = parse(a, HEAD "load inputs 0 memory 0 1x1 every 0\nload inputs 2 memory 0 1x1 every 0\n"
						    "load accumulators 0 memory 0 1x2 every 0\n"
						    "load weights 0 memory 0 1x1 every 0 push behind\n"
						    "gemm 1x2 sum 0+0,1 input 0+0,2 weight 0+0,0 pop before push behind\n"
						    "store accumulators 0 memory 16 1x2 every 0 pop before\n");
	static const uint8_t bytes[] = { 0x80, 0x7f };

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		uint8_t *memory = vdla_memory_new(b);
		struct vdla_cycles c;
		int32_t x, y[2 * VDLA_LANES];

		memset(memory, bytes[i], 256);
		memcpy(&x, memory, sizeof(x));
		must_run(b, memory, &c);
		memcpy(y, memory + 256, sizeof(y));
		for (int l = 0; l < 2 * VDLA_LANES; l++)
			assert_int_equal(y[l], (int32_t)((uint32_t)x + (uint32_t)(VDLA_LANES * (int8_t)bytes[i] * (int8_t)bytes[i])));
		free(memory);
	}
	arena_free(a);
}

/* A shift by what a source says is checked when it runs; so are addresses and fields of programs that were not read. */
static void test_refused_values(void **state)
{
	struct arena *a = arena_new();
	struct vdla_binary *b = parse(a, HEAD "load accumulators 0 memory 0 1x2 every 0 push behind\n"
					      "alu shift 1x1 destination 0+0,0 source 1+0,0 pop before\n");
	uint8_t *memory = vdla_memory_new(b);
	struct vdla_cycles c;

	(void)state;
	memory[64] = 32;
	assert_int_equal(vdla_simulate(b, memory, &c, NULL), -1);
	assert_non_null(strstr(err_get(), "instruction 1 (alu shift 1x1 destination 0+0,0 source 1+0,0 pop before): a shift by more"));
	free(memory);
	b->code.at[0].transfer.address = 31;
	must_fail(b, true, "reads unit of memory 31 to 38, outside of its 32");
	b->code.at[0].transfer.entry = 2047;
	must_fail(b, true, "an entry outside of its scratchpad");
	arena_free(a);
}

/* Found without memory, too. */
static void test_deadlock(void **state)
{
	static const struct {
		const char *code, *says;
	} cases[] = {
		{ "alu copy number 0 1x1 destination 0+0,0 pop before\nstore accumulators 0 memory 16 1x1 every 0 pop before\n",
		  "deadlock; instruction 0 (alu copy number 0 1x1 destination 0+0,0 pop before) waits for a token from load to compute; instruction 1 "
		  "(store accumulators 0 memory 16 1x1 every 0 pop before) waits for a token from compute to store" },
		{ "alu copy number 0 1x1 destination 0+0,0 push behind\n",
		  "instruction 0 (alu copy number 0 1x1 destination 0+0,0 push behind) gives a token from compute to store that nobody takes" },
		{ "load inputs 0 memory 0 1x1 every 0 pop behind\nload inputs 0 memory 0 1x1 every 0\n"
		  "alu copy number 0 1x1 destination 0+0,0 push before\n", "instruction 1 (load inputs 0 memory 0 1x1 every 0) waits for a place" },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = arena_printf(a, "machine\nqueue_length 1\nmemory 512\ninput x at 0 bytes 256\n%s", cases[i].code);

		must_fail(parse(a, text), false, cases[i].says);
		must_fail(parse(a, text), true, cases[i].says);
	}
	arena_free(a);
}

enum { TILES = 6 };

/* Tiles of 4 entries go through two buffers each: all tokens that this needs, and no others. */
static struct vdla_binary *pipelined(struct arena *a)
{
	struct text t = { 0 };

	text_printf(&t, "machine\nmemory 4096\ninput x at 0 bytes %d\noutput y at 96 bytes %d\n", TILES * 256, TILES * 64);
	for (int i = 0; i < TILES; i++) {
		int at = i % 2 * 4;
		bool later = i >= 2, early = i < TILES - 2;

		text_printf(&t, "load accumulators %d memory %d 1x4 every 0%s push behind\n", at, 16 * i, later ? " pop behind" : "");
		text_printf(&t, "alu copy 4x1 destination %d+1,0 source %d+1,0 pop before%s%s push behind\n", 8 + at, at,
			    later ? " pop behind" : "", early ? " push before" : "");
		text_printf(&t, "store accumulators narrow %d memory %d 1x4 every 0 pop before%s\n", 8 + at, 96 + 4 * i,
			    early ? " push before" : "");
	}
	struct vdla_binary *b = parse(a, text_str(&t));

	text_free(&t);
	return b;
}

/* The flag by which I gives (takes) C's tokens; NULL: its unit does not. */
static bool *flag(struct vdla_instruction *i, enum vdla_channel c, bool gives)
{
	static const enum vdla_unit from[] = { VDLA_LOAD_UNIT, VDLA_COMPUTE_UNIT, VDLA_COMPUTE_UNIT, VDLA_STORE_UNIT },
				    to[] = { VDLA_COMPUTE_UNIT, VDLA_LOAD_UNIT, VDLA_STORE_UNIT, VDLA_COMPUTE_UNIT };
	bool before = gives == (from[c] > to[c]);

	if (vdla_unit_of(i) != (gives ? from[c] : to[c]))
		return NULL;
	if (gives)
		return before ? &i->push_before : &i->push_behind;
	return before ? &i->pop_before : &i->pop_behind;
}

/* Takes away the K-th that gives (takes) tokens of C; false: there are no so many. */
static bool take_away(struct vdla_binary *b, enum vdla_channel c, bool gives, int k)
{
	for (int i = 0; i < b->code.n; i++) {
		bool *f = flag(&b->code.at[i], c, gives);

		if (!f || !*f || k-- > 0)
			continue;
		*f = false;
		return true;
	}
	return false;
}

/* Every token of such a program matters: without one it waits forever, has one left, or is a race. */
static void test_every_token(void **state)
{
	struct arena *a = arena_new();
	struct vdla_binary *b = pipelined(a);
	uint8_t *memory = vdla_memory_new(b);
	struct rng r = rng_seed(5);
	struct vdla_cycles c;
	int found = 0;

	(void)state;
	fill(&r, memory, TILES * 256);
	must_run(b, memory, &c);
	for (int i = 0; i < TILES * 64; i++) {
		int32_t sum;

		memcpy(&sum, memory + 4 * i, sizeof(sum));
		assert_int_equal((int8_t)memory[96 * VDLA_UNIT_BYTES + i], least(most(sum, -128), 127));
	}
	for (int n = 0; n < VDLA_CHANNELS; n++)
		for (int k = 0; take_away(b, (enum vdla_channel)n, true, k); k++) {
			must_fail(b, false, "deadlock");
			assert_true(take_away(b, (enum vdla_channel)n, false, k));
			must_fail(b, true, "s accumulators ");
			assert_true(strstr(err_get(), "no tokens order it") || strstr(err_get(), "nothing has written"));
			b = pipelined(a);
			assert_true(take_away(b, (enum vdla_channel)n, false, k));
			must_fail(b, false, "nobody takes");
			b = pipelined(a);
			found++;
		}
	assert_int_equal(found, 2 * TILES + 2 * (TILES - 2));
	free(memory);
	arena_free(a);
}

/* The text for Perfetto is JSON with an event for each instruction and two for each token. */
static void test_trace(void **state)
{
	struct arena *a = arena_new();
	const struct vdla_binary *b = pipelined(a);
	struct vdla_span spans[3 * TILES];
	struct vdla_cycles c;
	struct text t = { 0 };
	size_t arrows = 0, events = 0, i;
	json_t *event;

	(void)state;
	assert_int_equal(vdla_simulate(b, NULL, &c, spans), 0);
	vdla_trace_print(&t, b, spans);
	json_t *trace = json_loads(text_str(&t), 0, NULL);

	assert_non_null(trace);
	json_array_foreach(json_object_get(trace, "traceEvents"), i, event) {
		const char *kind = json_string_value(json_object_get(event, "ph"));

		events += *kind == 'X';
		arrows += *kind == 's' || *kind == 'f';
	}
	assert_int_equal(events, 3 * TILES);
	assert_int_equal(arrows, 2 * (2 * TILES + 2 * (TILES - 2)));
	json_decref(trace);
	text_free(&t);
	vdla_cycles_print(&t, &b->machine, &c);
	assert_non_null(strstr(text_str(&t), "compute  "));
	text_free(&t);
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dense), cmocka_unit_test(test_cycles), cmocka_unit_test(test_cycles_shared),
		cmocka_unit_test(test_convolution), cmocka_unit_test(test_walks), cmocka_unit_test(test_vectors), cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_extremes), cmocka_unit_test(test_refused), cmocka_unit_test(test_refused_values), cmocka_unit_test(test_deadlock),
		cmocka_unit_test(test_every_token), cmocka_unit_test(test_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
