/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/leaf/leaf.c - from a nest to loops of instructions and loops around them. */
#include "codegen/leaf/making.h"

#include <assert.h>

#include "base/integer.h"
#include "schedule/intrinsic_term.h"
#include "schedule/pass/vectors/lanes.h"
#include "te/index/index.h"

/* Elements of an entry of B's scratchpad; of memory: bytes of a unit over those of an element. */
int64_t leaf_unit(const struct leaf_limits *limits, const struct buffer *b)
{
	int64_t bytes = b->scratchpad ? limits->entry_bytes[b->scratchpad] : limits->unit_bytes;

	return most(bytes / (int64_t)dtype_bytes(b->tensor.dtype), 1);
}

void leaf_refuse(struct leaf_maker *m, const char *why)
{
	if (!m->why)
		m->why = why;
}

/* --- sums of loops' values */

void leaf_add_term(struct leaf_maker *m, struct affine *f, int slot, int64_t coef)
{
	if (f->n == AFFINE_TERMS) {
		leaf_refuse(m, "an index has too many terms");
		return;
	}
	f->term[f->n].slot = slot;
	f->term[f->n++].coef = coef;
}

static int slot_of(const struct leaf_maker *m, const struct axis *axis)
{
	for (int i = m->slots - 1; i >= 0; i--)
		if (m->axis[i] == axis)
			return i;
	return -1;
}

int leaf_new_slot(struct leaf_maker *m, const struct axis *axis)
{
	if (m->slots == LEAF_SLOTS) {
		leaf_refuse(m, "loops are nested too deeply");
		return 0;
	}
	m->axis[m->slots] = axis;
	return m->slots++;
}

int leaf_allocated_at(const struct leaf_maker *m, const struct buffer *b)
{
	for (int i = m->allocated.n - 1; i >= 0; i--)
		if (m->allocated.at[i].buffer == b)
			return m->allocated.at[i].slots;
	return 0;
}

/* L without the terms of the leaf's own loops (NULL: it has none), whose coefficients are in OWN, by loop. */
static struct affine split_linear(struct leaf_maker *m, const struct linear *l, const struct leaf_making *k, int64_t *own)
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
			leaf_add_term(m, &f, slot, l->term[i].coef);
		} else {
			leaf_refuse(m, "an index is no sum of loops' values");
		}
	}
	return f;
}

/* Operand I of the leaf is the element of T at INDEX. */
void leaf_set_operand(struct leaf_making *k, int i, const struct tensor *t, const struct expr *const *index)
{
	struct linear at;
	int64_t own[LEAF_LOOPS] = { 0 };

	if (!lanes_offset(k->m->a, t, index, &at)) {
		leaf_refuse(k->m, "an index has too many terms");
		return;
	}
	k->leaf.of[i] = buffer_of(t);
	k->leaf.start[i] = split_linear(k->m, &at, k, own);
	for (int j = 0; j < k->leaf.loops; j++)
		k->leaf.loop[j].stride[i] = own[j];
}

void leaf_set_load(struct leaf_making *k, int i, const struct expr *load)
{
	leaf_set_operand(k, i, load->tensor, load->index);
}

/* Operand I, which was set, must be there. */
void leaf_check_scratchpad(struct leaf_making *k, int i, enum memory_scope scope)
{
	if (k->leaf.of[i]->scratchpad != scope)
		leaf_refuse(k->m, "an operand is not in the scratchpad that instructions have it in");
}

