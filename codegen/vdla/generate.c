/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/vdla/generate.c - makes each leaf's instructions once, and writes them down where it is visited.
 *
 * As long as a leaf's turns are the same, its instructions differ in where they begin alone: the rest is made, and found to fit,
 * once. */
#include "codegen/vdla/generate.h"

#include "base/integer.h"
#include "codegen/leaf/run.h"
#include "codegen/vdla/limits.h"
#include "codegen/vdla/writer.h"

enum {
	MOST_INSTRUCTIONS = 1 << 21,	/* 32 MB of them: more than anybody wants to have written, or to wait for */
	MEMORY_ALIGNMENT = 16,	/* units: a block of weights */
};

struct generator {
	struct leaf_writer writer;	/* first */
	struct arena *a;
	struct vdla_binary *b;
	struct vdla_writer *stream;
	bool *zero;		/* of each accumulator: its sum is to begin at 0, which no instruction has done yet */
	int zeros;
	int zeros_most;		/* that an instruction makes */
	const char *why;
};

/* What a leaf becomes with the turns that it has, but for where that begins. */
struct vdla_leaf {
	enum vdla_scratchpad where[LEAF_OPERANDS];
	int64_t ahead[LEAF_OPERANDS];	/* the first turn is so far behind the start: entries, or units */
	int64_t span[LEAF_OPERANDS];	/* from the first entry to the last */
	struct vdla_instruction vector[LEAF_VECTOR_OPS];
	struct vdla_instruction last;	/* behind vector operations: what is none of them; of zeros the walk */
};

/* --- instructions of a leaf */

/* Operand I, as an instruction has it: the last of loops is the inner one. */
static struct vdla_walk walk_of(const struct leaf *l, int i)
{
	struct vdla_walk w = { .base = 0 };

	for (int j = 0; j < l->loops; j++)
		w.stride[VDLA_LOOPS - l->loops + j] = (int)l->loop[j].stride[i];
	return w;
}

static void count_turns(const struct leaf_visit *v, int count[VDLA_LOOPS])
{
	int outer = VDLA_LOOPS - v->leaf->loops;

	for (int j = 0; j < VDLA_LOOPS; j++)
		count[j] = j < outer ? 1 : (int)(v->turns.hi[j - outer] - v->turns.lo[j - outer]);
}

static void make_products(const struct leaf_visit *v, struct vdla_leaf *m)
{
	struct vdla_walk *walk[] = { &m->last.gemm.sum, &m->last.gemm.input, &m->last.gemm.weight };

	m->last.op = VDLA_GEMM;
	count_turns(v, m->last.gemm.count);
	for (int i = 0; i < v->leaf->n; i++)
		*walk[i] = walk_of(v->leaf, i);
}

static void make_vectors(const struct leaf_visit *v, struct vdla_leaf *m)
{
	for (int k = 0; k < v->leaf->vectors; k++) {
		const struct leaf_vector *one = &v->leaf->vector[k];
		struct vdla_vector *x = &m->vector[k].vector;

		m->vector[k].op = VDLA_ALU;
		x->op = vdla_alu_of[one->op];
		x->immediate = one->source == VECTOR_NUMBER;
		x->number = one->number;
		count_turns(v, x->count);
		x->destination = walk_of(v->leaf, one->destination);
		if (!x->immediate)
			x->source = walk_of(v->leaf, one->source);
	}
}

/* Where there are no turns, all is padding. */
static void make_load(const struct leaf_visit *v, struct vdla_leaf *m)
{
	const struct leaf *l = v->leaf;
	const struct leaf_turns *t = &v->turns;
	int c = l->columns ? l->loops - 1 : -1, r = l->loops - 1 - l->columns;
	struct vdla_transfer *x = &m->last.transfer;

	m->last.op = VDLA_LOAD;
	*x = (struct vdla_transfer){ .scratchpad = m->where[0], .form = vdla_form_of(l), .rows = 1, .columns = 1 };
	if (c >= 0) {
		x->before[1] = t->none ? 0 : (int)t->lo[c];
		x->columns = (int)(t->none ? l->loop[c].extent : t->hi[c] - t->lo[c]);
		x->after[1] = t->none ? 0 : (int)(l->loop[c].extent - t->hi[c]);
	}
	if (r >= 0 && !t->none) {
		x->before[0] = (int)t->lo[r];
		x->rows = (int)(t->hi[r] - t->lo[r]);
		x->after[0] = (int)(l->loop[r].extent - t->hi[r]);
		x->row_stride = l->loop[r].stride[1];
	}
	if (t->none) {
		x->before[0] = (int)(r >= 0 ? l->loop[r].extent : 1);
		x->rows = 0;
	}
	m->ahead[0] = 0;
	m->span[0] = vdla_transfer_entries(x) - 1;
}

