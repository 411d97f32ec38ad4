/* SPDX-License-Identifier: Apache-2.0 */
/* bench/work/match_epilogue.c - what an elementwise op does to the result of a sum, as a list of steps
 * from the inside out. */
#include "bench/work/match.h"

#include <math.h>

#include "base/err.h"
#include "te/text/text.h"

/* Functions that read their argument more than once; the others are steps of their own. */
static const struct {
	enum epilogue_kind kind;
	const char *formula;		/* of x[i]; nan is any constant, its alpha */
} functions[] = {
	{ EPILOGUE_SIGMOID, "1 / (1 + exp(-x[i]))" },
	{ EPILOGUE_SILU, "x[i] / (1 + exp(-x[i]))" },
	{ EPILOGUE_SILU, "x[i] * (1 / (1 + exp(-x[i])))" },
	{ EPILOGUE_GELU, "x[i] * 0.5 * (1 + erf(x[i] / 1.4142135623730951))" },
	{ EPILOGUE_GELU, "x[i] * 0.5 * (1 + erf(x[i] * 0.7071067811865476))" },
	{ EPILOGUE_GELU, "0.5 * x[i] * (1 + erf(x[i] / 1.4142135623730951))" },
	{ EPILOGUE_GELU, "0.5 * x[i] * (1 + erf(x[i] * 0.7071067811865476))" },
	{ EPILOGUE_TANH, "tanh(x[i])" },
	{ EPILOGUE_HARD_SWISH, "x[i] * min(max(x[i] / 6 + 0.5, 0), 1)" },
	{ EPILOGUE_HARD_SWISH, "x[i] * min(max(x[i] * 0.16666666666666666 + 0.5, 0), 1)" },
	{ EPILOGUE_HARD_SWISH, "x[i] * min(max(x[i] + 3, 0), 6) / 6" },
	{ EPILOGUE_RELU, "select(x[i] < 0, x[i] * nan, x[i])" },
};

struct peeler {
	struct arena *a;
	const struct dag *dag;
	const struct op *op;		/* being read */
	const struct tensor *hole;	/* the value so far */
	struct work *w;
};

static bool peel(struct peeler *p, const struct expr *e);

static const struct expr *pattern(struct arena *a, enum dtype t, const char *formula)
{
	const char *text = arena_printf(a, "input x: %s[2]\ny[i] = %s\n", dtype_name(t), formula);
	const struct dag *d = dag_parse(a, "formula", text);

	if (!d)
		die("bench: %s", err_get());
	return d->ops.at[d->ops.n - 1]->body;
}

/* What stands for the variables of a formula. */
struct formula_variables {
	const struct expr *x;
	double alpha;
};

/* E has the form of PAT; B says with what. */
static bool fits(const struct expr *pat, const struct expr *e, struct formula_variables *b)
{
	if (pat->kind == EXPR_LOAD) {
		if (!b->x)
			b->x = e;
		return expr_equal(b->x, e);
	}
	if (pat->kind != e->kind || pat->dtype != e->dtype)
		return false;
	if (pat->kind == EXPR_FLOAT && isnan(pat->f)) {
		b->alpha = e->f;
		return true;
	}
	if (pat->kind == EXPR_FLOAT)	/* constants may have been rounded on their way */
		return fabs(pat->f - e->f) <= 1e-6 * fabs(pat->f);
	for (int i = 0; i < expr_kind_arity(pat->kind); i++)
		if (!fits(pat->arg[i], e->arg[i], b))
			return false;
	return expr_kind_arity(pat->kind) > 0;
}

static void push(struct peeler *p, enum epilogue_kind kind, double alpha, double beta)
{
	vec_push(p->a, &p->w->epilogue,
		 (struct epilogue){ .kind = kind, .alpha = alpha, .beta = beta });
}

struct search {
	const struct tensor *tensor;
	bool found;
};