static void add_bound(struct leaf_making *k, const struct expr *greater, const struct expr *less, int64_t constant)
{
	struct linear l;
	int64_t own[LEAF_LOOPS] = { 0 };
	struct leaf_bound *b = &k->leaf.bound[k->leaf.bounds];

	if (k->leaf.bounds == LEAF_BOUNDS || !linear_from(k->m->a, greater, &l) ||
	    !linear_add_expr(k->m->a, &l, less, -1)) {
		leaf_refuse(k->m, "too many conditions");
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
static void add_bounds(struct leaf_making *k, const struct expr *cond)
{
	if (cond->kind == EXPR_AND) {
		add_bounds(k, cond->arg[0]);
		add_bounds(k, cond->arg[1]);
	} else if (cond->kind == EXPR_LE) {
		add_bound(k, cond->arg[1], cond->arg[0], 0);
	} else if (cond->kind == EXPR_LT) {
		add_bound(k, cond->arg[1], cond->arg[0], -1);
	} else {
		leaf_refuse(k->m, "a condition is no comparison of indices");
	}
}

/* --- what a statement is */

/* Elements of memory as they are, or bytes as sums, which are wider. */
static void make_load(struct leaf_making *k, const struct nest *store)
{
	const struct expr *e = store->value, *bytes = e->kind == EXPR_CAST ? e->arg[0] : e;

	if (bytes->kind == EXPR_SELECT && expr_is_zero(bytes->arg[2])) {
		add_bounds(k, bytes->arg[0]);
		e = bytes->arg[1];
	}
	const struct expr *load = expr_cast_load(e);
	bool narrow = load && load->dtype == DTYPE_I8 && store->buffer->scratchpad == k->m->limits->operands->sum &&
		      k->m->limits->narrow;

	if (!load || buffer_of(load->tensor)->scratchpad || (!narrow && load->dtype != store->buffer->tensor.dtype)) {
		leaf_refuse(k->m, "what goes to a scratchpad is no element of memory as it is, or zero beside");
		return;
	}
	k->leaf.kind = LEAF_LOAD;
	k->leaf.narrow = narrow;
	k->leaf.n = 2;
	leaf_set_load(k, 1, load);
}

static void make_products(struct leaf_making *k, const struct nest *group, const struct nest *lanes, const struct nest *store)
{
	const struct operand_scopes *scopes = k->m->limits->operands;
	struct intrinsic_term term;

	if (!intrinsic_term(k->m->a, group->intrinsic, group->axis, lanes, store, &term, &k->m->why))
		return;
	k->leaf.kind = LEAF_PRODUCTS;
	k->leaf.n = 3;
	leaf_set_operand(k, 0, &store->buffer->tensor, store->index);
	leaf_set_load(k, 1, term.a);
	leaf_set_load(k, 2, term.b);
	leaf_check_scratchpad(k, 0, scopes->sum);
	leaf_check_scratchpad(k, 1, scopes->a);
	leaf_check_scratchpad(k, 2, scopes->b);
}

static void make_plain(struct leaf_making *k, const struct nest *store)
{
	bool sums = store->buffer->scratchpad == k->m->limits->operands->sum;
	int64_t number;

	if (!store->buffer->scratchpad) {
		leaf_make_store(k, store);
		return;
	}
	leaf_set_operand(k, 0, &store->buffer->tensor, store->index);
	if (sums && store->reducer == REDUCE_NONE && expr_is_zero(store->value)) {
		k->leaf.kind = LEAF_ZEROS;
		k->leaf.n = 1;
	} else if (sums && store->reducer == REDUCE_NONE && expr_is_int(store->value, &number)) {
		leaf_make_fill(k, number);
	} else if (store->reducer == REDUCE_NONE) {
		make_load(k, store);
	} else if (sums) {
		leaf_make_step(k, store);
	} else {
		leaf_refuse(k->m, "a sum is not with the accumulators");
	}
}

/* --- the tree */

static struct leaf_node *make_list(struct leaf_maker *m, const struct nest *list);

/* The loops and conditions from N down to a store that is alone in all of them; NULL: there are others. */
static const struct nest *descend(struct leaf_making *k, const struct nest *n, const struct nest **lanes, const struct nest **group)
{
	for (; n && n->kind != NEST_STORE; n = n->body) {
		if (n->next || n->other || (n->kind != NEST_LOOP && n->kind != NEST_IF))
			return NULL;
		if (n->kind == NEST_IF)
			continue;
		if (k->leaf.loops == LEAF_LOOPS || n->annotation == ANNOTATION_VTHREAD)	/* each thread has instructions of its own */
			return NULL;
		*lanes = n;
		*group = n->intrinsic ? n : *group;
		k->axis[k->leaf.loops] = n->axis;
		k->leaf.loop[k->leaf.loops++] = (struct leaf_loop){ .extent = n->axis->hi - n->axis->lo };
	}
	return n && !n->next ? n : NULL;
}

/* N as a leaf in loops; NULL where it is more than that. */
static struct leaf_node *make_leaf(struct leaf_maker *m, const struct nest *n)
{
	struct leaf_making *k = arena_one(m->a, struct leaf_making);
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
			leaf_drop_loop(k, j);
			break;
		}
	return m->mixes ? NULL : leaf_finish(k);
}

static struct leaf_node *make_node(struct leaf_maker *m, const struct nest *n)
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
		out->room = ceil_div(tensor_count(&n->buffer->tensor), leaf_unit(m->limits, n->buffer));
		vec_push(m->a, &m->allocated, ((struct allocated){ n->buffer, m->slots }));
		return out;
	}
	out->kind = n->kind == NEST_LET ? NODE_LET : NODE_LOOP;
	if (n->kind == NEST_LET && linear_from(m->a, n->value, &l)) {
		out->value = split_linear(m, &l, NULL, NULL);
	} else if (n->kind == NEST_LOOP) {
		out->lo = n->axis->lo;
		out->hi = n->axis->hi;
	} else {
		leaf_refuse(m, "a condition is around several statements");
	}
	out->slot = leaf_new_slot(m, n->axis);
	m->let[out->slot] = n->kind == NEST_LET ? &out->value : NULL;
	m->turns[out->slot] = n->kind == NEST_LOOP ? out->hi - out->lo : 0;
	out->body = make_list(m, n->body);
	m->turns[out->slot] = 0;
	return out;
}

static struct leaf_node *make_list(struct leaf_maker *m, const struct nest *list)
{
	struct leaf_node *first = NULL, **hole = &first;

	for (const struct nest *n = list; n && !m->why; n = n->next) {
		*hole = make_node(m, n);
		if (*hole)
			hole = &(*hole)->next;
	}
	return first;
}

struct leaf_node *leaf_tree(struct arena *a, const struct program *p, const struct leaf_limits *limits, const char **why)
{
	struct leaf_maker m = { .a = a, .limits = limits };

	assert(limits->loops <= LEAF_OWN_LOOPS);
	struct leaf_node *tree = make_list(&m, p->body);

	*why = m.why;
	return m.why ? NULL : tree;
}