static void make_store(const struct leaf_visit *v, struct vdla_leaf *m)
{
	const struct leaf *l = v->leaf;
	const struct leaf_turns *t = &v->turns;
	int c = l->columns ? l->loops - 1 : -1, r = l->loops - 1 - l->columns;

	make_vectors(v, m);
	m->last.op = VDLA_STORE;
	m->last.transfer = (struct vdla_transfer){
		.scratchpad = VDLA_ACCUMULATORS, .form = vdla_form_of(l), .columns = c < 0 ? 1 : (int)(t->hi[c] - t->lo[c]),
		.rows = r < 0 ? 1 : (int)(t->hi[r] - t->lo[r]), .row_stride = r < 0 ? 0 : l->loop[r].stride[1],
	};
}

/* --- where they begin */

/* The entries of operand I of V. */
static struct vdla_access entries_of(const struct leaf_visit *v, const struct vdla_leaf *m, int i)
{
	int64_t first = v->start[i] + m->ahead[i];

	return (struct vdla_access){ m->where[i], (int)first, (int)(first + m->span[i]) };
}

static void add(struct generator *g, const struct vdla_instruction *i, const struct vdla_access *touched, int n)
{
	if (g->b->code.n >= MOST_INSTRUCTIONS)
		g->why = "too many instructions";
	else if (!vdla_writer_add(g->stream, i, touched, n))
		g->why = "an entry outside of its scratchpad";
}

