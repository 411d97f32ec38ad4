/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/product.c - strides and batches of a product. */
#include "bench/contest/libraries/product.h"

#include "te/eval.h"

static bool matrix_of(const struct contestant_task *t, const struct operand *o, struct matrix *out)
{
	const struct view_dim *row = &o->view.dim[t->work->nbatch], *column = row + 1;

	out->at = t->args[dag_arg(t->dag, o->op)];
	return view_dim_stride(row, &out->row) && view_dim_stride(column, &out->column);
}

static int64_t offset_of(const struct view *v, const int64_t *at, int n)
{
	int64_t offset = 0;

	for (int i = 0; i < n; i++)
		if (v->dim[i].extent > 1)
			offset += view_dim_offset(&v->dim[i], at[i]);
	return offset;
}

static void list_batches(struct arena *a, const struct work *w, struct product *p)
{
	int64_t at[TENSOR_MAX_DIMS] = { 0 };

	p->nbatch = 1;
	for (int i = 0; i < w->nbatch; i++)
		p->nbatch *= w->y.view.dim[i].extent;
	struct product_batch *batch = arena_many(a, struct product_batch, p->nbatch);

	for (int64_t i = 0; i < p->nbatch; i++) {
		batch[i] = (struct product_batch){ offset_of(&w->a.view, at, w->nbatch),
						   offset_of(&w->b.view, at, w->nbatch),
						   offset_of(&w->y.view, at, w->nbatch) };
		for (int d = w->nbatch - 1; d >= 0; d--) {
			if (++at[d] < w->y.view.dim[d].extent)
				break;
			at[d] = 0;
		}
	}
	p->batch = batch;
}

bool product_of(struct arena *a, const struct contestant_task *t, struct product *out,
		const char **why)
{
	const struct work *w = t->work;

	*why = NULL;
	if (!w)
		*why = t->why;
	else if (w->kind != WORK_MATMUL)
		*why = "it has no convolutions";
	else if (w->epilogue.n > 0)
		*why = arena_printf(a, "it has no %s after a product",
				    epilogue_name(w->epilogue.at[0].kind));
	else if (!matrix_of(t, &w->a, &out->a) || !matrix_of(t, &w->b, &out->b) ||
		 !matrix_of(t, &w->y, &out->y))
		*why = "its matrices have no strides";
	if (*why)
		return false;
	out->m = w->y.view.dim[w->nbatch].extent;
	out->n = w->y.view.dim[w->nbatch + 1].extent;
	out->k = w->a.view.dim[w->nbatch + 1].extent;
	list_batches(a, w, out);
	return true;
}
