/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/program.c - kernels of a graph, one behind the other. */
#include "partition/generators/vdla/program.h"

#include "base/err.h"
#include "base/integer.h"
#include "graph/pass/pass.h"
#include "graph/task/piece.h"
#include "graph/task/variant.h"
#include "partition/generators/vdla/apart.h"
#include "partition/generators/vdla/kernel.h"
#include "te/eval.h"
#include "te/text/text.h"

/* Where a value of main is. */
struct resident {
	int64_t at, units;	/* at < 0: nowhere yet */
	int first, last;	/* bindings that make it, or the first part of it, and that read it last */
	int inside;		/* the concatenation that it is a part of; VALUE_NONE */
	int64_t offset;		/* there, units */
};

struct found_kernel {
	struct hash128 key;
	struct vdla_kernel kernel;
};

/* A result that has its place otherwise, too: it is an input, or another result. */
struct second_place {
	int value;
	int64_t at;
};

struct composer {
	struct arena *a;
	const struct graph *g;
	const struct function *main;
	struct vdla_binary *out;
	const struct vdla_options *options;
	struct resident *resident;	/* by value */
	struct found_kernel_vec VEC(struct found_kernel) found;
	struct second_place_vec VEC(struct second_place) seconds;
	int64_t end;		/* units of memory in use */
};

/* Whole blocks of weights, as kernels place their arguments. */
static int64_t units_of(int64_t bytes)
{
	return round_up(ceil_div(bytes, VDLA_UNIT_BYTES), VDLA_LANES);
}

static int64_t bytes_of(const struct type *t)
{
	return type_count(t) * (int64_t)element_bytes(t->element);
}

static void add_tensor(struct composer *c, const char *name, enum vdla_role role, int64_t at, int64_t bytes, const void *data)
{
	const struct vdla_tensor t = { name, role, at, bytes, data };

	vec_push(c->a, &c->out->tensors, t);
}

static int64_t take(struct composer *c, int64_t units)
{
	c->end += units;
	return c->end - units;
}

/* --- where values are */

static void note_readers(struct composer *c)
{
	for (int v = 0; v < c->main->bindings.n; v++) {
		const struct binding *b = function_at(c->main, v);

		c->resident[v] = (struct resident){ .at = -1, .units = b->kind == BIND_CONST ? 0 : units_of(bytes_of(b->type)),
						    .first = v, .last = v, .inside = VALUE_NONE };
		for (int i = 0; i < b->nargs; i++)
			if (b->args[i] != VALUE_NONE)
				c->resident[b->args[i]].last = v;
	}
}

/* Parameters and results have their places for themselves. */
static void place_border(struct composer *c)
{
	const struct function *f = c->main;

	for (int i = 0; i < f->nparams + f->nresults; i++) {
		int v = i < f->nparams ? i : f->results[i - f->nparams];
		struct resident *r = &c->resident[v];
		const struct second_place place = { v, take(c, r->units) };

		if (r->at >= 0)
			vec_push(c->a, &c->seconds, place);
		else
			r->at = place.at;
		add_tensor(c, arena_printf(c->a, i < f->nparams ? "input%d" : "output%d", i < f->nparams ? i : i - f->nparams),
			   i < f->nparams ? VDLA_INPUT : VDLA_OUTPUT, place.at, bytes_of(function_at(f, v)->type), NULL);
	}
}

/* The parameters of application V's function that its result is, one behind the other, in OUT; their number. */
static int pieces_of(const struct composer *c, int v, int **out)
{
	const struct binding *b = function_at(c->main, v);
	const struct function *f = b->kind == BIND_APPLY ? c->g->functions.at[b->function] : NULL;
	int64_t *stored = f ? arena_many(c->a, int64_t, f->nparams + 1) : NULL;

	for (int i = 0; f && i <= f->nparams; i++)
		stored[i] = VDLA_LANES;
	return f ? concat_pieces(c->a, f, stored, out) : 0;
}

/* What a kernel makes for a concatenation is made there. What is a part of two, or has a place of its own, is copied. */
static void put_together(struct composer *c)
{
	for (int v = c->main->nparams; v < c->main->bindings.n; v++) {
		int *pieces, n = pieces_of(c, v, &pieces);
		int64_t offset = 0;

		for (int i = 0; i < n; i++) {
			int part = function_at(c->main, v)->args[pieces[i]];
			struct resident *r = &c->resident[part];

			if (r->at < 0 && r->inside == VALUE_NONE) {
				r->inside = v;
				r->offset = offset;
				c->resident[v].first = (int)least(c->resident[v].first, r->first);
				c->resident[v].last = (int)most(c->resident[v].last, r->last);
			}
			offset += bytes_of(function_at(c->main, part)->type) / VDLA_UNIT_BYTES;
		}
	}
}

