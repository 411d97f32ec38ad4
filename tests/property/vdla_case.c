/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/vdla_case.c - makes a kernel for a VDLA, and compares what it computes. */
#include "tests/property/vdla_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "codegen/vdla/generate.h"
#include "schedule/text/nest_text.h"
#include "schedule/text/step_text.h"
#include "search/space/sampling/sample.h"
#include "search/space/sketch.h"
#include "target/vdla/target.h"
#include "te/eval.h"
#include "te/operator.h"
#include "te/text/text.h"

enum { TRIES = 8, MOST_THREADS = 4, LARGEST_SCRATCHPAD = 24, SMALLEST_SCRATCHPAD = 12 };
/* Biases and sums that are added: far from where 32 bits wrap. */
enum { SUM_MOST = 1 << 22 };

static int between(struct rng *r, int least, int most)
{
	return least + (int)rng_below(r, most - least + 1);
}

/* --- machines */

static int some_scratchpad(struct rng *r, int standard)
{
	if (rng_chance(r, 0.3))
		return standard;
	return 1 << between(r, SMALLEST_SCRATCHPAD, rng_chance(r, 0.1) ? LARGEST_SCRATCHPAD : 17);
}

static struct vdla_machine random_machine(struct rng *r)
{
	struct vdla_machine m = vdla_machine_default;

	if (rng_chance(r, 0.2))
		return m;
	m.input_bytes = some_scratchpad(r, m.input_bytes);
	m.weight_bytes = some_scratchpad(r, m.weight_bytes);
	m.accumulator_bytes = some_scratchpad(r, m.accumulator_bytes);
	m.clock_mhz = between(r, 1, 1000);
	m.dma_start = between(r, 0, 200);
	m.dma_bytes = 1 << between(r, 0, 6);
	m.gemm_depth = between(r, 0, 20);
	m.alu_depth = between(r, 0, 20);
	m.queue_length = between(r, 1, rng_chance(r, 0.3) ? 3 : 64);
	m.launch_cycles = between(r, 0, 3000);
	return m;
}

/* --- operators */

/* I8 sums of products: a spec. */
static const char *random_spec(struct arena *a, struct rng *r, bool bare)
{
	static const char *const acts[] = { "none", "relu", "relu6" };
	const char *end = bare ? "bias=0" : arena_printf(a, "bias=%d,act=%s,shift=%d", between(r, 0, 1),
							 acts[rng_below(r, 3)], rng_chance(r, 0.7) ? between(r, 1, 14) : 0);

	switch (rng_below(r, 5)) {
	case 0:
		return arena_printf(a, "matmul:m=%d,n=%d,k=%d,dtype=i8", between(r, 1, 40), 16 * between(r, 1, 6),
				    16 * between(r, 1, 6));
	case 1:
		return arena_printf(a, "dense:m=%d,n=%d,k=%d,trans=%d,dtype=i8,%s", between(r, 1, 40), 16 * between(r, 1, 6),
				    16 * between(r, 1, 6), between(r, 0, 1), end);
	}
	return arena_printf(a, "conv2d:n=%d,ic=%d,h=%d,w=%d,oc=%d,k=%dx%d,s=%dx%d,p=%dx%d,dil=%d,layout=nchw16c,dtype=i8,%s",
			    rng_chance(r, 0.8) ? 1 : 2, 16 * between(r, 1, 4), between(r, 1, 14), between(r, 1, 14),
			    16 * between(r, 1, 4), between(r, 1, 4), between(r, 1, 4), between(r, 1, 3), between(r, 1, 3),
			    between(r, 0, 2), between(r, 0, 2), rng_chance(r, 0.8) ? 1 : 2, end);
}

static int64_t products_of(const struct dag *d)
{
	int64_t all = 0;

	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];
		int64_t n = op->kind == OP_COMPUTE && op_is_reduction(op) ? tensor_count(&op->tensor) : 0;

		for (int k = 0; k < op->nreduce; k++)
			n *= op->reduce[k]->hi - op->reduce[k]->lo;
		all += n;
	}
	return all;
}