static bool find_tensor(const struct expr *e, void *user)
{
	struct search *s = user;

	s->found |= e->kind == EXPR_LOAD && e->tensor == s->tensor;
	return !s->found;
}

static bool reads_hole(const struct peeler *p, const struct expr *e)
{
	struct search s = { p->hole, false };

	expr_visit(e, find_tensor, &s);
	return s.found;
}

/* The value itself, at the same place. */
static bool is_hole(const struct peeler *p, const struct expr *e)
{
	if (e->kind != EXPR_LOAD || e->tensor != p->hole || p->hole->ndim != p->op->tensor.ndim)
		return false;
	for (int i = 0; i < p->hole->ndim; i++)
		if (!index_is(p->a, e->index[i], p->hole->shape[i], p->op->space[i]))
			return false;
	return true;
}

/* Elements from one place of space axis i to the next in what LOAD reads. */
static bool strides_of(const struct peeler *p, const struct expr *load, int64_t *stride)
{
	struct linear l;

	for (int i = 0; i < p->op->tensor.ndim; i++)
		stride[i] = 0;
	for (int i = 0; i < load->tensor->ndim; i++) {
		int terms = 0;

		if (!linear_from(p->a, load->index[i], &l) || l.constant != 0)
			return false;
		for (int j = 0; j < p->op->tensor.ndim; j++) {
			int64_t coef = linear_coef(&l, p->op->space[j]);

			stride[j] += coef * tensor_stride(load->tensor, i);
			terms += coef != 0;
		}
		if (terms != l.n)
			return false;
	}
	return true;
}

/* The load that E is, as it is or made f32 or a wider integer; else E. */
static const struct expr *without_widening(const struct expr *e)
{
	if (e->kind == EXPR_CAST && e->arg[0]->kind == EXPR_LOAD &&
	    (e->dtype == DTYPE_F32 || e->dtype == DTYPE_I32))
		return e->arg[0];
	return e;
}

/* LOAD through the dimensions of the result; those it does not depend on are 1. */
static bool see_operand(struct peeler *p, const struct expr *load, struct operand *o)
{
	int64_t stride[TENSOR_MAX_DIMS];

	load = without_widening(load);
	if (load->kind != EXPR_LOAD)
		return false;
	o->op = dag_op(p->dag, load->tensor);
	if (o->op->kind == OP_COMPUTE || !strides_of(p, load, stride))
		return false;
	o->view = p->w->y.view;
	o->view.tensor = load->tensor;
	for (int i = 0; i < o->view.ndim; i++) {
		struct view_dim *d = &o->view.dim[i];
		bool varies = false;

		for (int j = 0; j < d->n; j++) {
			d->part[j].stride = stride[d->part[j].dim];
			varies |= d->part[j].stride != 0 && d->part[j].extent > 1;
		}
		if (!varies)
			*d = (struct view_dim){ .extent = 1 };
	}
	return true;
}

static bool push_operand(struct peeler *p, enum epilogue_kind kind, const struct expr *load)
{
	struct epilogue e = { .kind = kind };

	if (!see_operand(p, load, &e.operand))
		return false;
	vec_push(p->a, &p->w->epilogue, e);
	return true;
}

/* max(x, low) or min(x, high), which may follow one another. */
static void push_bound(struct peeler *p, enum expr_kind kind, double v)
{
	struct epilogue_vec *steps = &p->w->epilogue;
	struct epilogue *last = steps->n ? &steps->at[steps->n - 1] : NULL;

	if (kind == EXPR_MIN && last && last->kind == EPILOGUE_RELU && last->alpha == 0 &&
	    v >= 0)
		*last = (struct epilogue){ .kind = EPILOGUE_CLIP, .alpha = 0, .beta = v };
	else if (kind == EXPR_MIN && last && last->kind == EPILOGUE_CLIP &&
		 last->beta == (double)INFINITY && v >= last->alpha)
		last->beta = v;
	else if (kind == EXPR_MIN)
		push(p, EPILOGUE_CLIP, -INFINITY, v);
	else if (v == 0)
		push(p, EPILOGUE_RELU, 0, 0);
	else
		push(p, EPILOGUE_CLIP, v, INFINITY);
}

