/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/problems.c - nodes that cannot be read, told all at once. */
#include "base/err.h"
#include "graph/onnx/reader.h"

int problem_count(const struct onnx_reader *r)
{
	return r->problems->list.n + r->problems->more;
}

void problem_add(struct onnx_reader *r, const Onnx__NodeProto *p, int opset)
{
	struct arena *a = r->problems->arena;
	const char *domain = p->domain ? p->domain : "", *op = p->op_type ? p->op_type : "";

	if (r->problems->list.n == ONNX_MAX_PROBLEMS) {
		r->problems->more++;
		return;
	}
	struct onnx_problem problem = {
		.node = arena_strdup(a, p->name ? p->name : ""),
		.op = *domain ? arena_printf(a, "%s::%s", domain, op) : arena_strdup(a, op),
		.opset = opset,
		.message = arena_strdup(a, err_get()),
	};

	vec_push(a, &r->problems->list, problem);
}

void problem_forget(struct onnx_reader *r, int count)
{
	if (count <= r->problems->list.n)
		r->problems->list.n = count;
	r->problems->more = count - r->problems->list.n;
}

int problem_error(const struct onnx_reader *r)
{
	const struct onnx_problem *first = r->problems->list.at;
	int others = problem_count(r) - 1;

	if (others < 0)
		return 0;
	err_set("node '%.200s' (%.100s, operator set %d): %s", first->node, first->op, first->opset,
		first->message);
	return others ? err_set("%s; and %d more such nodes, which hone graph --check lists",
				err_get(), others) : -1;
}
