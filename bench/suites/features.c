/* SPDX-License-Identifier: Apache-2.0 */
/* bench/suites/features.c - how fast candidates are made: sampled, lowered, described to a model.
 *
 * What is timed is CPU time of this thread, for a device that is given and not probed: the same
 * seed makes the same candidates, and the same checksum of their features, on all machines. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/err.h"
#include "bench/suite.h"
#include "codegen/emit.h"
#include "costmodel/features/features.h"
#include "tools/args/query.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/source.h"

static const char *const usual[] = {
	"matmul:m=512,n=512,k=512",
	"dense:m=32,n=1000,k=512,act=gelu",
	"conv2d:ic=64,h=56,w=56,oc=64,k=3,p=1,layout=nhwc",
	"conv2d:ic=64,h=56,w=56,oc=64,k=3,p=1,layout=nchw16c",
	"conv2d:ic=128,h=28,w=28,oc=128,k=3,p=1,g=4,bias=1,act=relu,layout=nchw16c",
	"conv2d:ic=256,h=56,w=56,oc=64,k=1,layout=nchw16c",
	"depthwise:c=96,h=112,w=112,k=3,s=2,p=1,layout=nchw16c",
	"conv3d:ic=16,d=8,h=28,w=28,oc=32,k=3,p=1,layout=nchw16c",
	"conv2d_transpose:ic=64,h=28,w=28,oc=32,k=4,s=2,p=1",
	"capsule_conv2d:h=16,w=16,ic=32,oc=32,k=3,s=2,p=1",
	"max_pool:c=64,h=112,w=112,k=3,s=2,p=1,layout=nchw16c",
	"softmax:m=512,n=1024",
	"layer_norm:m=512,n=1024",
	"matrix_norm:b=16,m=256,n=256",
	"hard_swish:n=64x56x56",
};

/* A core with AVX-512; bandwidths and peak as docs/performance.md has them. */
static const struct aim avx512 = {
	.target = &target_x86_64_avx512,
	.threads = 1,
	.l1_bytes = 48 << 10,
	.l2_bytes = 2 << 20,
	.l3_bytes = 8 << 20,
	.peak = 216,
	.l2_gbs = 166,
	.l3_gbs = 30,
	.mem_gbs = 15,
};

enum { SAMPLES = 1000, MAX_SOURCES = 64, MAX_REASONS = 16 };

struct features_args {
	const char *sources[MAX_SOURCES];
	int n_sources;
	int samples;
	long long seed;
	int threads;
	bool exact;
	bool json;
};

static const char doc[] =
	"Measures how long it takes to make a candidate: to sample and lower it, to extract its "
	"features, to write it as C. Times are microseconds of CPU time, median and 90th "
	"percentile; of candidates that are refused, those before the refusal count. What a "
	"candidate that can be ranked costs, refused ones included, is in column each.\v"
	"Example:\n  hone bench --suite features matmul:m=512,n=512,k=512 --samples 5000\n";

enum { KEY_SAMPLES = 256, KEY_SEED, KEY_EXACT };

