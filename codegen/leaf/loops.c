/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/leaf/loops.c - which loops around a statement an instruction has, and which of their turns. */
#include "codegen/leaf/making.h"

#include "base/integer.h"

/* Takes loop J out of L. */
void leaf_drop_loop(struct leaf_making *k, int j)
{
	struct leaf *l = &k->leaf;

	memmove(&l->loop[j], &l->loop[j + 1], (size_t)(l->loops - j - 1) * sizeof(*l->loop));
	l->loops--;
	for (int i = 0; i < l->bounds; i++)
		l->bound[i].loop -= l->bound[i].loop > j;
}

static bool is_bound(const struct leaf *l, int j)
{
	for (int i = 0; i < l->bounds; i++)
		if (l->bound[i].loop == j)
			return true;
	return false;
}

/* The elements of operand 0's entries, one behind the other in all other operands' too, are the instruction's own;
 * strides are in entries and units behind it. */
static void take_entries(struct leaf_making *k)
{
	struct leaf *l = &k->leaf;
	int64_t inside = leaf_unit(k->m->limits, l->of[0]);

	for (int64_t left = inside; left > 1;) {
		int found = -1;

		for (int j = 0; j < l->loops && found < 0; j++)
			if (l->loop[j].stride[0] * left == inside && !is_bound(l, j))
				found = j;
		if (found < 0) {
			leaf_refuse(k->m, "an entry of a scratchpad is not filled as a whole");
			return;
		}
		struct leaf_loop *own = &l->loop[found];
		int64_t taken = least(own->extent, left);

		if (own->extent % taken != 0 || left % taken != 0) {
			leaf_refuse(k->m, "an entry of a scratchpad is not filled as a whole");
			return;
		}
		for (int i = 1; i < l->n && l->kind != LEAF_PRODUCTS; i++)
			if (own->stride[i] != own->stride[0])
				leaf_refuse(k->m, "an entry of a scratchpad does not lie side by side in memory");
		own->extent /= taken;
		for (int i = 0; i < l->n; i++)
			own->stride[i] *= taken;
		left /= taken;
		if (own->extent == 1)
			leaf_drop_loop(k, found);
	}
}

/* Elements become entries and units. */
static void count_in_units(struct leaf_making *k)
{
	struct leaf *l = &k->leaf;

	for (int i = 0; i < l->n; i++) {
		int64_t unit = leaf_unit(k->m->limits, l->of[i]);
		bool whole = l->start[i].constant % unit == 0;

		l->start[i].constant /= unit;
		for (int j = 0; j < l->start[i].n; j++) {
			whole &= l->start[i].term[j].coef % unit == 0;
			l->start[i].term[j].coef /= unit;
		}
		for (int j = 0; j < l->loops; j++) {
			whole &= l->loop[j].stride[i] % unit == 0;
			l->loop[j].stride[i] /= unit;
		}
		if (!whole)
			leaf_refuse(k->m, "an operand does not begin with an entry, or with a unit of memory");
	}
}

/* Loop J and the one inside of it are one, in all operands. */
static bool joins(const struct leaf *l, int j, int64_t most_count)
{
	const struct leaf_loop *x = &l->loop[j], *y = &l->loop[j + 1];
	bool same = !is_bound(l, j) && !is_bound(l, j + 1) && x->extent * y->extent <= most_count;

	for (int i = 0; i < l->n; i++)
		same &= x->stride[i] == y->stride[i] * y->extent;
	return same;
}

static void join_loops(struct leaf_making *k, int64_t most_count)
{
	for (int j = k->leaf.loops - 2; j >= 0; j--)
		if (joins(&k->leaf, j, most_count)) {
			k->leaf.loop[j + 1].extent *= k->leaf.loop[j].extent;
			leaf_drop_loop(k, j);
		}
}

/* Rows and columns are the loops that go through the scratchpad without a gap. */
static void order_transfer(struct leaf_making *k)
{
	struct leaf *l = &k->leaf;

	for (int i = 1; i < l->loops; i++)
		for (int j = i; j > 0 && l->loop[j].stride[0] > l->loop[j - 1].stride[0]; j--) {
			const struct leaf_loop other = l->loop[j];

			l->loop[j] = l->loop[j - 1];
			l->loop[j - 1] = other;
			for (int b = 0; b < l->bounds; b++)
				l->bound[b].loop = l->bound[b].loop == j ? j - 1
						   : l->bound[b].loop == j - 1 ? j : l->bound[b].loop;
		}
}

