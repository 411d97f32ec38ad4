/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/costmodel/feature_cases.h - what test_features.c expects; each number with how it is counted. */
#ifndef HONE_TESTS_UNIT_COSTMODEL_FEATURE_CASES_H
#define HONE_TESTS_UNIT_COSTMODEL_FEATURE_CASES_H

/* parallel i.0 (4), registers C.local [2, 32], k (64), unrolled i (2), unrolled j.0 (2), vector
 * j.1 (16) around the sum; then unrolled i.1 (2), vector j (32) around the copy. */
static const char register_tile_te[] =
	"input A: f32[8, 64]\n"
	"const B: f32[64, 32]\n"
	"C[i, j] = sum(k < 64) A[i, k] * B[k, j]\n";

static const char register_tile_steps[] =
	"cache_write C\n"
	"split C i 2\n"
	"reorder C i.0 i.1 j\n"
	"compute_at C.local C i.0\n"
	"split C.local j 16\n"
	"reorder C.local k i j.0 j.1\n"
	"vectorize C.local j.1\n"
	"unroll C.local i\n"
	"unroll C.local j.0\n"
	"vectorize C j\n"
	"unroll C i.1\n"
	"parallel C i.0\n"
	"layout B\n";

/* The tail of i: 3 of 4 turns of i.1. */
static const char tail_te[] =
	"input A: f32[7, 64]\n"
	"const B: f32[64, 32]\n"
	"C[i, j] = sum(k < 64) A[i, k] * B[k, j]\n";

static const char tail_steps[] =
	"split C i 4\n"
	"split C j 16\n"
	"reorder C i.0 j.0 k i.1 j.1\n"
	"vectorize C j.1\n"
	"unroll C i.1\n";

/* A tile of 3 rows and 2 vectors of sums, by an instruction that multiplies groups. */
#define GROUPED_STEPS(group, intrinsic)                                                             \
	"cache_write C\nsplit C i 3\nreorder C i.0 i.1 j\ncompute_at C.local C i.0\n"               \
	"split C.local k " #group "\nsplit C.local j 16\nreorder C.local k.0 i j.0 k.1 j.1\n"         \
	"vectorize C.local j.1\nunroll C.local i\nunroll C.local j.0\n"                              \
	"tensorize C.local k.1 " #intrinsic "\nvectorize C j\nunroll C i.1\nlayout B\n"

