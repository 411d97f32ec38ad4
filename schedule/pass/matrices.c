/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/matrices.c - sums of products of matrices are in the tiles that a unit for these has.
 *
 * Requires: intrinsics that were proved.
 * Provides: what such an intrinsic adds to is a buffer in the scope "matrix", as few as it has room for, that is set to
 *           zero, multiplied into and copied by blocks of one shape (schedule/matrix.h), and nothing else. Who reads the
 *           sums in another way reads a copy, which is made behind the last product.
 * Keeps:    results. Programs without such products stay as they are. */
#include "schedule/matrix.h"
#include "schedule/pass/pass.h"

/* Sums on their way into tiles. */
struct tile_sums {
	struct program *p;
	struct buffer *from, *to;
	struct matrix_block shape;	/* of their products */
	const char *why;
};

static bool same_shape(const struct matrix_block *x, const struct matrix_block *y)
{
	return matrix_turns(x->rows) == matrix_turns(y->rows) && matrix_turns(x->lanes) == matrix_turns(y->lanes);
}

static bool stores_to(const struct nest *n, const struct buffer *b)
{
	bool does = n->kind == NEST_STORE && n->buffer == b;

	for (const struct nest *x = n->body; x; x = x->next)
		does |= stores_to(x, b);
	for (const struct nest *x = n->other; x; x = x->next)
		does |= stores_to(x, b);
	return does;
}

/* All that is stored to the sums in N is zeros and products of their shape. */
static bool is_computed_in_tiles(const struct tile_sums *s, const struct nest *n)
{
	if (!stores_to(n, s->from))
		return true;
	struct matrix_block m = matrix_block(s->p->arena, n);

	if (m.kind == MATRIX_ZERO || m.kind == MATRIX_PRODUCT)
		return same_shape(&m, &s->shape) &&
		       (m.kind == MATRIX_ZERO || (m.by == s->shape.by && matrix_turns(m.depth) == matrix_turns(s->shape.depth)));
	if (n->kind == NEST_STORE)
		return false;
	for (const struct nest *x = n->body; x; x = x->next)
		if (!is_computed_in_tiles(s, x))
			return false;
	for (const struct nest *x = n->other; x; x = x->next)
		if (!is_computed_in_tiles(s, x))
			return false;
	return true;
}

/* All that is read of the sums in LIST is copies of their shape to memory. */
static bool is_copied_from_tiles(const struct tile_sums *s, const struct nest *list)
{
	for (const struct nest *n = list; n; n = n->next) {
		struct matrix_block m = matrix_block(s->p->arena, n);
		bool copies = m.kind == MATRIX_COPY && m.a->tensor == &s->from->tensor && same_shape(&m, &s->shape) &&
			      m.store->buffer->tensor.dtype == s->from->tensor.dtype;

		if (!copies && ((n->value && expr_loads(n->value, &s->from->tensor) > 0) ||
				!is_copied_from_tiles(s, n->body) || !is_copied_from_tiles(s, n->other)))
			return false;
	}
	return true;
}

static const struct expr *load_from_tiles(struct arena *a, const struct expr *e, void *user)
{
	const struct tile_sums *s = user;

	if (e->kind == EXPR_LOAD && e->tensor == &s->from->tensor)
		return expr_load(a, &s->to->tensor, e->index);
	return e->loads ? NULL : e;
}

/* What LIST stores to and loads from the sums is in tiles. */
static void rename_sums(struct tile_sums *s, struct nest *list)
{
	for (struct nest *n = list; n; n = n->next) {
		if (n->value && n->value->loads)
			n->value = expr_rewrite(s->p->arena, n->value, load_from_tiles, s);
		if (n->buffer == s->from)
			n->buffer = s->to;
		rename_sums(s, n->body);
		rename_sums(s, n->other);
	}
}

/* What sets the sums to zero, as what copies them. */
static void turn_into_copy(struct tile_sums *s, struct nest *list)
{
	for (struct nest *n = list; n; n = n->next) {
		if (n->kind == NEST_STORE && n->buffer == s->to) {
			n->value = expr_load(s->p->arena, &s->to->tensor, n->index);
			n->buffer = s->from;
		}
		turn_into_copy(s, n->body);
		turn_into_copy(s, n->other);
	}
}

