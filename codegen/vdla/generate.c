/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/generate.c - runs the loops around instructions, and writes these down. */
#include "codegen/vdla/generate.h"

#include "base/integer.h"
#include "codegen/vdla/limits.h"
#include "codegen/vdla/writer.h"

enum {
	MOST_INSTRUCTIONS = 1 << 21,	/* 32 MB of them: more than anybody wants to have written, or to wait for */
	MEMORY_ALIGNMENT = 16,	/* units: a block of weights */
};

struct located {
	const struct buffer *buffer;
	int64_t at;		/* entry, or unit */
};

struct generator {
	struct arena *a;
	struct vdla_binary *b;
	struct vdla_writer *stream;
	struct X VEC(struct located) placed;
	int64_t top[VDLA_SCRATCHPADS];	/* entries in use */
	int64_t value[LEAF_SLOTS];
	bool *zero;		/* of each accumulator: its sum is to begin at 0, which no instruction has done yet */
	int zeros;
	const char *why;
};

static int64_t place_of(const struct generator *g, const struct buffer *b)
{
	for (int i = g->placed.n - 1; i >= 0; i--)
		if (g->placed.at[i].buffer == b)
			return g->placed.at[i].at;
	return 0;
}

/* --- one leaf */

static int64_t start_of(const struct generator *g, const struct leaf *l, int i)
{
	return place_of(g, l->of[i]) + affine_at(&l->start[i], g->value);
}

static void add(struct generator *g, const struct vdla_instruction *i, const struct vdla_access *touched, int n)
{
	if (g->b->code.n == MOST_INSTRUCTIONS)
		g->why = "too many instructions";
	if (!g->why)
		vdla_writer_add(g->stream, *i, touched, n, &g->why);
}

/* Operand I of L from its turns T on, as its instruction has it: the last of loops is the inner one. */
static struct vdla_walk walk_of(const struct generator *g, const struct leaf *l, int i, const struct leaf_turns *t,
				struct vdla_access *touched)
{
	struct vdla_walk w = { .base = (int)start_of(g, l, i) };
	int last = 0;

	for (int j = 0; j < l->loops; j++) {
		int64_t stride = l->loop[j].stride[i];

		w.base += (int)(t->lo[j] * stride);
		w.stride[VDLA_LOOPS - l->loops + j] = (int)stride;
		last += (int)((t->hi[j] - t->lo[j] - 1) * stride);
	}
	*touched = (struct vdla_access){ vdla_scratchpad_of(l->of[i]), w.base, w.base + last };
	return w;
}

static void count_turns(const struct leaf *l, const struct leaf_turns *t, int count[VDLA_LOOPS])
{
	for (int j = 0; j < VDLA_LOOPS; j++)
		count[j] = 1;
	for (int j = 0; j < l->loops; j++)
		count[VDLA_LOOPS - l->loops + j] = (int)(t->hi[j] - t->lo[j]);
}

/* The accumulators from FIRST to LAST are zero now, where they are to be. */
static void write_zeros(struct generator *g, int first, int last)
{
	int most = vdla_count_most(&g->b->machine, VDLA_ALU);

	for (int e = first; e <= last && g->zeros > 0; e++) {
		struct vdla_instruction i = { .op = VDLA_ALU };
		int n = 0;

		while (e + n <= last && n < most && g->zero[e + n])
			g->zero[e + n++] = false;
		if (n == 0)
			continue;
		i.vector = (struct vdla_vector){ .op = VDLA_COPY, .immediate = true, .count = { 1, n },
						 .destination = { .base = e, .stride = { 0, 1 } } };
		g->zeros -= n;
		add(g, &i, &(struct vdla_access){ VDLA_ACCUMULATORS, e, e + n - 1 }, 1);
		e += n - 1;
	}
}

/* Do all sums of I, each of which it adds to once, begin there? Then its products take their place. */
static bool begins(struct generator *g, const struct vdla_gemm *i)
{
	const struct vdla_walk *w = &i->sum;
	bool once = (w->stride[1] > 0 || i->count[1] == 1) && (w->stride[0] > 0 || i->count[0] == 1) &&
		    (w->stride[0] >= w->stride[1] * i->count[1] || i->count[0] == 1 ||
		     w->stride[1] >= w->stride[0] * i->count[0]);

	for (int pass = 0; pass < 2; pass++)	/* all are, then none is any more */
		for (int j = 0; j < i->count[0] && once; j++)
			for (int k = 0; k < i->count[1] && once; k++) {
				bool *zero = &g->zero[w->base + j * w->stride[0] + k * w->stride[1]];

				once = pass == 1 || *zero;
				g->zeros -= pass;
				*zero &= pass == 0;
			}
	return once;
}

static void emit_zeros(struct generator *g, const struct leaf *l)
{
	const struct leaf_turns t = leaf_turns_at(l, g->value);
	struct vdla_access touched;
	int count[VDLA_LOOPS];

	if (t.none)
		return;
	count_turns(l, &t, count);
	const struct vdla_walk w = walk_of(g, l, 0, &t, &touched);

	for (int i = 0; i < count[0]; i++)
		for (int j = 0; j < count[1]; j++) {
			bool *zero = &g->zero[w.base + i * w.stride[0] + j * w.stride[1]];

			g->zeros += !*zero;
			*zero = true;
		}
}

