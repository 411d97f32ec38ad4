/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/assembly.c - a kernel compiled and disassembled. */
#include "tools/record/assembly.h"

#include <unistd.h>

#include "base/err.h"
#include "measure/build/builder.h"
#include "measure/build/pool.h"

/* Far more than the greatest kernel takes. */
enum { OBJDUMP_S = 60, OBJDUMP_BYTES = 1 << 30, ASM_BYTES = 8 << 20 };

/* What objdump prints of OBJECT, in A; NULL and a message. */
static const char *disassemble(struct arena *a, const char *object)
{
	const char *const argv[] = { "objdump", "-d", "--no-show-raw-insn",
				     "--disassemble=hone_kernel", object, NULL };
	const struct pool_limits limits = { .jobs = 1, .limit_s = OBJDUMP_S,
					    .memory = OBJDUMP_BYTES, .output = ASM_BYTES };
	struct command_run run = { .argv = argv };

	if (pool_run(a, &run, 1, &limits, environ) == 0 && command_succeeded(&run))
		return run.output;
	err_set("objdump failed (package binutils): %s", run.output ? run.output : err_get());
	return NULL;
}

const char *assembly_of(struct arena *a, const struct device *d, const char *cc, const char *source)
{
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
