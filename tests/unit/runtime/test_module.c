/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/runtime/test_module.c - a model in one file: what it says is not believed where the hash is right, either. */
#include "tests/fake/fake_object.h"

#include <unistd.h>

#include "runtime/kept/form.h"
#include "runtime/kept/module.h"

#define WEIGHT_BYTES 256
/* A constant that two calls read, and one that has the same elements; kernels of hone's and of a generator. */
#define MODEL                                                                                      \
	"graph \"t\" @main\n"                                                                      \
	"fn @main(%x: f32[8, 8]) {\n"                                                              \
	"\t%w = const f32[8, 8] base64 " WEIGHT "\n"                                               \
	"\t%v = const f32[8, 8] base64 " WEIGHT "\n"                                               \
	"\t%0 = matmul(%x, %w)\n"                                                                  \
	"\t%1 = matmul(%0, %v)\n"                                                                  \
	"\t%2 = tanh(%x)\n"                                                                        \
	"\t%3 = relu(%x)\n"                                                                        \
	"\treturn %1, %2, %3\n}\n"
/* 64 floats whose four bytes are "aaa " and so on. */
#define WEIGHT ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW ROW "YWJjZA=="
#define ROW    "YWFhIGJiYiBjY2Mg"

enum { RESULTS = 3 };

struct module_case {
	struct fixture *f;
	struct open_options o;	/* of the model */
	const char *path;	/* of the module */
	struct opened made;
};

/* Makes the module, with the generator X. */
static struct module_case begin(struct fixture *f, const struct fake_object *x)
{
	struct module_case c = { .f = f, .path = arena_printf(f->a, "%s/m.hone", f->folder) };
	const char *path = arena_printf(f->a, "%s%s", fake_object(f, x->grain, x), x->configured ? "=2" : "");
	const char *model = arena_printf(f->a, "%s/m.graph", f->folder);

	assert_ok(file_write(model, MODEL, strlen(MODEL)));
	c.o = (struct open_options){
		.model = model, .threads = 1, .module = c.path,
		.offload = { .backends = arena_memdup(f->a, &path, sizeof(path)), .nbackends = 1 },
	};
	assert_ok(open_model(f->a, &c.o, &c.made));
	unlink(model);
	return c;
}

/* Opens the module at PATH. */
static int open_it(const struct module_case *c, const char *path, struct opened *out)
{
	const struct open_options o = { .model = path, .recall = true };

	return open_model(c->f->a, &o, out);
}

static void assert_same_results(const struct opened *m, const struct opened *n)
{
	float x[64];

	for (int i = 0; i < 64; i++)
		x[i] = (float)(i % 7 - 3) * 1e18F;
	assert_true(assert_same_runs(m, n, 8, x, RESULTS) != 0);
}

static const struct fake_object kernels = { "HONE_KERNELS", "(matmul | relu)", .cost = "1e-3", .compiles = true };
static const struct fake_object regions = { "HONE_REGIONS", "(matmul | relu)", .cost = "1e-3", .compiles = true };

static void test_runs(void **state)
{
	const struct fake_object *grains[] = { &kernels, &regions };

	for (int i = 0; i < 2; i++) {
		struct module_case c = begin(*state, grains[i]);
		struct opened m;

		/* without what is kept, and with nothing that can be */
		setenv("XDG_CACHE_HOME", "/proc/none", 1);
		assert_ok(open_it(&c, c.path, &m));
		assert_int_equal(m.tasks->n, c.made.tasks->n);
		assert_same_results(&c.made, &m);
		setenv("XDG_CACHE_HOME", c.f->folder, 1);
	}
}

