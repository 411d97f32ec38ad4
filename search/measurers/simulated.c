/* SPDX-License-Identifier: Apache-2.0 */
/* search/measurers/simulated.c - builds, counts, and verifies what would be the best. */
#include "search/measurers/simulated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "codegen/vdla/generate.h"
#include "measure/device/simulated.h"
#include "schedule/text/nest_text.h"
#include "search/measurers/answered.h"
#include "search/trust/reference.h"
#include "target/vdla/simulator.h"

/* Evaluating more than so many operations takes longer than a compiler does: 50 ns each for its half second. */
#define EVALUATED_FLOP 1e7

/* Proposing takes longer than counting: rounds of 64 do half as many trials again in a second as of 16, and find kernels within 1%
 * of theirs after 500 trials (ten convolutions, two seeds). */
enum { BATCH = 64 };

/* What is known of a task: its references, once something was to be verified, and the best time. */
struct judged {
	char key[HASH_TEXT];
	struct reference *reference;
	double best_us;
};

struct simulated {
	struct measurer m;	/* first */
	const struct device *device;
	struct vdla_machine machine;
	uint64_t seed;
	struct arena *arena;
	struct arena *scratch;	/* of one job: its memory serves all */
	struct build_pool *builder;	/* of references; NULL: not asked yet */
	struct judged_vec VEC(struct judged) judged;
	struct answered_vec answered;
};

static struct judged *judged_of(struct simulated *s, const struct task *t)
{
	struct judged fresh = { .best_us = INFINITY };

	for (int i = 0; i < s->judged.n; i++)
		if (strcmp(s->judged.at[i].key, t->key) == 0)
			return &s->judged.at[i];
	memcpy(fresh.key, t->key, sizeof(fresh.key));
	vec_push(s->arena, &s->judged, fresh);
	return &s->judged.at[s->judged.n - 1];
}

static int find_reference(struct simulated *s, const struct task *t, struct judged *j)
{
	bool compiled = t->flop > EVALUATED_FLOP;

	if (j->reference)
		return 0;
	if (compiled && !s->builder && !(s->builder = build_pool_new(&(struct build_pool_options){ .jobs = 1 })))
		return -1;
	j->reference = reference_new(s->arena, t->dag, s->seed, compiled ? s->builder : NULL);
	return j->reference ? 0 : -1;
}

/* --- with data */

/* Runs B on the inputs of SET; what is wrong with it, in A, NULL where nothing is. */
static const char *run_with(struct arena *a, const struct program *p, const struct vdla_binary *b,
			    const struct reference *r, enum input_set set)
{
	void **args = reference_args(a, r, set);
	uint8_t *memory = vdla_memory_new(b);
	struct vdla_cycles cycles;
	const char *wrong = NULL;

	for (int i = 0; i < b->tensors.n; i++) {
		const struct vdla_tensor *t = &b->tensors.at[i];
		const struct pack *pack = program_pack(p, i);

		if (pack)
			pack_run(pack, args[i], memory + t->address * VDLA_UNIT_BYTES);
		else if (t->role != VDLA_OUTPUT)
			memcpy(memory + t->address * VDLA_UNIT_BYTES, args[i], (size_t)t->bytes);
	}
	if (vdla_simulate(b, memory, &cycles, NULL) < 0)
		wrong = arena_strdup(a, err_get());
	for (int i = 0; i < b->tensors.n; i++)
		if (b->tensors.at[i].role == VDLA_OUTPUT)
			memcpy(args[i], memory + b->tensors.at[i].address * VDLA_UNIT_BYTES, (size_t)b->tensors.at[i].bytes);
	free(memory);
	return wrong ? wrong : reference_check(a, r, set, args);
}

static int verify(struct simulated *s, struct arena *a, const struct task *task, struct judged *j, const struct program *p,
		  const struct vdla_binary *b, struct trial *t, struct phases *spent)
{
	int64_t began = clock_ns();

	if (find_reference(s, task, j) < 0)
		return -1;
	for (int set = 0; set < INPUT_SETS && t->status == TRIAL_OK; set++) {
		t->text = run_with(a, p, b, j->reference, set);
		t->status = t->text ? TRIAL_WRONG : TRIAL_OK;
	}
	t->verify_ms = (double)(clock_ns() - began) * 1e-6;
	spent->verify += t->verify_ms * 1e-3;
	return 0;
}

