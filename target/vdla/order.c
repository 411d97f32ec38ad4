/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/order.c - finds what tokens do not order, by vector clocks.
 *
 * Each unit counts its instructions, and knows up to which of the others' it comes after; a token hands that on. Whatever
 * is read and written remembers its last writer, and the last reader of each unit: an earlier one is before that. */
#include <assert.h>
#include <stdlib.h>

#include "base/err.h"
#include "target/vdla/assembler.h"
#include "target/vdla/execute.h"

enum { AREAS = VDLA_SCRATCHPADS + 1, NOBODY = 0, CALLER = VDLA_UNITS };

/* Numbers of instructions in their unit, from 1 on. */
struct vdla_clock {
	int at[VDLA_UNITS];
};

/* Who touched an entry last. */
struct vdla_touched {
	int writer;	/* number * 4 + unit; NOBODY; CALLER */
	int reader[VDLA_UNITS];
};

struct vdla_order {
	const struct vdla_binary *b;
	struct vdla_touched *touched[AREAS];
	int64_t size[AREAS];
	struct vdla_clock unit[VDLA_UNITS];
	struct vdla_clock *token[VDLA_CHANNELS];
	int pushed[VDLA_CHANNELS], popped[VDLA_CHANNELS];
	int number;		/* of the instruction that runs */
	enum vdla_unit now;	/* who runs it */
};

/* Much is never touched, and so takes no memory: unlike arena_many(). */
static void *zeroed(struct arena *a, int64_t n, size_t size)
{
	void *p = calloc((size_t)n + 1, size);

	if (!p)
		die("out of memory (%lld * %zu bytes)", (long long)n, size);
	arena_defer(a, free, p);
	return p;
}

struct vdla_order *vdla_order_new(struct arena *a, const struct vdla_binary *b)
{
	struct vdla_order *o = arena_one(a, struct vdla_order);

	o->b = b;
	for (int s = 0; s < VDLA_SCRATCHPADS; s++)
		o->size[s] = vdla_entries(&b->machine, (enum vdla_scratchpad)s);
	o->size[VDLA_SCRATCHPADS] = b->memory_bytes / VDLA_UNIT_BYTES;
	for (int i = 0; i < AREAS; i++)
		o->touched[i] = zeroed(a, o->size[i], sizeof(*o->touched[i]));
	for (int c = 0; c < VDLA_CHANNELS; c++)
		o->token[c] = zeroed(a, b->code.n, sizeof(*o->token[c]));
	for (int i = 0; i < b->tensors.n; i++) {
		const struct vdla_tensor *t = &b->tensors.at[i];

		assert(t->address >= 0 && t->address * VDLA_UNIT_BYTES + t->bytes <= b->memory_bytes);
		for (int64_t unit = 0; t->role != VDLA_OUTPUT && unit * VDLA_UNIT_BYTES < t->bytes; unit++)
			o->touched[VDLA_SCRATCHPADS][t->address + unit].writer = CALLER;
	}
	return o;
}

void vdla_order_begin(struct vdla_order *o, int number)
{
	const struct vdla_instruction *i = &o->b->code.at[number];
	enum vdla_channel pops[2];
	int n = vdla_pops(i, pops);

	o->number = number;
	o->now = vdla_unit_of(i);
	struct vdla_clock *own = &o->unit[o->now];

	for (int k = 0; k < n; k++) {
		const struct vdla_clock *t = &o->token[pops[k]][o->popped[pops[k]]++];

		for (int u = 0; u < VDLA_UNITS; u++)
			if (t->at[u] > own->at[u])
				own->at[u] = t->at[u];
	}
	own->at[o->now]++;
}

void vdla_order_end(struct vdla_order *o)
{
	enum vdla_channel pushes[2];
	int n = vdla_pushes(&o->b->code.at[o->number], pushes);

	for (int k = 0; k < n; k++)
		o->token[pushes[k]][o->pushed[pushes[k]]++] = o->unit[o->now];
}