/* The lowest place for V where nothing is that is needed at the same time. */
static int64_t lowest(const struct composer *c, int64_t from, int v)
{
	const struct resident *own = &c->resident[v];
	int64_t at = from;

	for (bool moved = true; moved;) {
		moved = false;
		for (int i = 0; i < v; i++) {
			const struct resident *r = &c->resident[i];

			if (r->at >= from && r->last >= own->first && r->at < at + own->units && at < r->at + r->units) {
				at = r->at + r->units;
				moved = true;
			}
		}
	}
	return at;
}

static void place_between(struct composer *c)
{
	int64_t from = c->end;

	for (int v = c->main->nparams; v < c->main->bindings.n; v++) {
		struct resident *r = &c->resident[v];

		if (function_at(c->main, v)->kind != BIND_APPLY || r->at >= 0 || r->inside != VALUE_NONE)
			continue;
		r->at = lowest(c, from, v);
		c->end = most(c->end, r->at + r->units);
	}
	for (int v = c->main->bindings.n - 1; v >= 0; v--)	/* a part of a part behind that */
		if (c->resident[v].inside != VALUE_NONE)
			c->resident[v].at = c->resident[c->resident[v].inside].at + c->resident[v].offset;
}

/* --- kernels */

/* The DAG of the application V, images in blocks. */
static struct cut_dag cut(struct composer *c, int v)
{
	const struct cut_from from = cut_from_apply(c->a, c->g, c->main, v);
	const struct function *f = from.function;
	const struct cut_dag plain = cut_fused(c->a, f, from.given);
	int64_t *stored = arena_many(c->a, int64_t, f->nparams + 1);

	for (int i = 0; i < f->nparams; i++)
		stored[i] = from.given[i] ? STORE_NCHW : VDLA_LANES;
	stored[f->nparams] = VDLA_LANES;
	return variant_cut(c->a, &plain, f, stored);
}

/* The kernel of D, which is OP of SHAPE to people; NULL and a message. */
static const struct vdla_kernel *find(struct composer *c, const struct dag *d, const char *op, const char *shape)
{
	const struct hash128 key = dag_key(d);
	struct found_kernel fresh = { .key = key };

	for (int i = 0; i < c->found.n; i++)
		if (hash_equal(c->found.at[i].key, key))
			return &c->found.at[i].kernel;
	const char *name = arena_printf(c->a, "%s:%s", op, shape);

	if (vdla_kernel_find(c->a, d, name, c->options, &fresh.kernel) < 0) {
		err_prefix("%s", name);
		return NULL;
	}
	vec_push(c->a, &c->found, fresh);
	return &c->found.at[c->found.n - 1].kernel;
}

/* Constant ARG of kernel K, which is ARRAY, as it reads it. */
static int64_t place_constant(struct composer *c, const struct vdla_kernel *k, int arg, const struct array *array)
{
	const struct vdla_tensor *t = &k->binary->tensors.at[arg];
	const struct pack *pack = program_pack(k->program, arg);
	void *data = arena_alloc(c->a, (size_t)t->bytes);
	int64_t at = take(c, units_of(t->bytes));

	if (pack)
		pack_run(pack, array_aligned(array)->data, data);
	else
		memcpy(data, array->data, (size_t)t->bytes);
	add_tensor(c, arena_printf(c->a, "constant%d", c->out->tensors.n), VDLA_CONSTANT, at, t->bytes, data);
	return at;
}

/* K's instructions, with its tensors at AT. */
static void append(struct composer *c, const struct vdla_kernel *k, const int64_t *at)
{
	const struct vdla_binary *b = k->binary;

	if (c->out->code.n > 0)
		vec_push(c->a, &c->out->code, ((struct vdla_instruction){ .op = VDLA_LAUNCH }));
	for (int i = 0; i < b->code.n; i++) {
		struct vdla_instruction one = b->code.at[i];
		int t = 0;

		if ((one.op == VDLA_LOAD || one.op == VDLA_STORE) && one.transfer.rows > 0) {
			while (t + 1 < b->tensors.n && b->tensors.at[t + 1].address <= one.transfer.address)
				t++;
			one.transfer.address += at[t] - b->tensors.at[t].address;
		}
		vec_push(c->a, &c->out->code, one);
	}
}

