/* SPDX-License-Identifier: Apache-2.0 */
/* bench/work/match_conv.c - convolutions. Each layout is a hypothesis of what the dimensions mean, from
 * which every index follows; it holds where the DAG's indices are equal to those. */
#include "bench/work/match.h"

/* Dimensions by their meaning; negative ones count from the end. */
enum { NONE = 99 };

struct conv_form {
	int data_rank, weight_rank;	/* beyond the spatial dimensions */
	int channel, inner, first;	/* of data and result: channels, within a block, spatial */
	int oc, ic, oc_inner, ic_inner, kernel;	/* of weights */
};

static const struct conv_form forms[] = {
	{ 2, 2, 1, NONE, 2, 0, 1, NONE, NONE, 2 },		/* nchw */
	{ 2, 2, -1, NONE, 1, -1, -2, NONE, NONE, 0 },		/* nhwc */
	{ 3, 4, 1, -1, 2, 0, 1, -1, -2, 2 },			/* channel blocks */
	{ 2, 1, 1, NONE, 2, 0, NONE, NONE, NONE, 1 },		/* depthwise, nchw */
	{ 2, 1, -1, NONE, 1, -1, NONE, NONE, NONE, 0 },		/* depthwise, nhwc */
	{ 3, 2, 1, -1, 2, 0, NONE, -1, NONE, 1 },		/* depthwise, channel blocks */
};

static int dim(const struct tensor *t, int d)
{
	return d < 0 ? t->ndim + d : d;
}

static int64_t extent(const struct tensor *t, int d)
{
	return d == NONE ? 1 : t->shape[dim(t, d)];
}

static bool is_depthwise(const struct conv_form *f)
{
	return f->ic == NONE;
}

/* One attempt to read a sum of products as FORM. */
struct attempt {
	const struct work_product *p;
	const struct conv_form *form;
	const struct tensor *x, *w, *y;
	const struct axis *reduce[WORK_MAX_SPATIAL + 2];	/* those met so far */
	int nreduce;
	const struct axis *rc;		/* over input channels; NULL: there is one */
	const struct axis *ri;		/* within their block */
	const struct axis *kernel[WORK_MAX_SPATIAL];
	struct work *out;
};

/* Dimension D of the weight is run over by a reduce axis that no other dimension has. */
static bool take_reduce(struct attempt *t, int d, const struct axis **axis)
{
	d = dim(t->w, d);
	if (!index_is_axis(t->p->a, t->p->w->index[d], t->w->shape[d], axis))
		return false;
	if (!*axis)
		return true;
	if (!(*axis)->reduce)
		return false;
	for (int i = 0; i < t->nreduce; i++)
		if (t->reduce[i] == *axis)
			return false;
	t->reduce[t->nreduce++] = *axis;
	return true;
}

static const struct axis *result_axis(const struct attempt *t, int d)
{
	return t->p->sum->space[dim(t->y, d)];
}

static bool weight_fits(struct attempt *t)
{
	const struct conv_form *f = t->form;
	const struct expr *const *index = t->p->w->index;
	int oc = dim(t->w, f->oc);
	int first = dim(t->w, f->kernel);

	if (!index_is(t->p->a, index[oc], t->w->shape[oc], result_axis(t, f->channel)))
		return false;
	if (f->oc_inner != NONE) {
		int d = dim(t->w, f->oc_inner);

		if (!index_is(t->p->a, index[d], t->w->shape[d], result_axis(t, f->inner)))
			return false;
	}
	if (f->ic != NONE && !take_reduce(t, f->ic, &t->rc))
		return false;
	if (f->ic_inner != NONE && !take_reduce(t, f->ic_inner, &t->ri))
		return false;
	for (int i = 0; i < t->out->spatial; i++)
		if (!take_reduce(t, first + i, &t->kernel[i]))
			return false;
	for (int i = 0; i < t->p->sum->nreduce; i++) {	/* and there is no other */
		bool met = t->p->sum->reduce[i]->hi == 1;

		for (int j = 0; j < t->nreduce; j++)
			met |= t->reduce[j] == t->p->sum->reduce[i];
		if (!met)
			return false;
	}
	return true;
}