/* A name for each dim of the sums, and which of them channels are. */
struct sums {
	const struct tensor *tensor;
	const char *all, *channels;	/* "a, b, c" */
	const char *shape, *bias;	/* "1, 2, 16" */
};

static struct sums sums_of(struct arena *a, const struct dag *d)
{
	struct sums s = { .tensor = &d->ops.at[d->ops.n - 1]->tensor };
	const int64_t *n = s.tensor->shape;

	if (s.tensor->ndim == 2) {
		s.all = "a, b";
		s.channels = "b";
		s.shape = arena_printf(a, "%jd, %jd", (intmax_t)n[0], (intmax_t)n[1]);
		s.bias = arena_printf(a, "%jd", (intmax_t)n[1]);
	} else {
		s.all = "a, b, c, d, e";
		s.channels = "b, e";
		s.shape = arena_printf(a, "%jd, %jd, %jd, %jd, %jd", (intmax_t)n[0], (intmax_t)n[1], (intmax_t)n[2],
				       (intmax_t)n[3], (intmax_t)n[4]);
		s.bias = arena_printf(a, "%jd, %jd", (intmax_t)n[1], (intmax_t)n[4]);
	}
	return s;
}

/* What becomes of sums: biases, factors, shifts, limits, what is added to them. Each in TEXT by a line, its inputs before. */
static const char *random_epilogue(struct arena *a, struct rng *r, const char *text, const struct sums *s)
{
	const char *v = arena_printf(a, "%s[%s]", s->tensor->name, s->all), *inputs = "";

	if (rng_chance(r, 0.6)) {
		v = arena_printf(a, "(%s + bias[%s])", v, s->channels);
		inputs = arena_printf(a, "const bias: i32[%s]\n", s->bias);
	}
	if (rng_chance(r, 0.2))
		v = arena_printf(a, "(%s * %d)", v, between(r, -5, 9));
	if (rng_chance(r, 0.3)) {
		v = arena_printf(a, "(%s * factor[%s])", v, s->channels);
		inputs = arena_printf(a, "%sconst factor: i32[%s]\n", inputs, s->bias);
	}
	if (rng_chance(r, 0.2)) {
		v = arena_printf(a, "(%s + other[%s])", v, s->all);
		inputs = arena_printf(a, "%sinput other: i32[%s]\n", inputs, s->shape);
	}
	if (rng_chance(r, 0.3))
		v = arena_printf(a, "max(%s, %d)", v, between(r, -300, 300));
	if (rng_chance(r, 0.7)) {
		int shift = between(r, 1, 14);

		v = rng_chance(r, 0.5) ? arena_printf(a, "((%s + %d) / %d)", v, 1 << (shift - 1), 1 << shift)
				       : arena_printf(a, "(%s / %d)", v, 1 << shift);
	}
	if (rng_chance(r, 0.6)) {
		v = arena_printf(a, rng_chance(r, 0.5) ? "(%s + i32(bytes[%s]))" : "(%s + i32(bytes[%s]) * 3)", v, s->all);
		inputs = arena_printf(a, "%sinput bytes: i8[%s]\n", inputs, s->shape);
	}
	if (rng_chance(r, 0.8))
		v = arena_printf(a, "i8(min(max(%s, %d), %d))", v, rng_chance(r, 0.5) ? 0 : between(r, -128, 0),
				 rng_chance(r, 0.5) ? 127 : between(r, 1, 127));
	else
		v = arena_printf(a, "%s - %d", v, between(r, 1, 100));
	return arena_printf(a, "%s%sQ[%s] = %s\n", text, inputs, s->all, v);
}

