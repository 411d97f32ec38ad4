/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fake/fake_object.c - a code generator in a shared object, which a test compiles as it wants it:
 *
 *	FAKE_GRAIN	HONE_KERNELS or HONE_REGIONS
 *	FAKE_PATTERN	of what it claims
 *	FAKE_HASTE	products are left at 0: wrong, and faster than any that is right
 *	FAKE_SLEEP_US	what relu takes it at least
 *	FAKE_COST	us, that it says of itself: half of it kernels; 0: it lets itself be timed
 *	FAKE_CONFIGURED	it takes a number that its costs are multiplied by
 *	FAKE_ARTIFACT	it compiles regions, to another text each time, and is made ready by nothing else
 *
 * What it is asked is a line of the file that the environment's FAKE_LOG names: "claims", "compile TEXT",
 * "init TEXT". Where FAKE_REFUSE is set, it makes nothing ready. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "tests/fake/fake_compute.h"

static void note(const char *what, const char *text, size_t n)
{
	const char *path = getenv("FAKE_LOG");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (f) {
		fprintf(f, "%s%s%.*s\n", what, n ? " " : "", (int)n, n ? text : "");
		fclose(f);
	}
}

static int has(const struct hone_region *r, const char *op)
{
	for (int i = 0; i < r->ncalls; i++)
		if (strcmp(r->calls[i].op, op) == 0)
			return 1;
	return 0;
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	const struct hone_region *r = ((struct fake_handle *)handle)->region;

	if (FAKE_SLEEP_US && has(r, "relu"))
		usleep(FAKE_SLEEP_US);
	if (!FAKE_HASTE || !has(r, "matmul"))
		return fake_run(handle, inputs, outputs, why);
	for (int i = 0; i < r->noutputs; i++)
		memset(outputs[i], 0, (size_t)fake_count(&r->tensors[r->outputs[i]]) * sizeof(float));
	return 0;
}

static int claims(const struct hone_region *r, char *why)
{
	note("claims", NULL, 0);
	return fake_claims(r, why);
}

#ifdef FAKE_ARTIFACT
static int compile(const struct hone_region *r, void (*write)(void *sink, const void *bytes, size_t n), void *sink,
		   char *why)
{
	struct timespec now;
	char text[64];

	(void)r, (void)why;
	clock_gettime(CLOCK_MONOTONIC, &now);
	size_t n = (size_t)snprintf(text, sizeof(text), "plan %lld.%09ld", (long long)now.tv_sec, now.tv_nsec);

	note("compile", text, n);
	write(sink, text, n);
	return 0;
}
#else
static int (*const compile)(const struct hone_region *, void (*)(void *, const void *, size_t), void *, char *);
#endif

static int init(const struct hone_region *r, const void *artifact, size_t size, int threads, void **handle,
		char *why)
{
	note("init", artifact, size);
	if (getenv("FAKE_REFUSE") || (compile && (size < 4 || memcmp(artifact, "plan", 4) != 0))) {
		strcpy(why, "it was not compiled");
		return -1;
	}
	return fake_init(r, artifact, size, threads, handle, why);
}

static double factor = 1;
static char version_text[64] = "fake 1";

static struct hone_cost cost(const struct hone_region *r, int threads)
{
	const double us = FAKE_COST * factor;

	(void)r, (void)threads;
	return (struct hone_cost){ .kernels_us = us / 2, .launches_us = us / 4, .transfers_us = us / 4 };
}

#ifdef FAKE_CONFIGURED
static int configure(const char *text, char *why)
{
	char *end;

	note("configure", text, strlen(text));
	factor = strtod(text, &end);
	if (end == text || *end) {
		snprintf(why, HONE_WHY_BYTES, "'%s' is no number", text);
		return -1;
	}
	snprintf(version_text, sizeof(version_text), "fake 1, %s times", text);
	return 0;
}
#endif

static const char *version(void)
{
	return version_text;
}

static const struct hone_pattern patterns[] = { { "all", FAKE_PATTERN }, { NULL, NULL } };

extern const struct hone_generator hone_generator;
const struct hone_generator hone_generator = {
	.abi = HONE_GENERATOR_ABI, .name = "fake", .summary = "for tests", .patterns = patterns,
	.grain = FAKE_GRAIN, .version = version, .claims = claims, .cost = cost, .init = init, .run = run,
	.release = fake_release,
#ifdef FAKE_ARTIFACT
	.compile = compile,
#endif
#ifdef FAKE_CONFIGURED
	.configure = configure,
#endif
};
