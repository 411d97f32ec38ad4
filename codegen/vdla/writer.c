/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/writer.c - tokens by what is touched. */
#include "codegen/vdla/writer.h"

#include <wchar.h>

_Static_assert(sizeof(wchar_t) == sizeof(int32_t), "numbers of instructions are filled in by wmemset()");

struct vdla_writer {
	struct arena *arena;
	struct vdla_binary *b;
	/* The number of the last instruction of each unit, counted from 1, that touched an entry, and of all; 0: none. Numbers of 32 bits as
	 * libc can fill with in vectors. */
	wchar_t *touched[VDLA_SCRATCHPADS][VDLA_UNITS];
	int32_t last[VDLA_UNITS];
	int32_t known[VDLA_UNITS][VDLA_UNITS];	/* [i][j]: unit i has waited for that of j */
	int32_t waited[VDLA_UNITS];	/* the number of the last of the compute unit that waited for that unit */
};

struct vdla_writer *vdla_writer_new(struct arena *a, struct vdla_binary *b)
{
	struct vdla_writer *s = arena_one(a, struct vdla_writer);

	s->arena = a;
	s->b = b;
	for (int p = 0; p < VDLA_SCRATCHPADS; p++)
		for (int u = 0; u < VDLA_UNITS; u++)
			s->touched[p][u] = arena_many(a, wchar_t, vdla_entries(&b->machine, p));
	return s;
}

/* In pieces that compilers make vectors of: most of the time of writing a stream is spent here. */
static int32_t greatest(const wchar_t *at, int n)
{
	enum { PIECE = 16 };
	int32_t most[PIECE] = { 0 };
	int i = 0;

	for (; i + PIECE <= n; i += PIECE)
		for (int j = 0; j < PIECE; j++)
			most[j] = at[i + j] > most[j] ? at[i + j] : most[j];
	for (; i < n; i++)
		most[0] = at[i] > most[0] ? at[i] : most[0];
	for (int j = 1; j < PIECE; j++)
		most[0] = most[j] > most[0] ? most[j] : most[0];
	return most[0];
}

/* Of unit OF, the last that touched any of that. */
static int32_t last_of(const struct vdla_writer *s, const struct vdla_access *touched, int n, enum vdla_unit of)
{
	int32_t last = 0;

	for (int k = 0; k < n; k++) {
		const wchar_t *at = s->touched[touched[k].where][of];
		int32_t one = greatest(at + touched[k].first, touched[k].last - touched[k].first + 1);

		last = one > last ? one : last;
	}
	return last;
}

/* Instruction I, of unit BY, waits for number FROM, of unit OF. */
static void wait_for(struct vdla_writer *s, struct vdla_instruction *i, enum vdla_unit by, enum vdla_unit of, int32_t from)
{
	struct vdla_instruction *given = &s->b->code.at[from - 1];

	*(of < by ? &i->pop_before : &i->pop_behind) = true;
	*(of < by ? &given->push_behind : &given->push_before) = true;
	s->known[by][of] = from;
	if (by == VDLA_COMPUTE_UNIT)
		s->waited[of] = s->b->code.n + 1;
}

/* The number of an instruction of the compute unit that comes behind number FROM, of OF, whose neighbour it is: the one that
 * waited for it, or one that does nothing else, on an entry of TOUCHED that FROM touched. */
static int32_t relay(struct vdla_writer *s, const struct vdla_access *touched, enum vdla_unit of, int32_t from, const char **why)
{
	struct vdla_instruction nothing = { .op = VDLA_ALU };
	int e = touched->first;

	if (s->known[VDLA_COMPUTE_UNIT][of] >= from)
		return s->waited[of];
	while (s->touched[VDLA_ACCUMULATORS][of][e] != from)
		e++;
	nothing.vector = (struct vdla_vector){ .op = VDLA_ADD, .immediate = true, .count = { 1, 1 }, .destination = { .base = e } };
	return vdla_writer_add(s, nothing, &(struct vdla_access){ VDLA_ACCUMULATORS, e, e }, 1, why) ? s->b->code.n : 0;
}

bool vdla_writer_add(struct vdla_writer *s, struct vdla_instruction i, const struct vdla_access *touched, int n,
		     const char **why)
{
	enum vdla_unit by = vdla_unit_of(&i), far = VDLA_STORE_UNIT - by;	/* of transfers: no channel joins these */
	const char *wrong = vdla_fits(&s->b->machine, &i);
	int32_t from[VDLA_UNITS] = { 0 };

	if (wrong) {
		*why = wrong;
		return false;
	}
	for (enum vdla_unit of = 0; of < VDLA_UNITS; of++)
		if (of != by && s->last[of] > s->known[by][of])
			from[of] = last_of(s, touched, n, of);
	if (by != VDLA_COMPUTE_UNIT && from[far] > s->known[by][far]) {	/* transfers have one access */
		int32_t between = relay(s, touched, far, from[far], why);

		if (!between)
			return false;
		from[VDLA_COMPUTE_UNIT] = between > from[VDLA_COMPUTE_UNIT] ? between : from[VDLA_COMPUTE_UNIT];
		s->known[by][far] = from[far];
	}
	for (enum vdla_unit of = 0; of < VDLA_UNITS; of++)
		if ((by == VDLA_COMPUTE_UNIT || of != far) && from[of] > s->known[by][of])
			wait_for(s, &i, by, of, from[of]);
	vec_push(s->arena, &s->b->code, i);
	s->last[by] = s->b->code.n;
	for (int k = 0; k < n; k++)
		wmemset(s->touched[touched[k].where][by] + touched[k].first, s->b->code.n,
			(size_t)(touched[k].last - touched[k].first + 1));
	return true;
}
