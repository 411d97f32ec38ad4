/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/text/nest_parse_alloc.c - reads what a nest allocates, and how that lies in registers. */
#include "schedule/text/nest_parse.h"
#include "te/limits.h"

int nest_parse_lanes(struct nest_parser *np, int64_t least, size_t element, int *out)
{
	const char *at = parse_at(&np->p);
	int64_t n;

	if (nest_parse_number(np, "lanes", least, target_lanes(np->program->target, element), &n) < 0)
		return -1;
	*out = (int)n;
	return (n & (n - 1)) == 0 ? 0 : parse_error(&np->p, at, "lanes are a power of two");
}

/* ["," STRIDE "apart"] ["," "may" "overrun"] */
static int layout_rest(struct nest_parser *np, struct lane_layout *l)
{
	bool more = scan_token(&np->p.s, ",");

	if (more && !nest_parse_word(np, "may")) {
		if (nest_parse_number(np, "a stride", 1, EXTENT_MAX, &l->stride) < 0 ||
		    parse_expect(&np->p, "apart") < 0)
			return -1;
		if (!scan_token(&np->p.s, ","))
			return 0;
		if (parse_expect(&np->p, "may") < 0)
			return -1;
	}
	l->overruns = more;
	return more ? parse_expect(&np->p, "overrun") : 0;
}

/* ["as" ("1 lane" | LANES "lanes" "along" "dim" DIM) ...] */
static int layout(struct nest_parser *np, struct nest *n)
{
	const struct tensor *t = &n->buffer->tensor;
	struct lane_layout *l = arena_one(np->p.a, struct lane_layout);
	int64_t dim = 0;

	if (!nest_parse_word(np, "as"))
		return 0;
	l->stride = 1;
	if (nest_parse_lanes(np, 1, dtype_bytes(t->dtype), &l->lanes) < 0 ||
	    parse_expect(&np->p, l->lanes > 1 ? "lanes" : "lane") < 0)
		return -1;
	if (l->lanes > 1 && (parse_expect(&np->p, "along") < 0 || parse_expect(&np->p, "dim") < 0 ||
			     nest_parse_number(np, "a dim", 0, t->ndim - 1, &dim) < 0))
		return -1;
	l->dim = (int)dim;
	n->layout = l;
	return layout_rest(np, l);
}

static bool same_buffer(const struct buffer *x, const struct buffer *y)
{
	bool same = x->kind == y->kind && x->registers == y->registers && x->scratchpad == y->scratchpad &&
		    x->slices == y->slices && x->copies == y->copies && x->tensor.dtype == y->tensor.dtype && x->tensor.ndim == y->tensor.ndim;

	for (int i = 0; same && i < x->tensor.ndim; i++)
		same = x->tensor.shape[i] == y->tensor.shape[i];
	return same;
}

/* *B, or the one of its name that is allocated elsewhere, too: copies of a loop's body share it. */
static int allocated(struct nest_parser *np, const char *at, struct buffer **b)
{
	for (int i = 0; i < np->buffers.n; i++) {
		struct buffer *other = np->buffers.at[i];

		if (strcmp(other->tensor.name, (*b)->tensor.name) != 0)
			continue;
		if (!same_buffer(other, *b))
			return parse_error(&np->p, at, "%s is another buffer above",
					   other->tensor.name);
		*b = other;
		return 0;
	}
	vec_push(np->p.a, &np->buffers, *b);
	return 0;
}

int nest_parse_alloc(struct nest_parser *np, struct nest *n, struct buffer like)
{
	struct buffer *b = arena_memdup(np->p.a, &like, sizeof(like));
	const char *at = parse_at(&np->p);

	n->kind = NEST_ALLOC;
	b->arg = -1;
	if (parse_tensor(&np->p, &b->tensor) < 0 || nest_parse_storage(np, b) < 0 || nest_parse_copies(np, b) < 0)
		return -1;
	if (b->kind == BUFFER_TEMP && np->depth > (np->packed != NULL))
		return parse_error(&np->p, at, "a temp is of the whole program or pack; a local "
				   "one is of a block");
	if (b->kind == BUFFER_LOCAL && np->packed)
		return parse_error(&np->p, at, "a pack has temps alone");
	if (b->by_reader || (b->order && b->registers))
		return parse_error(&np->p, at, "only constants and packs are stored in reading "
				   "order, registers as they are");
	if (allocated(np, at, &b) < 0 || nest_parse_see(np, at, b) < 0)
		return -1;
	n->buffer = b;
	if (b->registers && layout(np, n) < 0)
		return -1;
	return nest_parse_line_end(np);
}
