/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/target/test_vdla_instruction.c - a VDLA's machines and instructions: texts and bits are read back as they were,
 * and what cannot be is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/err.h"
#include "tests/fixture/vdla_fixture.h"

enum { TRIES = 20000 };

static void test_machine(void **state)
{
	struct vdla_machine m, back;
	struct text t = { 0 };

	(void)state;
	assert_int_equal(vdla_machine_parse(&m, "m", ""), 0);
	assert_true(vdla_machine_equal(&m, &vdla_machine_default));
	assert_int_equal(vdla_machine_parse(&m, "m", "# another\nclock_mhz 7\n\n  input_bytes 4096 # small\n"), 0);
	assert_int_equal(m.clock_mhz, 7);
	assert_int_equal(vdla_entries(&m, VDLA_INPUTS), 256);
	assert_int_equal(vdla_entry_bits(&m, VDLA_INPUTS), 8);
	assert_false(vdla_machine_equal(&m, &vdla_machine_default));
	vdla_machine_print(&t, &m);
	assert_int_equal(vdla_machine_parse(&back, "back", text_str(&t)), 0);
	assert_true(vdla_machine_equal(&m, &back));
	assert_null(vdla_machine_wrong(&m));
	m.dma_bytes = 0;
	assert_string_equal(vdla_machine_wrong(&m), "dma_bytes");
	text_free(&t);
}

static void test_machine_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "clock_mhz\n", "m:1:10: clock_mhz: a whole number from 1 to 100000" },
		{ "clock_mhz 0\n", "from 1 to" },
		{ "\ninput_bytes 5000\n", "m:2:17: input_bytes: a whole number from 4096 to 16777216, a power of two" },
		{ "clock_mhz 7 8\n", "expected the end" },
		{ "clock 7\n", "m:1:1: expected a field" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct vdla_machine m;

		assert_int_equal(vdla_machine_parse(&m, "m", cases[i].text), -1);
		if (!strstr(err_get(), cases[i].says))
			fail_msg("'%s' is not in '%s'", cases[i].says, err_get());
	}
}

static void test_room(void **state)
{
	const struct vdla_machine *m = &vdla_machine_default;

	(void)state;
	assert_int_equal(vdla_count_most(m, VDLA_GEMM), 1 << 14);
	assert_int_equal(vdla_stride_most(m, VDLA_GEMM, VDLA_WEIGHTS), 1023);
	for (int i = 0; i < VDLA_SOME_MACHINES; i++) {
		struct vdla_machine some = some_machine(i);

		assert_in_range(vdla_count_most(&some, VDLA_GEMM), 256, 1 << 14);
		assert_in_range(vdla_stride_most(&some, VDLA_GEMM, VDLA_WEIGHTS), 15, 1023);
		assert_in_range(vdla_count_most(&some, VDLA_ALU), 256, 1 << 14);
	}
}

/* Bits and text say all of an instruction. */
static void test_round_trip(void **state)
{
	struct rng r = rng_seed(1);

	(void)state;
	for (int n = 0; n < TRIES; n++) {
		const struct vdla_machine m = some_machine(n % VDLA_SOME_MACHINES);
		const struct vdla_instruction i = some_instruction(&r, &m);
		struct vdla_instruction back, read;
		uint8_t bits[VDLA_INSTRUCTION_BYTES];
		struct text t = { 0 }, u = { 0 };

		vdla_encode(&m, &i, bits);
		assert_null(vdla_decode(&m, bits, &back));
		vdla_instruction_print(&t, &i);
		vdla_instruction_print(&u, &back);
		assert_string_equal(text_str(&t), text_str(&u));
		struct scan s = scan_text("i", text_str(&t));

		if (vdla_instruction_scan(&s, &m, &read) < 0)
			fail_msg("%s: %s", text_str(&t), err_get());
		assert_true(scan_at_end(&s));
		assert_true(same_instruction(&m, &i, &read));
		text_free(&t);
		text_free(&u);
	}
}