static const struct argp_option options[] = {
	{ "samples", KEY_SAMPLES, "N", 0, "for each task (default 1000)", 0 },
	{ "seed", KEY_SEED, "N", 0, "of the random numbers (default 1)", 0 },
	{ "threads", 't', "N", 0, "that the kernels would use (default 1)", 0 },
	{ "exact", KEY_EXACT, NULL, 0, "no kernels that derive another algorithm: these have more stages, and take "
	  "longer", 0 },
	{ "json", 'j', NULL, 0, "JSON instead of a table", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct features_args *args = state->input;

	switch (key) {
	case KEY_SAMPLES:
		args->samples = argp_int(state, "--samples", arg, 1, 1 << 20);
		return 0;
	case KEY_SEED:
		args->seed = argp_number(state, "--seed", arg, 0);
		return 0;
	case 't':
		args->threads = argp_int(state, "--threads", arg, 1, DEVICE_MAX_THREADS);
		return 0;
	case KEY_EXACT:
		args->exact = true;
		return 0;
	case 'j':
		args->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->n_sources == MAX_SOURCES)
			argp_error(state, "more than %d sources", MAX_SOURCES);
		args->sources[args->n_sources++] = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &suite_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = { options, parse, "[SOURCE...]", doc, children, NULL, NULL };

enum phase { SAMPLE, LOWER, FEATURES, BOTH, EMIT, PHASES };

static const char *const phase_name[] = { "sample", "lower", "features", "both", "emit" };

struct times {
	double *us;
	int n;
};

struct reason {
	const char *why;
	int n;
};

/* What became of the samples of one task. */
struct phase_tally {
	const struct task *task;
	struct times phase[PHASES];	/* BOTH: lowering and features of one candidate */
	int samples, refused;
	double spent;			/* us, all that comes before emission */
	struct reason reason[MAX_REASONS];
	int n_reasons;
	struct hasher *checksum;	/* of all features, in order */
};

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* Notes the time since START; returns it. */
static double note(struct phase_tally *t, enum phase phase, double start)
{
	double us = now_us() - start;

	t->phase[phase].us[t->phase[phase].n++] = us;
	t->spent += phase == EMIT ? 0 : us;
	return us;
}

static void refuse(struct phase_tally *t, const char *why)
{
	int i = 0;

	t->refused++;
	while (i < t->n_reasons && strcmp(t->reason[i].why, why) != 0)
		i++;
	if (i == MAX_REASONS)
		return;
	t->reason[i].why = why;
	t->reason[i].n++;
	t->n_reasons += i == t->n_reasons;
}

/* NULL, or why the candidate is refused. */
static const char *try_one(struct arena *a, struct phase_tally *t, const struct sketch *sketch,
			   const struct aim *aim, struct rng *rng)
{
	struct feature_matrix m;
	struct text text = { 0 };
	const char *why = NULL;
	double start = now_us();
	struct state *s = sample(a, t->task->dag, sketch, aim, rng, NULL, NULL);

	note(t, SAMPLE, start);
	if (!s)
		return "sampled decisions do not fit together";
	start = now_us();
	struct program *p = lower(a, s, aim->target, &why);
	double lowered = note(t, LOWER, start);

	if (!p)
		return why;
	start = now_us();
	if (!features_of(a, p, aim, &m))
		return "the nest is too deep for features";
	double both = lowered + note(t, FEATURES, start);

	t->phase[BOTH].us[t->phase[BOTH].n++] = both;
	hasher_bytes(t->checksum, m.rows, (size_t)m.n_rows * FEATURE_COUNT * sizeof(float));
	start = now_us();
	bool written = emit_c(&text, p, "hone_kernel", &why);

	note(t, EMIT, start);
	text_free(&text);
	return written ? NULL : why;
}

static void try_all(struct arena *a, struct phase_tally *t, const struct features_args *args)
{
	struct aim aim = avx512;

	aim.threads = args->threads;
	aim.exact = args->exact;
	struct sketch_vec sketches = sketches_of(a, t->task->dag, &aim);
	struct rng rng = rng_seed((uint64_t)args->seed);
	struct arena *scratch = arena_new();

	for (int i = 0; i < args->samples; i++) {
		const struct sketch *sketch = sketches.at[rng_below(&rng, sketches.n)];
		const char *why = try_one(scratch, t, sketch, &aim, &rng);

		t->samples++;
		if (why)
			refuse(t, why);
		arena_reset(scratch);
	}
	arena_free(scratch);
}

/* --- output */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quantile(const struct times *t, double q)
{
	return t->n ? t->us[(int)(q * (t->n - 1))] : 0;
}

/* Time of a candidate with features, refused ones included. */
static double each_us(const struct phase_tally *t)
{
	return t->phase[FEATURES].n ? t->spent / t->phase[FEATURES].n : 0;
}

static void print_head(void)
{
	printf("us of CPU time, median and 90th percentile; both: lowering and features\n");
	for (int i = 0; i < PHASES; i++)
		printf("%15s", phase_name[i]);
	printf("    each  refused  task\n");
}

static void print_row(const struct phase_tally *t)
{
	for (int i = 0; i < PHASES; i++)
		printf("%8.1f%7.1f", quantile(&t->phase[i], 0.5), quantile(&t->phase[i], 0.9));
	printf("%8.1f%8.1f%%  %s\n", each_us(t), 100.0 * t->refused / t->samples, t->task->name);
	for (int i = 0; i < t->n_reasons; i++)
		printf("%91.1f%%    %s\n", 100.0 * t->reason[i].n / t->samples,
		       t->reason[i].why);
	fflush(stdout);		/* a row takes a second */
}

static json_t *row_json(const struct phase_tally *t, const char *checksum)
{
	json_t *times = json_object(), *reasons = json_object();

	for (int i = 0; i < PHASES; i++)
		json_object_set_new(times, phase_name[i],
				    json_pack("{s:f, s:f, s:i}", "median_us",
					      quantile(&t->phase[i], 0.5), "p90_us",
					      quantile(&t->phase[i], 0.9), "n", t->phase[i].n));
	for (int i = 0; i < t->n_reasons; i++)
		json_object_set_new(reasons, t->reason[i].why, json_integer(t->reason[i].n));
	return json_pack("{s:s, s:s, s:i, s:i, s:f, s:o, s:o, s:s}", "task", t->task->key, "name",
			 t->task->name, "samples", t->samples, "refused", t->refused, "each_us",
			 each_us(t), "reasons",
			 reasons, "times", times, "checksum", checksum);
}

static void bench_task(struct arena *a, const struct features_args *args, const struct task *task,
		       json_t *rows)
{
	struct phase_tally t = { .task = task, .checksum = hasher_new() };
	char checksum[HASH_TEXT];

	for (int i = 0; i < PHASES; i++)
		t.phase[i].us = arena_many(a, double, args->samples);
	try_all(a, &t, args);
	for (int i = 0; i < PHASES; i++)
		qsort(t.phase[i].us, (size_t)t.phase[i].n, sizeof(double), by_value);
	hash_text(hasher_end(t.checksum), checksum);
	if (!args->json)
		print_row(&t);
	json_array_append_new(rows, row_json(&t, checksum));
}

static int bench_all(struct arena *a, const struct features_args *args)
{
	struct task_vec tasks = { 0 };

	for (int i = 0; i < args->n_sources; i++)
		if (source_tasks(a, args->sources[i], NULL, &tasks) < 0)
			return -1;
	json_t *rows = json_array();

	if (!args->json)
		print_head();
	for (int i = 0; i < tasks.n; i++)
		bench_task(a, args, tasks.at[i], rows);
	if (args->json)
		json_print(rows);
	else
		json_decref(rows);
	return 0;
}

static int run(int argc, char **argv)
{
	struct features_args args = { .samples = SAMPLES, .seed = 1, .threads = 1 };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	for (size_t i = 0; args.n_sources == 0 && i < sizeof(usual) / sizeof(*usual); i++)
		args.sources[i] = usual[i];
	if (args.n_sources == 0)
		args.n_sources = sizeof(usual) / sizeof(*usual);
	struct arena *a = arena_new();
	int rc = bench_all(a, &args) < 0 ? command_failed() : EXIT_OK;

	arena_free(a);
	return rc;
}

const struct command suite_features = {
	.name = "features",
	.summary = "how long a candidate takes to be sampled, lowered and described to a model",
	.argp = &argp,
	.run = run,
};
