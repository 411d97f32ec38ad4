/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/races.c - interprets what is around parallel loops, and their turns one by one.
 *
 * What has no parallel loop inside goes to program_interpret, the axes around it as numbers. */
#include "tests/property/races.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "te/index/index.h"

/* The kernel's arguments, and the buffers that are allocated around what runs. */
struct race_memory {
	struct buffer *buffer;
	void *data;
	size_t bytes;
};

struct race_run {
	struct arena *arena;
	struct race_memory_vec VEC(struct race_memory) memory;
	struct from_vec VEC(const struct axis *) from; /* axes that are bound, and to what */
	struct to_vec VEC(const struct expr *) to;
	int64_t turns; /* run on their own so far */
	bool ok;
};

/* Beyond so many turns an inner parallel loop, entered again and again, shows nothing new. */
enum { MAX_TURNS = 256 };

static void run_list(struct race_run *r, const struct nest *n);

static void add_memory(struct race_run *r, struct buffer *b, void *data)
{
	vec_push(r->arena, &r->memory, (struct race_memory){b, data, tensor_bytes(&b->tensor)});
}

static void bind(struct race_run *r, const struct axis *axis, int64_t value)
{
	vec_push(r->arena, &r->from, axis);
	vec_push(r->arena, &r->to, expr_int(r->arena, value));
}

static void unbind(struct race_run *r)
{
	r->from.n--;
	r->to.n--;
}

/* An index expression of bound axes alone. */
static int64_t number(struct race_run *r, const struct expr *e)
{
	struct arena *a = r->arena;
	const struct expr *v =
		expr_simplify(a, expr_substitute(a, e, r->from.at, r->to.at, r->from.n));

	if (v->kind != EXPR_INT)
		die("a let or condition depends on data");
	return v->i;
}

static bool has_parallel(const struct nest *n);

static bool is_parallel(const struct nest *n)
{
	return (n->kind == NEST_LOOP && n->annotation == ANNOTATION_PARALLEL) ||
	       has_parallel(n->body) || has_parallel(n->other);
}

static bool has_parallel(const struct nest *n)
{
	for (; n; n = n->next)
		if (is_parallel(n))
			return true;
	return false;
}

/* N alone, as it stands. */
static void run_plain(struct race_run *r, const struct nest *n)
{
	struct arena *a = arena_new();
	struct nest alone = *n;
	struct program p = { .arena = a };
	void **args = arena_many(a, void *, r->memory.n);

	alone.next = NULL;
	for (int i = 0; i < r->memory.n; i++) {
		vec_push(a, &p.args, r->memory.at[i].buffer);
		args[i] = r->memory.at[i].data;
	}
	p.body = nest_copy(a, &alone, r->from.at, r->to.at, r->from.n);
	program_interpret(&p, args);
	arena_free(a);
}

/* --- turns of a parallel loop */

/* All memory before the loop, and with the changes of the turns so far; who made them. */
struct copies {
	char **before, **after;
	int64_t **owner; /* turn + 1, by element */
};

static struct copies copy_memory(struct race_run *r)
{
	struct copies c = {arena_many(r->arena, char *, r->memory.n),
			   arena_many(r->arena, char *, r->memory.n),
			   arena_many(r->arena, int64_t *, r->memory.n)};

	for (int i = 0; i < r->memory.n; i++) {
		const struct race_memory *m = &r->memory.at[i];

		c.before[i] = arena_memdup(r->arena, m->data, m->bytes);
		c.after[i] = arena_memdup(r->arena, m->data, m->bytes);
		c.owner[i] = arena_many(r->arena, int64_t, m->bytes);
	}
	return c;
}

/* Takes over what a turn changed in M, and undoes it there. */
static void collect(struct race_run *r, const struct race_memory *m, const char *before, char *after,
		    int64_t *owner, int64_t turn)
{
	size_t size = dtype_bytes(m->buffer->tensor.dtype);
	char *data = m->data;

	for (size_t at = 0; at < m->bytes; at += size) {
		if (memcmp(data + at, before + at, size) == 0)
			continue;
		if (owner[at] && r->ok)
			fprintf(stderr, "turns %jd and %jd write element %zu of %s\n",
				(intmax_t)owner[at] - 1, (intmax_t)turn, at / size,
				m->buffer->tensor.name);
		r->ok &= owner[at] == 0;
		owner[at] = turn + 1;
		memcpy(after + at, data + at, size);
	}
	memcpy(data, before, m->bytes);
}

static void run_turns(struct race_run *r, const struct nest *loop)
{
	struct copies c = copy_memory(r);

	r->turns += loop->axis->hi - loop->axis->lo;
	for (int64_t turn = loop->axis->lo; turn < loop->axis->hi; turn++) {
		bind(r, loop->axis, turn);
		run_list(r, loop->body);
		unbind(r);
		for (int i = 0; i < r->memory.n; i++)
			collect(r, &r->memory.at[i], c.before[i], c.after[i], c.owner[i], turn);
	}
	for (int i = 0; i < r->memory.n; i++)
		memcpy(r->memory.at[i].data, c.after[i], r->memory.at[i].bytes);
}

static void run_loop(struct race_run *r, const struct nest *n)
{
	for (int64_t i = n->axis->lo; i < n->axis->hi; i++) {
		bind(r, n->axis, i);
		run_list(r, n->body);
		unbind(r);
	}
}

static void run_list(struct race_run *r, const struct nest *n)
{
	int open = r->memory.n;

	for (; n; n = n->next) {
		if (n->kind == NEST_ALLOC) {
			void *data = arena_alloc(r->arena, tensor_bytes(&n->buffer->tensor));

			memset(data, 0xff, tensor_bytes(&n->buffer->tensor));
			add_memory(r, n->buffer, data);
		} else if (!is_parallel(n) || r->turns > MAX_TURNS) {
			run_plain(r, n);
		} else if (n->kind == NEST_LOOP && n->annotation == ANNOTATION_PARALLEL) {
			run_turns(r, n);
		} else if (n->kind == NEST_LOOP) {
			run_loop(r, n);
		} else if (n->kind == NEST_IF) {
			run_list(r, number(r, n->value) ? n->body : n->other);
		} else {
			bind(r, n->axis, number(r, n->value));
			run_list(r, n->body);
			unbind(r);
		}
	}
	r->memory.n = open;
}

bool sample_run_isolated(struct schedule_sample *s)
{
	struct race_run r = { .arena = arena_new(), .ok = true };

	for (int i = 0; i < s->nargs; i++)
		add_memory(&r, s->program->args.at[i], s->args[i].data);
	run_list(&r, s->program->body);
	arena_free(r.arena);
	return r.ok;
}