static const struct feature_case cases[] = {
	/* Of 4 turns of x the first may lie before the row and the last behind it, as k has it: either is asked in a quarter of
	 * the turns, of which 10 in 12 are taken: 5 * 3 * 4 * 16 of them. */
	{ "an edge of a written-out tile", "input A: f32[5, 4]\nconst B: f32[3, 16]\n"
	  "C[r < 5, x < 4, c < 16] = sum(k < 3) select(1 <= x + k && x + k < 5, A[r, x + k - 1], f32(0)) * B[k, c]\n",
	  "cache_write C\nreorder C r x c\nvectorize C c\nunroll C x\ncompute_at C.local C r\n"
	  "reorder C.local k x c\nvectorize C.local c\nunroll C.local x\nborder C.local x guard\n", 1,
	  "i_simple 400\n" },
	/* 6 calls; 3 groups for all lanes and 2 vectors of groups. While they go by, both vectors wait, and one spread group. */
	{ "groups of bytes", "input A: u8[6, 64]\nconst B: i8[64, 32]\nC[i, j] = sum(k < 64) i32(A[i, k]) * i32(B[k, j])\n",
	  GROUPED_STEPS(4, avx512_vpdpbusd), 1,
	  "body.ops 6 body.loads 5 body.scattered 0 body.chains 6 acc.registers 6 operand.registers 3 width.used 1\n"
	  "vector.unit 2 vector.same 1 vector.apart 0\n" },
	{ "pairs of bf16, two instructions a call", "input A: bf16[6, 64]\nconst B: bf16[64, 32]\n"
	  "C[i, j] = sum(k < 64) A[i, k] * B[k, j]\n", GROUPED_STEPS(2, avx512_vdpbf16ps), 1,
	  "body.ops 12 body.loads 5 body.scattered 0 body.chains 6 acc.registers 6 operand.registers 3\n" },
	{ "float functions", "input A: f32[10]\ninput B: f32[10]\n"
	  "C[i] = exp(A[i]) + log(B[i]) - sqrt(A[i]) / tanh(B[i])\n", "", 0,
	  "f_explog 20 f_add 20 f_sqrt 10 f_div 10 f_tanh 10 flop 70\n" },
	{ "more float functions", "input A: f32[10]\ninput B: f32[10]\n"
	  "C[i] = pow(A[i], B[i]) + abs(floor(erf(A[i]))) * B[i]\n", "", 0,
	  "f_pow 10 f_fma 10 f_add 0 f_mul 0 f_simple 20 f_erf 10 flop 60\n" },
	{ "choices", "input A: f32[10]\ninput I: i32[10]\n"
	  "C[i] = select(A[i] < 2 && !(I[i] == 3), min(A[i], 1), f32(I[i]) * A[i])\n", "", 0,
	  "f_compare 10 i_simple 10 logic 20 select 10 f_minmax 10 cast 10 f_mul 10 flop 30\n" },
	{ "integers", "input I: i32[10]\n"
	  "C[i] = (I[i] + 1) * (I[i] / 3) - max(I[i] % 5, 2)\n", "", 0,
	  "i_add 20 i_mul 10 i_divmod 20 i_simple 10 flop 0 x_divmod 0\n"
	  "a0.bytes 120 a0.read 1 a0.write 0\n" },	/* three loads of I at one place */
	{ "indices", "input A: f32[3, 4]\ninput B: f32[8]\n"
	  "C[i < 12] = A[i / 4, i % 4] + B[min(i, 7)]\n", "", 0,
	  "x_divmod 24 x_choice 12 f_add 12\n"
	  "a1.unique_bytes 48 a2.unique_bytes 32\n" },	/* A: 12 places; B: no more than it has */
	/* 12 turns of i, each with 8 of k, which do not move it */
	{ "an index of the loop outside", "input A: f32[3, 8]\nC[i < 12] = sum(k < 8) A[i / 4, k]\n", "", 1,
	  "x_divmod 0 f_add 96\n" },
	{ "the same index twice", "input A: f32[3]\ninput B: f32[3]\nC[i < 12] = A[i / 4] * B[i / 4]\n", "", 0,
	  "x_divmod 12 f_mul 12\n" },
	/* one of 4 rows has exponentials; asked once a row, for 8 lanes */
	{ "a choice of all lanes", "input A: f32[4, 8]\nC[i, j] = select(i < 1, exp(A[i, j]), A[i, j] * 2)\n",
	  "border C i guard\nvectorize C j\n", 0, "f_explog 8 f_mul 24 select 32 i_simple 32\n" },
	/* The masked row is one for all 4 rows of sums: 16 lanes where k is 0, which has a loop of its own. */
	{ "a mask for several rows", "input X: f32[18]\ninput W: f32[4, 3]\n"
	  "Y[c < 4, x < 16] = sum(k < 3) select(1 <= x + k, X[x + k - 1], f32(0)) * W[c, k]\n",
	  "reorder Y k c x\nunroll Y c\nvectorize Y x\n", 1, "select 16 f_fma 64\n" },
	/* Once for 4 vectors, where nothing stores to it; what a kernel stores may have changed. */
	{ "the same of an input", "input A: f32[8]\nC[i, j < 64] = exp(A[i])\n",
	  "split C j 16\nunroll C j.0\nvectorize C j.1\n", 0, "f_explog 128\n" },
	{ "the same of registers", "input A: f32[8, 16]\nS[i] = sum(k < 16) A[i, k]\nC[i, j < 64] = exp(S[i])\n",
	  "compute_at S C i\nsplit C j 16\nunroll C j.0\nvectorize C j.1\n", 2, "f_explog 128\n" },
	{ "the same of what was stored", "input A: f32[8]\nB[i] = A[i] + 1\nC[i, j < 64] = exp(B[i])\n",
	  "split C j 16\nunroll C j.0\nvectorize C j.1\n", 1, "f_explog 512\n" },
	/* i / 5 is the same in the 4 turns of i.1 for the most part, but not known to be. */
	{ "a quotient of written-out turns", "input A: f32[8]\nC[i < 40, j < 16] = exp(A[i / 5])\n",
	  "split C i 4\nreorder C i.0 i.1 j\nunroll C i.1\nvectorize C j\n", 0, "f_explog 640\n" },
	{ "maximum", "input A: f32[4, 8]\nC[i] = max(k < 8) A[i, k]\n", "", 1,
	  "combines 1 f_minmax 32 flop 32 reduce.product 8 reduce.inner 8 turns 32 loops 2\n" },

	/* 256 bodies (4 i.0 * 64 k) of 4 vectors; A: 2 rows, B: 2 vectors */
	{ "register tile", register_tile_te, register_tile_steps, 1,
	  "f_fma 16384 flop 32768 combines 1 turns 16384 loops 5\n"
	  "vector.lanes 16 vector.unit 2 vector.same 1 vector.apart 0\n"
	  "unroll.loops 2 unroll.product 4 unroll.inner 2 unroll.inside 2 unroll.reduce 1\n"
	  "parallel.loops 1 parallel.product 4 parallel.outside 0 parallel.balance 1\n"
	  "parallel.starts 0\n"			/* counted at the store before it */
	  "outer.product 256 outer.loops 2 reduce.product 64 reduce.inner 64\n"
	  "conditions 0 taken 1\n"
	  "alloc.bytes 256 alloc.local 1 alloc.registers 1 alloc.times 4 store.length 64\n"
	  "body.ops 4 body.loads 4 body.stores 0 body.scattered 0 body.chains 4 width.used 1\n"
	  /* both vectors of B wait for the second row; an element of A is used up at once */
	  "acc.registers 4 operand.registers 3 acc.share 0.125 acc.fit 1\n"
	  /* lines by loops from inside: A 1 1 1 2 8 32, B 1 1 2 2 128 128 */
	  "inner.bytes 128 second.bytes 192 third.bytes 256 all.bytes 10240\n"
	  "inner.l1 1 second.l1 1 third.l2 1\n"
	  "l1.loops 2 l1.turns 64 l1.share 0.25 l2.loops 2 l2.turns 64 l2.share 0.0625\n"
	  /* A: each line once an i.0; B: all of it each i.0; both once where 16 KiB hold them */
	  "l1.miss 34816 l2.miss 34816 l3.miss 10240\n"
	  /* a0 the accumulators (two uses a turn), then B (8 KiB), then A (2 KiB) */
	  "a0.registers 1 a0.local 1 a0.read 1 a0.write 1 a0.bytes 131072 a0.unique_bytes 256\n"
	  "a0.reuse_loop 1 a0.reuse_turns 64 a0.reuse_bytes 256 a0.reuse_count 64 a0.l1_miss 0\n"
	  "a1.packed 1 a1.bytes 65536 a1.unique_bytes 8192 a1.lines 512 a1.unique_lines 128\n"
	  "a1.reuse_loop 1 a1.reuse_turns 32 a1.reuse_bytes 192 a1.reuse_count 2 a1.stride 1\n"
	  "a1.body_elements 32 a1.l1_miss 32768\n"
	  "a2.packed 0 a2.unique_bytes 2048 a2.lines 512 a2.unique_lines 32 a2.stride 0\n"
	  "a2.stride_moving 64 a2.reuse_turns 1 a2.reuse_count 16 a2.body_elements 2\n"
	  "a2.l1_miss 2048\n"
	  /* 2, 32, 64, 128, 8192, 32768 flop over 128, 128, 192, 256, 8704, 10240 bytes */
	  "intensity.0 0.015625 intensity.1 0.1458333 intensity.2 0.2592593 "
	  "intensity.3 0.3055556 intensity.4 0.3703704 intensity.5 0.4629630 "
	  "intensity.6 0.6470588 intensity.7 0.8921569 intensity.8 1.9450980 "
	  "intensity.9 3.2\n" },	/* at 5/9, 10/9, ... of the way from level 5 to level 0 */
	{ "register tile, start", register_tile_te, register_tile_steps, 0,
	  "parallel.starts 1 f_fma 0 combines 0 turns 256 body.stores 0 body.loads 0\n" },
	{ "register tile, copy", register_tile_te, register_tile_steps, 2,
	  "vector.lanes 16 body.stores 2 body.loads 0 store.length 64 alloc.times 1\n"
	  "acc.registers 4 a0.write 1 a0.read 0 a1.read 1 a1.registers 1\n" },

	{ "a tail has its own turns", tail_te, tail_steps, 3,
	  "conditions 0 taken 1 turns 6144 f_fma 6144\n" },	/* 2 * 64 * 3 * 16 */
	{ "a guard's condition", "input A: f32[7, 64]\nC[i, j] = A[i, j] * 2\n",
	  "split C i 4\nborder C i.0 guard\nborder C i.1 guard\n", 0,
	  "conditions 1 taken 0.875 turns 448\n" },

	/* lanes 32 apart; three places 32 apart are 18 rows; 16 lanes fill a register */
	{ "lanes apart", "input X: f32[18, 32]\n"
	  "Y[j < 32, x < 16] = X[x, j] + X[x + 1, j] + X[x + 2, j]\n", "vectorize Y x\n", 0,
	  "vector.apart 1 vector.unit 1 body.scattered 18 body.loads 18 body.stores 1\n"
	  "body.ops 2 body.chains 1 a0.body_elements 18 a0.stride 32 a0.unique_bytes 2304\n"
	  "a0.unique_lines 36 a0.bytes 6144 a1.unique_lines 32\n"
	  "inner.bytes 1216\n" },		/* 18 lines of X, 1 of Y */
	{ "half a register", "input A: f32[4, 8]\nC[i, j] = A[i, j] * 2\n", "vectorize C j\n", 0,
	  "width.used 0.5 f_mul 32 body.ops 1\n" },
	/* a vector of 16 and one of 8 */
	{ "the rest of a row", "input A: f32[4, 24]\nC[i, j] = A[i, j] * 2\n", "vectorize C j\n", 1,
	  "width.used 0.5 f_mul 32 body.ops 1\n" },
	/* 32 KiB each, of which the last cache holds a quarter: what is written comes and goes, or only goes */
	{ "beyond the last cache", "input A: f32[128, 64]\nC[i, j] = A[i, j] * 2\n", "split C j 16\nvectorize C j.1\n", 0,
	  "l3.miss 65536 l3.back 32768 streamed 0 all.bytes 65536 a1.unique_lines 512\n"
	  "prior.time 6179.79\n" },	/* 96 KiB at 16 bytes a cycle, and 0.03 of 512 bodies of 1.43 cycles and of 0.15 of 1024 and 2048 (caches) */
	{ "past the caches", "input A: f32[128, 64]\nC[i, j] = A[i, j] * 2\n",
	  "split C j 16\nvectorize C j.1\nstream C\n", 0,
	  "l1.miss 32768 l3.miss 32768 l3.back 0 streamed 32768 all.bytes 32768 a1.unique_lines 512\n"
	  "prior.time 4124.877\n" },	/* 64 KiB, and 0.03 of the bodies and of 0.15 of 512 and 1024 */
	{ "past caches that would hold it", "input A: f32[4, 64]\nC[i, j] = A[i, j] * 2\n",
	  "split C j 16\nvectorize C j.1\nstream C\n", 0, "streamed 1024 prior.time 64.9024\n" },
	/* a row's four lines in each of 64 turns, before the start of its sum */
	{ "rows ahead", "input A: f32[64, 64]\nC[i] = sum(k < 64) A[i, k]\n", "prefetch C A i 1", 0,
	  "prefetched 256\n" },
	/* 5 cycles of 10 that a sum in memory waits for itself, 0.33 more for a prefetch, and lines of which 0.15 and 0.03 are waited for */
	{ "a line a turn", "input A: f32[64, 64]\nC[i] = sum(k < 64) A[k, i]\n", "", 1, "prefetched 0 prior.time 22356.6745\n" },
	{ "a line a turn, ahead", "input A: f32[64, 64]\nC[i] = sum(k < 64) A[k, i]\n", "prefetch C A k 2", 1,
	  "prefetched 4096 prior.time 23708.3545\n" },
	{ "unrolled reduction", "input A: f32[4, 32]\nC[i] = sum(k < 32) A[i, k]\n",
	  "split C k 8\nunroll C k.1\n", 1,
	  "unroll.reduce 8 unroll.product 8 reduce.product 32 reduce.inner 4 f_add 128\n" },

	/* two vectors are added, then to the sum; four times a shuffle and an addition for the lanes */
	{ "lanes combined", "input A: f32[4, 32]\nC[i] = sum(k < 32) A[i, k]\n", "vectorize C k\n", 1,
	  "f_add 128 body.ops 10 body.chains 1 vector.lanes 16\n" },

	/* 10 turns on 4 threads: 3 rounds; begun anew for each i */
	{ "parallel inside", "input A: f32[6, 10]\nC[i, j] = A[i, j] + 1\n", "parallel C j\n", 0,
	  "parallel.outside 1 parallel.starts 6 parallel.product 10 parallel.balance 0.8333333\n" },

	/* 38 turns of which the last 10 are beyond the end: 9, 10, 9 and 0 on 4 threads */
	{ "empty turns", "input A: f32[28, 16]\nC[i, j] = A[i, j] + 1\n",
	  "split C i 19\nfuse C i.0 i.1\nparallel C i.0_i.1\n", 0, "parallel.balance 0.7\n" },

	{ "serial reuse", "input A: f32[8, 32]\nC[i, j] = A[i, j] * 2\nD[i, j] = C[i, j] + 1\n", "",
	  1, "a1.reuse_serial 1 a1.reuse_loop 0 a1.reuse_turns 256 a1.reuse_bytes 2048\n"
	  "a1.reuse_count 1 a1.stride 1\n" },
	/* 16 + 3 - 1 values of X */
	{ "sliding window", "input X: f32[18]\ninput W: f32[3]\n"
	  "Y[x < 16] = sum(r < 3) X[x + r] * W[r]\n", "", 1,
	  "f_fma 48 a1.unique_bytes 72 a1.unique_lines 2 a2.unique_bytes 12 a2.reuse_count 16\n"
	  "a0.reuse_bytes 192 a1.l1_miss 128\n" },
	/* 4 values of X and 4 sums wait for the next of r, a vector of W for the next of y */
	{ "a window of all lanes", "input X: f32[6]\ninput W: f32[3, 16]\n"
	  "Y[y < 4, x < 16] = sum(r < 3) X[y + r] * W[r, x]\n",
	  "reorder Y r y x\nunroll Y r\nunroll Y y\nvectorize Y x\n", 1, "operand.registers 9 acc.registers 0\n" },
	/* vectors of X are operands in memory as well: one of X, one that W is spread to, 16 sums */
	{ "a window of vectors", "input X: f32[18, 16]\ninput W: f32[3]\n"
	  "Y[y < 16, x] = sum(r < 3) X[y + r, x] * W[r]\n",
	  "reorder Y r y x\nunroll Y r\nunroll Y y\nvectorize Y x\n", 1, "operand.registers 18\n" },
	/* 4 products of 16 rows; 4 operands of so many, and each sum waits 52 cycles for 128/chains of 4 */
	{ "matrices", "input A: u8[32, 128]\nconst B: i8[128, 32]\n"
	  "S[i, j] = sum(k < 128) i32(A[i, k]) * i32(B[k, j])\nC[i, j] = S[i, j]\n",
	  "split C i 32\nsplit C i.1 16\nsplit C j 16\nreorder C i.0 i.1.0 j.0 i.1.1 j.1\nunroll C i.1.0\nunroll C j.0\n"
	  "vectorize C j.1\ncompute_at S C i.0\nsplit S k 4\nsplit S k.0 16\nsplit S i 16\nsplit S j 16\n"
	  "reorder S k.0.0 i.0 j.0 i.1 k.0.1 k.1 j.1\nunroll S i.0\nunroll S j.0\nvectorize S j.1\n"
	  "tensorize S k.1 amx_dpbusd\nlayout B\n", 1,
	  "body.ops 128 body.loads 64 body.chains 9.846154 acc.registers 0 operand.registers 0 f_fma 4096\n"
	  "body.stores 0 alloc.registers 1 a0.registers 1\n" },
	/* 16 turns of 0.35 + 0.33 + 0.75 cycles, 0.15 of 128/64 + 128/32 ns, and nothing of memory, for all fits the last cache */
	{ "prior", "input A: f32[16]\nC[i] = A[i] + 1\n", "", 0,
	  "prior.time 23.78 prior.efficiency 0.002628259 program.stores 1 program.share 1\n"
	  "program.efficiency 0.002628259\n" },
	/* rows of 17: a vector of each begins anywhere */
	{ "vectors askew", "input A: f32[8, 17]\nC[i, j] = A[i, j] * 2\n", "split C j 16\nvectorize C j.1\n", 0, "body.left 1 body.stores 1 body.askew 1\n" },
	/* of 2 times 4 turns that are written out the eighth is left out by a condition of these two alone */
	{ "turns that a compiler leaves out", "input A: f32[7, 16]\nC[i, j] = A[i, j] * 2\n",
	  "split C i 4\nvectorize C j\nunroll C i.0\nunroll C i.1\nborder C i.1 guard\n", 0, "body.left 0.875 taken 0.875 body.ops 7 body.stores 7\n" },
};

#endif
