/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/assembly.c - a kernel compiled and disassembled; of a simulated device, its program. */
#include "tools/record/assembly.h"

#include <unistd.h>

#include "base/err.h"
#include "codegen/vdla/generate.h"
#include "measure/build/builder.h"
#include "measure/build/pool.h"
#include "measure/device/simulated.h"
#include "schedule/text/nest_text.h"
#include "target/vdla/assembler.h"

/* Far more than the greatest kernel takes. */
enum { OBJDUMP_S = 60, OBJDUMP_BYTES = 1 << 30, ASM_BYTES = 8 << 20 };

/* The function that a kernel's threads run (codegen/callable.h), as objdump names it. */
#define PART "hone_kernel_part"

/* What objdump prints of OBJECT, in A; NULL and a message. */
static const char *disassemble(struct arena *a, const char *object)
{
	const char *const argv[] = { "objdump", "-d", "--no-show-raw-insn",
				     "--disassemble=" PART, object, NULL };
	const struct pool_limits limits = { .jobs = 1, .limit_s = OBJDUMP_S,
					    .memory = OBJDUMP_BYTES, .output = ASM_BYTES };
	struct command_run run = { .argv = argv };

	if (pool_run(a, &run, 1, &limits, environ) != 0 || !command_succeeded(&run))
		err_set("objdump failed (package binutils): %s", run.output ? run.output : err_get());
	else if (!strstr(run.output, "<" PART ">:"))
		err_set("objdump shows no code of %s", PART);	/* it would succeed without a word */
	else
		return run.output;
	return NULL;
}

/* The program that the nest SOURCE becomes on the simulated device D. */
static const char *program_of(struct arena *a, const struct device *d, const char *source)
{
	struct vdla_machine m;
	struct program *p = device_machine(d, &m) < 0 ? NULL : program_parse(a, "nest", source);
	const char *why;
	struct text t = { 0 };

	if (!p)
		return NULL;
	p->target = d->target;
	const struct vdla_binary *b = vdla_generate(a, p, &m, &why);

	if (!b) {
		err_set("there are no instructions for the kernel: %s", why);
		return NULL;
	}
	vdla_binary_print(&t, b);
	const char *text = arena_strdup(a, text_str(&t));

	text_free(&t);
	return text;
}

const char *assembly_of(struct arena *a, const struct device *d, const char *cc, const char *source)
{
	if (device_is_simulated(d))
		return program_of(a, d, source);
	struct build_pool_options build = { .target = device_code(d), .cc = cc };
	struct build_pool *builder = build_pool_new(&build);
	struct trial trial = { .source = source };
	const char *text = NULL;

	if (!builder)
		return NULL;
	if (build_all(a, builder, &trial, 1) == 0 && trial.object)
		text = disassemble(a, trial.object);
	else
		err_set("the kernel does not compile: %s", trial.text ? trial.text : "");
	trial_discard(&trial);
	build_pool_free(builder);
	return text;
}
