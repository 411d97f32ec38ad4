/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/onednn/plan.c - memory in layouts, reorders between them, and steps that run. */
#include "partition/generators/onednn/plan.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int plan_refuse(struct plan *p, const char *why)
{
	snprintf(p->why, HONE_WHY_BYTES, "%s", why);
	return -1;
}

int plan_check(struct plan *p, dnnl_status_t status, const char *what)
{
	if (status == dnnl_success)
		return 0;
	snprintf(p->why, HONE_WHY_BYTES, "oneDNN has no %s of this form (status %d)", what, (int)status);
	return -1;
}

/* --- layouts */

dnnl_memory_desc_t plan_dense(int n, const int64_t *dims)
{
	dnnl_dims_t d, strides;
	dnnl_memory_desc_t md;

	for (int i = n - 1; i >= 0; i--) {
		d[i] = dims[i];
		strides[i] = i == n - 1 ? 1 : strides[i + 1] * dims[i + 1];
	}
	dnnl_memory_desc_init_by_strides(&md, n, d, dnnl_f32, strides);
	return md;
}

dnnl_memory_desc_t plan_aligned(const struct plan *p, int tensor, int rank, bool swap)
{
	const struct hone_region_tensor *t = &p->region->tensors[tensor];
	dnnl_dims_t dims;
	int perm[DNNL_MAX_NDIMS];
	dnnl_memory_desc_t md, swapped;

	for (int i = 0; i < rank; i++) {
		dims[i] = i < rank - t->rank ? 1 : t->dim[i - (rank - t->rank)];
		perm[i] = swap && i >= rank - 2 ? 2 * rank - 3 - i : i;
	}
	md = plan_dense(rank, dims);
	if (!swap)
		return md;
	dnnl_memory_desc_permute_axes(&swapped, &md, perm);
	return swapped;
}

dnnl_memory_desc_t plan_any(dnnl_memory_desc_t md)
{
	dnnl_memory_desc_t any;

	dnnl_memory_desc_init_by_tag(&any, md.ndims, md.dims, dnnl_f32, dnnl_format_tag_any);
	return any;
}

bool plan_same_dims(const dnnl_memory_desc_t *x, const dnnl_memory_desc_t *y)
{
	return x->ndims == y->ndims && memcmp(x->dims, y->dims, sizeof(*x->dims) * (size_t)x->ndims) == 0;
}

static bool is_dense(const dnnl_memory_desc_t *md)
{
	dnnl_memory_desc_t dense = plan_dense(md->ndims, md->dims);

	return dnnl_memory_desc_equal(md, &dense);
}

/* --- memory */

/* DATA: DNNL_MEMORY_ALLOCATE, or who has it. */
static struct placed_memory *place(struct plan *p, int tensor, const dnnl_memory_desc_t *md, int border,
				   void *data)
{
	struct placed_memory *m = &p->memories[p->nmemories];

	*m = (struct placed_memory){ .md = *md, .tensor = tensor, .border = border };
	if (plan_check(p, dnnl_memory_create(&m->memory, md, p->engine, border < 0 && !p->asks ? data : DNNL_MEMORY_NONE),
		       "memory") < 0)
		return NULL;
	p->nmemories++;
	return m;
}

/* Memory of TENSOR in the layout MD; the first one with such dims where ANY. */
static struct placed_memory *find(const struct plan *p, int tensor, const dnnl_memory_desc_t *md, bool any)
{
	for (int i = 0; i < p->nmemories; i++) {
		struct placed_memory *m = &p->memories[i];

		if (m->tensor == tensor &&
		    (any ? plan_same_dims(&m->md, md) : dnnl_memory_desc_equal(&m->md, md)))
			return m;
	}
	return NULL;
}

dnnl_memory_desc_t plan_layout(const struct plan *p, int tensor, dnnl_memory_desc_t as)
{
	const struct placed_memory *m = find(p, tensor, &as, true);

	return m ? m->md : as;
}

static int add_step(struct plan *p, dnnl_primitive_desc_t pd, int n, const dnnl_exec_arg_t *args)
{
	const dnnl_memory_desc_t *md = dnnl_primitive_desc_query_md(pd, dnnl_query_scratchpad_md, 0);
	size_t size = md ? dnnl_memory_desc_get_size(md) : 0;
	struct plan_step *s = &p->steps[p->nsteps++];

	*s = (struct plan_step){ .nargs = n };
	memcpy(s->args, args, sizeof(*args) * (size_t)n);
	if (size > p->scratch_size) {
		struct placed_memory *m = place(p, -1, md, -1, DNNL_MEMORY_ALLOCATE);

		if (!m)
			return -1;
		p->scratch = m->memory;
		p->scratch_size = size;
	}
	if (size > 0)
		s->args[s->nargs++] = (dnnl_exec_arg_t){ DNNL_ARG_SCRATCHPAD, p->scratch };
	return p->asks ? 0 : plan_check(p, dnnl_primitive_create(&s->primitive, pd), "primitive");
}

