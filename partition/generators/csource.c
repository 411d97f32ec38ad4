/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/csource.c - regions as C source that calls kernels of the user's.
 *
 * In:   the shared object that HONE_CSOURCE_KERNELS names (include/hone_kernels.h).
 * Out:  an artifact that is a C file of its own: a call of a kernel for each core operator, with its
 *       shapes and attributes as constants. Constants of the region are given to it, not written out.
 * Holds: what init compiles is the artifact; of its temporary folder nothing is left, however it ends. */
#include "include/hone_generator.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"
#include "base/workdir.h"
#include "measure/pool.h"
#include "partition/generators/csource/emit.h"

#define KERNELS "HONE_CSOURCE_KERNELS"

/* The source has calls alone: a compiler takes a second for some thousand of them. */
enum { COMPILE_SECONDS = 120 };
#define COMPILE_MEMORY ((size_t)4 << 30)

typedef int region_run(const void *const *inputs, void *const *outputs, const void *const *constants,
		       void *scratch, int threads);

struct csource {
	void *kernels, *object;
	region_run *run;
	const char *const *calls;	/* names of kernels, in the source's order */
	const void **constants;
	void *scratch;
	int threads;
};

static int refuse(char *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static int refuse(char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, HONE_WHY_BYTES, fmt, ap);
	va_end(ap);
	return -1;
}

/* --- the user's kernels */

/* The library's whole path in PATH; -1: there is none. */
static int kernels_path(char path[PATH_MAX], char *why)
{
	const char *name = getenv(KERNELS);

	if (!name || !*name)
		return refuse(why, KERNELS " names no library of kernels: set it to the path "
				   "of a shared object");
	return realpath(name, path) ? 0 : refuse(why, KERNELS ": there is no file %s", name);
}

/* The library, which stays loaded as long as the process: claims are asked often. */
static void *kernels_open(char *why)
{
	char path[PATH_MAX];

	if (kernels_path(path, why) < 0)
		return NULL;
	void *kernels = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!kernels)
		refuse(why, KERNELS ": %s", dlerror());
	return kernels;
}

static int claims(const struct hone_region *region, char *why)
{
	void *kernels = kernels_open(why);

	if (!kernels)
		return -1;
	hone_kernels_refuse *refuses = (hone_kernels_refuse *)dlsym(kernels, "kernels_refuse");
	struct arena *a = arena_new();
	int rc = 0;

	for (int i = 0; i < region->ncalls && rc == 0; i++) {
		const struct hone_kernel_call *c = emit_call(a, region, &region->calls[i]);

		if (!c)
			rc = refuse(why, "elements of a type that generators do not know");
		else if (!dlsym(kernels, arena_printf(a, "kernel_%s", c->name)))
			rc = refuse(why, "the user's kernels have no %s", c->name);
		const char *no = rc == 0 && refuses ? refuses(c) : NULL;

		if (no)
			rc = refuse(why, "%s", no);
	}
	arena_free(a);
	dlclose(kernels);
	return rc;
}

/* --- the source */

static int compile(const struct hone_region *region,
		   void (*write)(void *sink, const void *bytes, size_t n), void *sink, char *why)
{
	struct text out = { 0 };

	(void)why;
	emit_region(&out, region);
	write(sink, text_str(&out), out.n);
	text_free(&out);
	return 0;
}

/* The compiler's command line: $CC, which may have options, then ours. */
static const char *const *command(struct arena *a, const char *source, const char *object,
				  const char *kernels)
{
	const char *cc = getenv("CC");
	struct argument_vec VEC(const char *) argv = { 0 };
	char *rest = arena_strdup(a, cc && *cc ? cc : "cc");

	for (char *word; (word = strtok_r(rest, " \t", &rest));)
		vec_push(a, &argv, word);
	const char *ours[] = { "-std=c11", "-O2", "-fPIC", "-shared", "-o", object, source, kernels, NULL };

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		vec_push(a, &argv, ours[i]);
	return argv.at;
}

