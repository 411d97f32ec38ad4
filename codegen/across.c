/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/across.c - the lanes of one vector combined to an element: each with the one half a vector away, then a
 * quarter, and so on, so that the steps that wait for each other are as few as can be. All lanes have the result
 * in the end; a compiler leaves out what only the others need. */
#include <stdio.h>

#include "codegen/emitter.h"

const char *across_call(struct emitter *e, enum reducer r, enum dtype t, const char *value)
{
	e->used_picks = true;
	return arena_printf(e->a, "%s_across_%s(%s)", reducer_name(r), vector_type(e, t, e->lanes), value);
}

/* V combined with itself, lanes DISTANCE apart. */
static void put_step(struct text *out, enum reducer r, const char *v, int lanes, int distance)
{
	enum expr_kind k = reducer_combine(r);
	bool choice = k == EXPR_MAX || k == EXPR_MIN;

	if (choice)
		text_printf(out, "\tv = %s_nan_%s(v, ", expr_kind_text(k), v);
	else
		text_printf(out, "\tv = v %s ", expr_kind_text(k));
	text_printf(out, "PICK(%s_mask, v, v", v);
	for (int i = 0; i < lanes; i++)
		text_printf(out, ", %d", i ^ distance);
	text_puts(out, choice ? "));\n" : ");\n");
}

void across_functions(struct text *out, const struct text *body, const char *v, enum dtype t, int lanes)
{
	for (enum reducer r = REDUCE_NONE + 1; r <= REDUCE_PROD; r++) {
		char call[64];

		snprintf(call, sizeof(call), "%s_across_%s(", reducer_name(r), v);
		if (!strstr(text_str(body), call))
			continue;
		text_printf(out, "static inline %s %s%s v)\n{\n", dtype_c(t), call, v);
		for (int distance = lanes / 2; distance > 0; distance /= 2)
			put_step(out, r, v, lanes, distance);
		text_puts(out, "\treturn v[0];\n}\n");
	}
}
