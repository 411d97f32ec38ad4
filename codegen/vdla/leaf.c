/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/leaf.c - from a nest to loops of instructions and loops around them. */
#include "codegen/vdla/leaf.h"

#include "base/integer.h"
#include "codegen/vdla/vector.h"
#include "schedule/intrinsic_term.h"
#include "te/index/index.h"

struct maker {
	struct arena *a;
	const struct vdla_machine *machine;
	const struct axis *axis[LEAF_SLOTS];	/* of the loop in each slot; NULL: of a part of an instruction */
	int slots;
	bool mixes;		/* a condition is on two loops of what was tried as a leaf */
	const char *why;
};

/* A leaf while it is made: its loops are still those of the nest, strides in elements. */
struct making {
	struct maker *m;
	struct leaf leaf;
	const struct axis *axis[LEAF_LOOPS];
};

int64_t affine_at(const struct affine *f, const int64_t *value)
{
	int64_t sum = f->constant;

	for (int i = 0; i < f->n; i++)
		sum += f->term[i].coef * value[f->term[i].slot];
	return sum;
}

enum vdla_scratchpad leaf_scratchpad(const struct buffer *b)
{
	return b->scratchpad == SCOPE_INPUTS ? VDLA_INPUTS
					     : b->scratchpad == SCOPE_WEIGHTS ? VDLA_WEIGHTS : VDLA_ACCUMULATORS;
}

/* Elements of an entry of B's scratchpad; of memory: bytes of a unit over those of an element. */
static int64_t unit_of(const struct buffer *b)
{
	int64_t bytes = b->scratchpad ? vdla_entry_bytes(leaf_scratchpad(b)) : VDLA_UNIT_BYTES;

	return most(bytes / (int64_t)dtype_bytes(b->tensor.dtype), 1);
}

int64_t leaf_room(const struct buffer *b)
{
	return ceil_div(tensor_count(&b->tensor), unit_of(b));
}

static void refuse(struct maker *m, const char *why)
{
	if (!m->why)
		m->why = why;
}

/* --- sums of loops' values */

static void add_term(struct maker *m, struct affine *f, int slot, int64_t coef)
{
	if (f->n == AFFINE_TERMS) {
		refuse(m, "an index has too many terms");
		return;
	}
	f->term[f->n].slot = slot;
	f->term[f->n++].coef = coef;
}

static int slot_of(const struct maker *m, const struct axis *axis)
{
	for (int i = m->slots - 1; i >= 0; i--)
		if (m->axis[i] == axis)
			return i;
	return -1;
}

static int new_slot(struct maker *m, const struct axis *axis)
{
	if (m->slots == LEAF_SLOTS) {
		refuse(m, "loops are nested too deeply");
		return 0;
	}
	m->axis[m->slots] = axis;
	return m->slots++;
}

/* L without the terms of the leaf's own loops (NULL: it has none), whose coefficients are in OWN, by loop. */
static struct affine split_linear(struct maker *m, const struct linear *l, const struct making *k, int64_t *own)
{
	struct affine f = { .constant = l->constant };

	for (int i = 0; i < l->n; i++) {
		const struct expr *atom = l->term[i].atom;
		int loop = -1, slot = atom->kind == EXPR_AXIS ? slot_of(m, atom->axis) : -1;

		for (int j = 0; k && atom->kind == EXPR_AXIS && j < k->leaf.loops; j++)
			loop = k->axis[j] == atom->axis ? j : loop;
		if (loop >= 0) {
			own[loop] += l->term[i].coef;
			f.constant += l->term[i].coef * atom->axis->lo;
		} else if (slot >= 0) {
			add_term(m, &f, slot, l->term[i].coef);
		} else {
			refuse(m, "an index is no sum of loops' values");
		}
	}
	return f;
}