void vdla_order_barrier(struct vdla_order *o)
{
	for (int u = 0; u < VDLA_UNITS; u++)
		for (int other = 0; other < VDLA_UNITS; other++)
			if (o->unit[other].at[other] > o->unit[u].at[other])
				o->unit[u].at[other] = o->unit[other].at[other];
}

int vdla_refuse(const struct vdla_binary *b, int number, const char *fmt, ...)
{
	struct text t = { 0 };
	va_list ap;

	text_printf(&t, "instruction %d (", number);
	vdla_instruction_print(&t, &b->code.at[number]);
	text_puts(&t, ")");
	va_start(ap, fmt);
	text_vprintf(&t, fmt, ap);
	va_end(ap);
	err_set("%s", text_str(&t));
	text_free(&t);
	return -1;
}

static const char *where_name(int where)
{
	return where == VDLA_SCRATCHPADS ? "unit of memory" : vdla_scratchpad_names[where];
}

/* The instruction that runs DOES an ENTRY that the COUNT-th instruction of unit U has DONE. */
static bool refuse(const struct vdla_order *o, const char *does, int where, int64_t entry, const char *done, int u,
		   int count)
{
	int number = 0;

	while ((int)vdla_unit_of(&o->b->code.at[number]) != u || --count > 0)
		number++;
	vdla_refuse(o->b, number, "%s", "");
	vdla_refuse(o->b, o->number, " %s %s %lld, and no tokens order it behind the one that %s it, %s", does,
		    where_name(where), (long long)entry, done, err_get());
	return false;
}

static bool outside(const struct vdla_order *o, const char *does, int where, int64_t first, int64_t last)
{
	vdla_refuse(o->b, o->number, " %s %s %lld to %lld, outside of its %lld", does, where_name(where), (long long)first,
		    (long long)last, (long long)o->size[where]);
	return false;
}

/* The writer of WHERE's ENTRY is before the instruction that runs. */
static inline bool behind_writer(const struct vdla_order *o, const struct vdla_touched *t)
{
	int u = t->writer % 4;

	return u == CALLER || u == (int)o->now || o->unit[o->now].at[u] >= t->writer / 4;
}

bool vdla_order_reads(struct vdla_order *o, int where, int64_t first, int64_t n, int64_t stride)
{
	int64_t last = first + (n - 1) * stride;
	int now = (int)o->now, number = o->unit[now].at[now];
	int before = NOBODY;	/* who wrote the entry before */

	if (first < 0 || last >= o->size[where])
		return outside(o, "reads", where, first, last);
	for (struct vdla_touched *t = o->touched[where] + first; n > 0; n--, t += stride) {
		if (t->writer == NOBODY)
			return vdla_refuse(o->b, o->number, " reads %s %lld, which nothing has written", where_name(where),
					   (long long)(t - o->touched[where])) == 0;
		if (t->writer != before && !behind_writer(o, t))
			return refuse(o, "reads", where, t - o->touched[where], "wrote", t->writer % 4, t->writer / 4);
		before = t->writer;
		t->reader[now] = number;
	}
	return true;
}

bool vdla_order_writes(struct vdla_order *o, int where, int64_t first, int64_t n, int64_t stride)
{
	int64_t last = first + (n - 1) * stride;
	const struct vdla_clock *own = &o->unit[o->now];
	int now = (int)o->now, written = own->at[now] * 4 + now;
	int before = NOBODY;	/* who wrote the entry before; nobody is before all */

	if (first < 0 || last >= o->size[where])
		return outside(o, "writes", where, first, last);
	for (struct vdla_touched *t = o->touched[where] + first; n > 0; n--, t += stride) {
		if (t->writer != before && !behind_writer(o, t))
			return refuse(o, "writes", where, t - o->touched[where], "wrote", t->writer % 4, t->writer / 4);
		before = t->writer;
		for (int u = 0; u < VDLA_UNITS; u++)
			if (u != now && own->at[u] < t->reader[u])
				return refuse(o, "writes", where, t - o->touched[where], "read", u, t->reader[u]);
		t->writer = written;
	}
	return true;
}
