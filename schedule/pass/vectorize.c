/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/pass/vectorize.c - vector loops become vectors.
 *
 * Requires: split loops, buffers in registers marked.
 * Provides: a vector loop has the turns of one vector (loop.lanes, a power of two no wider than a register)
 *           and nothing in it but stores that the vector form can do, and conditions around them that are masks;
 *           what has no vector form is a written-out loop over its lanes, and where that is a condition alone it is one
 *           under the condition that not all lanes hold. The node of a buffer in registers says how its variables lie (alloc.layout).
 * Keeps:    results, and the order of stores to one element. */
#include "base/integer.h"
#include "schedule/mask.h"
#include "schedule/pass/vectors/combine.h"
#include "schedule/pass/vectors/lanes.h"
#include "schedule/pass/pass.h"
#include "te/index/index.h"

static struct nest *vectorize_list(struct vectorizer *v, struct nest *list);

/* --- from a list to where a vector can be */

/* A vector loop's head: its axis has the turns of one vector. */
struct vector_head {
	const struct vectorizer *in;
	const struct nest *loop;
	const struct axis *axis;
	int lanes;
};

static struct nest *new_loop(const struct vector_head *v, enum annotation annotation,
			     struct nest *body)
{
	struct nest *n = arena_memdup(v->in->a, v->loop, sizeof(*n));

	n->next = NULL;
	n->axis = v->axis;
	n->annotation = annotation;
	n->lanes = annotation == ANNOTATION_VECTOR ? v->lanes : 0;
	n->body = body;
	return n;
}

/* Are the stores of LIST, and nothing else is there, vectors? */
static bool all_are_vectors(const struct vector_head *v, const struct nest *list)
{
	for (const struct nest *s = list; s; s = s->next)
		if (s->kind != NEST_STORE || !lanes_store(v->in, s, v->axis, v->lanes))
			return false;
	return true;
}

/* Are the stores under condition N, which differs from lane to lane, vectors under a mask? */
static bool is_masked(const struct vector_head *v, const struct nest *n)
{
	struct mask m;

	return n->kind == NEST_IF && mask_of_branch(v->in->a, v->in->target, n, v->axis, &m) && all_are_vectors(v, n->body);
}

/* That all lanes are in M, those of condition COND. */
static const struct expr *holds_for_all(const struct vector_head *v, const struct expr *cond, const struct mask *m)
{
	struct arena *a = v->in->a;
	const struct expr *first = expr_int(a, v->axis->lo), *last = expr_int(a, v->axis->hi - 1);
	int64_t end;
	const struct expr *of_first = expr_substitute(a, cond, &v->axis, &first, 1);
	const struct expr *of_last = expr_substitute(a, cond, &v->axis, &last, 1);

	if (expr_is_int(m->lo, &end) && end <= v->axis->lo)	/* a condition has one end, mostly */
		return expr_simplify(a, of_last);
	if (expr_is_int(m->hi, &end) && end >= v->axis->hi)
		return expr_simplify(a, of_first);
	return expr_simplify(a, expr_binary(a, EXPR_AND, of_first, of_last));
}

/* Condition N, which differs from lane to lane, lane by lane; where it holds for all of them, as it does but at an end,
 * they are a vector. */
static struct nest *by_lane(const struct vector_head *v, struct nest *n)
{
	struct arena *a = v->in->a;
	struct nest *lanes = new_loop(v, ANNOTATION_UNROLL, n);
	struct mask m;
	int64_t known;

	if (n->other || !all_are_vectors(v, n->body) || !mask_of(a, n->value, v->axis, &m))
		return lanes;
	struct nest *all = nest_new(a, NEST_IF, new_loop(v, ANNOTATION_VECTOR, nest_copy(a, n->body, NULL, NULL, 0)));

	all->value = holds_for_all(v, n->value, &m);
	all->other = lanes;
	return expr_is_int(all->value, &known) ? lanes : all;
}