static int add_kernel(struct composer *c, int v)
{
	const struct binding *b = function_at(c->main, v);
	const struct cut_dag d = cut(c, v);
	const struct vdla_kernel *k = d.dag ? find(c, d.dag, d.op, d.shape) : NULL;

	if (!k)
		return d.dag ? -1 : err_set("%s %s: %s", d.op, d.shape, d.reason);
	int64_t *at = arena_many(c->a, int64_t, d.inputs.n + 1);

	for (int i = 0; i < d.inputs.n; i++) {
		int value = b->args[d.inputs.at[i]];
		const struct array *constant = function_const(c->main, value);

		at[i] = constant ? place_constant(c, k, i, constant) : c->resident[value].at;
	}
	at[d.inputs.n] = c->resident[v].at;
	append(c, k, at);
	return 0;
}

/* An image of type T from FROM to TO. */
static int add_copy(struct composer *c, const struct type *t, int64_t from, int64_t to)
{
	int64_t n = type_count(t) / VDLA_LANES;
	const char *text = arena_printf(c->a, "input X: %s[%lld, %d]\nY[p < %lld, l < %d] = X[p, l]\n", element_name(t->element),
					(long long)n, VDLA_LANES, (long long)n, VDLA_LANES);
	const struct dag *d = dag_parse(c->a, "copy", text);
	const struct vdla_kernel *k = d ? find(c, d, "copy", "") : NULL;

	if (k)
		append(c, k, (const int64_t[]){ from, to });
	return k ? 0 : -1;
}

/* What of concatenation V is not in its place yet. */
static int add_concat(struct composer *c, int v, const int *pieces, int n)
{
	int64_t offset = 0;

	for (int i = 0; i < n; i++) {
		int part = function_at(c->main, v)->args[pieces[i]];
		const struct resident *r = &c->resident[part];
		const struct type *t = function_at(c->main, part)->type;

		if ((r->inside != v || r->offset != offset) && add_copy(c, t, r->at, c->resident[v].at + offset) < 0)
			return -1;
		offset += bytes_of(t) / VDLA_UNIT_BYTES;
	}
	return 0;
}

static int add_step(struct composer *c, int v)
{
	const struct binding *b = function_at(c->main, v);
	int *pieces, n = pieces_of(c, v, &pieces);

	if (b->kind == BIND_CALL)
		return err_set("%s: no kernel has it", b->op->name);
	if (b->kind != BIND_APPLY)
		return 0;
	return n > 0 ? add_concat(c, v, pieces, n) : add_kernel(c, v);
}

/* By value of main: applications for which there are no instructions. */
static const bool *without_kernel(struct composer *c)
{
	bool *out = arena_many(c->a, bool, c->main->bindings.n);
	int *pieces;

	for (int v = 0; v < c->main->bindings.n; v++)
		if (function_at(c->main, v)->kind == BIND_APPLY && pieces_of(c, v, &pieces) == 0) {
			const struct cut_dag d = cut(c, v);

			out[v] = !d.dag || !find(c, d.dag, d.op, d.shape);
		}
	return out;
}

static void place_all(struct composer *c)
{
	c->resident = arena_many(c->a, struct resident, c->main->bindings.n);
	note_readers(c);
	place_border(c);
	put_together(c);
	place_between(c);
}

static int add_steps(struct composer *c)
{
	for (int v = 0; v < c->main->bindings.n; v++)
		if (add_step(c, v) < 0)
			return -1;
	for (int i = 0; i < c->seconds.n; i++) {
		const struct second_place *s = &c->seconds.at[i];

		if (add_copy(c, function_at(c->main, s->value)->type, c->resident[s->value].at, s->at) < 0)
			return -1;
	}
	return 0;
}

struct vdla_binary *vdla_program_of(struct arena *a, struct graph *images, const struct vdla_options *o)
{
	struct graph *fused = graph_passes(a, images, "fuse");
	struct composer c = { .a = a, .g = fused, .out = arena_one(a, struct vdla_binary), .options = o };

	if (!fused)
		return NULL;
	c.out->machine = o->machine;
	c.main = graph_main(fused);
	c.g = vdla_take_apart(a, fused, without_kernel(&c));
	if (!c.g)
		return NULL;
	c.main = graph_main(c.g);
	place_all(&c);
	if (add_steps(&c) < 0)
		return NULL;
	c.out->memory_bytes = c.end * VDLA_UNIT_BYTES;
	return vdla_binary_check(c.out, "region") < 0 ? NULL : c.out;
}
