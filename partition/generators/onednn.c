/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/onednn.c - regions as primitives of oneDNN: what each call is to it. onednn/ has layouts
 * and memory between primitives, and calls element by element, which become post-ops where they can. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partition/generators/onednn/window.h"

#define ELTWISE "(relu | leaky_relu | clip | sigmoid | tanh | elu | silu | gelu | hard_swish | softplus)"

static const struct hone_pattern patterns[] = {
	{ "conv", "conv bias_add? " ELTWISE "?" },
	{ "conv-sum", "conv bias_add? add " ELTWISE "?" },
	{ "dense", "matmul add? " ELTWISE "?" },
	{ "pool", "(max_pool | avg_pool | reduce_mean)" },
	{ "binary", "(add | mul | max | min | sub | div) " ELTWISE "?" },
	{ "eltwise", ELTWISE },
	{ "concat", "concat" },
	{ NULL, NULL },
};

/* --- windows */

/* Weights are [oc, ic / groups, kernel...], oneDNN's have the groups before. */
static dnnl_memory_desc_t grouped(const struct hone_region_tensor *w, int64_t groups)
{
	dnnl_dims_t dims = { groups };

	memcpy(dims + 1, w->dim, sizeof(*dims) * (size_t)w->rank);
	dims[1] /= groups;
	return groups == 1 ? plan_dense(w->rank, w->dim) : plan_dense(w->rank + 1, dims);
}

static int make_conv(struct region_maker *m, const struct hone_region_call *c)
{
	const struct hone_region_tensor *w = &m->region->tensors[c->inputs[1]];
	dnnl_memory_desc_t x, weights, y, read;
	dnnl_convolution_desc_t op;
	struct onednn_window s;

	if (!w->data)
		return plan_refuse(m->plan, "its weights are computed");
	if (window_read(m, c, w->dim + 2, &s) < 0 || maker_take_post_ops(m, c, true) < 0)
		return -1;
	read = grouped(w, maker_number(c, "groups", 0, 1));
	plan_operand(m->plan, DNNL_ARG_SRC, c->inputs[0], plan_aligned(m->plan, c->inputs[0], w->rank, false));
	plan_operand(m->plan, DNNL_ARG_WEIGHTS, c->inputs[1], read);
	x = plan_any(plan_aligned(m->plan, c->inputs[0], w->rank, false));
	y = plan_any(plan_aligned(m->plan, c->output, w->rank, false));
	weights = plan_any(read);
	return maker_add(m, &op, dnnl_dilated_convolution_forward_desc_init(&op, dnnl_forward_inference,
		dnnl_convolution_auto, &x, &weights, NULL, &y, s.stride, s.dilation, s.before, s.after), c->op);
}

static int pool(struct region_maker *m, const struct hone_region_call *c, const struct onednn_window *s, const int64_t *dims,
		dnnl_alg_kind_t algorithm)
{
	int x = c->inputs[0];
	dnnl_memory_desc_t as = plan_aligned(m->plan, x, s->nd + 2, false), in = plan_layout(m->plan, x, as);
	dnnl_memory_desc_t out = plan_any(plan_dense(s->nd + 2, dims));
	dnnl_pooling_v2_desc_t op;

	m->result = c->output;
	plan_operand(m->plan, DNNL_ARG_SRC, x, as);
	return maker_add(m, &op, dnnl_pooling_v2_forward_desc_init(&op, dnnl_forward_inference, algorithm, &in, &out,
		s->stride, s->kernel, s->dilation, s->before, s->after), c->op);
}

static int make_pool(struct region_maker *m, const struct hone_region_call *c)
{
	bool padded = maker_number(c, "count_include_pad", 0, 0);
	struct onednn_window s;

	if (window_read(m, c, NULL, &s) < 0)
		return -1;
	if (s.apart)
		return plan_refuse(m->plan, "windows of padding alone");
	if (padded && s.beyond)
		return plan_refuse(m->plan, "an average that counts padding but not what ceil adds to it");
	return pool(m, c, &s, m->region->tensors[c->output].dim, strcmp(c->op, "max_pool") == 0 ? dnnl_pooling_max
		    : padded ? dnnl_pooling_avg_include_padding : dnnl_pooling_avg_exclude_padding);
}