static void emit_products(struct generator *g, const struct leaf *l)
{
	const struct leaf_turns t = leaf_turns_at(l, g->value);
	struct vdla_instruction i = { .op = VDLA_GEMM };
	struct vdla_access touched[LEAF_OPERANDS];

	if (t.none)
		return;
	count_turns(l, &t, i.gemm.count);
	i.gemm.sum = walk_of(g, l, 0, &t, &touched[0]);
	i.gemm.input = walk_of(g, l, 1, &t, &touched[1]);
	i.gemm.weight = walk_of(g, l, 2, &t, &touched[2]);
	i.gemm.reset = g->zeros > 0 && begins(g, &i.gemm);
	write_zeros(g, touched[0].first, touched[0].last);
	add(g, &i, touched, l->n);
}

/* Where T says that there are none, all is padding. */
static void emit_load(struct generator *g, const struct leaf *l)
{
	const struct leaf_turns t = leaf_turns_at(l, g->value);
	int64_t units = vdla_entry_units(vdla_scratchpad_of(l->of[0]), vdla_form_of(l));
	int c = l->columns ? l->loops - 1 : -1, r = l->loops - 1 - l->columns;
	struct vdla_instruction i = { .op = VDLA_LOAD };
	struct vdla_transfer *x = &i.transfer;

	*x = (struct vdla_transfer){ .scratchpad = vdla_scratchpad_of(l->of[0]), .form = vdla_form_of(l),
				     .entry = (int)start_of(g, l, 0), .address = start_of(g, l, 1), .rows = 1, .columns = 1 };
	if (c >= 0) {
		x->before[1] = t.none ? 0 : (int)t.lo[c];
		x->columns = (int)(t.none ? l->loop[c].extent : t.hi[c] - t.lo[c]);
		x->after[1] = t.none ? 0 : (int)(l->loop[c].extent - t.hi[c]);
		x->address += t.none ? 0 : t.lo[c] * units;
	}
	if (r >= 0) {
		x->before[0] = t.none ? 0 : (int)t.lo[r];
		x->rows = (int)(t.hi[r] - t.lo[r]);
		x->after[0] = t.none ? 0 : (int)(l->loop[r].extent - t.hi[r]);
		x->row_stride = l->loop[r].stride[1];
		x->address += t.none ? 0 : t.lo[r] * x->row_stride;
	}
	if (t.none) {
		x->before[0] = (int)(r >= 0 ? l->loop[r].extent : 1);
		x->rows = 0;
		x->row_stride = x->address = 0;
	}
	const struct vdla_access touched = { x->scratchpad, x->entry, x->entry + (int)vdla_transfer_entries(x) - 1 };

	add(g, &i, &touched, 1);
}

static void emit_vectors(struct generator *g, const struct leaf *l, const struct leaf_turns *t)
{
	for (int v = 0; v < l->vectors; v++) {
		const struct leaf_vector *one = &l->vector[v];
		struct vdla_instruction i = { .op = VDLA_ALU };
		struct vdla_access touched[2];

		i.vector.op = vdla_alu_of[one->op];
		i.vector.immediate = one->source == VECTOR_NUMBER;
		i.vector.number = one->number;
		count_turns(l, t, i.vector.count);
		i.vector.destination = walk_of(g, l, one->destination, t, &touched[0]);
		if (!i.vector.immediate)
			i.vector.source = walk_of(g, l, one->source, t, &touched[1]);
		for (int j = 0; j < (i.vector.immediate ? 1 : 2); j++)
			write_zeros(g, touched[j].first, touched[j].last);
		add(g, &i, touched, i.vector.immediate ? 1 : 2);
	}
}

static void emit_walk(struct generator *g, const struct leaf *l)
{
	const struct leaf_turns t = leaf_turns_at(l, g->value);

	if (!t.none)
		emit_vectors(g, l, &t);
}

