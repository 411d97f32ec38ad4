/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/stream.c - tokens by what is touched. */
#include "codegen/vdla/stream.h"

struct vdla_stream {
	struct arena *arena;
	struct vdla_binary *b;
	/* The number of the last instruction of each unit that touched an entry, counted from 1; 0: none. */
	int32_t *last[VDLA_SCRATCHPADS][VDLA_UNITS];
	int32_t known[VDLA_UNITS][VDLA_UNITS];	/* [i][j]: unit i has waited for that of j */
};

struct vdla_stream *vdla_stream_new(struct arena *a, struct vdla_binary *b)
{
	struct vdla_stream *s = arena_one(a, struct vdla_stream);

	s->arena = a;
	s->b = b;
	for (int p = 0; p < VDLA_SCRATCHPADS; p++)
		for (int u = 0; u < VDLA_UNITS; u++)
			s->last[p][u] = arena_many(a, int32_t, vdla_entries(&b->machine, p));
	return s;
}

static int32_t greatest(const int32_t *at, int n)
{
	int32_t most = 0;

	for (int i = 0; i < n; i++)
		most = at[i] > most ? at[i] : most;
	return most;
}

/* Instruction I, of unit BY, waits for number FROM, of unit OF. */
static void wait(struct vdla_stream *s, struct vdla_instruction *i, enum vdla_unit by, enum vdla_unit of, int32_t from)
{
	struct vdla_instruction *given = &s->b->code.at[from - 1];

	*(of < by ? &i->pop_before : &i->pop_behind) = true;
	*(of < by ? &given->push_behind : &given->push_before) = true;
	s->known[by][of] = from;
}

bool vdla_stream_add(struct vdla_stream *s, struct vdla_instruction i, const struct vdla_touched *touched, int n,
		     const char **why)
{
	enum vdla_unit by = vdla_unit_of(&i);
	const char *wrong = vdla_fits(&s->b->machine, &i);

	if (wrong) {
		*why = wrong;
		return false;
	}
	for (enum vdla_unit of = 0; of < VDLA_UNITS; of++) {
		int32_t from = 0;

		for (int k = 0; k < n && of != by; k++) {
			int32_t one = greatest(s->last[touched[k].where][of] + touched[k].first,
					       touched[k].last - touched[k].first + 1);

			from = one > from ? one : from;
		}
		if (from <= s->known[by][of])
			continue;
		if (of + 1 != by && by + 1 != of) {
			*why = "what is stored would have to be waited for by what loads";
			return false;
		}
		wait(s, &i, by, of, from);
	}
	vec_push(s->arena, &s->b->code, i);
	for (int k = 0; k < n; k++)
		for (int e = touched[k].first; e <= touched[k].last; e++)
			s->last[touched[k].where][by][e] = s->b->code.n;
	return true;
}