/* What has no products: two images added, or the greatest of windows. */
static const char *random_vectors(struct arena *a, struct rng *r)
{
	int c = between(r, 1, 4), h = between(r, 1, 12), w = between(r, 1, 12), k = between(r, 1, 3), s = between(r, 1, 3);

	if (rng_chance(r, 0.5))
		return arena_printf(a, "input X: i8[%d, %d, %d, 16]\ninput R: i8[%d, %d, %d, 16]\n"
				    "Q[c < %d, y < %d, x < %d, i < 16] = i8(min(max((i32(X[c, y, x, i]) * %d + i32(R[c, y, x, i]) * %d "
				    "+ %d) / %d, %d), 127))\n", c, h, w, c, h, w, c, h, w, between(r, -99, 99), between(r, 1, 99),
				    128, 256, between(r, -128, 0));
	if (rng_chance(r, 0.5) && k > 1)	/* windows reach into zeros around */
		return arena_printf(a, "input X: i8[%d, %d, %d, 16]\n"
				    "pad[c < %d, y < %d, x < %d, i < 16] = select(1 <= y && y < %d && 1 <= x && x < %d, X[c, y - 1, x - 1, i], 0)\n"
				    "M[c < %d, y < %d, x < %d, i < 16] = max(ky < %d, kx < %d) pad[c, %d * y + ky, %d * x + kx, i]\n",
				    c, h * s + k, w * s + k, c, h * s + k + 2, w * s + k + 2, h * s + k + 1, w * s + k + 1,
				    c, h, w, k, k, s, s);
	return arena_printf(a, "input X: i8[%d, %d, %d, 16]\n"
			    "M[c < %d, y < %d, x < %d, i < 16] = %s(ky < %d, kx < %d) X[c, %d * y + ky, %d * x + kx, i]\n",
			    c, (h - 1) * s + k, (w - 1) * s + k, c, h, w, rng_chance(r, 0.8) ? "max" : "min", k, k, s, s);
}

/* An operator of the library, or one of its sums with an epilogue of our own, or vectors alone. */
static const struct dag *random_operator(struct vdla_case *c, struct rng *r, int64_t most)
{
	if (rng_chance(r, 0.15)) {
		c->text = random_vectors(c->arena, r);
		return dag_parse(c->arena, "vectors", c->text);
	}
	for (;;) {
		bool bare = rng_chance(r, 0.5);
		const char *spec = random_spec(c->arena, r, bare);
		struct dag *d = operator_build(c->arena, spec);
		struct text t = { 0 };

		if (!d || products_of(d) > most)
			continue;	/* a window larger than the image */
		dag_print(&t, d);
		c->text = arena_printf(c->arena, "# %s\n%s", spec, text_str(&t));
		text_free(&t);
		if (bare) {
			const struct sums s = sums_of(c->arena, d);

			c->text = random_epilogue(c->arena, r, c->text, &s);
			d = dag_parse(c->arena, "operator", c->text);
			if (!d)
				die("%s\n%s", err_get(), c->text);
		}
		c->products = products_of(d);
		return d;
	}
}

/* --- what it computes */

/* Any bytes; sums of 32 bits that are small, and some that are not. */
static void fill(struct rng *r, const struct tensor *t, void *data)
{
	int8_t *bytes = data;
	int32_t *sums = data;

	for (int64_t k = 0; k < tensor_count(t); k++)
		if (t->dtype == DTYPE_I8)
			bytes[k] = (int8_t)rng_below(r, 256);
		else
			sums[k] = between(r, -1, 1) * (int32_t)rng_below(r, rng_chance(r, 0.5) ? 200 : SUM_MOST);
}

static void evaluate(struct vdla_case *c, struct rng *r)
{
	c->nargs = dag_arg_count(c->dag);
	c->args = arena_many(c->arena, void *, c->nargs);
	for (int i = 0; i < c->nargs; i++) {
		const struct op *op = dag_arg_op(c->dag, i);

		c->args[i] = arena_alloc(c->arena, tensor_bytes(&op->tensor) + 1);
		if (op->kind != OP_COMPUTE)
			fill(r, &op->tensor, c->args[i]);
	}
	dag_eval(c->dag, c->args);
}

