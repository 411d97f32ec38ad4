/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/onednn/element.c - calls that go element by element. */
#include <math.h>
#include <string.h>

#include "partition/generators/onednn/maker.h"

enum { MAX_POST_OPS = 4 };	/* more than any pattern has behind a sum; oneDNN takes 32 */

enum element_kind { ELEMENT_COMMUTES, ELEMENT_BINARY, ELEMENT_UNARY };

static const struct element_call {
	const char *op;
	dnnl_alg_kind_t algorithm;
	enum element_kind kind;
} element_calls[] = {
	{ "add", dnnl_binary_add, ELEMENT_COMMUTES },
	{ "mul", dnnl_binary_mul, ELEMENT_COMMUTES },
	{ "max", dnnl_binary_max, ELEMENT_COMMUTES },
	{ "min", dnnl_binary_min, ELEMENT_COMMUTES },
	{ "sub", dnnl_binary_sub, ELEMENT_BINARY },
	{ "div", dnnl_binary_div, ELEMENT_BINARY },
	{ "relu", dnnl_eltwise_relu, ELEMENT_UNARY },
	{ "leaky_relu", dnnl_eltwise_relu, ELEMENT_UNARY },
	{ "clip", dnnl_eltwise_clip, ELEMENT_UNARY },
	{ "sigmoid", dnnl_eltwise_logistic, ELEMENT_UNARY },
	{ "tanh", dnnl_eltwise_tanh, ELEMENT_UNARY },
	{ "elu", dnnl_eltwise_elu, ELEMENT_UNARY },
	{ "silu", dnnl_eltwise_swish, ELEMENT_UNARY },
	{ "gelu", dnnl_eltwise_gelu_erf, ELEMENT_UNARY },
	{ "hard_swish", dnnl_eltwise_hardswish, ELEMENT_UNARY },
	{ "softplus", dnnl_eltwise_soft_relu, ELEMENT_UNARY },
};

const struct hone_region_attr *maker_attr(const struct hone_region_call *c, const char *name)
{
	static const struct hone_region_attr none;

	for (int i = 0; i < c->nattrs; i++)
		if (strcmp(c->attrs[i].name, name) == 0)
			return &c->attrs[i];
	return &none;
}

int64_t maker_number(const struct hone_region_call *c, const char *name, int i, int64_t otherwise)
{
	const struct hone_region_attr *a = maker_attr(c, name);

	return i < a->n ? a->ints[i] : otherwise;
}

static bool is(const struct hone_region_call *c, const char *op)
{
	return strcmp(c->op, op) == 0;
}

static const struct element_call *element_call(const char *op)
{
	for (size_t i = 0; i < sizeof(element_calls) / sizeof(element_calls[0]); i++)
		if (strcmp(element_calls[i].op, op) == 0)
			return &element_calls[i];
	return NULL;
}

/* A limit of a clip; false where it is computed. */
static bool limit(const struct region_maker *m, const struct hone_region_call *c, int i, float *out)
{
	const struct hone_region_tensor *t;

	if (i >= c->ninputs || c->inputs[i] < 0)
		return true;
	t = &m->region->tensors[c->inputs[i]];
	if (t->data)
		*out = *(const float *)t->data;
	return t->data != NULL;
}

/* What oneDNN calls alpha and beta. */
static bool parameters(const struct region_maker *m, const struct hone_region_call *c, float *alpha, float *beta)
{
	const struct hone_region_attr *a = maker_attr(c, "alpha");

	*alpha = a->n ? (float)a->floats[0] : 0;
	*beta = 0;
	if (!is(c, "clip"))
		return true;
	*alpha = -INFINITY;
	*beta = INFINITY;
	return limit(m, c, 1, alpha) && limit(m, c, 2, beta);
}

/* Does TENSOR broadcast to RESULT? */
static bool broadcasts(const struct region_maker *m, int tensor, int result)
{
	const struct hone_region_tensor *t = &m->region->tensors[tensor], *y = &m->region->tensors[result];

	for (int i = 0; i < t->rank; i++)
		if (t->rank > y->rank || (t->dim[i] != 1 && t->dim[i] != y->dim[i + y->rank - t->rank]))
			return false;
	return true;
}

static bool has_shape(const struct region_maker *m, int tensor, int result)
{
	const struct hone_region_tensor *t = &m->region->tensors[tensor], *y = &m->region->tensors[result];

	return t->rank == y->rank && memcmp(t->dim, y->dim, sizeof(*t->dim) * (size_t)t->rank) == 0;
}

static int64_t last_dim(const struct hone_region_tensor *t)
{
	return t->rank ? t->dim[t->rank - 1] : 1;
}

static int64_t count_rows(const struct hone_region_tensor *t)
{
	int64_t n = 1;

	for (int i = 0; i < t->rank - 1; i++)
		n *= t->dim[i];
	return n;
}

dnnl_memory_desc_t maker_view(const struct region_maker *m, int tensor, int rank)
{
	const struct hone_region_tensor *t = &m->region->tensors[tensor];

	return m->rows ? plan_dense(2, (int64_t[]){ count_rows(t), last_dim(t) })
		       : plan_aligned(m->plan, tensor, rank, false);
}

/* Is TENSOR, which broadcasts, as large as RESULT, or in rows one of these? */
static bool fits_rows(const struct region_maker *m, int tensor, int result)
{
	return has_shape(m, tensor, result) || count_rows(&m->region->tensors[tensor]) == 1;
}

/* The call that alone reads what has been made so far, and can be a post-op of it; -1. OTHER: its other
 * operand, -1. */