/* Operand I of the leaf is the element of T at INDEX. */
static void set_operand(struct making *k, int i, const struct tensor *t, const struct expr *const *index)
{
	struct linear at = { 0 };
	int64_t own[LEAF_LOOPS] = { 0 }, row = 1;

	for (int d = t->ndim - 1; d >= 0; d--) {
		if (!linear_add_expr(k->m->a, &at, index[d], row))
			refuse(k->m, "an index has too many terms");
		row *= t->shape[d];
	}
	k->leaf.of[i] = buffer_of(t);
	k->leaf.start[i] = split_linear(k->m, &at, k, own);
	for (int j = 0; j < k->leaf.loops; j++)
		k->leaf.loop[j].stride[i] = own[j];
}

static void set_load(struct making *k, int i, const struct expr *load)
{
	set_operand(k, i, load->tensor, load->index);
}

static void add_bound(struct making *k, const struct expr *greater, const struct expr *less, int64_t constant)
{
	struct linear l;
	int64_t own[LEAF_LOOPS] = { 0 };
	struct leaf_bound *b = &k->leaf.bound[k->leaf.bounds];

	if (k->leaf.bounds == LEAF_BOUNDS || !linear_from(k->m->a, greater, &l) ||
	    !linear_add_expr(k->m->a, &l, less, -1)) {
		refuse(k->m, "too many conditions");
		return;
	}
	b->f = split_linear(k->m, &l, k, own);
	b->f.constant += constant;
	b->loop = -1;
	for (int j = 0; j < k->leaf.loops; j++) {
		k->m->mixes |= own[j] != 0 && b->loop >= 0;
		if (own[j] == 0)
			continue;
		b->loop = j;
		b->coef = own[j];
	}
	k->leaf.bounds++;
}

/* The leaf does something where COND holds. */
static void add_bounds(struct making *k, const struct expr *cond)
{
	if (cond->kind == EXPR_AND) {
		add_bounds(k, cond->arg[0]);
		add_bounds(k, cond->arg[1]);
	} else if (cond->kind == EXPR_LE) {
		add_bound(k, cond->arg[1], cond->arg[0], 0);
	} else if (cond->kind == EXPR_LT) {
		add_bound(k, cond->arg[1], cond->arg[0], -1);
	} else {
		refuse(k->m, "a condition is no comparison of indices");
	}
}

/* --- what a statement is */

static bool is_zero(const struct expr *e)
{
	return (e->kind == EXPR_INT && e->i == 0) || (e->kind == EXPR_FLOAT && e->f == 0);
}

/* Bytes of memory as they are, or as accumulators that are wider. */
static void make_load(struct making *k, const struct nest *store)
{
	const struct expr *e = store->value;

	if (e->kind == EXPR_SELECT && is_zero(e->arg[2])) {
		add_bounds(k, e->arg[0]);
		e = e->arg[1];
	}
	const struct expr *load = expr_cast_load(e);
	bool narrow = load && load->dtype == DTYPE_I8 && store->buffer->scratchpad == SCOPE_ACCUMULATORS;

	if (!load || buffer_of(load->tensor)->scratchpad || (!narrow && load->dtype != store->buffer->tensor.dtype)) {
		refuse(k->m, "what goes to a scratchpad is no element of memory as it is, or zero beside");
		return;
	}
	k->leaf.kind = LEAF_LOAD;
	k->leaf.form = narrow ? VDLA_NARROW : VDLA_PLAIN;
	k->leaf.n = 2;
	set_load(k, 1, load);
}

static void make_products(struct making *k, const struct nest *group, const struct nest *lanes, const struct nest *store)
{
	struct intrinsic_term term;

	if (!intrinsic_term(k->m->a, group->intrinsic, group->axis, lanes, store, &term, &k->m->why))
		return;
	k->leaf.kind = LEAF_GEMM;
	k->leaf.n = 3;
	set_operand(k, 0, &store->buffer->tensor, store->index);
	set_load(k, 1, term.a);
	set_load(k, 2, term.b);
}