/* The input's channels (blocks) are those of the group that the output channel is in. */
static bool channels_fit(struct attempt *t)
{
	const struct conv_form *f = t->form;
	struct arena *a = t->p->a;
	int c = dim(t->x, f->channel);
	const struct expr *index = t->p->x->index[c];
	int64_t ic = extent(t->w, f->ic);
	int64_t oc = extent(t->y, f->channel);

	if (f->inner != NONE) {
		int d = dim(t->x, f->inner);

		if (is_depthwise(f) ? !index_is(a, t->p->x->index[d], t->x->shape[d],
						result_axis(t, f->inner))
				    : t->x->shape[d] != extent(t->w, f->ic_inner) ||
				      !index_equal(a, t->p->x->index[d],
						   t->ri ? expr_axis(a, t->ri) : expr_int(a, 0)))
			return false;
	}
	if (is_depthwise(f)) {
		t->out->groups = t->x->shape[c] * extent(t->x, f->inner);
		return index_is(a, index, t->x->shape[c], result_axis(t, f->channel));
	}
	int64_t groups = t->x->shape[c] / ic;

	if (groups * ic != t->x->shape[c] || oc % groups != 0)
		return false;
	t->out->groups = groups;
	const struct expr *group = expr_binary(a, EXPR_DIV,
					       expr_axis(a, result_axis(t, f->channel)),
					       expr_int(a, oc / groups));
	const struct expr *expected = expr_mul(a, group, ic);

	if (t->rc)
		expected = expr_add(a, expected, expr_axis(a, t->rc));
	return index_equal(a, index, expected);
}

/* place * stride + k * dilation. */
static bool window_fits(struct attempt *t, int i)
{
	const struct expr *index = t->p->x->index[dim(t->x, t->form->first) + i];
	const struct axis *place = result_axis(t, t->form->first + i);
	struct linear l;

	if (!linear_from(t->p->a, index, &l) || l.constant != 0)
		return false;
	int64_t stride = linear_coef(&l, place);
	int64_t dilation = t->kernel[i] ? linear_coef(&l, t->kernel[i]) : 0;
	int known = (place->hi > 1) + (t->kernel[i] != NULL);

	if (l.n != known || (place->hi > 1 && stride < 1) || (t->kernel[i] && dilation < 1))
		return false;
	t->out->stride[i] = stride > 0 ? stride : 1;
	t->out->dilation[i] = dilation > 0 ? dilation : 1;
	return true;
}

/* What a condition of padding says of an axis: lo <= axis < hi. */
struct interval {
	int64_t lo, hi;
};

/* Narrows the intervals of OP's axes by COND; false where it is no conjunction of bounds. */
static bool narrow(struct arena *a, const struct op *op, const struct expr *cond,
		   struct interval *in)
{
	struct linear l;

	if (cond->kind == EXPR_AND)
		return narrow(a, op, cond->arg[0], in) && narrow(a, op, cond->arg[1], in);
	if ((cond->kind != EXPR_LT && cond->kind != EXPR_LE) ||
	    cond->arg[0]->dtype != DTYPE_I64 ||
	    !linear_from(a, expr_binary(a, EXPR_SUB, cond->arg[1], cond->arg[0]), &l))
		return false;
	l.constant -= cond->kind == EXPR_LT;	/* now l >= 0 */
	if (l.n == 0)
		return l.constant >= 0;
	for (int i = 0; i < op->tensor.ndim && l.n == 1; i++) {
		if (l.term[0].atom->kind != EXPR_AXIS || l.term[0].atom->axis != op->space[i])
			continue;
		if (l.term[0].coef == 1 && -l.constant > in[i].lo)
			in[i].lo = -l.constant;
		if (l.term[0].coef == -1 && l.constant + 1 < in[i].hi)
			in[i].hi = l.constant + 1;
		return l.term[0].coef == 1 || l.term[0].coef == -1;
	}
	return false;
}

static bool is_zero(const struct expr *e)
{
	return (e->kind == EXPR_FLOAT && e->f == 0) || (e->kind == EXPR_INT && e->i == 0);
}

/* OP is RAW moved by LOW[i] in dimension i, zero around it. */
static bool is_padding(struct arena *a, const struct op *op, const struct tensor **raw,
		       int64_t *low)
{
	struct interval in[TENSOR_MAX_DIMS];
	const struct expr *e = op->body;
	struct linear l;

	if (op_is_reduction(op) || e->kind != EXPR_SELECT || e->arg[1]->kind != EXPR_LOAD ||
	    !is_zero(e->arg[2]))
		return false;
	const struct expr *load = e->arg[1];

	for (int i = 0; i < op->tensor.ndim; i++)
		in[i] = (struct interval){ 0, op->tensor.shape[i] };
	if (load->tensor->ndim != op->tensor.ndim || !narrow(a, op, e->arg[0], in))
		return false;
	for (int i = 0; i < op->tensor.ndim; i++) {
		int64_t n = op->tensor.shape[i];

		if (!linear_from(a, load->index[i], &l) || l.n != (n > 1) || l.constant > 0 ||
		    (n > 1 && linear_coef(&l, op->space[i]) != 1))
			return false;
		low[i] = -l.constant;
		int64_t end = low[i] + load->tensor->shape[i];

		if (in[i].lo != low[i] || in[i].hi != (end < n ? end : n))
			return false;
	}
	*raw = load->tensor;
	return true;
}

