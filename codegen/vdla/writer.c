/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/writer.c - tokens by what is touched. */
#include "codegen/vdla/writer.h"

#include <wchar.h>

_Static_assert(sizeof(wchar_t) == sizeof(int32_t), "numbers of instructions are filled in by wmemset()");

enum { GROUP = 16 };	/* walks are over some hundred entries */

struct vdla_writer {
	struct arena *arena;
	struct vdla_binary *b;
	/* The number of the last instruction of each unit, counted from 1, that touched an entry, and of all; 0: none. Numbers of 32 bits as
	 * libc can fill with in vectors. */
	wchar_t *touched[VDLA_SCRATCHPADS][VDLA_UNITS];
	wchar_t *group[VDLA_SCRATCHPADS][VDLA_UNITS];	/* the same of so many entries together */
	int32_t last[VDLA_UNITS];
	int32_t known[VDLA_UNITS][VDLA_UNITS];	/* [i][j]: unit i has waited for that of j */
	int32_t waited[VDLA_UNITS];	/* the number of the last of the compute unit that waited for that unit */
	struct vdla_instruction fitted[VDLA_OPS];	/* the last of each that was found to fit; no counts: none was */
};

struct vdla_writer *vdla_writer_new(struct arena *a, struct vdla_binary *b)
{
	struct vdla_writer *s = arena_one(a, struct vdla_writer);

	s->arena = a;
	s->b = b;
	for (enum vdla_scratchpad p = 0; p < VDLA_SCRATCHPADS; p++)
		for (enum vdla_unit u = 0; u < VDLA_UNITS; u++) {
			s->touched[p][u] = arena_many(a, wchar_t, vdla_entries(&b->machine, p));
			s->group[p][u] = arena_many(a, wchar_t, vdla_entries(&b->machine, p) / GROUP + 1);
		}
	return s;
}

/* Of unit OF, the last that touched any of that. */
static int32_t last_of(const struct vdla_writer *s, const struct vdla_access *touched, int n, enum vdla_unit of)
{
	int32_t last = 0;

	for (int k = 0; k < n; k++) {
		const wchar_t *at = s->touched[touched[k].where][of], *group = s->group[touched[k].where][of];

		for (int e = touched[k].first; e <= touched[k].last;) {
			bool whole = e % GROUP == 0 && e + GROUP <= touched[k].last + 1;
			int32_t one = whole ? group[e / GROUP] : at[e];

			last = one > last ? one : last;
			e += whole ? GROUP : 1;
		}
	}
	return last;
}

/* Number NOW, of unit BY, touches that. */
static void touch(struct vdla_writer *s, const struct vdla_access *touched, enum vdla_unit by, int32_t now)
{
	wmemset(s->touched[touched->where][by] + touched->first, now, (size_t)(touched->last - touched->first + 1));
	wmemset(s->group[touched->where][by] + touched->first / GROUP, now,
		(size_t)(touched->last / GROUP - touched->first / GROUP + 1));
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

static bool same_strides(const struct vdla_walk *x, const struct vdla_walk *y)
{
	return x->stride[0] == y->stride[0] && x->stride[1] == y->stride[1];
}

/* Are X and Y the same products or vectors, elsewhere? */
static bool differ_in_bases(const struct vdla_instruction *x, const struct vdla_instruction *y)
{
	if (x->op == VDLA_GEMM) {
		const struct vdla_gemm *a = &x->gemm, *b = &y->gemm;

		return a->count[0] == b->count[0] && a->count[1] == b->count[1] && same_strides(&a->sum, &b->sum) &&
		       same_strides(&a->input, &b->input) && same_strides(&a->weight, &b->weight);
	}
	const struct vdla_vector *a = &x->vector, *b = &y->vector;

	return x->op == VDLA_ALU && a->op == b->op && a->immediate == b->immediate && a->number == b->number &&
	       a->count[0] == b->count[0] && a->count[1] == b->count[1] && same_strides(&a->destination, &b->destination) &&
	       same_strides(&a->source, &b->source);
}

/* As vdla_fits(), which a third of the time of writing a stream went into: where the last one that fits had the same fields,
 * entries decide. */
static const char *fits(struct vdla_writer *s, const struct vdla_instruction *i, const struct vdla_access *touched, int n)
{
	bool inside = differ_in_bases(i, &s->fitted[i->op]);

	for (int k = 0; k < n && inside; k++)
		inside = touched[k].first >= 0 && touched[k].last < vdla_entries(&s->b->machine, touched[k].where);
	const char *wrong = inside ? NULL : vdla_fits(&s->b->machine, i);

	if (!wrong)
		s->fitted[i->op] = *i;
	return wrong;
}

bool vdla_writer_add(struct vdla_writer *s, struct vdla_instruction i, const struct vdla_access *touched, int n,
		     const char **why)
{
	enum vdla_unit by = vdla_unit_of(&i), far = VDLA_STORE_UNIT - by;	/* of transfers: no channel joins these */
	const char *wrong = fits(s, &i, touched, n);
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
		touch(s, &touched[k], by, s->b->code.n);
	return true;
}
