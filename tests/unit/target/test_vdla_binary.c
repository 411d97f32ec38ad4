/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/target/test_vdla_binary.c - a VDLA's programs as files and as texts: read back as they were, refused where they
 * are damaged or say what cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/err.h"
#include "tests/fixture/vdla_fixture.h"

static void must_equal(const struct vdla_binary *x, const struct vdla_binary *y, bool data)
{
	assert_true(vdla_machine_equal(&x->machine, &y->machine));
	assert_int_equal(x->memory_bytes, y->memory_bytes);
	assert_int_equal(x->tensors.n, y->tensors.n);
	assert_int_equal(x->code.n, y->code.n);
	for (int i = 0; i < x->tensors.n; i++) {
		const struct vdla_tensor *t = &x->tensors.at[i], *u = &y->tensors.at[i];

		assert_string_equal(t->name, u->name);
		assert_int_equal(t->role, u->role);
		assert_int_equal(t->address, u->address);
		assert_int_equal(t->bytes, u->bytes);
		if (!data)
			continue;
		assert_true((t->data == NULL) == (u->data == NULL));
		if (t->data)
			assert_memory_equal(t->data, u->data, (size_t)t->bytes);
	}
	for (int i = 0; i < x->code.n; i++)
		assert_true(same_instruction(&x->machine, &x->code.at[i], &y->code.at[i]));
}

static void test_round_trip(void **state)
{
	struct rng r = rng_seed(1);

	(void)state;
	for (int n = 0; n < 100; n++) {
		struct arena *a = arena_new();
		const struct vdla_binary *b = some_binary(a, &r, some_machine(n % VDLA_SOME_MACHINES));
		struct text file = { 0 }, text = { 0 }, again = { 0 };

		vdla_binary_write(&file, b);
		const struct vdla_binary *read = vdla_binary_read(a, "file", file.s, file.n);

		if (!read)
			fail_msg("%s", err_get());
		must_equal(b, read, true);
		vdla_binary_print(&text, b);
		const struct vdla_binary *parsed = vdla_binary_parse(a, "text", text.s);

		if (!parsed)
			fail_msg("%s", err_get());
		must_equal(b, parsed, false);
		vdla_binary_print(&again, parsed);
		assert_string_equal(text.s, again.s);
		text_free(&file);
		text_free(&text);
		text_free(&again);
		arena_free(a);
	}
}

static struct text written(struct arena *a)
{
	struct rng r = rng_seed(3);
	struct text file = { 0 };

	vdla_binary_write(&file, some_binary(a, &r, vdla_machine_default));
	return file;
}

static void must_refuse(struct arena *a, const struct text *file, size_t n, const char *says)
{
	/* of its own, so that a sanitizer sees its end */
	char *copy = malloc(n + 1);

	assert_non_null(copy);
	memcpy(copy, file->s, n);
	if (vdla_binary_read(a, "file", copy, n))
		fail_msg("%zu bytes are a program", n);
	if (strncmp(err_get(), "file: ", 6) != 0 || !strstr(err_get(), says))
		fail_msg("'%s' is not in '%s'", says, err_get());
	free(copy);
}

static void test_truncated(void **state)
{
	struct arena *a = arena_new();
	struct text file = written(a);

	(void)state;
	for (size_t n = 0; n < file.n; n++)
		must_refuse(a, &file, n, n < 4 ? "no program" : n < 24 ? "cut off" : "damaged or cut off");
	text_puts(&file, "x");
	must_refuse(a, &file, file.n, "damaged");
	text_free(&file);
	arena_free(a);
}

/* Each byte matters. */
static void test_damaged(void **state)
{
	struct arena *a = arena_new();
	struct text file = written(a);

	(void)state;
	for (size_t n = 0; n < file.n; n++) {
		file.s[n] ^= 16;
		must_refuse(a, &file, file.n, n < 4 ? "no program" : n < 8 ? "version" : "hash");
		file.s[n] ^= 16;
	}
	text_free(&file);
	arena_free(a);
}

