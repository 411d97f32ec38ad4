/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/pass.h - what lower() is made of.
 *
 * A pass takes a program, whose nest it may change. False, with the reason in WHY, where the program
 * cannot be: a normal answer for a search. What each requires, provides and keeps is said in its file. */
#ifndef HONE_SCHEDULE_PASS_PASS_H
#define HONE_SCHEDULE_PASS_PASS_H

#include "schedule/nest.h"

typedef bool pass_fn(struct program *p, const char **why);

#define X(name, meaning) pass_fn pass_##name;
#include "schedule/pass/passes.def"
#undef X

#endif