static struct nest *copy_of(struct tile_sums *s, struct nest *zeros)
{
	struct nest *next = zeros->next;

	zeros->next = NULL;
	struct nest *copy = nest_copy(s->p->arena, zeros, NULL, NULL, 0);

	zeros->next = next;
	turn_into_copy(s, copy);
	return copy;
}

/* Have the tiles room for the sums, in memory until now, and are they computed as tiles are? */
static bool suits(const struct tile_sums *s, const struct nest *behind)
{
	const struct intrinsic *x = s->shape.by;
	int64_t tiles = tensor_count(&s->from->tensor) / (matrix_turns(s->shape.rows) * x->lanes);
	size_t bytes = (size_t)(x->rows * x->lanes) * dtype_bytes(x->sum);

	if (s->from->kind != BUFFER_LOCAL || s->from->registers ||
	    (size_t)tiles * bytes > s->p->target->scope_bytes[SCOPE_MATRIX])
		return false;
	for (const struct nest *n = behind; n; n = n->next)
		if (!is_computed_in_tiles(s, n))
			return false;
	return true;
}

/* Puts what ALLOC makes into tiles, if products add to it. */
static void put(struct program *p, struct nest *alloc, const char **why)
{
	struct tile_sums s = { .p = p, .from = alloc->buffer };
	struct nest *first = NULL, *last = NULL;

	if (!matrix_find_product(p->arena, alloc->next, s.from, &s.shape))
		return;
	if (!suits(&s, alloc->next)) {
		*why = "sums of products of matrices are not such that tiles hold them";
		return;
	}
	for (struct nest *n = alloc->next; n; n = n->next)
		if (stores_to(n, s.from)) {
			first = first ? first : n;
			last = n;
		}
	s.to = arena_memdup(p->arena, s.from, sizeof(*s.from));
	s.to->tensor.name = arena_printf(p->arena, "%s.matrix", s.from->tensor.name);
	s.to->scratchpad = SCOPE_MATRIX;

	struct nest *made = nest_new(p->arena, NEST_ALLOC, NULL);
	bool copied = is_copied_from_tiles(&s, last->next);
	struct nest *rest = last->next;

	last->next = copied ? rest : NULL;
	rename_sums(&s, alloc->next);
	if (!copied)
		last->next = nest_append(copy_of(&s, first), rest);
	made->buffer = s.to;
	made->next = alloc->next;
	if (copied)
		*alloc = *made;
	else
		alloc->next = made;
}

/* Ends the list of ALLOC where that buffer is allocated anew, as in copies of a loop's body; what is behind. */
static struct nest *cut_off(struct nest *alloc)
{
	for (struct nest *n = alloc; n->next; n = n->next)
		if (n->next->kind == NEST_ALLOC && n->next->buffer == alloc->buffer) {
			struct nest *rest = n->next;

			n->next = NULL;
			return rest;
		}
	return NULL;
}

static void put_all(struct program *p, struct nest *list, const char **why)
{
	for (struct nest *n = list; n && !*why; n = n->next) {
		put_all(p, n->body, why);
		put_all(p, n->other, why);
		if (n->kind == NEST_ALLOC && n->buffer->scratchpad != SCOPE_MATRIX) {
			struct nest *rest = cut_off(n);

			put(p, n, why);
			nest_append(n, rest);
		} else if (n->intrinsic && intrinsic_is_matrix(n->intrinsic) && n->body->body->buffer->scratchpad != SCOPE_MATRIX) {
			*why = "what is to be a product of matrices is none";
		}
	}
}

static bool multiplies(const struct nest *list)
{
	for (const struct nest *n = list; n; n = n->next)
		if (n->intrinsic ? intrinsic_is_matrix(n->intrinsic) : multiplies(n->body) || multiplies(n->other))
			return true;
	return false;
}

bool nest_pass_matrices(struct program *p, const char **why)
{
	const char *reason = NULL;

	if (!multiplies(p->body))
		return true;
	put_all(p, p->body, &reason);
	if (reason)
		*why = reason;
	return !reason;
}