/* TO gets what FROM has, as a step of each run. Returns TO. */
static struct placed_memory *reorder(struct plan *p, const struct placed_memory *from,
				     struct placed_memory *to)
{
	dnnl_primitive_desc_t pd = NULL;

	if (!from || !to ||
	    plan_check(p, dnnl_reorder_primitive_desc_create(&pd, &from->md, p->engine, &to->md, p->engine,
							     p->plain), "reorder") < 0)
		return NULL;
	int rc = add_step(p, pd, 2, (dnnl_exec_arg_t[]){ { DNNL_ARG_FROM, from->memory },
							{ DNNL_ARG_TO, to->memory } });

	dnnl_primitive_desc_destroy(pd);
	return rc == 0 ? to : NULL;
}

static int execute(struct plan *p, const struct plan_step *s)
{
	return plan_check(p, dnnl_primitive_execute(s->primitive, p->stream, s->nargs, s->args), "run");
}

/* A constant in the layout WANT: its reorder is run now, and never again. */
static struct placed_memory *pack(struct plan *p, const struct plan_operand *o, const dnnl_memory_desc_t *want)
{
	void *data = (void *)p->region->tensors[o->tensor].data;
	struct placed_memory *to = place(p, -1, want, -1, DNNL_MEMORY_ALLOCATE);

	if (!reorder(p, place(p, -1, &o->as, -1, data), to))
		return NULL;
	struct plan_step *s = &p->steps[--p->nsteps];

	if (p->asks)
		return to;
	int rc = execute(p, s) < 0 ? -1 : plan_check(p, dnnl_stream_wait(p->stream), "run");

	dnnl_primitive_destroy(s->primitive);
	return rc == 0 ? to : NULL;
}

/* The elements of TENSOR as AS reads them, for which they are made row-major where they are not. */
static struct placed_memory *read_as(struct plan *p, int tensor, const dnnl_memory_desc_t *as, bool dense)
{
	struct placed_memory *from = NULL;
	void *data = NULL;

	for (int i = 0; i < p->nmemories && !(from && is_dense(&from->md)); i++)
		if (p->memories[i].tensor == tensor && (!from || is_dense(&p->memories[i].md)))
			from = &p->memories[i];
	if (!is_dense(&from->md)) {
		dnnl_memory_desc_t md = plan_dense(from->md.ndims, from->md.dims);

		from = reorder(p, from, place(p, tensor, &md, -1, DNNL_MEMORY_ALLOCATE));
	}
	if (!from || plan_check(p, dnnl_memory_get_data_handle(from->memory, &data), "memory") < 0)
		return NULL;
	return place(p, dense ? tensor : -1, as, from->border, data);
}

/* Operand O in the layout WANT. */
static struct placed_memory *give(struct plan *p, const struct plan_operand *o, const dnnl_memory_desc_t *want)
{
	bool dense = is_dense(&o->as);
	struct placed_memory *from = dense ? find(p, o->tensor, want, false) : NULL;

	if (p->region->tensors[o->tensor].data)
		return pack(p, o, want);
	if (from)
		return from;
	from = dense ? find(p, o->tensor, &o->as, true) : NULL;
	if (!from)
		from = read_as(p, o->tensor, &o->as, dense);
	if (!from || dnnl_memory_desc_equal(&from->md, want))
		return from;
	return reorder(p, from, place(p, dense ? o->tensor : -1, want, -1, DNNL_MEMORY_ALLOCATE));
}

/* --- primitives */

void plan_operand(struct plan *p, int arg, int tensor, dnnl_memory_desc_t as)
{
	p->operands[p->noperands++] = (struct plan_operand){ arg, tensor, as };
}

/* Where TENSOR leaves the region; -1. */
static int border_of(const struct plan *p, int tensor)
{
	for (int i = 0; i < p->region->noutputs; i++)
		if (p->region->outputs[i] == tensor)
			return p->ninputs + i;
	return -1;
}