/* Its generator is configured as it was, unless it is given. */
static void test_configured(void **state)
{
	static const struct fake_object x = { "HONE_REGIONS", "(matmul | relu)", .cost = "1e-3", .configured = true };
	struct module_case c = begin(*state, &x);
	const char *path = arena_printf(c.f->a, "%s/HONE_REGIONS.so", c.f->folder);
	const struct open_options o = { .model = c.path, .recall = true,
					.offload = { .backends = &path, .nbackends = 1 } };
	struct opened m;

	assert_ok(open_it(&c, c.path, &m));
	assert_string_equal(m.offloaded.backends[0].text, "2");
	assert_same_results(&c.made, &m);
	assert_int_equal(open_model(c.f->a, &o, &m), -1);
	assert_non_null(strstr(err_get(), "of version 'fake 1, 2 times', here it is 'fake 1'"));
}

/* How often BYTES of DATA are in those at ALL. */
static int times_in(const char *all, size_t n, const void *data, size_t bytes)
{
	int times = 0;

	for (size_t i = 0; i + bytes <= n; i++)
		times += memcmp(all + i, data, bytes) == 0;
	return times;
}

static void test_constants_once(void **state)
{
	struct module_case c = begin(*state, &kernels);
	size_t size;
	const char *data = file_read(c.f->a, c.path, 1 << 24, &size);
	const char *end = memmem(data, size, "ccc abcd", 8);

	assert_non_null(end);
	assert_true(end + 8 - data >= WEIGHT_BYTES);
	assert_int_equal(times_in(data, size, end + 8 - WEIGHT_BYTES, WEIGHT_BYTES), 1);
}

/* The module with NEW where its JSON has OLD, and a right hash; its path. */
static const char *forged(const struct module_case *c, const char *old, const char *new)
{
	const char *path = arena_printf(c->f->a, "%s/forged.hone", c->f->folder);
	struct kept_head head;
	struct text out = { 0 };
	size_t size;
	const char *data = file_read(c->f->a, c->path, 1 << 24, &size);

	assert_non_null(data);
	memcpy(&head, data, sizeof(head));
	const char *at = strstr(data + head.json, old);

	if (!at)
		fail_msg("no '%s' in %s", old, data + head.json);
	text_putn(&out, data, (size_t)(at - data));
	text_puts(&out, new);
	text_puts(&out, at + strlen(old));
	head.bytes = out.n;
	memcpy(out.s, &head, sizeof(head));
	head.hash = kept_hash(out.s, out.n);
	memcpy(out.s, &head, sizeof(head));
	assert_ok(file_write(path, out.s, out.n));
	text_free(&out);
	return path;
}

