/* SPDX-License-Identifier: Apache-2.0 */
/* bench/sequence/values.c - buffers that become free are used again, as executors of graphs do. */
#include "bench/sequence/values.h"

struct placer {
	struct arena *arena;
	int *buffer;
	int *last;    /* step that uses a value last */
	size_t *need; /* most bytes that a step wants of a value */
	bool *written;
	bool *free; /* by buffer; as long as there are values */
	struct value_bytes_vec bytes;
};

/* What is needed the whole time has no buffer that others had or will have. */
static int take_new(struct placer *p, size_t bytes)
{
	vec_push(p->arena, &p->bytes, bytes);
	return p->bytes.n - 1;
}

/* The smallest free buffer that is large enough, else the largest, made larger; else a new one. */
static int take(struct placer *p, size_t bytes)
{
	int found = -1;

	for (int i = 0; i < p->bytes.n; i++) {
		size_t have = p->bytes.at[i], best = found < 0 ? 0 : p->bytes.at[found];

		if (!p->free[i])
			continue;
		if (found < 0 || (best < bytes ? have > best : have >= bytes && have < best))
			found = i;
	}
	if (found < 0)
		return take_new(p, bytes);
	p->free[found] = false;
	if (p->bytes.at[found] < bytes)
		p->bytes.at[found] = bytes;
	return found;
}

/* All values of a step have their buffers before any is given back: results never lie over
 * operands. */
static void place(struct placer *p, const struct value_use_vec *step, int number)
{
	for (int i = 0; i < step->n; i++) {
		int value = step->at[i].value;

		if (p->buffer[value] < 0)
			p->buffer[value] = p->written[value] ? take(p, p->need[value])
							     : take_new(p, p->need[value]);
	}
	for (int i = 0; i < step->n; i++) {
		int value = step->at[i].value;

		if (p->last[value] == number && p->written[value])
			p->free[p->buffer[value]] = true;
	}
}

static void note(struct placer *p, const struct value_use_vec *step, int number)
{
	for (int i = 0; i < step->n; i++) {
		const struct value_use *u = &step->at[i];

		p->last[u->value] = number;
		p->written[u->value] |= u->written;
		if (u->bytes > p->need[u->value])
			p->need[u->value] = u->bytes;
	}
}

static int count_values(const struct value_use_vec *steps, int n)
{
	int most = -1;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < steps[i].n; j++)
			if (steps[i].at[j].value > most)
				most = steps[i].at[j].value;
	return most + 1;
}

struct value_plan values_place(struct arena *a, const struct value_use_vec *steps, int n)
{
	int values = count_values(steps, n);
	struct placer p = {
		.arena = a,
		.buffer = arena_many(a, int, values),
		.last = arena_many(a, int, values),
		.need = arena_many(a, size_t, values),
		.written = arena_many(a, bool, values),
		.free = arena_many(a, bool, values),
	};

	for (int i = 0; i < values; i++)
		p.buffer[i] = -1;
	for (int i = 0; i < n; i++)
		note(&p, &steps[i], i);
	for (int i = 0; i < n; i++)
		place(&p, &steps[i], i);
	return (struct value_plan){ p.buffer, p.written, values, p.bytes };
}
