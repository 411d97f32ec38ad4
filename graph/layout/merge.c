/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/merge.c - what scales or activates an image joins the convolution that reads it, and a pooling
 * the convolution before it. */
#include "graph/ir/op.h"
#include "graph/layout/join.h"

static bool is_pointwise(const struct function *f)
{
	for (int v = f->nparams; v < f->bindings.n; v++)
		if (function_at(f, v)->kind == BIND_CALL && !function_at(f, v)->op->pointwise)
			return false;
	return true;
}

/* Does F gather: is any of its calls more than a way to move elements? */
static bool gathers(const struct function *f)
{
	for (int v = f->nparams; v < f->bindings.n; v++)
		if (function_at(f, v)->kind == BIND_CALL &&
		    function_at(f, v)->op->fusion != FUSION_INJECTIVE)
			return true;
	return false;
}

static bool begins_with_pool(const struct function *f)
{
	const struct binding *head = function_first_call(f);

	return head && (head->op == &core_max_pool || head->op == &core_avg_pool);
}

static bool may_merge(const struct function *producer, const struct function *consumer)
{
	return (is_pointwise(producer) && gathers(consumer)) ||
	       (gathers(producer) && begins_with_pool(consumer));
}

void layout_merge(struct spacing *s)
{
	layout_join(s, &(struct joinable){ .may = may_merge });
}