/* The tensor in front of the padding; PADDED is the op in between or NULL. */
static bool source(struct attempt *t, const struct op **padded)
{
	const struct op *op = dag_op(t->p->dag, t->x);
	int64_t low[TENSOR_MAX_DIMS] = { 0 };
	const struct tensor *raw = t->x;
	struct work *w = t->out;

	*padded = op->kind == OP_COMPUTE ? op : NULL;
	if (*padded && !is_padding(t->p->a, op, &raw, low))
		return false;
	int first = dim(raw, t->form->first);

	for (int i = 0; i < raw->ndim; i++)	/* only the spatial dimensions are padded */
		if ((i < first || i >= first + w->spatial) &&
		    (low[i] != 0 || raw->shape[i] != t->x->shape[i]))
			return false;
	for (int i = 0; i < w->spatial; i++) {
		int64_t out = t->y->shape[first + i];
		int64_t span = w->dilation[i] * (extent(t->w, dim(t->w, t->form->kernel) + i) - 1);

		w->pad_begin[i] = low[first + i];
		w->pad_end[i] = (out - 1) * w->stride[i] + span + 1 - low[first + i] -
				raw->shape[first + i];
		if (out == 1 && w->stride[i] < -w->pad_end[i])
			w->stride[i] = -w->pad_end[i];	/* of one place any stride is true */
	}
	t->x = raw;
	return dag_op(t->p->dag, raw)->kind != OP_COMPUTE;
}

static void add_dim(struct view *v, int d, int inner)
{
	view_add_dim(v);
	if (d != NONE)
		view_add_part(v, dim(v->tensor, d));
	if (inner != NONE)
		view_add_part(v, dim(v->tensor, inner));
}

static void see_image(struct operand *o, const struct dag *d, const struct tensor *t,
		      const struct conv_form *f, int spatial)
{
	o->op = dag_op(d, t);
	o->view = (struct view){ .tensor = t };
	add_dim(&o->view, 0, NONE);
	add_dim(&o->view, f->channel, f->inner);
	for (int i = 0; i < spatial; i++)
		add_dim(&o->view, dim(t, f->first) + i, NONE);
}

static void see(struct attempt *t)
{
	struct work *w = t->out;
	const struct conv_form *f = t->form;

	w->kind = WORK_CONV;
	see_image(&w->a, t->p->dag, t->x, f, w->spatial);
	see_image(&w->y, t->p->dag, t->y, f, w->spatial);
	w->b.op = dag_op(t->p->dag, t->w);
	w->b.view = (struct view){ .tensor = t->w };
	add_dim(&w->b.view, f->oc, f->oc_inner);
	add_dim(&w->b.view, f->ic, f->ic_inner);
	for (int i = 0; i < w->spatial; i++)
		add_dim(&w->b.view, dim(t->w, f->kernel) + i, NONE);
}

static bool try_form(struct attempt *t, const struct op **padded)
{
	const struct conv_form *f = t->form;
	struct work *w = t->out;

	w->spatial = t->x->ndim - f->data_rank;
	if (w->spatial < 1 || w->spatial > WORK_MAX_SPATIAL || t->y->ndim != t->x->ndim ||
	    t->w->ndim != w->spatial + f->weight_rank)
		return false;
	if (!weight_fits(t) || !channels_fit(t) ||
	    !index_is(t->p->a, t->p->x->index[0], t->x->shape[0], t->p->sum->space[0]))
		return false;
	for (int i = 0; i < w->spatial; i++)
		if (!window_fits(t, i))
			return false;
	if (!source(t, padded) || dag_op(t->p->dag, t->w)->kind == OP_COMPUTE)
		return false;
	see(t);
	return true;
}

bool match_conv(const struct work_product *p, struct work *w, const struct op **padded)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		struct attempt t = { .p = p, .form = &forms[i], .x = p->x->tensor,
				     .w = p->w->tensor, .y = &p->sum->tensor, .out = w };

		if (try_form(&t, padded))
			return true;
	}
	return false;
}