static void emit_store(struct generator *g, const struct leaf *l)
{
	const struct leaf_turns t = leaf_turns_at(l, g->value);
	int c = l->columns ? l->loops - 1 : -1, r = l->loops - 1 - l->columns;
	struct vdla_instruction i = { .op = VDLA_STORE };
	struct vdla_transfer *x = &i.transfer;

	if (t.none)
		return;
	struct vdla_access stored;

	emit_vectors(g, l, &t);
	walk_of(g, l, 0, &t, &stored);
	write_zeros(g, stored.first, stored.last);	/* of what nothing was added to */
	*x = (struct vdla_transfer){ .scratchpad = VDLA_ACCUMULATORS, .form = vdla_form_of(l), .entry = (int)start_of(g, l, 0),
				     .address = start_of(g, l, 1), .rows = 1, .columns = 1 };
	for (int j = 0; j < l->loops; j++) {
		x->entry += (int)(t.lo[j] * l->loop[j].stride[0]);
		x->address += t.lo[j] * l->loop[j].stride[1];
	}
	if (c >= 0)
		x->columns = (int)(t.hi[c] - t.lo[c]);
	if (r >= 0) {
		x->rows = (int)(t.hi[r] - t.lo[r]);
		x->row_stride = l->loop[r].stride[1];
	}
	/* A part of each row does not lie side by side with that of the next: it goes alone. */
	bool apart = c >= 0 && x->columns < l->loop[c].extent;

	for (int n = apart ? x->rows : 1; n > 0; n--) {
		x->rows = apart ? 1 : x->rows;
		const struct vdla_access touched = { VDLA_ACCUMULATORS, x->entry, x->entry + x->rows * x->columns - 1 };

		add(g, &i, &touched, 1);
		x->entry += apart ? (int)l->loop[c].extent : 0;
		x->address += apart ? x->row_stride : 0;
	}
}

/* --- loops */

static void allocate(struct generator *g, struct leaf_node *n)
{
	const struct buffer *b = n->buffer;

	if (b->scratchpad) {
		enum vdla_scratchpad s = vdla_scratchpad_of(b);

		int copies = (int)most(b->copies, 1);
		int64_t at = g->top[s] + n->times++ % copies * n->room;

		g->top[s] += copies * n->room;
		vec_push(g->a, &g->placed, ((struct located){ b, at }));
		if (g->top[s] > vdla_entries(&g->b->machine, s))
			g->why = "a scratchpad has too little room";
	} else {
		g->why = "intermediates in memory are not waited for";
	}
}

static void emit(struct generator *g, const struct leaf *l)
{
	static void (*const by_kind[])(struct generator *g, const struct leaf *l) = {
		[LEAF_LOAD] = emit_load, [LEAF_STORE] = emit_store, [LEAF_ZEROS] = emit_zeros, [LEAF_PRODUCTS] = emit_products,
		[LEAF_VECTORS] = emit_walk,
	};

	by_kind[l->kind](g, l);
}

static void run(struct generator *g, struct leaf_node *list);

static void run_node(struct generator *g, struct leaf_node *n)
{
	switch (n->kind) {
	case NODE_ALLOC:
		allocate(g, n);
		break;
	case NODE_LET:
		g->value[n->slot] = affine_at(&n->value, g->value);
		run(g, n->body);
		break;
	case NODE_LOOP:
		for (int64_t i = n->lo; i < n->hi && !g->why; i++) {
			g->value[n->slot] = i;
			run(g, n->body);
		}
		break;
	case NODE_LEAF:
		emit(g, n->leaf);
		break;
	}
}

/* What LIST allocates ends with it. */
static void run(struct generator *g, struct leaf_node *list)
{
	int64_t top[VDLA_SCRATCHPADS];
	int placed = g->placed.n;

	memcpy(top, g->top, sizeof(top));
	for (struct leaf_node *n = list; n && !g->why; n = n->next)
		run_node(g, n);
	if (g->zeros > 0)	/* sums that nobody asked for */
		for (int64_t e = top[VDLA_ACCUMULATORS]; e < g->top[VDLA_ACCUMULATORS]; e++) {
			g->zeros -= g->zero[e];
			g->zero[e] = false;
		}
	memcpy(g->top, top, sizeof(top));
	g->placed.n = placed;
}

static void place_arguments(struct generator *g, const struct program *p)
{
	int64_t at = 0;

	for (int i = 0; i < p->args.n; i++) {
		const struct buffer *b = p->args.at[i];
		int64_t bytes = (int64_t)tensor_bytes(&b->tensor);
		const struct vdla_tensor t = {
			.name = b->tensor.name,
			.role = b->kind == BUFFER_OUTPUT ? VDLA_OUTPUT : b->constant ? VDLA_CONSTANT : VDLA_INPUT,
			.address = at,
			.bytes = bytes,
		};

		vec_push(g->a, &g->b->tensors, t);
		vec_push(g->a, &g->placed, ((struct located){ b, at }));
		at += round_up(ceil_div(bytes, VDLA_UNIT_BYTES), MEMORY_ALIGNMENT);
	}
	g->b->memory_bytes = at * VDLA_UNIT_BYTES;
}

struct vdla_binary *vdla_generate(struct arena *a, const struct program *p, const struct vdla_machine *m,
				  const char **why)
{
	struct generator *g = arena_one(a, struct generator);
	const struct leaf_limits limits = vdla_limits(m);
	struct leaf_node *tree = leaf_tree(a, p, &limits, why);

	if (!tree)
		return NULL;
	g->a = a;
	g->b = arena_one(a, struct vdla_binary);
	g->b->machine = *m;
	g->zero = arena_many(a, bool, vdla_entries(m, VDLA_ACCUMULATORS));
	g->stream = vdla_writer_new(a, g->b);
	place_arguments(g, p);
	run(g, tree);
	*why = g->why;
	return g->why ? NULL : g->b;
}