static void seal(struct text *file)
{
	file->n -= BYTES_SEAL;
	bytes_seal(file, 0);
}

/* Fields that cannot be, under a hash that is right: every byte changed in turn is refused or read as something. */
static void test_impossible(void **state)
{
	static const struct {
		size_t at;
		const char *bytes, *says;
	} cases[] = {
		{ 4, "\1", "version 1" },
		{ 8, "\0\0\0\0", "clock_mhz is impossible" },
		{ 12, "\1", "input_bytes is impossible" },
		{ 56, "\1", "a memory of" },
		{ 63, "\177", "a memory of" },
		{ 64, "\0\0\0\200", "not as many" },
		{ 64, "\377\377\377\177", "not as many" },
		{ 68, "\377\377\377\177", "not as many" },
		{ 72, "\377\377\377\377", "not as many" },	/* the length of a name */
		{ 77, "\7", "unknown role" },
		{ 77, "\1\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377", "not inside" },
		{ 85, "\0", "share memory" },
		{ 93, "\0", "not inside" },
	};
	struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text file = written(a);
		size_t n = strlen(cases[i].bytes) ? strlen(cases[i].bytes) : 1;

		if (cases[i].at == 8 || (cases[i].at == 64 && !cases[i].bytes[0]))
			n = 4;
		if (cases[i].at == 77 && cases[i].bytes[0] == 1)
			n = 16;
		memcpy(file.s + cases[i].at, cases[i].bytes, n);
		seal(&file);
		must_refuse(a, &file, file.n, cases[i].says);
		text_free(&file);
	}
	for (size_t n = 0; n < 300; n++) {
		struct text file = written(a);

		for (int value = 0; value < 256; value += 51) {
			file.s[n] = (char)value;
			seal(&file);
			const struct vdla_binary *b = vdla_binary_read(a, "file", file.s, file.n);

			assert_true(!b || vdla_binary_check(b, "again") == 0);
		}
		text_free(&file);
	}
	arena_free(a);
}

#define HEAD "machine\nclock_mhz 100\nmemory 160\ninput x at 0 bytes 32\n"

static void test_text(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "", "text:1:1: expected 'machine'" },
		{ "machine\nclock 3\n", "text:2:1: expected a field" },
		{ "machine\nmemory 7\n", "a memory of 7 bytes" },
		{ "machine\n", "expected memory and a number" },
		{ HEAD "output y at 1 bytes 16\n", "x and y share memory" },
		{ HEAD "output y at 10 bytes 16\n", "y is not inside" },
		{ HEAD "output \"\" at 9 bytes 16\n", "tensor 1 has no name" },
		{ HEAD "output at\n", "text:5:10: expected at and a number" },
		{ HEAD "output y at 9 bytes 16 more\n", "expected the end" },
		{ HEAD "load inputs 0 memory 5 1x6 every 0\n", "instruction 0: an address outside of the memory" },
		{ HEAD "load inputs 0 memory 0 3x1 every 5\n", "instruction 0: an address outside of the memory" },
		{ HEAD "load inputs 0 memory 5 1x1 every 0 pop\n", "text:5:36: expected the end" },
	};
	struct arena *a = arena_new();

	(void)state;
	assert_non_null(vdla_binary_parse(a, "text", HEAD "load inputs 0 memory 4 1x6 every 0\n"
							  "gemm  reset 2 x 3  sum 0 + 3 , 1 input 0 + 0 , 0 weight 0 + 0 , 0 pop before push behind # so\n"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_null(vdla_binary_parse(a, "text", cases[i].text));
		if (!strstr(err_get(), cases[i].says))
			fail_msg("%s: '%s' is not in '%s'", cases[i].text, cases[i].says, err_get());
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_truncated), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_impossible), cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
