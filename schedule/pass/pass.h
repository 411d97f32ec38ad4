/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/pass.h - what lower() is made of.
 *
 * A pass takes a program, whose nest it may change. False, with the reason in WHY, where the program
 * cannot be: a normal answer for a search. What each requires, provides and keeps is said in its file. */
#ifndef HONE_SCHEDULE_PASS_PASS_H
#define HONE_SCHEDULE_PASS_PASS_H

#include "schedule/nest.h"

typedef bool pass_fn(struct program *p, const char **why);

#define X(name, meaning) pass_fn nest_pass_##name;
#include "schedule/pass/passes.def"
#undef X

enum {
#define X(name, meaning) PASS_##name,
#include "schedule/pass/passes.def"
#undef X
	NEST_PASSES
};

struct nest_pass {
	const char *name, *meaning;
	pass_fn *run;
};

/* In the order in which lower() runs them. */
extern const struct nest_pass nest_passes[NEST_PASSES];
/* NULL where there is none of that name. */
const struct nest_pass *nest_pass_find(const char *name);
/* As lower(), behind LAST. */
struct program *lower_to(struct arena *a, const struct state *s, const struct target *target,
			 const struct nest_pass *last, const char **why);

#endif