/* Any bits are refused, or are those of what they mean. One flipped bit is another instruction. */
static void test_any_bits(void **state)
{
	struct rng r = rng_seed(2);
	int taken = 0;

	(void)state;
	for (int n = 0; n < TRIES; n++) {
		const struct vdla_machine m = some_machine(n % VDLA_SOME_MACHINES);
		struct vdla_instruction i = some_instruction(&r, &m);
		uint8_t bits[VDLA_INSTRUCTION_BYTES], again[VDLA_INSTRUCTION_BYTES];

		vdla_encode(&m, &i, bits);
		for (size_t k = 0; n % 2 && k < sizeof(bits); k++)
			bits[k] = (uint8_t)rng_below(&r, 256);
		bits[rng_below(&r, VDLA_INSTRUCTION_BYTES)] ^= (uint8_t)(1 << rng_below(&r, 8));
		const char *why = vdla_decode(&m, bits, &i);

		if (why)
			continue;
		taken++;
		vdla_encode(&m, &i, again);
		assert_memory_equal(bits, again, sizeof(bits));
	}
	assert_true(taken > TRIES / 20);
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "one of load" },
		{ "jump 3", "one of load" },
		{ "load caches 0 memory 0 1x1 every 0", "one of inputs" },
		{ "load inputs 2047 memory 0 1x2 every 0", "outside of its scratchpad" },
		{ "load inputs 0 memory 4294967296 1x2 every 0", "from 0 to 4294967295" },
		{ "load inputs narrow 0 memory 0 1x2 every 0", "a form that" },
		{ "load inputs 0 memory 0 0x2 every 0", "a transfer of nothing" },
		{ "load inputs 0 memory 0 1x2 every 0 zeros 64,0,0,0", "i:1:44: expected a number from 0 to 63" },
		{ "load inputs 0 memory 0 1x2 every 0 pop before", "a token between load" },
		{ "store inputs 0 memory 0 1x2 every 0", "a store of what" },
		{ "store accumulators 0 memory 0 1x2 every 0 zeros 1,0,0,0", "a store of what" },
		{ "store accumulators 0 memory 0 1x2 every 0 push behind", "a token between store" },
		{ "gemm 0x1 sum 0+0,0 input 0+0,0 weight 0+0,0", "from 1 to 16384" },
		{ "gemm 2x1 sum 2047+1,0 input 0+0,0 weight 0+0,0", "outside of its scratchpad" },
		{ "gemm 2x1 sum 0+1024,0 input 0+0,0 weight 0+0,0", "from 0 to 1023" },
		{ "gemm 1x1 sum 0+0,0 input 0+0,0", "weight a number" },
		{ "gemm reset 1 sum 0+0,0", "x a number from 1" },
		{ "alu shift number 32 1x1 destination 0+0,0", "by more than 31" },
		{ "alu add number 40000 1x1 destination 0+0,0", "from -32768 to 32767" },
		{ "alu divide number 4 1x1 destination 0+0,0", "one of add" },
		{ "alu add 1x1 destination 0+0,0", "source a number" },
	};

	(void)state;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct scan s = scan_text("i", cases[k].text);
		struct vdla_instruction i;

		assert_int_equal(vdla_instruction_scan(&s, &vdla_machine_default, &i), -1);
		if (!strstr(err_get(), cases[k].says))
			fail_msg("%s: '%s' is not in '%s'", cases[k].text, cases[k].says, err_get());
	}
}

/* What no text can say. */
static void test_unfit(void **state)
{
	struct vdla_instruction i;

	(void)state;
	memset(&i, 0, sizeof(i));
	i = (struct vdla_instruction){ .op = VDLA_GEMM, .gemm = { .reset = true, .count = { 1, 1 } } };
	assert_null(vdla_fits(&vdla_machine_default, &i));
	i.gemm.weight.base = -1;
	assert_string_equal(vdla_fits(&vdla_machine_default, &i), "a number that has no bits");
	i.op = VDLA_OPS;
	assert_string_equal(vdla_fits(&vdla_machine_default, &i), "a number that means nothing");
	i = (struct vdla_instruction){ .op = VDLA_ALU, .vector = { .number = 3, .count = { 1, 1 } } };
	assert_string_equal(vdla_fits(&vdla_machine_default, &i), "a source and a number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine), cmocka_unit_test(test_machine_refused), cmocka_unit_test(test_room),
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_any_bits), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_unfit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