/* The accumulators of T are zero now, where they are to be. */
static void write_zeros(struct generator *g, const struct vdla_access *t)
{
	bool *at = g->zero + t->first, *end = g->zero + t->last + 1;

	while (g->zeros > 0 && (at = memchr(at, true, (size_t)(end - at)))) {
		int first = (int)(at - g->zero), n = 0;

		while (at < end && n < g->zeros_most && *at) {
			*at++ = false;
			n++;
		}
		g->zeros -= n;
		add(g, &(struct vdla_instruction){
			.op = VDLA_ALU,
			.vector = { .op = VDLA_COPY, .immediate = true, .count = { 1, n },
				    .destination = { .base = first, .stride = { 0, 1 } } },
		}, &(struct vdla_access){ VDLA_ACCUMULATORS, first, first + n - 1 }, 1);
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

static void emit_zeros(struct generator *g, const struct leaf_visit *v, struct vdla_leaf *m)
{
	const struct vdla_gemm *i = &m->last.gemm;
	int first = entries_of(v, m, 0).first;

	for (int j = 0; j < i->count[0]; j++)
		for (int k = 0; k < i->count[1]; k++) {
			bool *zero = &g->zero[first + j * i->sum.stride[0] + k * i->sum.stride[1]];

			g->zeros += !*zero;
			*zero = true;
		}
}

static void emit_products(struct generator *g, const struct leaf_visit *v, struct vdla_leaf *m)
{
	const struct vdla_access touched[] = { entries_of(v, m, 0), entries_of(v, m, 1), entries_of(v, m, 2) };
	struct vdla_gemm *i = &m->last.gemm;

	i->sum.base = touched[0].first;
	i->input.base = touched[1].first;
	i->weight.base = touched[2].first;
	i->reset = g->zeros > 0 && begins(g, i);
	if (g->zeros > 0)
		write_zeros(g, &touched[0]);
	add(g, &m->last, touched, 3);
}

static void emit_vectors(struct generator *g, const struct leaf_visit *v, struct vdla_leaf *m)
{
	for (int k = 0; k < v->leaf->vectors && !g->why; k++) {
		struct vdla_vector *x = &m->vector[k].vector;
		struct vdla_access touched[2] = { entries_of(v, m, v->leaf->vector[k].destination) };
		int n = x->immediate ? 1 : 2;

		x->destination.base = touched[0].first;
		if (!x->immediate) {
			touched[1] = entries_of(v, m, v->leaf->vector[k].source);
			x->source.base = touched[1].first;
		}
		for (int j = 0; j < n; j++)
			write_zeros(g, &touched[j]);
		add(g, &m->vector[k], touched, n);
	}
}

static void emit_load(struct generator *g, const struct leaf_visit *v, struct vdla_leaf *m)
{
	const struct vdla_access touched = entries_of(v, m, 0);

	m->last.transfer.entry = touched.first;
	m->last.transfer.address = v->turns.none ? 0 : v->start[1] + m->ahead[1];
	add(g, &m->last, &touched, 1);
}

static void emit_store(struct generator *g, const struct leaf_visit *v, struct vdla_leaf *m)
{
	const struct leaf *l = v->leaf;
	struct vdla_access stored = entries_of(v, m, 0);
	struct vdla_instruction i = m->last;
	struct vdla_transfer *x = &i.transfer;
	/* A part of each row does not lie side by side with that of the next: it goes alone. */
	bool apart = l->columns && x->columns < l->loop[l->loops - 1].extent;
	int n = apart ? x->rows : 1;

	emit_vectors(g, v, m);
	write_zeros(g, &stored);	/* of what nothing was added to */
	x->entry = stored.first;
	x->address = v->start[1] + m->ahead[1];
	x->rows /= n;
	for (; n > 0 && !g->why; n--) {
		add(g, &i, &(struct vdla_access){ VDLA_ACCUMULATORS, x->entry, x->entry + x->rows * x->columns - 1 }, 1);
		x->entry += apart ? (int)l->loop[l->loops - 1].extent : 0;
		x->address += apart ? x->row_stride : 0;
	}
}

static const struct {
	void (*make)(const struct leaf_visit *v, struct vdla_leaf *m);
	void (*emit)(struct generator *g, const struct leaf_visit *v, struct vdla_leaf *m);
	bool last;		/* there is an instruction behind vector operations */
} kinds[] = {
	[LEAF_LOAD] = { make_load, emit_load, true }, [LEAF_STORE] = { make_store, emit_store, true },
	[LEAF_ZEROS] = { make_products, emit_zeros, false }, [LEAF_PRODUCTS] = { make_products, emit_products, true },
	[LEAF_VECTORS] = { make_vectors, emit_vectors, false },
};

/* --- the stream */

/* All but where they begin, which the writer looks at. */
static void make(struct generator *g, struct leaf_visit *v, struct vdla_leaf *m)
{
	const struct leaf *l = v->leaf;

	for (int i = 0; i < l->n; i++) {
		m->ahead[i] = m->span[i] = 0;
		for (int j = 0; j < l->loops && !v->turns.none; j++) {
			m->ahead[i] += v->turns.lo[j] * l->loop[j].stride[i];
			m->span[i] += (v->turns.hi[j] - v->turns.lo[j] - 1) * l->loop[j].stride[i];
		}
	}
	kinds[l->kind].make(v, m);
	for (int k = 0; k < l->vectors && !g->why; k++)
		g->why = vdla_fits(&g->b->machine, &m->vector[k]);
	if (kinds[l->kind].last && !g->why)
		g->why = vdla_fits(&g->b->machine, &m->last);
	v->turned = false;
}

static bool visit(struct leaf_writer *w, struct leaf_visit *v)
{
	struct generator *g = (struct generator *)w;

	if (v->turns.none && v->leaf->kind != LEAF_LOAD)
		return true;
	if (v->turned)
		make(g, v, v->own);
	if (!g->why)
		kinds[v->leaf->kind].emit(g, v, v->own);
	return !g->why;
}

/* Sums that were there, and that nobody asked for, are not to be zero any more. */
static void allocated(struct leaf_writer *w, const struct buffer *b, int64_t first, int64_t n)
{
	struct generator *g = (struct generator *)w;

	for (int64_t e = first; e < first + n && g->zeros > 0 && vdla_scratchpad_of(b) == VDLA_ACCUMULATORS; e++) {
		g->zeros -= g->zero[e];
		g->zero[e] = false;
	}
}

static struct leaf_place *place_arguments(struct generator *g, const struct program *p)
{
	struct leaf_place *places = arena_many(g->a, struct leaf_place, p->args.n);
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
		places[i] = (struct leaf_place){ b, at };
		at += round_up(ceil_div(bytes, VDLA_UNIT_BYTES), MEMORY_ALIGNMENT);
	}
	g->b->memory_bytes = at * VDLA_UNIT_BYTES;
	return places;
}

/* Room for the instructions of all visits, and a quarter more for sums that are zeroed in pieces or stored by rows: what is not
 * used is not touched. */
static void prepare(struct generator *g, const struct leaf_run *run)
{
	int64_t n = 0;

	for (int k = 0; k < run->visits.n; k++) {
		struct leaf_visit *v = run->visits.at[k];
		struct vdla_leaf *m = arena_one(g->a, struct vdla_leaf);

		for (int i = 0; i < v->leaf->n; i++)
			m->where[i] = vdla_scratchpad_of(v->leaf->of[i]);
		v->own = m;
		n = least(n + v->times * (v->leaf->vectors + 1), MOST_INSTRUCTIONS);
	}
	n += n / 4;
	g->b->code.cap = (int)n;
	g->b->code.at = arena_raw(g->a, (size_t)n * sizeof(*g->b->code.at));
}

struct vdla_binary *vdla_generate(struct arena *a, const struct program *p, const struct vdla_machine *m,
				  const char **why)
{
	struct generator g = { .writer = { visit, allocated }, .a = a, .b = arena_one(a, struct vdla_binary) };
	const struct leaf_limits limits = vdla_limits(m);
	struct leaf_node *tree = leaf_tree(a, p, &limits, why);
	struct leaf_run *run;

	g.b->machine = *m;
	if (!tree || !(run = leaf_run_new(a, tree, place_arguments(&g, p), p->args.n, limits.entries, why)))
		return NULL;
	if (g.b->memory_bytes >> VDLA_ADDRESS_BITS >= VDLA_UNIT_BYTES)
		g.why = "more memory than addresses reach";
	g.zero = arena_many(a, bool, vdla_entries(m, VDLA_ACCUMULATORS));
	g.zeros_most = vdla_count_most(m, VDLA_ALU);
	g.stream = vdla_writer_new(a, g.b);
	prepare(&g, run);
	leaf_run(run, &g.writer);
	*why = g.why;
	return g.why ? NULL : g.b;
}
