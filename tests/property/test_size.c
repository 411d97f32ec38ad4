/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_size.c - the statements that lower() counts are those that are written.
 *
 * What is written is C, in which a statement is a line, but for what computes lane by lane: that is as many
 * parts of a line. So lines are at least as many as statements less those parts, and a bound on statements
 * is one on text. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "codegen/emit.h"
#include "search/space/sampling/sample.h"
#include "te/operator.h"

static const char *const specs[] = {
	"matmul:m=197,n=197,k=67",
	"dense:m=32,n=1000,k=512,act=gelu",
	"conv2d:ic=64,h=56,w=56,oc=64,k=3,p=1,layout=nhwc",
	"conv2d:ic=64,h=56,w=56,oc=64,k=3,p=1,layout=nchw16c",
	"conv2d:ic=30,h=15,w=15,oc=50,k=3,s=2,p=1,bias=1,act=relu",
	"depthwise:c=96,h=112,w=112,k=3,s=2,p=1,layout=nchw16c",
	"conv3d:ic=16,d=8,h=28,w=28,oc=32,k=3,p=1,layout=nchw16c",
	"conv2d_transpose:ic=64,h=28,w=28,oc=32,k=4,s=2,p=1",
	"max_pool:c=64,h=112,w=112,k=3,s=2,p=1,layout=nchw16c",
	"layer_norm:m=512,n=1024",
};

enum {
	NSPECS = sizeof(specs) / sizeof(*specs),
	SAMPLES = 80,
	/* Of text for a statement: the longest seen is 507, where each lane has conditions of its own. */
	CHARACTERS = 700,
};

struct written {
	int statements;	/* lines that store */
	size_t length;
};

/* Does LINE store what is one statement of the nest? Loops, declarations and the lanes of a vector that are
 * stored one by one do not. */
static bool is_statement(const char *line)
{
	const char *first = line + strspn(line, "\t"), *value = strstr(line, " = ");

	return value && strncmp(first, "for ", 4) != 0 && strncmp(first, "const ", 6) != 0 &&
	       !strstr(line, "*restrict ") && strncmp(value, " = lanes_", 9) != 0;
}

/* Of the kernel itself. */
static struct written written_of(const struct program *p)
{
	struct text t = { 0 };
	struct written w = { 0 };

	assert_true(emit_c(&t, p, "kernel", NULL));
	char *from = strstr(t.s, "void kernel_part("), *to = strstr(from, "\n}\n");

	w.length = (size_t)(to - from);
	*to = '\0';
	for (char *line = from, *end; line; line = end ? end + 1 : NULL) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		w.statements += is_statement(line);
	}
	text_free(&t);
	return w;
}

static void check_program(const struct program *p, const char *spec)
{
	struct written w = written_of(p);
	double counted = program_statements(p);

	if ((double)w.statements > counted)
		fail_msg("%s: %d statements are written, %g were counted", spec, w.statements, counted);
	if ((double)w.length > CHARACTERS * (counted + 16))
		fail_msg("%s: %zu characters for %g statements", spec, w.length, counted);
}

/* How many of the samples are lowered. */
static int check_samples(const char *spec)
{
	const struct aim aim = { .target = &target_x86_64_avx512, .threads = 1,
				.l2_bytes = 1 << 19, .peak = 100, .mem_gbs = 13 };
	struct arena *a = arena_new(), *scratch = arena_new();
	struct dag *dag = operator_build(a, spec);
	struct sketch_vec k = sketches_of(a, dag, &aim);
	struct rng rng = rng_seed(1);
	int lowered = 0;

	for (int i = 0; i < SAMPLES; i++) {
		const struct sketch *sketch = k.at[rng_below(&rng, k.n)];
		struct state *s = sample(scratch, dag, sketch, &aim, &rng, NULL, NULL);
		struct program *p = s ? lower(scratch, s, aim.target, NULL) : NULL;

		if (p)
			check_program(p, spec);
		lowered += p != NULL;
		arena_reset(scratch);
	}
	arena_free(scratch);
	arena_free(a);
	return lowered;
}

static void test_statements(void **state)
{
	(void)state;
	for (int i = 0; i < NSPECS; i++)
		assert_true(check_samples(specs[i]) > SAMPLES / 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_statements) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