/* A sample of one of the sketches. */
static const struct state *random_state(struct vdla_case *c, struct rng *r)
{
	struct sketch_vec sketches = sketches_of(c->arena, c->dag, &c->aim);
	const struct state *s = NULL;

	for (int i = 0; i < TRIES && !s; i++)
		s = sample(c->arena, c->dag, sketches.at[rng_below(r, sketches.n)], &c->aim, r, NULL, NULL);
	return s;
}

struct vdla_case *vdla_case_new(uint64_t seed, int threads, int64_t most)
{
	struct arena *a = arena_new();
	struct vdla_case *c = arena_one(a, struct vdla_case);
	struct rng r = rng_seed(seed);

	c->seed = seed;
	c->arena = a;
	c->why = "no sample";
	c->machine = random_machine(&r);
	c->aim = (struct aim){ .target = vdla_target(a, &c->machine), .threads = threads ? threads : between(&r, 1, MOST_THREADS),
			       .exact = true, .l1_bytes = c->machine.input_bytes, .l2_bytes = c->machine.weight_bytes,
			       .peak = 100, .l2_gbs = 10, .mem_gbs = 3 };
	c->dag = random_operator(c, &r, most);
	c->state = random_state(c, &r);
	c->program = c->state ? lower(a, c->state, c->aim.target, &c->why) : NULL;
	c->binary = c->program ? vdla_generate(a, c->program, &c->machine, &c->why) : NULL;
	if (c->binary)
		evaluate(c, &r);
	return c;
}

void vdla_case_free(struct vdla_case *c)
{
	arena_free(c->arena);
}

void vdla_case_print(const struct vdla_case *c)
{
	struct text t = { 0 };

	fprintf(stderr, "HONE_SEED=%" PRIu64 ", %d virtual threads at most\n%s", c->seed, c->aim.threads, c->text);
	vdla_machine_print(&t, &c->machine);
	if (c->state)
		text_printf(&t, "-- steps\n%s\n", steps_text(c->arena, &c->state->steps));
	if (c->program)
		program_print(&t, c->program);
	if (!c->binary)
		text_printf(&t, "refused: %s\n", c->why);
	fputs(text_str(&t), stderr);
	text_free(&t);
}

uint8_t *vdla_case_memory(const struct vdla_case *c, const struct program *p, const struct vdla_binary *b)
{
	uint8_t *memory = vdla_memory_new(b);

	for (int i = 0; i < b->tensors.n; i++) {
		const struct vdla_tensor *t = &b->tensors.at[i];
		const struct pack *pack = program_pack(p, i);
		uint8_t *at = memory + t->address * VDLA_UNIT_BYTES;

		if (pack)
			pack_run(pack, c->args[i], at);
		else if (t->role != VDLA_OUTPUT)
			memcpy(at, c->args[i], (size_t)t->bytes);
	}
	return memory;
}

const char *vdla_case_differs(const struct vdla_case *c, const struct vdla_binary *b, const uint8_t *memory)
{
	for (int i = 0; i < b->tensors.n; i++) {
		const struct vdla_tensor *t = &b->tensors.at[i];

		if (t->role == VDLA_OUTPUT && memcmp(memory + t->address * VDLA_UNIT_BYTES, c->args[i], (size_t)t->bytes) != 0)
			return t->name;
	}
	return NULL;
}

const char *vdla_case_interpreted(const struct vdla_case *c, const struct program *p)
{
	void **args = arena_many(c->arena, void *, c->nargs);

	for (int i = 0; i < p->args.n; i++) {
		const struct buffer *b = p->args.at[i];
		const struct pack *pack = program_pack(p, i);

		args[i] = c->args[i];
		if (pack || b->kind == BUFFER_OUTPUT)
			args[i] = arena_alloc(c->arena, tensor_bytes(&b->tensor) + 1);
		if (pack)
			pack_interpret(pack, c->args[i], args[i]);
	}
	program_interpret(p, args);
	for (int i = 0; i < p->args.n; i++)
		if (p->args.at[i]->kind == BUFFER_OUTPUT && memcmp(args[i], c->args[i], tensor_bytes(&p->args.at[i]->tensor)) != 0)
			return p->args.at[i]->tensor.name;
	return NULL;
}