/* The mean over all spatial dims is a pool with one window. */
static int make_mean(struct region_maker *m, const struct hone_region_call *c)
{
	const struct hone_region_tensor *x = &m->region->tensors[c->inputs[0]], *axes =
		c->ninputs > 1 && c->inputs[1] >= 0 ? &m->region->tensors[c->inputs[1]] : NULL;
	struct onednn_window s = { .nd = x->rank - 2 };
	dnnl_dims_t dims = { x->dim[0], x->dim[1], 1, 1, 1 };
	int spatial = 0;

	for (int i = 0; axes && axes->data && axes->type == HONE_I64 && i < (axes->rank ? axes->dim[0] : 1); i++) {
		int64_t axis = ((const int64_t *)axes->data)[i];

		spatial |= 1 << (axis < 0 ? axis + x->rank : axis);
	}
	if (s.nd < 1 || s.nd > 3 || spatial != ((1 << s.nd) - 1) << 2)
		return plan_refuse(m->plan, "a mean over other than all spatial dims");
	for (int i = 0; i < s.nd; i++) {
		s.kernel[i] = x->dim[2 + i];
		s.stride[i] = 1;
	}
	return pool(m, c, &s, dims, dnnl_pooling_avg_exclude_padding);
}

/* --- products and joins */

static int make_matmul(struct region_maker *m, const struct hone_region_call *c)
{
	const struct hone_region_tensor *t = m->region->tensors;
	int a = c->inputs[0], b = c->inputs[1], rank = t[c->output].rank;
	bool swap = maker_number(c, "trans_a", 0, 0);
	dnnl_memory_desc_t x, w, y, weights;
	dnnl_matmul_desc_t op;

	if (t[a].rank < 2 || t[b].rank < 2)
		return plan_refuse(m->plan, "a product with a vector");
	m->rows = t[b].rank == 2 && !swap;	/* one product, not one of each matrix */
	if (maker_take_post_ops(m, c, false) < 0)
		return -1;
	x = swap ? plan_aligned(m->plan, a, rank, true) : maker_view(m, a, rank);
	w = plan_aligned(m->plan, b, m->rows ? 2 : rank, maker_number(c, "trans_b", 0, 0));
	y = maker_view(m, c->output, rank);
	weights = t[b].data ? plan_any(w) : w;
	plan_operand(m->plan, DNNL_ARG_SRC, a, x);
	plan_operand(m->plan, DNNL_ARG_WEIGHTS, b, w);
	return maker_add(m, &op, dnnl_matmul_desc_init(&op, &x, &weights, NULL, &y), c->op);
}

static int make_concat(struct region_maker *m, const struct hone_region_call *c)
{
	int rank = m->region->tensors[c->output].rank, axis = (int)maker_number(c, "axis", 0, 0);
	dnnl_memory_desc_t parts[PLAN_MAX_ARGS];
	dnnl_primitive_desc_t pd = NULL;

	if (c->ninputs > PLAN_MAX_ARGS - 2)
		return plan_refuse(m->plan, "too many operands");
	for (int i = 0; i < c->ninputs; i++) {
		dnnl_memory_desc_t as = plan_aligned(m->plan, c->inputs[i], rank, false);

		parts[i] = plan_layout(m->plan, c->inputs[i], as);
		plan_operand(m->plan, DNNL_ARG_MULTIPLE_SRC + i, c->inputs[i], as);
	}
	dnnl_status_t status = dnnl_concat_primitive_desc_create(&pd, NULL, c->ninputs,
		axis < 0 ? axis + rank : axis, parts, m->plan->plain, m->plan->engine);

	m->made[c->output] = true;
	return plan_add(m->plan, status, pd, c->output, c->op);
}

/* --- regions */

static int make(struct region_maker *m, const struct hone_region_call *c)
{
	static const struct {
		const char *op;
		int (*make)(struct region_maker *m, const struct hone_region_call *c);
	} makers[] = {
		{ "conv", make_conv }, { "matmul", make_matmul }, { "max_pool", make_pool },
		{ "avg_pool", make_pool }, { "reduce_mean", make_mean }, { "concat", make_concat },
	};

	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (strcmp(c->op, makers[i].op) == 0)
			return makers[i].make(m, c);
	return maker_add_element(m, c);
}