/* VALUE as operations on the element that is loaded first; sources are operands of the leaf from FIRST on. */
static void make_vectors(struct making *k, const struct expr *value, int first)
{
	const struct expr *sources[LEAF_OPERANDS];
	const struct expr *load;
	int n = LEAF_OPERANDS - first;

	load = vector_chain(value, k->leaf.vector, &k->leaf.vectors, LEAF_VECTORS, sources, &n, first);
	if (!load) {
		refuse(k->m, "a value is not what vector instructions compute");
		return;
	}
	set_load(k, 0, load);
	for (int i = 0; i < n; i++)
		set_load(k, first + i, sources[i]);
	k->leaf.n = first + n;
}

/* E without limits that a store of bytes has of its own; NULL where it may be beyond these. */
static const struct expr *without_limits(const struct expr *e)
{
	bool below = false, above = false;

	for (int i = 0; i < 2; i++) {
		int64_t limit;

		if ((e->kind != EXPR_MIN && e->kind != EXPR_MAX) || !expr_is_int(e->arg[1], &limit))
			break;
		below |= e->kind == EXPR_MAX && limit >= INT8_MIN;
		above |= e->kind == EXPR_MIN && limit <= INT8_MAX;
		if (limit != (e->kind == EXPR_MIN ? INT8_MAX : INT8_MIN))
			break;
		e = e->arg[0];
	}
	const struct expr *other = e->kind == EXPR_MIN || e->kind == EXPR_MAX ? e->arg[0] : NULL;
	int64_t limit;

	if (other && (other->kind == EXPR_MIN || other->kind == EXPR_MAX) && expr_is_int(other->arg[1], &limit)) {
		below |= other->kind == EXPR_MAX && limit >= INT8_MIN;
		above |= other->kind == EXPR_MIN && limit <= INT8_MAX;
	}
	return below && above ? e : NULL;
}

static void make_store(struct making *k, const struct nest *store)
{
	const struct expr *e = store->value;
	bool narrow = e->kind == EXPR_CAST && e->dtype == DTYPE_I8;

	if (store->buffer->tensor.dtype != (narrow ? DTYPE_I8 : DTYPE_I32) || store->reducer != REDUCE_NONE)
		refuse(k->m, "only sums of 32 bits, and their low bytes, are stored");
	k->leaf.kind = LEAF_STORE;
	k->leaf.form = narrow ? VDLA_NARROW : VDLA_PLAIN;
	set_operand(k, 1, &store->buffer->tensor, store->index);
	e = narrow ? without_limits(e->arg[0]) : e;
	if (e)
		make_vectors(k, e, 2);
	else
		refuse(k->m, "bytes that are stored are limited to their range");
}

static void make_plain(struct making *k, const struct nest *store)
{
	if (!store->buffer->scratchpad) {
		make_store(k, store);
		return;
	}
	set_operand(k, 0, &store->buffer->tensor, store->index);
	if (store->reducer == REDUCE_NONE && is_zero(store->value) && store->buffer->scratchpad == SCOPE_ACCUMULATORS) {
		k->leaf.kind = LEAF_ZEROS;
		k->leaf.n = 1;
	} else if (store->reducer == REDUCE_NONE) {
		make_load(k, store);
	} else {
		refuse(k->m, "a sum is no intrinsic");
	}
}

/* --- loops of an instruction */

/* Takes loop J out of L. */
static void drop_loop(struct making *k, int j)
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
static void take_entries(struct making *k)
{
	struct leaf *l = &k->leaf;
	int64_t inside = unit_of(l->of[0]);

	for (int64_t left = inside; left > 1;) {
		int found = -1;

		for (int j = 0; j < l->loops && found < 0; j++)
			if (l->loop[j].stride[0] * left == inside && !is_bound(l, j))
				found = j;
		if (found < 0) {
			refuse(k->m, "an entry of a scratchpad is not filled as a whole");
			return;
		}
		struct leaf_loop *own = &l->loop[found];
		int64_t taken = least(own->extent, left);

		if (own->extent % taken != 0 || left % taken != 0) {
			refuse(k->m, "an entry of a scratchpad is not filled as a whole");
			return;
		}
		for (int i = 1; i < l->n && l->kind != LEAF_GEMM; i++)
			if (own->stride[i] != own->stride[0])
				refuse(k->m, "an entry of a scratchpad does not lie side by side in memory");
		own->extent /= taken;
		for (int i = 0; i < l->n; i++)
			own->stride[i] *= taken;
		left /= taken;
		if (own->extent == 1)
			drop_loop(k, found);
	}
}

