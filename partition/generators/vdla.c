/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla.c - regions of integers on a simulated accelerator (docs/vdla.md).
 *
 * In:   sums of products of bytes and what makes bytes of them, as `hone quantize --integers-only` writes
 *       models.
 * Out:  an artifact that is a program of a VDLA: `hone vdla` runs, prints and traces it.
 * Holds: results are those of the interpreter, to the bit; times are cycles. */
#include "include/hone_generator_read.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/hash.h"
#include "partition/generators/vdla/border.h"
#include "partition/generators/vdla/compiled.h"
#include "partition/generators/vdla/lacks.h"
#include "partition/generators/vdla/tuned.h"
#include "target/vdla/simulator.h"

struct vdla_region {
	struct arena *a;
	const struct hone_region *region;
	struct vdla_binary *binary;
	uint8_t *memory;	/* with the constants */
};

/* What --backend vdla=TEXT says; set once, before all else. */
static struct vdla_options options = {
	.machine = {
#define X(field, standard, ...) .field = standard,
#include "target/vdla/machine.def"
#undef X
	},
};

static int configure(const char *text, char *why)
{
	if (!*text)
		return hone_refuse(why, "vdla=FILE names the file of a machine");
	return vdla_options_parse(text, &options) < 0 ? hone_refuse(why, "%s", err_get()) : 0;
}

/* --- compiling */

static int claims(const struct hone_region *region, char *why)
{
	struct arena *a = arena_new();
	int rc = 0;

	for (int i = 0; i < region->ninputs + region->noutputs && rc == 0; i++) {
		int t = i < region->ninputs ? region->inputs[i] : region->outputs[i - region->ninputs];

		if (border_bytes(&region->tensors[t]) == 0)
			rc = hone_refuse(why, "a tensor that is neither an image nor rows of i8 or i32");
	}
	for (int i = 0; i < region->ncalls && rc == 0; i++) {
		const char *lacks = vdla_lacks(region, &region->calls[i]);

		rc = lacks ? hone_refuse(why, "%s", lacks) : 0;
	}
	if (rc == 0 && !region_images(a, region))
		rc = hone_refuse(why, "%s", err_get());
	arena_free(a);
	return rc;
}

static int compile(const struct hone_region *region, void (*write)(void *sink, const void *bytes, size_t n),
		   void *sink, char *why)
{
	const struct vdla_compiled *c = vdla_compiled_of(region, &options);

	if (c->file.n == 0)
		return hone_refuse(why, "%s", c->why);
	write(sink, text_str(&c->file), c->file.n);
	return 0;
}

/* --- running */

static void release(void *handle)
{
	struct vdla_region *x = handle;

	free(x->memory);
	arena_free(x->a);
}

/* Tensor I of B is T of the region? */
static bool is_tensor(const struct vdla_binary *b, int i, const struct hone_region_tensor *t,
		      enum vdla_role role)
{
	return i < b->tensors.n && b->tensors.at[i].role == role && b->tensors.at[i].bytes == border_bytes(t);
}

/* Is B of REGION, and for this machine? */
static int check_border(const struct vdla_binary *b, const struct hone_region *r)
{
	int n = r->ninputs + r->noutputs;
	bool same = b->tensors.n == n || (b->tensors.n > n && b->tensors.at[n].role == VDLA_CONSTANT);

	for (int i = 0; i < r->ninputs; i++)
		same &= is_tensor(b, i, &r->tensors[r->inputs[i]], VDLA_INPUT);
	for (int i = 0; i < r->noutputs; i++)
		same &= is_tensor(b, r->ninputs + i, &r->tensors[r->outputs[i]], VDLA_OUTPUT);
	if (!same)
		return err_set("artifact: its tensors are not those of the region; have it compiled again");
	if (!vdla_machine_equal(&b->machine, &options.machine))
		return err_set("artifact: it is for another machine than the one that is configured; "
			       "have it compiled again");
	return 0;
}