/* x * factor + shift; two in a row are one. */
static void push_linear(struct peeler *p, double factor, double shift)
{
	struct epilogue_vec *steps = &p->w->epilogue;
	struct epilogue *last = steps->n ? &steps->at[steps->n - 1] : NULL;

	if (!last || last->kind != EPILOGUE_LINEAR) {
		push(p, EPILOGUE_LINEAR, factor, shift);
		return;
	}
	last->alpha *= factor;
	last->beta = last->beta * factor + shift;
}

/* The value X combined with the constant OTHER on its right or (SWAPPED) left. */
static bool push_const(struct peeler *p, enum expr_kind kind, const struct expr *other, bool swapped)
{
	const bool integer = other->kind == EXPR_INT;
	const double v = integer ? (double)other->i : other->f;

	switch (kind) {
	case EXPR_ADD:
		push_linear(p, 1, v);
		return true;
	case EXPR_SUB:
		push_linear(p, swapped ? -1 : 1, swapped ? v : -v);
		return true;
	case EXPR_MUL:
		push_linear(p, v, 0);
		return true;
	case EXPR_DIV:	/* of integers it rounds */
		push_linear(p, 1 / v, 0);
		return !swapped && v != 0 && !integer;
	case EXPR_MAX:
	case EXPR_MIN:
		push_bound(p, kind, v);
		return true;
	default:
		return false;
	}
}

static bool peel_binary(struct peeler *p, const struct expr *e)
{
	bool swapped = !reads_hole(p, e->arg[0]);
	const struct expr *inner = e->arg[swapped], *other = e->arg[!swapped];

	if (reads_hole(p, other) || !peel(p, inner))
		return false;
	if (other->kind == EXPR_FLOAT || other->kind == EXPR_INT)
		return push_const(p, e->kind, other, swapped);
	if (e->kind == EXPR_ADD)
		return push_operand(p, EPILOGUE_ADD, other);
	return e->kind == EXPR_MUL && push_operand(p, EPILOGUE_MUL, other);
}

static bool peel_conversion(struct peeler *p, const struct expr *e)
{
	if (!peel(p, e->arg[0]))
		return false;
	push(p, e->kind == EXPR_CAST ? EPILOGUE_CAST : EPILOGUE_ROUND, 0, 0);
	p->w->epilogue.at[p->w->epilogue.n - 1].to = e->dtype;
	return true;
}

/* The types of what may follow a sum: its own, and of what is made f32. */
static bool is_computed_in(enum dtype t)
{
	return t == DTYPE_F32 || t == DTYPE_BF16 || t == DTYPE_I32;
}

static bool peel(struct peeler *p, const struct expr *e)
{
	if (is_hole(p, e))
		return true;
	if (e->kind == EXPR_CAST || e->kind == EXPR_ROUND)
		return peel_conversion(p, e);
	for (size_t i = 0; dtype_is_float(e->dtype) && i < sizeof(functions) / sizeof(*functions); i++) {
		struct formula_variables b = { 0 };

		if (!fits(pattern(p->a, e->dtype, functions[i].formula), e, &b) || !reads_hole(p, b.x))
			continue;
		if (!peel(p, b.x))
			return false;
		push(p, functions[i].kind, b.alpha, 0);
		return true;
	}
	return is_computed_in(e->dtype) && expr_kind_arity(e->kind) == 2 && peel_binary(p, e);
}

bool match_epilogue(struct arena *a, const struct dag *d, const struct op *op,
		    const struct op *from, struct work *w)
{
	struct peeler p = { a, d, op, &from->tensor, w };

	return peel(&p, op->body);
}
