/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/writer.c - tokens by what is touched. */
#include "codegen/vdla/writer.h"

#include "base/integer.h"

/* Entries that were always touched together. */
struct vdla_region {
	int first, n;
	/* The number of the last instruction of each unit that touched it, counted from 1; 0: none. */
	int32_t last[VDLA_UNITS];
};

struct vdla_writer {
	struct arena *arena;
	struct vdla_binary *b;
	struct vdla_region_vec VEC(struct vdla_region) regions;
	int *region[VDLA_SCRATCHPADS];	/* of each entry */
	int32_t known[VDLA_UNITS][VDLA_UNITS];	/* [i][j]: unit i has waited for that of j */
};

struct vdla_writer *vdla_writer_new(struct arena *a, struct vdla_binary *b)
{
	struct vdla_writer *s = arena_one(a, struct vdla_writer);

	s->arena = a;
	s->b = b;
	for (int p = 0; p < VDLA_SCRATCHPADS; p++) {
		int n = vdla_entries(&b->machine, p);

		s->region[p] = arena_many(a, int, n);
		for (int e = 0; e < n; e++)
			s->region[p][e] = s->regions.n;
		vec_push(a, &s->regions, ((struct vdla_region){ .n = n }));
	}
	return s;
}

static struct vdla_region *region_at(const struct vdla_writer *s, enum vdla_scratchpad where, int entry)
{
	return &s->regions.at[s->region[where][entry]];
}

/* A region begins with ENTRY, unless that is the end. */
static void split(struct vdla_writer *s, enum vdla_scratchpad where, int entry)
{
	if (entry == vdla_entries(&s->b->machine, where) || region_at(s, where, entry)->first == entry)
		return;
	struct vdla_region *r = region_at(s, where, entry), fresh = *r;

	if (entry - r->first < r->first + r->n - entry) {	/* the smaller part is the new one */
		fresh.n = entry - r->first;
		r->first = entry;
		r->n -= fresh.n;
	} else {
		fresh.first = entry;
		fresh.n = r->first + r->n - entry;
		r->n -= fresh.n;
	}
	for (int e = fresh.first; e < fresh.first + fresh.n; e++)
		s->region[where][e] = s->regions.n;
	vec_push(s->arena, &s->regions, fresh);
}

/* Instruction I, of unit BY, waits for number FROM, of unit OF. */
static void wait_for(struct vdla_writer *s, struct vdla_instruction *i, enum vdla_unit by, enum vdla_unit of, int32_t from)
{
	struct vdla_instruction *given = &s->b->code.at[from - 1];

	*(of < by ? &i->pop_before : &i->pop_behind) = true;
	*(of < by ? &given->push_behind : &given->push_before) = true;
	s->known[by][of] = from;
}

/* Of unit OF, the last that touched any of that. */
static int32_t last_of(const struct vdla_writer *s, const struct vdla_access *touched, int n, enum vdla_unit of)
{
	int32_t last = 0;

	for (int k = 0; k < n; k++)
		for (int e = touched[k].first; e <= touched[k].last;) {
			const struct vdla_region *r = region_at(s, touched[k].where, e);

			last = r->last[of] > last ? r->last[of] : last;
			e = r->first + r->n;
		}
	return last;
}

bool vdla_writer_add(struct vdla_writer *s, struct vdla_instruction i, const struct vdla_access *touched, int n,
		     const char **why)
{
	enum vdla_unit by = vdla_unit_of(&i);
	const char *wrong = vdla_fits(&s->b->machine, &i);

	if (wrong) {
		*why = wrong;
		return false;
	}
	for (int k = 0; k < n; k++) {
		split(s, touched[k].where, touched[k].first);
		split(s, touched[k].where, touched[k].last + 1);
	}
	for (enum vdla_unit of = 0; of < VDLA_UNITS; of++) {
		int32_t from = of == by ? 0 : last_of(s, touched, n, of);

		if (from <= s->known[by][of])
			continue;
		if (of + 1 != by && by + 1 != of) {
			*why = "what is stored would have to be waited for by what loads";
			return false;
		}
		wait_for(s, &i, by, of, from);
	}
	vec_push(s->arena, &s->b->code, i);
	for (int k = 0; k < n; k++)
		for (int e = touched[k].first; e <= touched[k].last;) {
			struct vdla_region *r = region_at(s, touched[k].where, e);

			r->last[by] = s->b->code.n;
			e = r->first + r->n;
		}
	return true;
}
