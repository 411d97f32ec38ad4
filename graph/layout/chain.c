/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/chain.c - a depthwise convolution joins the 1x1 convolution that reads it, or that before it: the
 * image between them, which is the widest of a network's block, is computed in strips (search/space/sampling/location.h)
 * and does not leave the cache. Depthwise, the one has the same channels in as out; so how the image is stored
 * follows from what the kernel reads or gives, and each part of it is the task that is tuned without it. */
#include "graph/ir/op.h"
#include "graph/layout/join.h"

/* The convolution of F that pointwise calls are around; NULL where it is not that. */
static const struct binding *convolution(const struct function *f)
{
	const struct binding *found = NULL;

	for (int v = f->nparams; v < f->bindings.n; v++) {
		const struct binding *b = function_at(f, v);

		if (b->kind != BIND_CALL || b->op->pointwise)
			continue;
		if (found || b->op != &core_conv)
			return NULL;
		found = b;
	}
	return found;
}

static int64_t groups_of(const struct binding *conv)
{
	return call_int(conv, "groups");
}

static bool is_depthwise(const struct function *f, const struct binding *conv)
{
	return groups_of(conv) > 1 && function_at(f, conv->args[0])->type->dim[1].n == groups_of(conv) &&
	       conv->type->dim[1].n == groups_of(conv);
}

/* Is it a sum over channels, with windows of one element? */
static bool is_1x1(const struct function *f, const struct binding *conv)
{
	const struct type *weight = function_at(f, conv->args[1])->type;

	for (int i = 2; i < weight->rank; i++)
		if (weight->dim[i].n != 1)
			return false;
	return groups_of(conv) == 1;
}

static bool may_chain(const struct function *producer, const struct function *consumer)
{
	const struct binding *p = convolution(producer), *c = convolution(consumer);

	return p && c && ((is_depthwise(producer, p) && is_1x1(consumer, c)) ||
			  (is_1x1(producer, p) && is_depthwise(consumer, c)));
}

void layout_chain(struct spacing *s)
{
	layout_join(s, &(struct joinable){ .may = may_chain, .spares_image = true });
}