/* --- answers */

static struct vdla_binary *build(struct simulated *s, struct arena *a, const struct job *job, struct program **p,
				 struct trial *t)
{
	const char *why = NULL;
	struct vdla_binary *b = NULL;

	*p = program_parse(a, "nest", job->source);
	if (*p) {
		(*p)->target = s->device->target;
		b = vdla_generate(a, *p, &s->machine, &why);
	}
	if (!b) {
		t->status = TRIAL_BUILD_ERROR;
		t->text = arena_strdup(a, why ? why : err_get());
	}
	return b;
}

static void time_it(struct simulated *s, struct arena *a, const struct vdla_binary *b, struct trial *t)
{
	struct vdla_cycles cycles;
	double *sample = arena_one(a, double);

	if (vdla_simulate(b, NULL, &cycles, NULL) < 0) {
		t->status = TRIAL_CRASH;
		t->text = arena_strdup(a, err_get());
		return;
	}
	t->time_us = *sample = (double)cycles.total / s->machine.clock_mhz;
	t->status = TRIAL_OK;
	t->samples = sample;
	t->n_samples = 1;
	t->counted = "1";
}

static int answer(struct simulated *s, struct arena *a, const struct job_batch *batch, int i, struct trial *t,
		  struct phases *spent)
{
	struct judged *j = judged_of(s, batch->task);
	struct program *p;
	int64_t began = clock_ns();
	struct vdla_binary *b = build(s, a, &batch->jobs[i], &p, t);
	int64_t built = clock_ns();

	t->build_ms = (double)(built - began) * 1e-6;
	spent->build += t->build_ms * 1e-3;
	if (b)
		time_it(s, a, b, t);
	t->run_ms = (double)(clock_ns() - built) * 1e-6;
	spent->run += t->run_ms * 1e-3;
	if (t->status != TRIAL_OK || (!batch->again && t->time_us >= j->best_us))
		return 0;
	if (verify(s, a, batch->task, j, p, b, t, spent) < 0)
		return -1;
	if (t->status == TRIAL_OK)
		j->best_us = fmin(j->best_us, t->time_us);
	return 0;
}

static int submit(struct measurer *m, const struct job_batch *batch)
{
	struct simulated *s = (struct simulated *)m;
	struct answered done = answered_new(batch->n);

	for (int i = 0; i < batch->n && done.rc == 0; i++) {
		done.rc = answer(s, s->scratch, batch, i, &done.trials[i], &done.spent);
		done.trials[i] = trial_result(done.arena, &done.trials[i]);
		if (done.rc != 0)
			done.why = arena_strdup(done.arena, err_get());
		arena_reset(s->scratch);
	}
	vec_push(s->arena, &s->answered, done);
	return 0;
}

static int collect(struct measurer *m, struct arena *a, struct trial *results)
{
	struct simulated *s = (struct simulated *)m;
	struct phases spent;
	int rc = answered_collect(&s->answered, a, results, &spent);

	s->m.spent.build += spent.build;	/* whoever collects takes the time by then */
	s->m.spent.run += spent.run;
	s->m.spent.verify += spent.verify;
	return rc;
}

static void release(struct measurer *m)
{
	struct simulated *s = (struct simulated *)m;

	answered_drop(&s->answered);
	if (s->builder)
		build_pool_free(s->builder);
	arena_free(s->scratch);
	arena_free(s->arena);
	free(s);
}

struct measurer *measurer_simulated(const struct device *device, uint64_t seed)
{
	struct simulated *s = calloc(1, sizeof(*s));

	if (!s)
		die("out of memory for a simulated device");
	*s = (struct simulated){
		.m = { .toolchain = "hone simulator 1" TARGET_MARK "vdla", .batch = BATCH, .confirms = true, .submit = submit,
		       .collect = collect, .free = release },
		.device = device,
		.seed = seed,
		.arena = arena_new(),
		.scratch = arena_new(),
	};
	if (device_machine(device, &s->machine) < 0) {
		release(&s->m);
		return NULL;
	}
	return &s->m;
}