/* Each is refused, with a message; nothing of it is believed. */
static void test_forged(void **state)
{
	static const struct {
		const char *old, *new, *says;
	} cases[] = {
		{ "\"machine\":\"", "\"machine\":\"z", "compile the model on it" },
		{ "\"extensions\":\"", "\"extensions\":\"avx9000 ", "this machine has no avx9000" },
		{ "\"threads\":1", "\"threads\":0", "is no module" },
		{ "\"threads\":1", "\"threads\":\"1\"", "is no module" },
		{ "\"module\":", "\"modules\":", "is no module" },
		{ "\"version\":\"fake 1\"", "\"version\":\"fake 0\"", "of version 'fake 0', here it is 'fake 1'" },
		{ "\"abi\":", "\"abi\":9", "of ABI 9" },
		{ "\"from\":\"/", "\"from\":\"/none/", "needs generator fake: say by --backend PATH" },
		{ "\"name\":\"fake\"", "\"name\":\"false\"", "needs generator false" },
		{ "\"from\":", "\"form\":", "generators" },
		{ "\"generators\":[{", "\"generators\":7,\"other\":[{", "generators" },
		{ "\"files\":[]", "\"files\":[[\"/none\",1,\"0\"]]", "was changed" },
		{ "\"files\":[]", "\"files\":[7]", "was changed" },
		{ "\"tasks\":[", "\"tasks\":[7,", "tasks" },
		{ "\"tasks\":[", "\"tasks\":7,\"task\":[", "tasks" },
		{ "\"uses\":[[", "\"uses\":[[-1],[", "tasks" },
		{ "\"uses\":[[", "\"uses\":[[9999,0],[", "tasks" },
		{ "\"uses\":[[", "\"uses\":[[0,9999],[", "tasks" },
		{ "\"uses\":[[", "\"uses\":[[0,0],[", "kernels" },
		{ "\"object\":[", "\"object\":[-1,1],\"o\":[", "places" },
		{ "\"object\":[", "\"object\":[1,99999999999],\"o\":[", "places" },
		{ "\"object\":[", "\"object\":[99999999999,1],\"o\":[", "places" },
		{ "\"object\":[", "\"object\":[64,8],\"o\":[", "load" },
		{ "\"object\":[", "\"object\":7,\"o\":[", "kernels" },
		{ "\"object\":[", "\"object\":\"/none.so\",\"o\":[", "kernels" },
		{ "\"origin\":\"guess\"", "\"origin\":\"generator\"", "kernels of generators" },
		{ "\"origin\":\"guess\"", "\"origin\":\"odd\"", "kernels" },
		{ "\"kernels\":[[", "\"kernels\":[[-1,0,0,[\"\",[0,0]]],[", "kernels of generators" },
		{ "\"kernels\":[[", "\"kernels\":[[0,0,0,[\"\",[0,0]]],[", "kernels of generators" },
		{ "\"kernels\":[[", "\"kernels\":[7,[", "kernels of generators" },
		{ "\"regions\":[", "\"regions\":[[0,0.0,false,[\"\",[0,0]]]", "regions" },
		{ "\"regions\":[", "\"regions\":[7", "regions" },
		{ "\"images\":", "\"image\":", "storages" },
	};
	struct module_case c = begin(*state, &kernels);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct opened m;

		assert_int_equal(open_it(&c, forged(&c, cases[i].old, cases[i].new), &m), -1);
		assert_err(cases[i].says);
	}
}

/* The same of regions. */
static void test_forged_regions(void **state)
{
	static const struct {
		const char *old, *new, *says;
	} cases[] = {
		{ "\"regions\":[[", "\"regions\":[[-1,0.0,false,[\"\",[0,0]]],[", "regions" },
		{ "\"regions\":[[", "\"regions\":[[9999,0.0,false,[\"\",[0,0]]],[", "regions" },
		{ ",true,[\"", ",true,[\"0", "regions" },
		{ "\"kernels\":[]}", "\"kernels\":[]},{}", "generators" },
	};
	struct module_case c = begin(*state, &regions);
	struct opened m;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(open_it(&c, forged(&c, cases[i].old, cases[i].new), &m), -1);
		assert_err(cases[i].says);
	}
	/* not what the generator was given then */
	const struct hash128 hash = foreign_hash(c.made.offloaded.ready[0]), other = { 1, 2 };
	char was[HASH_TEXT], is[HASH_TEXT];

	assert_int_equal(open_it(&c, forged(&c, hash_text(hash, was), hash_text(other, is)), &m), -1);
	assert_err("was given another region");
}

static void test_another_format(void **state)
{
	struct module_case c = begin(*state, &kernels);
	struct kept_head head;
	struct opened m;
	size_t size;
	char *data = file_read(c.f->a, c.path, 1 << 24, &size);

	memcpy(&head, data, sizeof(head));
	head.format++;
	memcpy(data, &head, sizeof(head));
	assert_ok(file_write(c.path, data, size));
	assert_int_equal(open_it(&c, c.path, &m), -1);
	assert_err("has format 2, this hone reads 1");
}

static int folder_new(void **state)
{
	if (fixture_new(state) < 0)
		return -1;
	return setenv("XDG_CACHE_HOME", ((struct fixture *)*state)->folder, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, folder_new, fixture_free)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_runs),
		TEST(test_configured),
		TEST(test_constants_once),
		TEST(test_forged),
		TEST(test_forged_regions),
		TEST(test_another_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