static int add_primitive(struct plan *p, dnnl_primitive_desc_t pd, int tensor)
{
	const dnnl_memory_desc_t *md = dnnl_primitive_desc_query_md(pd, dnnl_query_dst_md, 0);
	dnnl_memory_desc_t dense = plan_dense(md->ndims, md->dims);
	int border = border_of(p, tensor);
	bool leaves = border >= 0 && dnnl_memory_desc_equal(md, &dense);
	dnnl_exec_arg_t args[PLAN_MAX_ARGS];
	int n = 0;

	for (; n < p->noperands; n++) {
		const struct plan_operand *o = &p->operands[n];
		struct placed_memory *m = give(p, o, dnnl_primitive_desc_query_md(
							     pd, dnnl_query_exec_arg_md, o->arg));

		if (!m)
			return -1;
		args[n] = (dnnl_exec_arg_t){ o->arg, m->memory };
	}
	struct placed_memory *to = place(p, tensor, md, leaves ? border : -1, DNNL_MEMORY_ALLOCATE);

	if (!to)
		return -1;
	args[n++] = (dnnl_exec_arg_t){ DNNL_ARG_DST, to->memory };
	if (add_step(p, pd, n, args) < 0)
		return -1;
	return border < 0 || leaves || reorder(p, to, place(p, tensor, &dense, border, NULL)) ? 0 : -1;
}

int plan_add(struct plan *p, dnnl_status_t status, dnnl_primitive_desc_t pd, int tensor, const char *what)
{
	int rc = plan_check(p, status, what) < 0 ? -1 : add_primitive(p, pd, tensor);

	if (status == dnnl_success)
		dnnl_primitive_desc_destroy(pd);
	p->noperands = 0;
	return rc;
}

/* --- plans */

/* Room for what a region comes to at most: each operand of a call in row-major order, read as another
 * shape, and reordered; each result, its scratchpad, and at the border. */
static int make_room(struct plan *p)
{
	int uses = 0;

	for (int i = 0; i < p->region->ncalls; i++)
		uses += p->region->calls[i].ninputs + 1;
	p->memories = calloc((size_t)(6 * uses + p->region->ninputs), sizeof(*p->memories));
	p->steps = calloc((size_t)(2 * uses + 1), sizeof(*p->steps));
	return p->memories && p->steps ? 0 : plan_refuse(p, "out of memory");
}

static int begin(struct plan *p)
{
	if (make_room(p) < 0 ||
	    plan_check(p, dnnl_engine_create(&p->engine, dnnl_cpu, 0), "engine") < 0 ||
	    plan_check(p, dnnl_stream_create(&p->stream, p->engine, dnnl_stream_default_flags), "stream") < 0 ||
	    plan_check(p, dnnl_primitive_attr_create(&p->plain), "attributes") < 0 ||
	    plan_check(p, dnnl_primitive_attr_set_scratchpad_mode(p->plain, dnnl_scratchpad_mode_user),
		       "scratchpad") < 0)
		return -1;
	for (int i = 0; i < p->ninputs; i++) {
		int t = p->region->inputs[i], rank = p->region->tensors[t].rank;
		dnnl_memory_desc_t md = plan_aligned(p, t, rank > 0 ? rank : 1, false);

		if (!place(p, t, &md, i, NULL))
			return -1;
	}
	return 0;
}

struct plan *plan_new(const struct hone_region *region, int threads, bool asks, char *why)
{
	struct plan *p = calloc(1, sizeof(*p));

	if (!p) {
		snprintf(why, HONE_WHY_BYTES, "out of memory");
		return NULL;
	}
	p->region = region;
	p->why = why;
	p->threads = threads;
	p->asks = asks;
	p->ninputs = region->ninputs;
	if (begin(p) == 0)
		return p;
	plan_free(p);
	return NULL;
}

void plan_free(struct plan *p)
{
	for (int i = 0; i < p->nsteps; i++)
		dnnl_primitive_destroy(p->steps[i].primitive);
	for (int i = 0; i < p->nmemories; i++)
		dnnl_memory_destroy(p->memories[i].memory);
	dnnl_primitive_attr_destroy(p->plain);
	dnnl_stream_destroy(p->stream);
	dnnl_engine_destroy(p->engine);
	free(p->memories);
	free(p->steps);
	free(p);
}

int plan_run(struct plan *p, const void *const *inputs, void *const *outputs, char *why)
{
	int before = omp_get_max_threads(), rc = 0;

	p->why = why;
	for (int i = 0; i < p->nmemories && rc == 0; i++) {
		int b = p->memories[i].border;

		if (b >= 0)
			rc = plan_check(p, dnnl_memory_set_data_handle(p->memories[i].memory,
				b < p->ninputs ? (void *)inputs[b] : outputs[b - p->ninputs]), "memory");
	}
	omp_set_num_threads(p->threads);
	for (int i = 0; i < p->nsteps && rc == 0; i++)
		rc = execute(p, &p->steps[i]);
	if (rc == 0)
		rc = plan_check(p, dnnl_stream_wait(p->stream), "run");
	omp_set_num_threads(before);
	return rc;
}
