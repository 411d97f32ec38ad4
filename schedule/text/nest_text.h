/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/text/nest_text.h - the text form of programs: printed behind any pass, read back to test one alone.
 *
 *	# comment
 *	target x86-64-avx512
 *	tiles overlap				where one is moved back
 *	input A: f32[7, 64]			the arguments in order, outputs last
 *	const B: f32[64, 32]
 *	output C: f32[7, 32]
 *	pack P: f32[32, 64] of B		takes its place; made once, of B and temps alone
 *		for k in 0..64
 *			for j in 0..32
 *				P[j, k] = B[k, j]
 *	temp T: f32[7, 4] in order 0,1,0%4	of the whole program; a constant or pack: in reading order
 *	parallel for i in 0..7
 *		registers R: f32[32] as 16 lanes along dim 0, 2 apart, may overrun
 *		local L: f32[1]
 *		inputs X: i8[2, 16] slices 2 copies 2	in that scratchpad, of target/scope.def: a slice for
 *						each virtual thread, each time in the next of so many
 *		few for k in 0..4 reduced	turns (few, reload), kind, of a reduction
 *			let x in 0..10 = i + k
 *			if x < 7, guard of tile	or of loop
 *				L[0] += A[x, k]	*= max= min= too
 *			else
 *				L[0] = f32(0)
 *		unrolled for r in 0..4 reduced by avx2_madd_u8i8	its group, in target/intrinsic.def
 *			...
 *		vector for j in 0..6 of 8 border mask	lanes; what a step chose for its border
 *			...
 *		for k in 0..64 reduced pipelined	vectors of the next turn are to be loaded before this one computes
 *			...
 *		for k in 0..64 prefetch A 4	what is read of A four turns later is to be
 *			prefetch A at 64 * i + k + 4, far	the line of that element, into the second-level cache
 *			...
 *		vector for j in 0..16 of 16
 *			stream C[i, j] = B[j, i]	past the caches
 *
 * Tabs say what is inside of what. Expressions are those of te/text/text.h. A name means the innermost axis, or the
 * buffer, of that name around it; two allocations of one name are of one buffer, as in copies of a loop's body.
 *
 * Holds: what program_print writes of lowered states, program_parse reads back as the same program, up to
 * `state`, and printing that gives the same text. */
#ifndef HONE_SCHEDULE_TEXT_NEST_TEXT_H
#define HONE_SCHEDULE_TEXT_NEST_TEXT_H

#include "schedule/nest.h"

/* A name that is not unique where it is seen gets a number. */
void program_print(struct text *t, const struct program *p);

/* The program that TEXT describes, without a state; NULL and "FILE:LINE:COLUMN: ..." where there is none.
 * Any text is safe. */
struct program *program_parse(struct arena *a, const char *file, const char *text);

/* Words of the text; "" of what needs none. */
const char *turns_name(enum turns t);
const char *guard_name(enum guard g);

#endif
