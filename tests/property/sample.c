/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/sample.c - makes a case, checks and prints it. */
#include "tests/property/sample.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "schedule/text/nest_text.h"
#include "schedule/text/step_text.h"
#include "te/eval.h"
#include "te/text/text.h"
#include "tests/property/arranged.h"
#include "tests/property/library.h"
#include "tests/property/random_dag.h"

enum { CANARY_BYTES = 64 };
/* Of the DAGs from the operator library; of the states from a sketch, half of these with random
 * steps behind. */
#define LIBRARY_SHARE  0.2
#define SKETCHED_SHARE 0.3
/* Of the DAGs whose tensors are stored in another order of dims. */
#define ARRANGED_SHARE 0.15
/* As f32 and f16 it is no number, so that what is read beyond the end shows. */
enum { CANARY = 0xff, POISON = 0xa5 };

/* Now and then the DAG with its arguments stored at random. */
static void arrange(struct schedule_sample *s)
{
	struct rng r = rng_seed(s->seed ^ UINT64_C(0x1ce4e5b9));
	struct text t = {0};

	if (!rng_chance(&r, ARRANGED_SHARE))
		return;
	const struct dag *d = dag_arrange(s->arena, s->dag,
					  random_arrangements(s->arena, &r, s->dag));

	if (!d)
		return;
	dag_print(&t, d);
	s->dag = d;
	s->text = arena_strdup(s->arena, text_str(&t));
	text_free(&t);
}

struct schedule_sample *sample_new(uint64_t seed, struct step_counts *counts)
{
	struct arena *a = arena_new();
	struct schedule_sample *s = arena_one(a, struct schedule_sample);
	struct rng r = rng_seed(seed);

	s->seed = seed;
	s->arena = a;
	s->target = target_at((int)(seed % TARGET_COUNT));
	s->dag = rng_chance(&r, LIBRARY_SHARE) ? library_dag(a, &r, &s->text)
					       : random_dag(a, &r, &s->text);
	arrange(s);
	struct state *start = rng_chance(&r, SKETCHED_SHARE)
				      ? sketched_state(a, &r, s->dag, s->target)
				      : NULL;

	if (start && rng_chance(&r, 0.5))
		s->state = start;
	else
		s->state = random_steps(&r, start ? start : state_new(a, s->dag), counts);
	s->agreement = agreement_of(s->dag, s->state);
	return s;
}

bool sample_lower(struct schedule_sample *s)
{
	s->program = lower(s->arena, s->state, s->target, &s->why);
	if (!s->program && (!s->why || !*s->why))
		die("lower() refuses without a reason");
	return s->program;
}

void sample_free(struct schedule_sample *s)
{
	for (int i = 0; i < s->nargs; i++) {
		free(s->raw[i].memory);
		free(s->args[i].memory);
	}
	free(s->workspace.memory);
	arena_free(s->arena);
}

void sample_print(const struct schedule_sample *s)
{
	struct text t = {0};

	text_printf(&t, "\nHONE_SEED=%" PRIu64 "\n%s\n# >>> steps\n", s->seed, s->text);
	state_print(&t, s->state);
	text_printf(&t, "# %s\n# >>> nest\n", steps_text(s->arena, &s->state->steps));
	if (s->program)
		program_print(&t, s->program);
	else if (s->why)
		text_printf(&t, "refused: %s\n", s->why);
	fputs(text_str(&t), stderr);
	text_free(&t);
}

/* --- round trips */

static void print_stage(struct text *t, const struct stage *g)
{
	text_printf(t, "%s: place %d at %d %d packed %d cache %d;", g->op.tensor.name, g->place,
		    g->at_stage, g->at_iter, g->packed, g->is_cache);
	for (int i = 0; i < g->op.tensor.ndim && g->op.kind == OP_COMPUTE; i++) {
		text_printf(t, " %jd from ", (intmax_t)g->part[i]);
		expr_print(t, g->base[i]);
	}
	text_puts(t, ";");
	for (int i = 0; i < g->leaves.n; i++) {
		const struct iter *it = &g->iters.at[g->leaves.at[i]];

		text_printf(t, " %s < %jd %d%d", it->name, (intmax_t)it->extent, it->reduce,
			    it->annotation);
	}
	text_puts(t, "; ");
	if (g->op.kind == OP_COMPUTE)
		expr_print(t, g->op.body);
	text_puts(t, "\n");
}

/* All of a state, and its program, as text. */
static char *describe(struct arena *a, const struct state *s, const struct program *p)
{
	struct text t = {0};

	for (int i = 0; i < s->order.n; i++)
		print_stage(&t, s->stages.at[s->order.at[i]]);
	if (p)
		program_print(&t, p);
	char *out = arena_strdup(a, text_str(&t));

	text_free(&t);
	return out;
}

