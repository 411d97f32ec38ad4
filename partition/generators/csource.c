/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/csource.c - regions as C source that calls kernels of the user's.
 *
 * In:   the shared object that HONE_CSOURCE_KERNELS names; docs/partition.md says what it has.
 * Out:  an artifact that is a C file of its own: the region as constants, and a call of a kernel for each
 *       core operator. Constants of the region are given to it, not written out.
 * Holds: what init compiles is the artifact; of its temporary folder nothing is left, however it ends. */
#include "include/hone_generator_read.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"
#include "base/workdir.h"
#include "measure/build/pool.h"
#include "partition/region_source.h"

#define KERNELS "HONE_CSOURCE_KERNELS"

/* The source has calls alone: a compiler takes a second for some thousand of them. */
enum { COMPILE_SECONDS = 120, ALIGN = 64 };
#define COMPILE_MEMORY ((size_t)4 << 30)

/* Why call CALL of REGION cannot be computed; NULL: it can. */
typedef const char *kernels_refuse(const struct hone_region *region, int call);

/* What the source has. AT: by tensor, its elements. 0, or the number of the call that failed, from 1 on. */
typedef int region_run(void *const *at, int threads);

struct csource {
	const struct hone_region *region;
	void *kernels, *object;
	region_run *run;
	void *scratch;		/* what lies between calls */
	void **at;
	int threads;
};

/* --- the user's kernels */

/* The library's whole path in PATH; -1: there is none. */
static int kernels_path(char path[PATH_MAX], char *why)
{
	const char *name = getenv(KERNELS);

	if (!name || !*name)
		return hone_refuse(why, KERNELS " names no library of kernels: set it to the path "
				   "of a shared object");
	return realpath(name, path) ? 0 : hone_refuse(why, KERNELS ": there is no file %s", name);
}

/* The library, which stays loaded as long as the process: claims are asked often. */
static void *kernels_open(char *why)
{
	char path[PATH_MAX];

	if (kernels_path(path, why) < 0)
		return NULL;
	void *kernels = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!kernels)
		hone_refuse(why, KERNELS ": %s", dlerror());
	return kernels;
}

/* The name of the function that computes C. */
static const char *kernel_name(struct arena *a, const struct hone_region *r, const struct hone_region_call *c)
{
	return hone_is_op(c, "conv") ? arena_printf(a, "kernel_conv%dd", r->tensors[c->output].rank - 2)
				     : arena_printf(a, "kernel_%s", c->op);
}

static int claims(const struct hone_region *r, char *why)
{
	void *kernels = kernels_open(why);
	int rc = kernels ? 0 : -1;

	if (!kernels)
		return -1;
	kernels_refuse *refuses = (kernels_refuse *)dlsym(kernels, "kernels_refuse");
	struct arena *a = arena_new();

	for (int i = 0; i < r->ntensors && rc == 0; i++)
		if (r->tensors[i].type == HONE_OTHER)
			rc = hone_refuse(why, "elements of a type that generators do not know");
	for (int i = 0; i < r->ncalls && rc == 0; i++) {
		const char *name = kernel_name(a, r, &r->calls[i]), *no;

		if (!dlsym(kernels, name))
			rc = hone_refuse(why, "the user's kernels have no %s", strchr(name, '_') + 1);
		else if (refuses && (no = refuses(r, i)))
			rc = hone_refuse(why, "%s", no);
	}
	arena_free(a);
	dlclose(kernels);
	return rc;
}

/* --- the source */

static int compile(const struct hone_region *r, void (*write)(void *sink, const void *bytes, size_t n),
		   void *sink, char *why)
{
	struct arena *a = arena_new();
	struct text out = { 0 };

	(void)why;
	text_printf(&out, "/* Calls of kernels, written by hone's code generator csource. */\n%s\n"
			  "static const struct hone_region region = ", region_source_header);
	region_source(&out, r, 0, NULL, NULL);
	text_puts(&out, ";\n\ntypedef int kernel(const struct hone_region *region, int call, "
			"const void *const *inputs, void *output,\n\t\t   int threads);\n");
	for (int i = 0; i < r->ncalls; i++)
		text_printf(&out, "kernel %s;\n", kernel_name(a, r, &r->calls[i]));
	text_puts(&out, "\n/* AT: by tensor of the region, its elements. */\n"
			"int region_run(void *const *at, int threads)\n{\n");
	for (int i = 0; i < r->ncalls; i++) {
		const struct hone_region_call *c = &r->calls[i];

		text_printf(&out, "\tif (%s(&region, %d, (const void *const[]){ ", kernel_name(a, r, c), i);
		for (int j = 0; j < c->ninputs; j++)
			text_printf(&out, c->inputs[j] < 0 ? "NULL, " : "at[%d], ", c->inputs[j]);
		text_printf(&out, "NULL }, at[%d], threads))\n\t\treturn %d;\n", c->output, i + 1);
	}
	text_puts(&out, "\treturn 0;\n}\n");
	write(sink, text_str(&out), out.n);
	text_free(&out);
	arena_free(a);
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
		return hone_refuse(why, "the C compiler %s does not start (CC names another)", run.argv[0]);
	if (run.timed_out)
		return hone_refuse(why, "the C compiler %s took more than %d s", *run.argv, COMPILE_SECONDS);
	return command_succeeded(&run) ? 0 :
	       hone_refuse(why, "the C compiler %s refuses the region's source: %s", *run.argv, run.output);
}