static int check_tensors(const struct region_maker *m)
{
	for (int i = 0; i < m->region->ntensors; i++) {
		const struct hone_region_tensor *t = &m->region->tensors[i];
		bool index = t->type == HONE_I64 && t->data && t->rank <= 1;	/* axes */

		if (t->type != HONE_F32 && !index)
			return plan_refuse(m->plan, "an element type other than f32");
		if (t->rank == 0 && !t->data)
			return plan_refuse(m->plan, "a computed tensor without dims");
		for (int d = 0; d < t->rank; d++)
			if (t->dim[d] == 0)
				return plan_refuse(m->plan, "a tensor without elements");
	}
	return 0;
}

static void count_readers(struct region_maker *m)
{
	const struct hone_region *r = m->region;

	for (int i = 0; i < r->ncalls; i++)
		for (int k = 0; k < r->calls[i].ninputs; k++)
			if (r->calls[i].inputs[k] >= 0) {
				m->reads[r->calls[i].inputs[k]]++;
				m->reader[r->calls[i].inputs[k]] = i;
			}
	for (int i = 0; i < r->noutputs; i++)
		m->reads[r->outputs[i]] += 2;	/* it is nobody's alone */
	for (int i = 0; i < r->ntensors; i++)
		m->made[i] = r->tensors[i].data;
	for (int i = 0; i < r->ninputs; i++)
		m->made[r->inputs[i]] = true;
}

static int make_all(struct region_maker *m)
{
	int rc = check_tensors(m);

	count_readers(m);
	for (int i = 0; i < m->region->ncalls && rc == 0; i++) {
		const struct hone_region_call *c = &m->region->calls[i];

		if (m->made[c->output])		/* as a post-op */
			continue;
		m->attr = NULL;
		m->rows = false;
		rc = plan_check(m->plan, dnnl_primitive_attr_clone(&m->attr, m->plan->plain), "attributes");
		rc = rc < 0 ? rc : make(m, c);
		dnnl_primitive_attr_destroy(m->attr);
	}
	return rc;
}

static struct plan *plan_of(const struct hone_region *region, int threads, bool asks, char *why)
{
	struct region_maker m = { .plan = plan_new(region, threads, asks, why), .region = region };
	size_t n = (size_t)region->ntensors + 1;
	int rc = -1;

	if (!m.plan)
		return NULL;
	m.reads = calloc(n, sizeof(*m.reads));
	m.reader = calloc(n, sizeof(*m.reader));
	m.made = calloc(n, sizeof(*m.made));
	if (!m.reads || !m.reader || !m.made)
		plan_refuse(m.plan, "out of memory");
	else
		rc = make_all(&m);
	free(m.reads), free(m.reader), free(m.made);
	if (rc < 0)
		plan_free(m.plan);
	return rc < 0 ? NULL : m.plan;
}

/* --- the generator */

static const char *version(void)
{
	static char text[64];
	const dnnl_version_t *v = dnnl_version();

	snprintf(text, sizeof(text), "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
	return text;
}

static int claims(const struct hone_region *region, char *why)
{
	struct plan *p = plan_of(region, 1, true, why);

	if (p)
		plan_free(p);
	return p ? 0 : -1;
}

static int init(const struct hone_region *region, const void *artifact, size_t size, int threads, void **handle,
		char *why)
{
	int before = omp_get_max_threads();

	(void)artifact, (void)size;
	omp_set_num_threads(threads);
	*handle = plan_of(region, threads, false, why);
	omp_set_num_threads(before);
	return *handle ? 0 : -1;
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	return plan_run(handle, inputs, outputs, why);
}

static void release(void *handle)
{
	plan_free(handle);
}

__attribute__((visibility("default"))) const struct hone_generator hone_generator = {
	.abi = HONE_GENERATOR_ABI,
	.name = "onednn",
	.summary = "oneDNN's primitives, in its own layouts between them",
	.patterns = patterns,
	.version = version,
	.claims = claims,
	.init = init,
	.run = run,
	.release = release,
};