/* Compiles SOURCE in FOLDER to OBJECT; -1 and a reason with the compiler's first lines. */
static int compile_source(struct arena *a, const char *source, const char *object, char *why)
{
	struct pool_limits limits = { .jobs = 1, .limit_s = COMPILE_SECONDS, .memory = COMPILE_MEMORY };
	char kernels[PATH_MAX];

	if (kernels_path(kernels, why) < 0)
		return -1;
	struct command_run run = { .argv = command(a, source, object, kernels) };

	if (pool_run(a, &run, 1, &limits, environ) < 0)
		return refuse(why, "the C compiler %s does not start (CC names another)", run.argv[0]);
	if (run.timed_out)
		return refuse(why, "the C compiler %s took more than %d s", run.argv[0], COMPILE_SECONDS);
	return command_succeeded(&run) ? 0 : refuse(why, "the C compiler %s refuses the region's source: %s",
						    run.argv[0], run.output);
}

/* The object that comes of the C text ARTIFACT; NULL and a reason. */
static void *build(struct arena *a, const void *artifact, size_t size, char *why)
{
	struct workdir dir;
	void *object = NULL;

	if (workdir_open(a, &dir) < 0) {
		refuse(why, "%s", err_get());
		return NULL;
	}
	const char *source = arena_printf(a, "%s/region.c", dir.path);
	const char *file = arena_printf(a, "%s/region.so", dir.path);

	if (file_write(source, artifact ? artifact : "", size) < 0)
		refuse(why, "%s", err_get());
	else if (compile_source(a, source, file, why) == 0 &&
		 !(object = dlopen(file, RTLD_NOW | RTLD_LOCAL)))
		refuse(why, "what was compiled cannot be loaded: %s", dlerror());
	workdir_close(&dir);
	return object;
}

/* --- ready to run */

static void release(void *handle)
{
	struct csource *x = handle;

	if (x->object)
		dlclose(x->object);
	if (x->kernels)
		dlclose(x->kernels);
	free(x->constants);
	free(x->scratch);
	free(x);
}

/* What the object X->object says of itself, and memory for it. */
static int bind(struct csource *x, const struct hone_region *region, char *why)
{
	const size_t *bytes = dlsym(x->object, "region_scratch_bytes");
	int constants = 0;

	x->run = (region_run *)dlsym(x->object, "region_run");
	x->calls = dlsym(x->object, "region_calls");
	if (!bytes || !x->run || !x->calls)
		return refuse(why, "the artifact is no whole source of a region: have it compiled again");
	x->scratch = aligned_alloc(EMIT_ALIGN, *bytes + EMIT_ALIGN);
	x->constants = calloc((size_t)region->ntensors + 1, sizeof(*x->constants));
	if (!x->scratch || !x->constants)
		return refuse(why, "no memory for %zu bytes between calls", *bytes);
	for (int i = 0; i < region->ntensors; i++)
		if (region->tensors[i].data)
			x->constants[constants++] = region->tensors[i].data;
	return 0;
}

static int init(const struct hone_region *region, const void *artifact, size_t size, int threads,
		void **handle, char *why)
{
	struct csource *x = calloc(1, sizeof(*x));
	struct arena *a = arena_new();
	int rc = x ? 0 : refuse(why, "no memory");

	if (x) {
		x->threads = threads;
		x->kernels = kernels_open(why);
		x->object = x->kernels ? build(a, artifact, size, why) : NULL;
		rc = x->object ? bind(x, region, why) : -1;
	}
	arena_free(a);
	if (rc < 0 && x)
		release(x);
	if (rc == 0)
		*handle = x;
	return rc;
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	const struct csource *x = handle;
	int failed = x->run(inputs, outputs, x->constants, x->scratch, x->threads);

	return failed == 0 ? 0 : refuse(why, "kernel_%s, call %d of the region, failed", x->calls[failed - 1],
					failed);
}

/* Times are those of one library of kernels. */
static const char *version(void)
{
	static char text[64];
	char path[PATH_MAX], hash[HASH_TEXT], why[HONE_WHY_BYTES];

	if (kernels_path(path, why) < 0)
		return "csource 1, without kernels";
	snprintf(text, sizeof(text), "csource 1, kernels %.16s", hash_text(hash_file(path), hash));
	return text;
}

__attribute__((visibility("default"))) const struct hone_generator hone_generator = {
	.abi = HONE_GENERATOR_ABI,
	.name = "csource",
	.summary = "C source that calls kernels of the user's",
	.patterns = (const struct hone_pattern[]){ { "any", "any" }, { NULL, NULL } },
	.grain = HONE_REGIONS,
	.version = version,
	.extension = "c",
	.claims = claims,
	.compile = compile,
	.init = init,
	.run = run,
	.release = release,
};