/* The object that comes of the C text ARTIFACT; NULL and a reason. */
static void *build(struct arena *a, const void *artifact, size_t size, char *why)
{
	struct workdir dir;
	void *object = NULL;

	if (workdir_open(a, &dir) < 0) {
		hone_refuse(why, "%s", err_get());
		return NULL;
	}
	const char *source = arena_printf(a, "%s/region.c", dir.path);
	const char *file = arena_printf(a, "%s/region.so", dir.path);

	if (file_write(source, artifact ? artifact : "", size) < 0)
		hone_refuse(why, "%s", err_get());
	else if (compile_source(a, source, file, why) == 0 &&
		 !(object = dlopen(file, RTLD_NOW | RTLD_LOCAL)))
		hone_refuse(why, "what was compiled cannot be loaded: %s", dlerror());
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
	free(x->scratch), free(x->at), free(x);
}

static size_t stored_bytes(const struct hone_region_tensor *t)
{
	return ((size_t)hone_count(t, 0) * hone_type_bytes(t->type) + ALIGN - 1) / ALIGN * ALIGN;
}

/* Memory for what calls give, and where all tensors are but for inputs and outputs. */
static int lay_out(struct csource *x, char *why)
{
	const struct hone_region *r = x->region;
	size_t bytes = ALIGN;

	for (int i = 0; i < r->ncalls; i++)
		bytes += stored_bytes(&r->tensors[r->calls[i].output]);
	x->at = calloc((size_t)r->ntensors + 1, sizeof(*x->at));
	char *next = x->scratch = aligned_alloc(ALIGN, bytes);

	if (!x->at || !x->scratch)
		return hone_refuse(why, "no memory for %zu bytes between calls", bytes);
	for (int i = 0; i < r->ntensors; i++)
		x->at[i] = (void *)(uintptr_t)r->tensors[i].data;	/* kernels do not write to operands */
	for (int i = 0; i < r->ncalls; i++) {
		x->at[r->calls[i].output] = next;
		next += stored_bytes(&r->tensors[r->calls[i].output]);
	}
	return 0;
}

static int init(const struct hone_region *region, const void *artifact, size_t size, int threads,
		void **handle, char *why)
{
	struct csource *x = calloc(1, sizeof(*x));
	struct arena *a = arena_new();
	int rc = x ? 0 : hone_refuse(why, "no memory");

	if (x) {
		x->region = region;
		x->threads = threads;
		x->kernels = kernels_open(why);
		x->object = x->kernels ? build(a, artifact, size, why) : NULL;
		x->run = x->object ? (region_run *)dlsym(x->object, "region_run") : NULL;
		rc = x->run ? lay_out(x, why) : -1;
	}
	if (rc < 0 && x && x->object && !x->run)
		hone_refuse(why, "the artifact is no whole source of a region: have it compiled again");
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
	const struct hone_region *r = x->region;

	for (int i = 0; i < r->ninputs; i++)
		x->at[r->inputs[i]] = (void *)(uintptr_t)inputs[i];
	for (int i = 0; i < r->noutputs; i++)
		x->at[r->outputs[i]] = outputs[i];
	int failed = x->run(x->at, x->threads);
	struct arena *a = arena_new();

	if (failed)
		hone_refuse(why, "%s, call %d of the region, failed",
			    kernel_name(a, r, &r->calls[failed - 1]), failed);
	arena_free(a);
	return failed ? -1 : 0;
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
	.abi = HONE_GENERATOR_ABI, .name = "csource", .grain = HONE_REGIONS, .extension = "c",
	.summary = "C source that calls kernels of the user's",
	.patterns = (const struct hone_pattern[]){ { "any", "any" }, { NULL, NULL } },
	.version = version, .claims = claims, .compile = compile,
	.init = init, .run = run, .release = release,
};
