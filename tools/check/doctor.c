/* SPDX-License-Identifier: Apache-2.0 */
/* tools/check/doctor.c - `hone doctor`: the machine, how fast and how quiet it is, and what is missing.
 */
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "measure/build/compiler.h"
#include "measure/runner/counters.h"
#include "measure/device/beside.h"
#include "measure/device/device.h"
#include "measure/device/noise.h"
#include "measure/runner/sandbox.h"
#include "tools/command.h"
#include "tools/json.h"
#include "tools/args/targets.h"

enum { OPT_FRESH = 256, OPT_SECONDS, OPT_JSON };

static const char *const compiler_commands[] = {"cc", "gcc", "clang"};

enum { N_COMPILERS = sizeof(compiler_commands) / sizeof(compiler_commands[0]) };

struct doctor {
	bool json, fresh;
	double seconds;
};

/* All that is printed. */
struct report {
	const struct device *device;
	struct compiler compilers[N_COMPILERS];
	struct counters *counters; /* NULL until they were tried */
	struct noise noise;
	struct sandbox sandbox;
	enum fitness verdict;
	const char *reason;
};

static const struct argp_option options[] = {
	{"json", OPT_JSON, NULL, 0, "Print JSON", 0},
	{"fresh", OPT_FRESH, NULL, 0, "Probe again, even where figures of this device are kept", 0},
	{"seconds", OPT_SECONDS, "N", 0, "Watch the noise for N seconds (default 3)", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct doctor *o = state->input;
	char *end;

	switch (key) {
	case OPT_JSON:
		o->json = true;
		return 0;
	case OPT_FRESH:
		o->fresh = true;
		return 0;
	case OPT_SECONDS:
		o->seconds = strtod(arg, &end);
		/* written so that NaN fails too */
		if (*end || end == arg || !(o->seconds > 0 && o->seconds <= 60))
			argp_error(state, "--seconds '%s': a number above 0, at most 60", arg);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s': doctor takes no argument", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Describes this machine as hone measures it: processor, peak rate, bandwidths, caches, "
	       "compilers and noise. Exits with 4 where it is unfit for measuring.\v"
	       "Example:\n  hone doctor --fresh --seconds 10",
};

static void judge(struct arena *a, struct report *r)
{
	int working = 0;

	for (int i = 0; i < N_COMPILERS; i++)
		working += r->compilers[i].works;
	r->verdict = noise_judge(a, &r->noise, &r->reason);
	if (working == 0) {
		r->verdict = FITNESS_UNFIT;
		r->reason = "no C compiler works here; apt-get install gcc";
	}
}

static int examine(struct arena *a, const struct doctor *o, struct report *r)
{
	struct device *d = device_describe(a, NULL);

	if (!d || device_load_or_probe(d, o->fresh) < 0)
		return -1;
	if (o->fresh)
		beside_forget();
	r->device = d;
	for (int i = 0; i < N_COMPILERS; i++) {
		if (compiler_check(a, compiler_commands[i], &r->compilers[i]) < 0)
			return -1;
	}
	r->sandbox = sandbox_try();
	r->counters = counters_new();
	noise_measure(o->seconds, &r->noise);
	judge(a, r);
	return 0;
}

/* BYTES as people write cache sizes; BUF as storage. */
static const char *size_text(int64_t bytes, char *buf, size_t n)
{
	if (bytes <= 0)
		snprintf(buf, n, "-");
	else if (bytes < 1 << 20)
		snprintf(buf, n, "%.4g KiB", (double)bytes / (1 << 10));
	else
		snprintf(buf, n, "%.4g MiB", (double)bytes / (1 << 20));
	return buf;
}

static void print_device(const struct device *d)
{
	printf("device       %s\n", d->name);
	printf("fingerprint  %s\n", d->fingerprint);
	printf("topology     %d package%s, %d core%s, %d thread%s a core; usable here: %d core%s",
	       d->packages, d->packages == 1 ? "" : "s", d->cores, d->cores == 1 ? "" : "s",
	       d->pus / d->cores, d->pus == d->cores ? "" : "s", d->threads,
	       d->threads == 1 ? "" : "s");
	if (d->quota > 0)
		printf(" (the cgroup grants %.3g CPUs)", d->quota);
	printf("\nvectors      %s: %d bytes, %d registers; %s\n", d->own->isa, d->own->vector_bytes,
	       d->own->vector_registers, d->flags);
}

static void print_rate(const char *name, struct device_rate r, const char *unit, int threads)
{
	if (r.one <= 0)
		return;
	printf("%-12s %8.1f %s with 1 thread", name, r.one, unit);
	if (threads > 1)
		printf(", %.1f with %d", r.all, threads);
	putchar('\n');
}

/* The best tile with each number of vectors. */
static void print_rates(const struct register_kernels *k, enum register_kind kind)
{
	const char *between = "";

	printf("tiles        %s:", register_products(kind)->name);
	for (int v = 1; v <= REGISTER_VECTORS; v++) {
		int best = 0;

		for (int r = 1; r < REGISTER_ROWS; r++)
			best = k->gops[kind][r][v - 1] > k->gops[kind][best][v - 1] ? r : best;
		if (k->gops[kind][best][v - 1] <= 0)
			continue;
		printf("%s %dx%d %.1f", between, best + 1, v, (double)k->gops[kind][best][v - 1]);
		between = ",";
	}
	puts(" Gop/s (rows x vectors in registers)");
}

static void print_kernels(const struct device *d)
{
	const struct register_kernels *k = &d->measured.kernels[target_number(d->target)];

	if (k->spread <= 0)
		return;
	for (int kind = 0; kind < REGISTER_KIND_COUNT; kind++)
		if (register_best(k, kind) > 0)
			print_rates(k, kind);
	if (k->spread > NOISE_NOISY_SPREAD)
		printf("tiles        timed on a busy machine (median over least: %.2f); hone doctor --fresh times them anew\n",
		       k->spread);
}

static void print_measured(const struct device *d)
{
	const struct device_measured *m = &d->measured;

	targets_print(d);
	if (m->chain_ns > 0)
		printf("clock        times are given at that of the peak of its own: the fixed kernel, a record's fixed_ns, takes %.0f ns at it\n",
		       1e3 * d->fixed_us);
	print_kernels(d);
	print_rate("read L1", m->l1, "GB/s", m->threads);
	print_rate("read L2", m->l2, "GB/s", m->threads);
	if (m->l3.one > 0)
		print_rate("read L3", m->l3, "GB/s", m->threads);
	print_rate("read memory", m->mem, "GB/s", m->threads);
	for (int i = 0; i < DEVICE_CACHES; i++) {
		const struct device_cache *c = &d->caches[i];
		char claimed[32], probed[32];

		printf("cache L%d%s    probed %s, hwloc claims %s\n", i + 1, i ? " " : "d",
		       size_text(c->probed, probed, sizeof(probed)),
		       size_text(c->claimed, claimed, sizeof(claimed)));
	}
}

static void print_compilers(const struct report *r)
{
	for (int i = 0; i < N_COMPILERS; i++) {
		const struct compiler *c = &r->compilers[i];

		printf("%-12s ", c->command);
		if (!c->version) {
			puts("not found");
			continue;
		}
		printf("%s; ", c->version);
		if (!c->works)
			printf("does not work: %s\n", c->why);
		else if (!c->openmp)
			printf("no OpenMP: %s\n", c->why);
		else
			printf("OpenMP %d\n", c->openmp_version);
	}
}

/* Reasons are often the same for all of them: each is printed once, after its events. */
static void print_counters(const struct counters *c)
{
	int n = counters_absent(c);

	printf("counters    ");
	for (int i = 0; i < counters_present(c); i++)
		printf(" %s", counters_name(c, i));
	puts(counters_present(c) ? "" : " none");
	for (int i = 0; i < n; i++) {
		const char *reason = counters_absent_reason(c, i);

		if (i == 0 || strcmp(reason, counters_absent_reason(c, i - 1)) != 0)
			printf("%s  absent    ", i ? "\n" : "");
		printf(" %s", counters_absent_name(c, i));
		if (i == n - 1 || strcmp(reason, counters_absent_reason(c, i + 1)) != 0)
			printf(": %s", reason);
	}
	if (n)
		putchar('\n');
}

static void print_noise(const struct noise *n)
{
	printf("noise        %d runs of a fixed kernel in %.3g s: median %.1f us, p10 %.1f, p90 %.1f, "
	       "max/min %.2f\n",
	       n->samples, n->seconds, n->median, n->p10, n->p90, n->max / n->min);
	printf("beside       somebody else computes on the core's second hardware thread in %.0f%% of these\n", 100 * n->beside);
	printf("kernel       steal %.1f%%, CPUs busy %.0f%%, preempted %lld times, load %.2f",
	       100 * n->steal, 100 * n->busy, (long long)n->preempted, n->load);
	if (n->has_pressure)
		printf(", CPU pressure %.0f%%\n", 100 * n->pressure);
	else
		puts(", no CPU pressure figures (kernel without PSI)");
}

/* What kernels under test are kept from. */
static void print_sandbox(const struct sandbox *s)
{
	printf("sandbox      ");
	if (s->filter)
		printf("seccomp: no network, no programs, no writing, no signals");
	else
		printf("no seccomp here: kernels may do what you may");
	if (s->landlock)
		printf("; Landlock %d\n", s->landlock);
	else
		puts("; no Landlock in this kernel");
}

static json_t *sandbox_json(const struct sandbox *s)
{
	return json_pack("{s:b, s:i}", "seccomp", s->filter, "landlock", s->landlock);
}

static void print_report(const struct report *r)
{
	print_device(r->device);
	print_measured(r->device);
	print_compilers(r);
	print_counters(r->counters);
	print_sandbox(&r->sandbox);
	print_noise(&r->noise);
	printf("verdict      %s: %s\n", fitness_name(r->verdict), r->reason);
}

/* A compiler's own text may be anything; JSON is UTF-8. */
static json_t *text_json(const char *text)
{
	json_t *s = text ? json_string(text) : json_null();

	return s ? s : json_string("(not UTF-8)");
}

static json_t *compilers_json(const struct report *r)
{
	json_t *list = json_array();

	for (int i = 0; i < N_COMPILERS; i++) {
		const struct compiler *c = &r->compilers[i];

		json_array_append_new(list, json_pack("{s:s, s:o, s:b, s:b, s:i, s:o}", "command",
						      c->command, "version", text_json(c->version),
						      "works", c->works, "openmp", c->openmp,
						      "openmp_version", c->openmp_version, "why",
						      text_json(c->why)));
	}
	return list;
}

static json_t *counters_json(const struct counters *c)
{
	json_t *present = json_array(), *absent = json_array();

	for (int i = 0; i < counters_present(c); i++)
		json_array_append_new(present, text_json(counters_name(c, i)));
	for (int i = 0; i < counters_absent(c); i++)
		json_array_append_new(absent,
				      json_pack("{s:o, s:o}", "event",
						text_json(counters_absent_name(c, i)), "reason",
						text_json(counters_absent_reason(c, i))));
	return json_pack("{s:o, s:o}", "present", present, "absent", absent);
}

static json_t *noise_json(const struct noise *n)
{
	return json_pack("{s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:f, s:f, s:f, s:o, s:f}", "samples",
			 n->samples, "seconds", n->seconds, "median_us", n->median, "p10_us",
			 n->p10, "p90_us", n->p90, "min_us", n->min, "max_us", n->max, "preempted",
			 (json_int_t)n->preempted, "beside", n->beside, "steal", n->steal, "busy", n->busy, "pressure",
			 n->has_pressure ? json_real(n->pressure) : json_null(), "load", n->load);
}

static void print_all(const struct report *r)
{
	json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s}", "device", device_json(r->device),
			      "targets", targets_json(),
			      "compilers", compilers_json(r), "counters",
			      counters_json(r->counters), "sandbox",
			      sandbox_json(&r->sandbox), "noise", noise_json(&r->noise), "verdict",
			      fitness_name(r->verdict), "reason", r->reason);

	if (!o)
		die("JSON: out of memory");
	json_print(o);
}

static int run(int argc, char **argv)
{
	struct doctor o = {.seconds = 3};
	struct report r = {0};
	int rc = EXIT_OK;

	argp_parse(&argp, argc, argv, 0, NULL, &o);

	struct arena *a = arena_new();

	if (examine(a, &o, &r) < 0) {
		rc = command_failed();
	} else {
		if (o.json)
			print_all(&r);
		else
			print_report(&r);
		rc = r.verdict == FITNESS_UNFIT ? EXIT_UNFIT : EXIT_OK;
	}
	counters_free(r.counters);
	arena_free(a);
	return rc;
}

const struct command command_doctor = {
	.name = "doctor",
	.summary = "this machine: peak rates, caches, compilers, noise",
	.argp = &argp,
	.exits = (const struct command_exit[]){
		{ EXIT_UNFIT, "The machine is unfit for measuring; the verdict says why." },
		{ 0 },
	},
	.run = run,
};
