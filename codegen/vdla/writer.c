/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/writer.c - tokens by what is touched. */
#include "codegen/vdla/writer.h"

#include <wchar.h>

#include "base/integer.h"

_Static_assert(sizeof(wchar_t) == sizeof(int32_t), "numbers of instructions are filled in by wmemset()");

enum { GROUP_BITS = 5 };	/* walks are over some hundred entries */

/* What a unit touched of a scratchpad: the number of its last instruction, counted from 1, that touched an entry, any of a group of
 * entries, any of all; 0: none. Numbers of 32 bits as libc can fill with in vectors. */
struct vdla_trace {
	wchar_t *entry, *group;
	int32_t last;
};

struct vdla_writer {
	struct arena *arena;
	struct vdla_binary *b;
	int entries[VDLA_SCRATCHPADS];
	struct vdla_trace trace[VDLA_SCRATCHPADS][VDLA_UNITS];
	int32_t known[VDLA_UNITS][VDLA_UNITS];	/* [i][j]: unit i has waited for that of j; of its own it knows all */
	int32_t waited[VDLA_UNITS];	/* the number of the last of the compute unit that waited for that unit */
};

struct vdla_writer *vdla_writer_new(struct arena *a, struct vdla_binary *b)
{
	struct vdla_writer *s = arena_one(a, struct vdla_writer);

	s->arena = a;
	s->b = b;
	for (enum vdla_unit u = 0; u < VDLA_UNITS; u++)
		s->known[u][u] = INT32_MAX;
	for (enum vdla_scratchpad p = 0; p < VDLA_SCRATCHPADS; p++) {
		s->entries[p] = vdla_entries(&b->machine, p);
		for (enum vdla_unit u = 0; u < VDLA_UNITS; u++) {
			s->trace[p][u].entry = arena_many(a, wchar_t, s->entries[p]);
			s->trace[p][u].group = arena_many(a, wchar_t, (s->entries[p] >> GROUP_BITS) + 1);
		}
	}
	return s;
}

/* The last that touched any of ENTRIES, by TRACE, where it comes behind KNOWN; else KNOWN. */
static int32_t last_of(const struct vdla_trace *trace, const struct vdla_access *entries, int32_t known)
{
	int32_t last = known;

	for (int e = entries->first, end = entries->last + 1, next; e < end; e = next) {
		next = (int)least(((e >> GROUP_BITS) + 1) << GROUP_BITS, end);
		if (trace->group[e >> GROUP_BITS] <= last)
			continue;
		for (int k = e; k < next; k++)
			last = trace->entry[k] > last ? trace->entry[k] : last;
	}
	return last;
}

/* Number NOW, of unit BY, touches that. */
static void touch(struct vdla_writer *s, const struct vdla_access *touched, enum vdla_unit by, int32_t now)
{
	struct vdla_trace *trace = &s->trace[touched->where][by];
	int first = touched->first, last = touched->last;

	trace->last = now;
	wmemset(trace->entry + first, now, (size_t)(last - first + 1));
	for (int g = first >> GROUP_BITS; g <= last >> GROUP_BITS; g++)
		trace->group[g] = now;
}

/* The last instruction, of unit BY, waits for number FROM, of unit OF. */
static void wait_for(struct vdla_writer *s, enum vdla_unit by, enum vdla_unit of, int32_t from)
{
	struct vdla_instruction *i = &s->b->code.at[s->b->code.n - 1], *given = &s->b->code.at[from - 1];

	*(of < by ? &i->pop_before : &i->pop_behind) = true;
	*(of < by ? &given->push_behind : &given->push_before) = true;
	s->known[by][of] = from;
	if (by == VDLA_COMPUTE_UNIT)
		s->waited[of] = s->b->code.n;
}

/* The number of an instruction of the compute unit that comes behind number FROM, of OF, whose neighbour it is: the one that
 * waited for it, or one that does nothing else, on an entry of TOUCHED that FROM touched. */
static int32_t relay(struct vdla_writer *s, const struct vdla_access *touched, enum vdla_unit of, int32_t from)
{
	struct vdla_instruction nothing = { .op = VDLA_ALU };
	int e = touched->first;

	if (s->known[VDLA_COMPUTE_UNIT][of] >= from)
		return s->waited[of];
	while (s->trace[VDLA_ACCUMULATORS][of].entry[e] != from)
		e++;
	nothing.vector = (struct vdla_vector){ .op = VDLA_ADD, .immediate = true, .count = { 1, 1 }, .destination = { .base = e } };
	vdla_writer_add(s, &nothing, &(struct vdla_access){ VDLA_ACCUMULATORS, e, e }, 1);
	return s->b->code.n;
}

bool vdla_writer_add(struct vdla_writer *s, const struct vdla_instruction *i, const struct vdla_access *touched, int n)
{
	enum vdla_unit by = vdla_unit_of(i), far = VDLA_STORE_UNIT - by;	/* of transfers: no channel joins these */
	int32_t from[VDLA_UNITS];

	memcpy(from, s->known[by], sizeof(from));
	for (int k = 0; k < n; k++) {
		const struct vdla_access *t = &touched[k];
		const struct vdla_trace *trace = s->trace[t->where];

		if (t->first < 0 || t->last >= s->entries[t->where])
			return false;
#pragma GCC unroll VDLA_UNITS	/* at -O2, for each instruction: a seventh of what this function takes */
		for (enum vdla_unit of = 0; of < VDLA_UNITS; of++)
			if (trace[of].last > from[of])
				from[of] = last_of(&trace[of], t, from[of]);
	}
	if (by != VDLA_COMPUTE_UNIT && from[far] > s->known[by][far]) {	/* transfers have one access */
		from[VDLA_COMPUTE_UNIT] = (int32_t)most(from[VDLA_COMPUTE_UNIT], relay(s, touched, far, from[far]));
		s->known[by][far] = from[far];
	}
	vec_push(s->arena, &s->b->code, *i);
	for (enum vdla_unit of = 0; of < VDLA_UNITS; of++)
		if (from[of] > s->known[by][of])
			wait_for(s, by, of, from[of]);
	for (int k = 0; k < n; k++)
		touch(s, &touched[k], by, s->b->code.n);
	return true;
}