static struct nest *sink_list(const struct vector_head *v, struct nest *list);

/* Node N, alone, with the vector inside of it; NULL where it is a store that vectors can do. */
static struct nest *sink_node(const struct vector_head *v, struct nest *n)
{
	bool lanes_differ = n->value && expr_uses_axis(n->value, v->axis);

	if (n->kind == NEST_STORE)
		return lanes_store(v->in, n, v->axis, v->lanes)
			       ? NULL
			       : new_loop(v, ANNOTATION_UNROLL, n);
	if (lanes_differ)
		return is_masked(v, n) ? NULL : n->kind == NEST_IF ? by_lane(v, n) : new_loop(v, ANNOTATION_UNROLL, n);
	n->body = sink_list(v, n->body);
	n->other = sink_list(v, n->other);
	return n;
}

static struct nest *sink_list(const struct vector_head *v, struct nest *list)
{
	struct nest *first = NULL, *run = NULL;	/* stores side by side are in one loop */
	struct nest **hole = &first;

	while (list) {
		struct nest *n = list;

		list = n->next;
		n->next = NULL;
		struct nest *own = sink_node(v, n);

		if (!own && run) {
			nest_append(run->body, n);
			continue;
		}
		run = own ? NULL : new_loop(v, ANNOTATION_VECTOR, n);
		*hole = own ? own : run;
		hole = &(*hole)->next;
	}
	return first;
}

/* --- pieces of a loop */

/* Loop N, all of whose turns are one vector. */
static struct nest *whole(const struct vectorizer *in, const struct nest *n, int lanes)
{
	const struct vector_head v = { in, n, n->axis, lanes };

	return sink_list(&v, n->body);
}

/* The body of loop N for turns [at, at + lanes) of it. */
static struct nest *piece(const struct vectorizer *in, const struct nest *n, int64_t at, int lanes)
{
	const struct axis *axis = axis_part(in->a, n->axis, at, least(at + lanes, n->axis->hi));
	const struct expr *value = lanes == 1 ? expr_int(in->a, at) : expr_axis(in->a, axis);
	struct nest *body = nest_copy(in->a, n->body, &n->axis, &value, 1);
	const struct vector_head v = { in, n, axis, lanes };

	return lanes == 1 ? body : sink_list(&v, body);
}

static struct nest *vectorize_loop(const struct vectorizer *v, const struct nest *n)
{
	int64_t at = n->axis->lo;
	struct nest *first = combine_turns(v, n, &at);
	int most = lanes_of_register(v, n);

	while (at < n->axis->hi) {
		int lanes = lanes_from(v, n, at, most);
		bool all = at == n->axis->lo && at + lanes >= n->axis->hi && lanes > 1;

		first = nest_append(first, all ? whole(v, n, lanes) : piece(v, n, at, lanes));
		at += lanes;
	}
	return first;
}

static struct nest *vectorize_list(struct vectorizer *v, struct nest *list)
{
	struct nest *first = NULL;
	struct nest **hole = &first;
	int open = v->open.n;

	while (list) {
		struct nest *n = list;

		if (n->kind == NEST_ALLOC && n->buffer->kind == BUFFER_LOCAL)
			lanes_lay_out(v, n);
		list = n->next;
		n->next = NULL;
		if (n->kind == NEST_LOOP && n->annotation == ANNOTATION_VECTOR) {
			n = vectorize_loop(v, n);
		} else {
			n->body = vectorize_list(v, n->body);
			n->other = vectorize_list(v, n->other);
		}
		*hole = n;
		while (*hole)
			hole = &(*hole)->next;
	}
	v->open.n = open;
	return first;
}

bool nest_pass_vectorize(struct program *p, const char **why)
{
	struct vectorizer v = { .a = p->arena, .target = p->target };

	(void)why;
	p->body = vectorize_list(&v, p->body);
	return true;
}