static int post_op(const struct region_maker *m, int *other)
{
	int call = m->reads[m->result] == 1 ? m->reader[m->result] : -1;
	const struct hone_region_call *c = call < 0 ? NULL : &m->region->calls[call];
	const struct element_call *e = c ? element_call(c->op) : NULL;
	float alpha, beta;

	*other = -1;
	if (!e || !has_shape(m, m->result, c->output) ||
	    (e->kind != ELEMENT_COMMUTES && c->inputs[0] != m->result))
		return -1;
	if (e->kind == ELEMENT_UNARY)
		return parameters(m, c, &alpha, &beta) ? call : -1;
	*other = c->inputs[0] == m->result ? c->inputs[1] : c->inputs[0];
	return m->made[*other] && broadcasts(m, *other, c->output) &&
	       (!m->rows || fits_rows(m, *other, c->output)) ? call : -1;
}

static int append(struct region_maker *m, dnnl_post_ops_t ops, const struct hone_region_call *c, int other, int at,
		  bool open)
{
	const struct element_call *e = element_call(c->op);
	float alpha, beta;

	if (other < 0) {
		parameters(m, c, &alpha, &beta);
		return plan_check(m->plan, dnnl_post_ops_append_eltwise(ops, 1, e->algorithm, alpha, beta), c->op);
	}
	dnnl_memory_desc_t as = maker_view(m, other, m->region->tensors[c->output].rank), md = as;

	if (open && has_shape(m, other, c->output))
		md = plan_any(as);
	plan_operand(m->plan, DNNL_ARG_ATTR_MULTIPLE_POST_OP(at) | DNNL_ARG_SRC_1, other, as);
	return plan_check(m->plan, dnnl_post_ops_append_binary(ops, e->algorithm, &md), c->op);
}

int maker_take_post_ops(struct region_maker *m, const struct hone_region_call *c, bool open)
{
	dnnl_post_ops_t ops;
	int rc = 0, other = 0, call;

	m->result = c->output;
	if (plan_check(m->plan, dnnl_post_ops_create(&ops), "post-ops") < 0)
		return -1;
	for (int i = 0; i < MAX_POST_OPS && other >= 0 && rc == 0 && (call = post_op(m, &other)) >= 0; i++) {
		rc = append(m, ops, &m->region->calls[call], other, i, open);
		m->result = m->region->calls[call].output;
		m->made[m->result] = true;
	}
	if (rc == 0)
		rc = plan_check(m->plan, dnnl_primitive_attr_set_post_ops(m->attr, ops), "post-ops");
	dnnl_post_ops_destroy(ops);
	return rc;
}

int maker_add(struct region_maker *m, const_dnnl_op_desc_t op, dnnl_status_t described, const char *what)
{
	dnnl_primitive_desc_t pd = NULL;
	dnnl_status_t status = described != dnnl_success ? described
		: dnnl_primitive_desc_create(&pd, op, m->attr, m->plan->engine, NULL);

	m->made[m->result] = true;
	return plan_add(m->plan, status, pd, m->result, what);
}

static int make_binary(struct region_maker *m, const struct hone_region_call *c)
{
	const struct element_call *e = element_call(c->op);
	int rank = m->region->tensors[c->output].rank;
	bool swap = e->kind == ELEMENT_COMMUTES && !has_shape(m, c->inputs[0], c->output);
	int first = c->inputs[swap], second = c->inputs[!swap];
	const struct hone_region_tensor *row = &m->region->tensors[second];
	dnnl_memory_desc_t x, y, in, out;
	dnnl_binary_desc_t op;

	/* oneDNN 2.6 has code for a vector along dim 1, but only a reference for one along others. */
	m->rows = rank > 2 && count_rows(row) == 1 && last_dim(row) > 1;
	x = maker_view(m, first, rank);
	y = maker_view(m, second, rank);
	in = plan_layout(m->plan, first, x);
	out = plan_any(maker_view(m, c->output, rank));
	if (!has_shape(m, first, c->output))
		return plan_refuse(m->plan, "both operands broadcast, or the first one");
	if (maker_take_post_ops(m, c, true) < 0)
		return -1;
	plan_operand(m->plan, DNNL_ARG_SRC_0, first, x);
	plan_operand(m->plan, DNNL_ARG_SRC_1, second, y);
	return maker_add(m, &op, dnnl_binary_desc_init(&op, e->algorithm, &in, plan_same_dims(&x, &y) ? &in : &y,
						 &out), c->op);
}

static int make_unary(struct region_maker *m, const struct hone_region_call *c)
{
	int rank = m->region->tensors[c->output].rank;
	dnnl_memory_desc_t x = plan_aligned(m->plan, c->inputs[0], rank, false);
	dnnl_memory_desc_t in = plan_layout(m->plan, c->inputs[0], x);
	dnnl_eltwise_desc_t op;
	float alpha, beta;

	if (!parameters(m, c, &alpha, &beta))
		return plan_refuse(m->plan, "its limits are computed");
	m->result = c->output;
	plan_operand(m->plan, DNNL_ARG_SRC, c->inputs[0], x);
	return maker_add(m, &op, dnnl_eltwise_forward_desc_init(&op, dnnl_forward_inference,
		element_call(c->op)->algorithm, &in, alpha, beta), c->op);
}

int maker_add_element(struct region_maker *m, const struct hone_region_call *c)
{
	const struct element_call *e = element_call(c->op);

	if (!e)
		return plan_refuse(m->plan, "no such operator");
	return e->kind == ELEMENT_UNARY ? make_unary(m, c) : make_binary(m, c);
}