static bool parses_to_same(const struct schedule_sample *s, const char *text, const char *what)
{
	struct arena *a = arena_new();
	struct state *back = state_parse(a, s->dag, what, text);
	bool same =
		back && strcmp(steps_text(a, &back->steps), steps_text(a, &s->state->steps)) == 0;

	if (!back) {
		fprintf(stderr, "%s\n", err_get());
	} else if (same) {
		const char *was = describe(a, s->state, s->program);
		const char *is = describe(a, back, lower(a, back, s->target, NULL));

		same = strcmp(was, is) == 0;
		if (!same)
			fprintf(stderr, "was\n%s\nis\n%s\n", was, is);
	}
	if (!same)
		fprintf(stderr, "%s: the steps do not round-trip:\n%s\n", what, text);
	arena_free(a);
	return same;
}

bool sample_round_trips(const struct schedule_sample *s)
{
	struct text by_name = {0};

	state_print(&by_name, s->state);
	bool ok = parses_to_same(s, text_str(&by_name), "names") &&
		  parses_to_same(s, steps_text(s->arena, &s->state->steps), "numbers");

	text_free(&by_name);
	return ok;
}

/* --- buffers */

static struct guarded guarded_new(size_t bytes)
{
	struct guarded g = {.bytes = bytes};
	size_t all = (2 * CANARY_BYTES + bytes + 63) / 64 * 64;

	g.memory = aligned_alloc(64, all);
	if (!g.memory)
		die("out of memory (%zu bytes)", all);
	memset(g.memory, CANARY, all);
	g.data = g.memory + CANARY_BYTES;
	return g;
}

static bool is_guarded(const struct guarded *g)
{
	for (size_t i = 0; i < CANARY_BYTES; i++)
		if (g->memory[i] != CANARY || g->memory[CANARY_BYTES + g->bytes + i] != CANARY)
			return false;
	return true;
}

void sample_prepare(struct schedule_sample *s)
{
	struct rng r = rng_seed(s->seed ^ UINT64_C(0x5bd1e995));
	void **raw;

	s->nargs = dag_arg_count(s->dag);
	s->raw = arena_many(s->arena, struct guarded, s->nargs);
	s->args = arena_many(s->arena, struct guarded, s->nargs);
	raw = arena_many(s->arena, void *, s->nargs);
	for (int i = 0; i < s->dag->ops.n; i++) {
		const struct op *op = s->dag->ops.at[i];
		int arg = dag_arg(s->dag, op);

		if (arg < 0)
			continue;
		s->raw[arg] = guarded_new(tensor_bytes(&op->tensor));
		raw[arg] = s->raw[arg].data;
		if (op->kind != OP_COMPUTE)
			random_fill(&r, op->tensor.dtype, raw[arg], tensor_count(&op->tensor));
	}
	dag_eval(s->dag, raw);
	sample_pack(s);
}

void sample_pack(struct schedule_sample *s)
{
	for (int i = 0; i < s->nargs; i++) {
		const struct pack *k = program_pack(s->program, i);

		free(s->args[i].memory);
		s->args[i] = guarded_new(k ? tensor_bytes(&k->packed->tensor) : s->raw[i].bytes);
		if (k)
			pack_interpret(k, s->raw[i].data, s->args[i].data);
		else
			memcpy(s->args[i].data, s->raw[i].data, s->raw[i].bytes);
	}
	sample_poison(s);
}

void sample_poison(struct schedule_sample *s)
{
	for (int i = 0; i < s->program->args.n; i++)
		if (s->program->args.at[i]->kind == BUFFER_OUTPUT)
			memset(s->args[i].data, POISON, s->args[i].bytes);
}

void *sample_workspace(struct schedule_sample *s, size_t bytes)
{
	free(s->workspace.memory);
	s->workspace = (struct guarded){0};
	if (bytes == 0)
		return NULL;
	s->workspace = guarded_new(bytes);
	memset(s->workspace.data, CANARY, bytes);
	return s->workspace.data;
}

static bool outputs_equal(const struct schedule_sample *s, int arg, const char *what)
{
	const struct tensor *t = &s->program->args.at[arg]->tensor;

	for (int64_t i = 0; i < tensor_count(t); i++) {
		double want = dtype_load(t->dtype, s->raw[arg].data, i);
		double got = dtype_load(t->dtype, s->args[arg].data, i);

		if (value_is_close(t->dtype, want, got, s->agreement))
			continue;
		fprintf(stderr, "%s: element %jd of %s is %g, not %g\n", what, (intmax_t)i, t->name,
			got, want);
		return false;
	}
	return true;
}

bool sample_matches(const struct schedule_sample *s, const char *what)
{
	if (s->workspace.memory && !is_guarded(&s->workspace)) {
		fprintf(stderr, "%s: writes beyond the ends of its workspace\n", what);
		return false;
	}
	for (int i = 0; i < s->nargs; i++) {
		const struct buffer *b = s->program->args.at[i];
		bool packed = program_pack(s->program, i);

		if (!is_guarded(&s->args[i])) {
			fprintf(stderr, "%s: writes beyond the ends of %s\n", what, b->tensor.name);
			return false;
		}
		if (b->kind == BUFFER_OUTPUT && !outputs_equal(s, i, what))
			return false;
		if (b->kind == BUFFER_INPUT && !packed &&
		    memcmp(s->args[i].data, s->raw[i].data, s->raw[i].bytes) != 0) {
			fprintf(stderr, "%s: writes to input %s\n", what, b->tensor.name);
			return false;
		}
	}
	return true;
}