static int init(const struct hone_region *region, const void *artifact, size_t size, int threads,
		void **handle, char *why)
{
	struct arena *a = arena_new();
	struct vdla_region *x = arena_one(a, struct vdla_region);

	(void)threads;		/* its units are as many as they are */
	x->binary = vdla_binary_read(a, "artifact", artifact ? artifact : "", size);
	if (!x->binary || check_border(x->binary, region) < 0) {
		arena_free(a);
		return hone_refuse(why, "%s", err_get());
	}
	x->a = a;
	x->region = region;
	x->memory = vdla_memory_new(x->binary);
	*handle = x;
	return 0;
}

static uint8_t *place_of(const struct vdla_region *x, int tensor)
{
	return x->memory + x->binary->tensors.at[tensor].address * VDLA_UNIT_BYTES;
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	const struct vdla_region *x = handle;
	const struct hone_region *r = x->region;
	struct vdla_cycles cycles;

	for (int i = 0; i < r->ninputs; i++)
		border_send(&r->tensors[r->inputs[i]], inputs[i], place_of(x, i));
	if (vdla_simulate(x->binary, x->memory, &cycles, NULL) < 0)
		return hone_refuse(why, "%s", err_get());
	for (int i = 0; i < r->noutputs; i++)
		border_fetch(&r->tensors[r->outputs[i]], place_of(x, r->ninputs + i), outputs[i]);
	return 0;
}

/* --- time */

static struct hone_cost cost(const struct hone_region *region, int threads)
{
	const struct vdla_machine *m = &options.machine;
	const struct vdla_compiled *c = vdla_compiled_of(region, &options);
	int64_t launches = c->cycles.launches * m->launch_cycles, transfers = 0;

	(void)threads;
	if (c->file.n == 0)	/* compile says why */
		return (struct hone_cost){ 0 };
	for (int i = 0; i < region->ninputs; i++)
		transfers += border_cycles(m, &region->tensors[region->inputs[i]]);
	for (int i = 0; i < region->noutputs; i++)
		transfers += border_cycles(m, &region->tensors[region->outputs[i]]);
	return (struct hone_cost){ .kernels_us = (double)(c->cycles.total - launches) / m->clock_mhz,
				   .launches_us = (double)launches / m->clock_mhz,
				   .transfers_us = (double)transfers / m->clock_mhz };
}

/* Times and artifacts are those of one machine, and of the records that there are. */
static const char *version(void)
{
	static char text[128];
	struct arena *a = arena_new();
	char hash[HASH_TEXT];
	struct text t = { 0 };
	const char *records;

	vdla_machine_print(&t, &options.machine);
	if (vdla_tuned_version(a, &options, &records) < 0)
		records = ", without a database";	/* compile says why */
	hash_text(hash_bytes(text_str(&t), t.n), hash);
	snprintf(text, sizeof(text), "VDLA 1, machine %.16s%s", hash, records);
	text_free(&t);
	arena_free(a);
	return text;
}

static const struct hone_pattern patterns[] = {
	{ "conv", "conv2d[i32, const]" },
	{ "dense", "dense[i32]" },
	{ "flat", "reshape[i8] dense[i32]" },
	{ "scale", "mul[i32, const]" },
	{ "add", "add[i32]" },
	{ "widen", "cast[i32]" },
	{ "mean", "cast[i32] reduce_sum[i32]" },
	{ "sum", "reduce_sum[i32]" },
	{ "requantize", "shift_right[i32, scalar] clip[i32, scalar] cast[i8]" },
	{ "zeros", "pad[i8]" },
	{ "pool", "max_pool[i8]" },
	{ "rows", "reshape[i8]" },
	{ "concat", "concat[i8, rank=4]" },
	{ NULL, NULL },
};

__attribute__((visibility("default"))) const struct hone_generator hone_generator = {
	.abi = HONE_GENERATOR_ABI,
	.name = "vdla",
	.summary = "a simulated accelerator for integers of 8 bits, by default or as vdla=FILE describes it",
	.patterns = patterns,
	.grain = HONE_REGIONS,
	.configure = configure,
	.version = version,
	.extension = "vdla",
	.claims = claims,
	.cost = cost,
	.compile = compile,
	.init = init,
	.run = run,
	.release = release,
};
