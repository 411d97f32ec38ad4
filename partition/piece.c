/* SPDX-License-Identifier: Apache-2.0 */
/* partition/piece.c - units are put into a piece as long as they fit. */
#include "partition/piece.h"

struct piece_limit piece_limit_of(const struct hone_generator *g)
{
	return g->grain == HONE_REGIONS ? (struct piece_limit){ g->most_calls, g->most_bytes }
					: (struct piece_limit){ 0 };
}

/* --- what a piece comes to */

struct piece_meter piece_meter_new(struct arena *a, const struct function *f)
{
	return (struct piece_meter){ .function = f, .seen = arena_many(a, int, f->bindings.n) };
}

void piece_begin(struct piece_meter *m)
{
	m->piece++;
	m->calls = 0;
	m->bytes = 0;
}

static void add_tensor(struct piece_meter *m, int value)
{
	int64_t bytes = value < 0 ? 0 : type_bytes(function_at(m->function, value)->type);

	if (value < 0 || m->seen[value] == m->piece)
		return;
	m->seen[value] = m->piece;
	m->bytes += bytes > 0 ? (size_t)bytes : 0;
}

void piece_add(struct piece_meter *m, int value)
{
	const struct binding *b = function_at(m->function, value);

	m->calls++;
	add_tensor(m, value);
	for (int i = 0; i < b->nargs; i++)
		add_tensor(m, b->args[i]);
}

const char *piece_excess(struct arena *a, const struct piece_meter *m, struct piece_limit limit)
{
	if (limit.calls && m->calls > limit.calls)
		return arena_printf(a, "%d calls, more than the %d that it takes at once", m->calls,
				    limit.calls);
	if (limit.bytes && m->bytes > limit.bytes)
		return arena_printf(a, "tensors of %zu bytes, more than the %zu that it takes at once",
				    m->bytes, limit.bytes);
	return NULL;
}

/* --- pieces of regions */

struct region_cutter {
	struct arena *a, *scratch;
	const int *unit;
	struct piece_meter meter;
	int *first, *next;	/* by value: members of the unit that ends there; the member behind */
	int *piece;		/* by value: of its region */
	struct call_region_vec out;
};

/* The members of each unit of R, from x->first of its last member on. */
static void list_units(struct region_cutter *x, const struct call_region *r)
{
	for (int i = 0; i < r->members.n; i++)
		x->first[r->members.at[i]] = VALUE_NONE;
	for (int i = r->members.n - 1; i >= 0; i--) {
		int v = r->members.at[i];

		x->next[v] = x->first[x->unit[v]];
		x->first[x->unit[v]] = v;
	}
}

static void add_unit(struct region_cutter *x, int last)
{
	for (int v = x->first[last]; v >= 0; v = x->next[v])
		piece_add(&x->meter, v);
}

/* Says of each member of R in which piece it is; their number. */
static int find_pieces(struct region_cutter *x, const struct call_region *r, struct piece_limit limit)
{
	int pieces = 1;

	list_units(x, r);
	piece_begin(&x->meter);
	for (int i = 0; i < r->members.n; i++) {
		int last = r->members.at[i];

		if (x->unit[last] != last)
			continue;
		bool empty = x->meter.calls == 0;

		add_unit(x, last);
		if (!empty && piece_excess(x->scratch, &x->meter, limit)) {
			pieces++;
			piece_begin(&x->meter);
			add_unit(x, last);
		}
		for (int v = x->first[last]; v >= 0; v = x->next[v])
			x->piece[v] = pieces - 1;
	}
	return pieces;
}

static void cut_region(struct region_cutter *x, const struct call_region *r, struct piece_limit limit)
{
	int from = x->out.n, pieces = find_pieces(x, r, limit);

	for (int i = 0; i < pieces; i++)
		vec_push(x->a, &x->out, (struct call_region){ .generator = r->generator, .level = r->level });
	for (int i = 0; i < r->members.n; i++) {
		int v = r->members.at[i];

		vec_push(x->a, &x->out.at[from + x->piece[v]].members, v);
	}
}

void regions_cut(struct arena *a, const struct function *f, struct call_regions *regions, const int *unit,
		 const struct piece_limit *limits)
{
	int n = f->bindings.n;
	struct region_cutter x = {
		.a = a, .scratch = arena_new(), .unit = unit, .meter = piece_meter_new(a, f),
		.first = arena_many(a, int, n), .next = arena_many(a, int, n),
		.piece = arena_many(a, int, n),
	};

	for (int i = 0; i < regions->at.n; i++) {
		const struct call_region *r = &regions->at.at[i];

		cut_region(&x, r, limits[r->generator]);
		arena_reset(x.scratch);
	}
	arena_free(x.scratch);
	regions->at = x.out;
	for (int i = 0; i < x.out.n; i++)
		for (int j = 0; j < x.out.at[i].members.n; j++)
			regions->of[x.out.at[i].members.at[j]] = i;
}
