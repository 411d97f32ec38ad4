/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/test_bulk.c - lower() refuses as too large what the emitter would refuse.
 *
 * What lower() refuses is not there to be written, so that programs are sorted at half of the
 * bound, where all are there: by the estimate and by the text. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "codegen/emit.h"
#include "search/space/sample.h"
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

enum { NSPECS = sizeof(specs) / sizeof(*specs), SAMPLES = 80, BOUND = MAX_TEXT / 2 };

struct counts {
	int all, here;		/* samples; those that lower() made programs of */
	int missed;		/* the text is beyond the bound, the estimate is not */
	int wronged;		/* the other way round */
	int late;		/* refused by the emitter alone */
};

/* Characters of the kernel itself; 0 where it is refused. */
static size_t kernel_length(const struct program *p)
{
	const struct emit_options options = { .symbol = "kernel", .vector_bytes = 64 };
	struct text t = { 0 };
	bool ok = emit_c(&t, p, &options, NULL);
	const char *from = ok ? strstr(text_str(&t), "void kernel_part(") : NULL;
	size_t n = from ? (size_t)(strstr(from, "\n}\n") - from) : 0;

	text_free(&t);
	return n;
}

static void sort_program(const struct program *p, struct counts *c)
{
	size_t length = kernel_length(p);
	bool large = nest_text(p->body) > TEXT_MARGIN * BOUND;

	c->here++;
	c->late += length == 0;
	if (length == 0)
		return;
	c->missed += !large && length > BOUND;
	c->wronged += large && length <= BOUND;
}

static void sort_samples(const char *spec, struct counts *c)
{
	const struct target target = { .vector_bytes = 64, .registers = 32, .threads = 1 };
	struct arena *a = arena_new(), *scratch = arena_new();
	struct dag *dag = operator_build(a, spec);
	struct sketch_vec k = sketches_of(a, dag);
	struct rng rng = rng_seed(1);

	for (int i = 0; i < SAMPLES; i++) {
		const struct sketch *sketch = k.at[rng_below(&rng, k.n)];
		struct state *s = sample(scratch, dag, sketch, &target, &rng, NULL, NULL);
		struct program *p = s ? lower(scratch, s, NULL) : NULL;

		c->all += s != NULL;
		if (p)
			sort_program(p, c);
		arena_reset(scratch);
	}
	arena_free(scratch);
	arena_free(a);
}

static void test_estimate(void **state)
{
	struct counts c = { 0 };

	(void)state;
	for (int i = 0; i < NSPECS; i++)
		sort_samples(specs[i], &c);
	print_message("of %d, lowered %d: missed %d, wronged %d, refused late %d\n", c.all, c.here,
		      c.missed, c.wronged, c.late);
	assert_true(c.here > NSPECS * SAMPLES / 3);
	assert_true(100 * (c.missed + c.wronged) < 2 * c.all);
	assert_true(100 * c.wronged < c.here);
	assert_true(100 * c.late < 2 * c.all);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_estimate) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
