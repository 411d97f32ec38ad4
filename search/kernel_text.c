/* SPDX-License-Identifier: Apache-2.0 */
/* search/kernel_text.c - lowers and prints. */
#include "search/kernel_text.h"

#include "codegen/emit.h"
#include "schedule/text/nest_text.h"

const char *program_source(struct arena *a, const struct program *p, const char **why)
{
	struct text t = { 0 };

	if (p->target->operands)	/* whoever simulates it makes the stream */
		program_print(&t, p);
	else if (!emit_c(&t, p, "hone_kernel", why)) {
		text_free(&t);
		return NULL;
	}
	const char *source = arena_strdup(a, text_str(&t));

	text_free(&t);
	return source;
}

const char *state_source(struct arena *a, const struct state *s, const struct target *target,
			 const char **why)
{
	const struct program *p = lower(a, s, target, why);

	return p ? program_source(a, p, why) : NULL;
}