/* What K's instruction has of loops, where it is walks over entries; NULL: it is a transfer. */
static const struct leaf_steps *steps_of(const struct leaf_making *k)
{
	switch (k->leaf.kind) {
	case LEAF_VECTORS:
		return &k->m->limits->vectors;
	case LEAF_PRODUCTS:
	case LEAF_ZEROS:	/* which the first products of sums may take the place of */
		return &k->m->limits->products;
	case LEAF_LOAD:
	case LEAF_STORE:
		break;
	}
	return NULL;
}

/* How many of K's inner loops an instruction with STEPS has. */
static int loops_of_walks(const struct leaf_making *k, const struct leaf_steps *steps)
{
	const struct leaf *l = &k->leaf;
	int most_loops = (int)least(l->loops, k->m->limits->loops);

	for (int c = 0; c < most_loops; c++) {
		const struct leaf_loop *one = &l->loop[l->loops - 1 - c];
		bool fits = one->extent <= steps->count;

		for (int i = 0; i < l->n; i++)
			fits &= one->stride[i] >= 0 && one->stride[i] <= steps->stride[l->of[i]->scratchpad];
		if (!fits)
			return c;
	}
	return most_loops;
}

/* The same of a transfer: columns, and rows that lie one behind the other in the scratchpad. */
static int loops_of_transfer(const struct leaf *l)
{
	int rows = l->loops - 1 - l->columns;
	int64_t row = l->columns ? l->loop[l->loops - 1].extent : 1;

	return l->columns + (rows >= 0 && l->loop[rows].stride[0] == row && l->loop[rows].stride[1] >= 0);
}

/* Does the innermost loop of K, a transfer, go from entry to entry, here and there? */
static bool has_columns(const struct leaf_making *k)
{
	const struct leaf *l = &k->leaf;
	int last = l->loops - 1;

	return last >= 0 && l->loop[last].stride[0] == 1 &&
	       l->loop[last].stride[1] * leaf_unit(k->m->limits, l->of[1]) == leaf_unit(k->m->limits, l->of[0]);
}

/* K's outermost loop, which is no instruction's but of whoever writes the stream. */
static struct leaf_node *take_outermost(struct leaf_making *k)
{
	struct leaf *l = &k->leaf;
	struct leaf_node *around = arena_one(k->m->a, struct leaf_node);

	around->kind = NODE_LOOP;
	around->slot = leaf_new_slot(k->m, NULL);
	around->hi = l->loop[0].extent;
	for (int i = 0; i < l->n; i++)
		if (l->loop[0].stride[i] != 0)
			leaf_add_term(k->m, &l->start[i], around->slot, l->loop[0].stride[i]);
	for (int i = 0; i < l->bounds; i++)
		if (l->bound[i].loop == 0) {
			leaf_add_term(k->m, &l->bound[i].f, around->slot, l->bound[i].coef);
			l->bound[i].loop = -1;
		}
	leaf_drop_loop(k, 0);
	return around;
}

struct leaf_node *leaf_finish(struct leaf_making *k)
{
	struct leaf *l = &k->leaf;
	struct leaf_node *tree = NULL, **hole = &tree;

	if (!k->m->why)
		take_entries(k);
	if (!k->m->why)
		count_in_units(k);
	if (k->m->why)
		return NULL;
	const struct leaf_steps *steps = steps_of(k);

	if (!steps)
		order_transfer(k);
	join_loops(k, steps ? steps->count : k->m->limits->rows);
	l->columns = !steps && has_columns(k);
	for (int own = steps ? loops_of_walks(k, steps) : loops_of_transfer(l); l->loops > own; hole = &(*hole)->body)
		*hole = take_outermost(k);
	*hole = arena_one(k->m->a, struct leaf_node);
	(*hole)->kind = NODE_LEAF;
	(*hole)->leaf = arena_memdup(k->m->a, l, sizeof(*l));
	return tree;
}

struct leaf_turns leaf_turns_at(const struct leaf *l, const int64_t f[LEAF_BOUNDS])
{
	struct leaf_turns t = { .none = false };

	for (int j = 0; j < l->loops; j++)
		t.hi[j] = l->loop[j].extent;
	for (int i = 0; i < l->bounds; i++) {
		const struct leaf_bound *b = &l->bound[i];

		if (b->loop < 0)
			t.none |= f[i] < 0;
		else if (b->coef > 0)	/* loop >= -f / coef, rounded up */
			t.lo[b->loop] = most(t.lo[b->loop], -floor_div(f[i], b->coef));
		else
			t.hi[b->loop] = least(t.hi[b->loop], floor_div(f[i], -b->coef) + 1);
	}
	for (int j = 0; j < l->loops; j++)
		t.none |= t.lo[j] >= t.hi[j];
	return t;
}
