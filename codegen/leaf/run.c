/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/leaf/run.c - loops as odometers. */
#include "codegen/leaf/run.h"

#include "base/integer.h"

/* --- what moves with what */

struct binder {
	struct arena *a;
	struct leaf_run *run;
	const int64_t *entries;
	int64_t top[SCOPE_COUNT];	/* entries in use */
	struct leaf_node *slot[LEAF_SLOTS];	/* the loop or value that is there */
	struct alive_vec VEC(struct leaf_node *) alive;	/* allocations that have not ended */
	const struct leaf_place *args;
	int n;			/* of these */
	int64_t times;		/* turns of all loops around */
	const char *why;
};

/* AT moves by COEF where N's loop turns, or its buffer by an entry. */
static void move_with(struct binder *b, struct leaf_node *n, int64_t *at, int64_t coef)
{
	struct leaf_move *last = n->moves.n > 0 ? &n->moves.at[n->moves.n - 1] : NULL;

	if (last && last->at == at)	/* two terms of one loop, by way of values */
		last->coef += coef;
	else
		vec_push(b->a, &n->moves, ((struct leaf_move){ at, coef }));
}

/* AT has COEF times F, as it is in the first turns of the loops around. */
static void bind(struct binder *b, const struct affine *f, int64_t coef, int64_t *at)
{
	*at += coef * f->constant;
	for (int i = 0; i < f->n; i++) {
		struct leaf_node *n = b->slot[f->term[i].slot];
		int64_t each = coef * f->term[i].coef;

		if (n->kind == NODE_LET) {
			bind(b, &n->value, each, at);
		} else {
			*at += each * n->lo;
			move_with(b, n, at, each);
		}
	}
}

static void bind_place(struct binder *b, const struct buffer *buffer, int64_t *at)
{
	for (int i = b->alive.n - 1; i >= 0; i--)
		if (b->alive.at[i]->buffer == buffer) {
			*at += b->alive.at[i]->first;
			move_with(b, b->alive.at[i], at, 1);
			return;
		}
	for (int i = 0; i < b->n; i++)
		if (b->args[i].buffer == buffer)
			*at += b->args[i].at;
}

static struct leaf_visit *bind_leaf(struct binder *b, const struct leaf *l)
{
	struct leaf_visit *v = arena_one(b->a, struct leaf_visit);

	v->leaf = l;
	v->times = b->times;
	v->turned = true;
	for (int i = 0; i < l->n; i++) {
		bind(b, &l->start[i], 1, &v->start[i]);
		bind_place(b, l->of[i], &v->start[i]);
	}
	for (int i = 0; i < l->bounds; i++)
		bind(b, &l->bound[i].f, 1, &v->bound[i]);
	memcpy(v->found, v->bound, sizeof(v->found));
	v->turns = leaf_turns_at(l, v->bound);
	vec_push(b->a, &b->run->visits, v);
	return v;
}

static void allocate(struct binder *b, struct leaf_node *n)
{
	enum memory_scope s = n->buffer->scratchpad;

	n->at = n->first = b->top[s];
	b->top[s] += most(n->buffer->copies, 1) * n->room;
	vec_push(b->a, &b->alive, n);
	if (!s)
		b->why = "intermediates in memory are not waited for";
	else if (b->top[s] > b->entries[s])
		b->why = "a scratchpad has too little room";
}

/* What LIST allocates ends with it. */
static void bind_list(struct binder *b, struct leaf_node *list)
{
	int64_t top[SCOPE_COUNT], times = b->times;
	int alive = b->alive.n;

	memcpy(top, b->top, sizeof(top));
	for (struct leaf_node *n = list; n && !b->why; n = n->next)
		switch (n->kind) {
		case NODE_ALLOC:
			allocate(b, n);
			break;
		case NODE_LOOP:
			b->times *= n->hi - n->lo;
			b->slot[n->slot] = n;
			bind_list(b, n->body);
			b->times = times;
			break;
		case NODE_LET:
			b->slot[n->slot] = n;
			bind_list(b, n->body);
			break;
		case NODE_LEAF:
			n->visit = bind_leaf(b, n->leaf);
			break;
		}
	memcpy(b->top, top, sizeof(top));
	b->alive.n = alive;
}

struct leaf_run *leaf_run_new(struct arena *a, struct leaf_node *tree, const struct leaf_place *args, int n,
			      const int64_t entries[SCOPE_COUNT], const char **why)
{
	struct binder b = { .a = a, .run = arena_one(a, struct leaf_run), .entries = entries, .args = args, .n = n, .times = 1 };

	b.run->tree = tree;
	bind_list(&b, tree);
	*why = b.why;
	return b.why ? NULL : b.run;
}

/* --- the run */

static void move(const struct leaf_node *n, int64_t by)
{
	for (int i = 0; i < n->moves.n; i++)
		*n->moves.at[i].at += by * n->moves.at[i].coef;
}

/* Have V's conditions others values than when its turns were found? */
static bool has_moved(struct leaf_visit *v)
{
	bool moved = false;

	for (int i = 0; i < v->leaf->bounds; i++) {
		moved |= v->bound[i] != v->found[i];
		v->found[i] = v->bound[i];
	}
	return moved;
}

static bool same_turns(const struct leaf_turns *x, const struct leaf_turns *y)
{
	return x->none == y->none &&
	       (x->none || (memcmp(x->lo, y->lo, sizeof(x->lo)) == 0 && memcmp(x->hi, y->hi, sizeof(x->hi)) == 0));
}

static bool visit(struct leaf_writer *w, struct leaf_visit *v)
{
	if (has_moved(v)) {
		const struct leaf_turns turns = leaf_turns_at(v->leaf, v->bound);

		v->turned |= !same_turns(&v->turns, &turns);
		v->turns = turns;
	}
	return w->visit(w, v);
}

static bool run_list(struct leaf_writer *w, struct leaf_node *list);

/* The next of N's copies. */
static void place(struct leaf_writer *w, struct leaf_node *n)
{
	int64_t at = n->first + n->times++ % most(n->buffer->copies, 1) * n->room;

	move(n, at - n->at);
	n->at = at;
	w->allocated(w, n->buffer, at, n->room);
}

static bool run_node(struct leaf_writer *w, struct leaf_node *n)
{
	bool on = true;

	switch (n->kind) {
	case NODE_ALLOC:
		place(w, n);
		break;
	case NODE_LET:
		return run_list(w, n->body);
	case NODE_LOOP:
		for (int64_t i = n->lo; i < n->hi && on; i++) {
			on = run_list(w, n->body);
			move(n, 1);
		}
		move(n, n->lo - n->hi);
		break;
	case NODE_LEAF:
		return visit(w, n->visit);
	}
	return on;
}

static bool run_list(struct leaf_writer *w, struct leaf_node *list)
{
	bool on = true;

	for (struct leaf_node *n = list; n && on; n = n->next)
		on = run_node(w, n);
	return on;
}

void leaf_run(struct leaf_run *r, struct leaf_writer *w)
{
	run_list(w, r->tree);
}
