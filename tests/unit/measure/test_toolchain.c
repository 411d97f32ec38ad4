/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/measure/test_toolchain.c - what a compiler answered is kept, for that very compiler alone. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "measure/process/spawn.h"
#include "measure/build/toolchain.h"

struct toolchain_case {
	struct arena *a;
	const char *folder;	/* the cache is below it too */
};

static int begin(void **state)
{
	struct arena *a = arena_new();
	struct toolchain_case *c = arena_one(a, struct toolchain_case);

	c->a = a;
	c->folder = dir_temp(a);
	setenv("XDG_CACHE_HOME", c->folder, 1);
	*state = c;
	return c->folder ? 0 : -1;
}

static int end(void **state)
{
	struct toolchain_case *c = *state;

	dir_remove(c->folder);
	arena_free(c->a);
	return 0;
}

static struct toolchain find(const struct toolchain_case *c, const char *cc, const char *user)
{
	static const char *const none[] = { NULL };
	struct toolchain t;

	if (toolchain_find(c->a, cc, target_here(), user, c->folder, spawn_env(c->a, none), &t) < 0)
		fail_msg("%s", err_get());
	return t;
}

static void write_text(const char *path, const char *text)
{
	assert_int_equal(file_write(path, text, strlen(text)), 0);
}

/* A program NAME that does what gcc does, for tests to change. */
static const char *make_compiler(const struct toolchain_case *c, const char *name)
{
	const char *path = arena_printf(c->a, "%s/%s", c->folder, name);
	const char *source = arena_printf(c->a, "%s/compiler.c", c->folder);

	write_text(source, "#include <unistd.h>\n"
			   "int main(int argc, char **argv)\n"
			   "{\n"
			   "	(void)argc;\n"
			   "	argv[0] = \"gcc\";\n"
			   "	return execvp(argv[0], argv);\n"
			   "}\n");
	assert_int_equal(system(arena_printf(c->a, "gcc -w %s -o %s", source, path)), 0);
	return path;
}

/* The only file that is kept. */
static const char *kept(const struct toolchain_case *c)
{
	char name[4096] = "";
	FILE *f = popen(arena_printf(c->a, "ls %s/hone/toolchains/*.json", c->folder), "r");

	assert_non_null(f);
	assert_non_null(fgets(name, sizeof(name), f));
	assert_null(fgets(name + strlen(name), 2, f));
	pclose(f);
	name[strcspn(name, "\n")] = '\0';
	return arena_strdup(c->a, name);
}

static void test_keeps(void **state)
{
	const struct toolchain_case *c = *state;
	struct toolchain asked = find(c, "gcc", NULL), again = find(c, "gcc", NULL);

	assert_string_equal(asked.text, again.text);
	assert_int_equal(asked.flags.n, again.flags.n);
	for (int i = 0; i < asked.flags.n; i++)
		assert_string_equal(asked.flags.at[i], again.flags.at[i]);
	assert_int_equal(asked.link.n, again.link.n);

	/* it is the file that answers, for these flags alone */
	write_text(kept(c), "{\"toolchain\": \"mine\", \"flags\": [\"-x\"], \"link\": []}");
	again = find(c, "gcc", NULL);
	assert_string_equal(again.text, "mine");
	assert_int_equal(again.flags.n, 1);
	assert_string_not_equal(find(c, "gcc", "-DX").text, "mine");
}

static void test_damaged_is_asked_again(void **state)
{
	const struct toolchain_case *c = *state;
	static const char *const damaged[] = {
		"", "{", "[]", "{\"toolchain\": \"mine\"}",
		"{\"toolchain\": \"mine\", \"flags\": [1], \"link\": []}",
		"{\"toolchain\": \"mine\", \"flags\": [], \"link\": {}}",
	};
	struct toolchain asked = find(c, "gcc", NULL);
	const char *path = kept(c);

	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		write_text(path, damaged[i]);
		assert_string_equal(find(c, "gcc", NULL).text, asked.text);
	}
}

static void test_another_program(void **state)
{
	const struct toolchain_case *c = *state;
	const char *gcc = make_compiler(c, "my-gcc");
	const struct timespec then[] = { { 1, 0 }, { 1, 0 } };
	struct toolchain asked = find(c, gcc, NULL);

	write_text(kept(c), "{\"toolchain\": \"mine\", \"flags\": [], \"link\": []}");
	assert_string_equal(find(c, gcc, NULL).text, "mine");
	assert_int_equal(utimensat(AT_FDCWD, gcc, then, 0), 0);
	assert_string_equal(find(c, gcc, NULL).text, asked.text);
}

/* A script runs what it likes, and so does what was called by another name. */
static void test_not_kept(void **state)
{
	const struct toolchain_case *c = *state;
	const char *script = arena_printf(c->a, "%s/my-gcc", c->folder);
	const char *other = arena_printf(c->a, "%s/clang", c->folder);
	struct toolchain t = { .cc = script };

	write_text(script, "#!/bin/sh\nexec gcc \"$@\"\n");
	assert_int_equal(chmod(script, 0755), 0);
	assert_null(toolchain_place(c->a, &t));
	make_compiler(c, "anything");
	assert_int_equal(symlink("anything", other), 0);
	t.cc = other;
	assert_null(toolchain_place(c->a, &t));
	t.cc = "no-such-compiler";
	assert_null(toolchain_place(c->a, &t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_keeps, begin, end),
		cmocka_unit_test_setup_teardown(test_damaged_is_asked_again, begin, end),
		cmocka_unit_test_setup_teardown(test_another_program, begin, end),
		cmocka_unit_test_setup_teardown(test_not_kept, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