/* Elements become entries and units. */
static void count_in_units(struct making *k)
{
	struct leaf *l = &k->leaf;

	for (int i = 0; i < l->n; i++) {
		int64_t unit = unit_of(l->of[i]);
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
			refuse(k->m, "an operand does not begin with an entry, or with a unit of memory");
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

static void join_loops(struct making *k, int64_t most_count)
{
	for (int j = k->leaf.loops - 2; j >= 0; j--)
		if (joins(&k->leaf, j, most_count)) {
			k->leaf.loop[j + 1].extent *= k->leaf.loop[j].extent;
			drop_loop(k, j);
		}
}

/* Rows and columns are the loops that go through the scratchpad without a gap. */
static void order_transfer(struct making *k)
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

/* How many of L's inner loops an instruction has. */
static int loops_of_instruction(const struct making *k)
{
	const struct leaf *l = &k->leaf;
	int n = l->loops, most_loops = (int)least(n, VDLA_LOOPS);

	if (l->kind == LEAF_GEMM || l->kind == LEAF_ZEROS) {
		int64_t count = vdla_count_most(k->m->machine, VDLA_GEMM);
		static const enum vdla_scratchpad pads[] = { VDLA_ACCUMULATORS, VDLA_INPUTS, VDLA_WEIGHTS };

		for (int c = 0; c < most_loops; c++) {
			const struct leaf_loop *one = &l->loop[n - 1 - c];
			bool fits = one->extent <= count;

			for (int i = 0; i < l->n; i++)
				fits &= one->stride[i] >= 0 &&
					one->stride[i] <= vdla_stride_most(k->m->machine, VDLA_GEMM, pads[i]);
			if (!fits)
				return c;
		}
		return most_loops;
	}
	int64_t units = vdla_entry_units(leaf_scratchpad(l->of[0]), l->form);
	bool columns = n > 0 && l->loop[n - 1].stride[0] == 1 && l->loop[n - 1].stride[1] == units;
	int rows = n - 1 - columns;
	int64_t row = columns ? l->loop[n - 1].extent : 1;

	return columns + (rows >= 0 && l->loop[rows].stride[0] == row && l->loop[rows].stride[1] >= 0);
}

/* The loops around the leaf's own are loops of whoever writes the stream. */
static struct leaf_node *finish(struct making *k)
{
	struct leaf *l = &k->leaf;
	struct leaf_node *node = arena_one(k->m->a, struct leaf_node);

	if (!k->m->why)
		take_entries(k);
	if (!k->m->why)
		count_in_units(k);
	if (k->m->why)
		return NULL;
	bool walks = l->kind == LEAF_GEMM || l->kind == LEAF_ZEROS;

	if (!walks)
		order_transfer(k);
	join_loops(k, walks ? vdla_count_most(k->m->machine, VDLA_GEMM) : VDLA_ROWS_MOST);
	for (int own = loops_of_instruction(k); l->loops > own;) {
		struct leaf_node *around = arena_one(k->m->a, struct leaf_node);
		int slot = new_slot(k->m, NULL);

		around->kind = NODE_LOOP;
		around->slot = slot;
		around->hi = l->loop[0].extent;
		for (int i = 0; i < l->n; i++)
			if (l->loop[0].stride[i] != 0)
				add_term(k->m, &l->start[i], slot, l->loop[0].stride[i]);
		for (int i = 0; i < l->bounds; i++)
			if (l->bound[i].loop == 0) {
				add_term(k->m, &l->bound[i].f, slot, l->bound[i].coef);
				l->bound[i].loop = -1;
			}
		drop_loop(k, 0);
		around->next = node->next;	/* outermost last, for now */
		node->next = around;
	}
	node->kind = NODE_LEAF;
	node->leaf = arena_memdup(k->m->a, l, sizeof(*l));
	struct leaf_node *tree = node, *around = node->next;

	for (node->next = NULL; around;) {
		struct leaf_node *next = around->next;

		around->body = tree;
		around->next = NULL;
		tree = around;
		around = next;
	}
	return tree;
}

/* --- the tree */

static struct leaf_node *make_list(struct maker *m, const struct nest *list);

/* The loops and conditions from N down to a store that is alone in all of them; NULL: there are others. */
static const struct nest *descend(struct making *k, const struct nest *n, const struct nest **lanes, const struct nest **group)
{
	for (; n && n->kind != NEST_STORE; n = n->body) {
		if (n->next || n->other || (n->kind != NEST_LOOP && n->kind != NEST_IF))
			return NULL;
		if (n->kind == NEST_IF)
			continue;
		if (k->leaf.loops == LEAF_LOOPS)
			return NULL;
		*lanes = n;
		*group = n->intrinsic ? n : *group;
		k->axis[k->leaf.loops] = n->axis;
		k->leaf.loop[k->leaf.loops++] = (struct leaf_loop){ .extent = n->axis->hi - n->axis->lo };
	}
	return n && !n->next ? n : NULL;
}

/* N as a leaf in loops; NULL where it is more than that. */
static struct leaf_node *make_leaf(struct maker *m, const struct nest *n)
{
	struct making *k = arena_one(m->a, struct making);
	const struct nest *lanes = n, *group = NULL, alone = *n;
	struct nest *first = arena_memdup(m->a, &alone, sizeof(alone));

	first->next = NULL;
	k->m = m;
	const struct nest *store = descend(k, first, &lanes, &group);

	if (!store)
		return NULL;
	for (const struct nest *c = first; c != store; c = c->body)
		if (c->kind == NEST_IF)
			add_bounds(k, c->value);
	if (!group)
		make_plain(k, store);
	else
		make_products(k, group, lanes, store);
	for (int j = 0; group && j < k->leaf.loops; j++)
		if (k->axis[j] == group->axis) {
			drop_loop(k, j);
			break;
		}
	return m->mixes ? NULL : finish(k);
}

static struct leaf_node *make_node(struct maker *m, const struct nest *n)
{
	struct leaf_node *out = n->kind == NEST_LOOP || n->kind == NEST_STORE || n->kind == NEST_IF ? make_leaf(m, n) : NULL;
	struct linear l;

	if (out || m->why)
		return out;
	m->mixes = false;	/* one loop less may do */
	out = arena_one(m->a, struct leaf_node);
	if (n->kind == NEST_ALLOC) {
		out->kind = NODE_ALLOC;
		out->buffer = n->buffer;
		return out;
	}
	out->kind = n->kind == NEST_LET ? NODE_LET : NODE_LOOP;
	if (n->kind == NEST_LET && linear_from(m->a, n->value, &l))
		out->value = split_linear(m, &l, NULL, NULL);
	else if (n->kind != NEST_LOOP)
		refuse(m, "a condition is around several statements");
	else
		out->lo = n->axis->lo, out->hi = n->axis->hi;
	out->slot = new_slot(m, n->axis);
	out->body = make_list(m, n->body);
	return out;
}

static struct leaf_node *make_list(struct maker *m, const struct nest *list)
{
	struct leaf_node *first = NULL, **hole = &first;

	for (const struct nest *n = list; n && !m->why; n = n->next) {
		*hole = make_node(m, n);
		if (*hole)
			hole = &(*hole)->next;
	}
	return first;
}

struct leaf_node *leaf_tree(struct arena *a, const struct program *p, const struct vdla_machine *machine, const char **why)
{
	struct maker m = { .a = a, .machine = machine };
	struct leaf_node *tree = make_list(&m, p->body);

	*why = m.why;
	return m.why ? NULL : tree;
}
