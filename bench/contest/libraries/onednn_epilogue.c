/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/onednn_epilogue.c - what follows a sum, as oneDNN's bias and post-ops. */
#include <float.h>

#include "base/err.h"
#include "bench/contest/libraries/onednn.h"
#include "te/eval.h"

static bool is_whole(const struct work *w, const struct view *v)
{
	for (int i = 0; i < v->ndim; i++)
		if (v->dim[i].extent != w->y.view.dim[i].extent)
			return false;
	return true;
}

static float bound(double v)
{
	return v > FLT_MAX ? FLT_MAX : v < -FLT_MAX ? -FLT_MAX : (float)v;
}

static dnnl_alg_kind_t algorithm(enum epilogue_kind k)
{
	switch (k) {
	case EPILOGUE_ADD:
		return dnnl_binary_add;
	case EPILOGUE_MUL:
		return dnnl_binary_mul;
	case EPILOGUE_LINEAR:
		return dnnl_eltwise_linear;
	case EPILOGUE_CLIP:
		return dnnl_eltwise_clip;
	case EPILOGUE_RELU:
		return dnnl_eltwise_relu;
	case EPILOGUE_SIGMOID:
		return dnnl_eltwise_logistic;
	case EPILOGUE_SILU:
		return dnnl_eltwise_swish;
	case EPILOGUE_GELU:
		return dnnl_eltwise_gelu_erf;
	case EPILOGUE_TANH:
		return dnnl_eltwise_tanh;
	case EPILOGUE_HARD_SWISH:
		return dnnl_eltwise_hardswish;
	case EPILOGUE_ROUND:
	case EPILOGUE_CAST:
		break;
	}
	return dnnl_alg_kind_undef;
}

static dnnl_status_t append(const struct onednn *h, dnnl_post_ops_t ops, const struct epilogue *e,
			    bool own_layout)
{
	dnnl_alg_kind_t alg = algorithm(e->kind);
	double alpha = e->kind == EPILOGUE_SILU ? 1 : e->alpha;	/* of its sigmoid */
	dnnl_memory_desc_t md;

	if (!e->operand.op)
		return dnnl_post_ops_append_eltwise(ops, 1, alg, bound(alpha), bound(e->beta));
	onednn_dense(&e->operand.view, 0, &md);
	if (own_layout && is_whole(h->task->work, &e->operand.view))
		onednn_any(&md);
	return dnnl_post_ops_append_binary(ops, alg, &md);
}

/* oneDNN 2.6 keeps one generated function per algorithm: of two post-ops with the same one the
 * first gets the parameters of the last [openvinotoolkit/oneDNN pull request 157]. */
static bool confuses(const struct epilogue *x, const struct epilogue *y)
{
	return !x->operand.op && !y->operand.op && x->kind == y->kind &&
	       (bound(x->alpha) != bound(y->alpha) || bound(x->beta) != bound(y->beta));
}

static int refuse_confusion(const struct epilogue_vec *steps)
{
	for (int i = 0; i < steps->n; i++)
		for (int j = 0; j < i; j++)
			if (confuses(&steps->at[i], &steps->at[j]))
				return err_set("oneDNN confuses the parameters of two %s",
					       epilogue_name(steps->at[i].kind));
	return 0;
}

/* Bias and sum together are multiplied by the scale. */
static int set_scale(struct onednn *h)
{
	const struct work *w = h->task->work;
	int channel = work_channel_dim(w);
	int64_t n = h->scales ? view_count(&h->scales->view) : 1;
	float *scale = arena_many(h->arena, float, n);

	scale[0] = (float)h->scale;
	if (h->scales)
		view_gather(&h->scales->view, h->task->args[dag_arg(h->task->dag, h->scales->op)], scale);
	if (!h->scales && h->scale == 0)
		return 0;
	return onednn_check(dnnl_primitive_attr_set_output_scales(h->attr, n, h->scales ? 1 << channel : 0,
								  scale),
			    "scale");
}

int onednn_epilogue(struct onednn *h, bool own_layout)
{
	const struct epilogue_vec *steps = &h->steps;
	dnnl_post_ops_t ops;

	if (onednn_steps(h) < 0 || refuse_confusion(steps) < 0)
		return -1;
	if (steps->n > ONEDNN_MAX_POST_OPS)
		return err_set("%d operations after the sum are too many", steps->n);
	if (onednn_check(dnnl_primitive_attr_create(&h->attr), "attributes") < 0 || set_scale(h) < 0 ||
	    onednn_check(dnnl_post_ops_create(&ops), "post-ops") < 0)
		return -1;
	int rc = 0;

	for (int i = 0; i < steps->n && rc == 0; i++)
		rc = onednn_check(append(h, ops, &steps->at[i], own_layout),
				  epilogue_name(steps->at[i].kind));
	if (rc == 0)
		rc = onednn_check(dnnl_primitive_attr_set_post_ops(h->attr, ops), "post-ops");
	dnnl_post_ops_destroy(ops);
	return rc;
}

int onednn_give_epilogue(struct onednn *h)
{
	const struct epilogue_vec *steps = &h->steps;

	for (int i = 0; i < steps->n; i++) {
		int arg = DNNL_ARG_ATTR_MULTIPLE_POST_OP(i) | DNNL_ARG_SRC_1;

		if (!steps->at[i].operand.op)
			continue;
		const dnnl_memory_desc_t *md = dnnl_primitive_desc_query_md(
			h->desc, dnnl_query_exec_arg_md, arg);

		if (!md || onednn_give(h, arg, &steps->at[i].operand, 0, md) < 0)
			return md ? -1 : err_set("oneDNN does not say the layout of an operand");
	}
	return 0;
}
