/* SPDX-License-Identifier: Apache-2.0 */
/* tools/source.c - models, lists, .te files and operator specs as tasks. */
#include "tools/source.h"

#include <unistd.h>

#include "base/err.h"
#include "graph/model.h"
#include "te/eval.h"
#include "te/operator.h"
#include "tools/list.h"

bool source_is_model(const char *source)
{
	return model_is(source);
}

/* More are a mistake in a list: each has weights and a kernel's arguments of its own. */
enum { MAX_SEQUENCE = 10000 };

struct task *source_model_task(struct arena *a, const struct model_task *m)
{
	struct task *t = task_new(a, m->dag, arena_printf(a, "%s:%s", m->op, m->shape), m->weight);

	t->op = m->op;
	t->shape = m->shape;
	return t;
}

/* Those tasks of a model that can be tuned. */
static int model_tasks(struct arena *a, const char *path, const struct kernel_costs *costs,
		       struct task_vec *out, struct occurrence_vec *sequence)
{
	struct graph *g = model_open(a, path, NULL, costs, NULL);

	if (!g)
		return -1;
	struct model_task_vec tasks = graph_tasks(a, g);
	int *place = arena_many(a, int, tasks.n);	/* of a task in OUT */

	for (int i = 0; i < tasks.n; i++) {
		place[i] = out->n;
		if (tasks.at[i].dag)
			vec_push(a, out, source_model_task(a, &tasks.at[i]));
	}
	if (out->n == 0)
		return err_set("%s: has no operator that can be tuned; hone tasks lists why", path);
	if (sequence)
		*sequence = graph_sequence(a, g, &tasks);
	for (int i = 0; sequence && i < sequence->n; i++)
		sequence->at[i].task = place[sequence->at[i].task];
	return 0;
}

/* What the tasks of a list hand on. */
struct chain {
	int values;			/* named so far */
	int last;			/* the first result of the occurrence before */
	const struct tensor *result;	/* it; NULL before the first */
};

static bool takes(const struct chain *c, const struct tensor *t)
{
	return c->result && t->dtype == c->result->dtype &&
	       tensor_count(t) == tensor_count(c->result);
}

static struct occurrence chain_next(struct arena *a, struct chain *c, const struct dag *d)
{
	struct occurrence o = { 0 };
	struct chain next = *c;
	bool taken = false;	/* by one input at most */

	vec_reserve(a, &o.args, dag_arg_count(d));
	o.args.n = dag_arg_count(d);
	next.result = NULL;
	for (int i = 0; i < d->ops.n; i++) {
		const struct op *op = d->ops.at[i];
		int arg = dag_arg(d, op);
		bool take = op->kind == OP_INPUT && !taken && takes(c, &op->tensor);

		if (arg < 0)
			continue;
		taken |= take;
		o.args.at[arg] = op->kind == OP_CONST ? VALUE_NONE : take ? c->last : next.values++;
		if (op->kind != OP_COMPUTE || next.result)
			continue;
		next.result = &op->tensor;
		next.last = o.args.at[arg];
	}
	*c = next;
	return o;
}

static int chain_tasks(struct arena *a, const char *source, const struct task_vec *tasks,
		       struct occurrence_vec *sequence)
{
	struct chain c = { 0 };

	for (int i = 0; i < tasks->n; i++)
		for (double n = 0; n < tasks->at[i]->weight; n++) {
			if (sequence->n == MAX_SEQUENCE)
				return err_set("%s: more than %d tasks with their weights are no "
					       "sequence", source, MAX_SEQUENCE);
			struct occurrence o = chain_next(a, &c, tasks->at[i]->dag);

			o.task = i;
			vec_push(a, sequence, o);
		}
	return 0;
}

/* The tasks of what is no model. */
static int operator_tasks(struct arena *a, const char *source, struct task_vec *out)
{
	if (text_ends_with(source, ".tasks"))
		return list_tasks(a, source, out);
	if (!text_ends_with(source, ".te") && !strchr(source, ':') &&
	    (!*source || strchr(source, '/') || access(source, F_OK) == 0))
		return err_set("'%s': a SOURCE is a model (*.onnx), an operator in text form "
			       "(*.te), one of the library (`hone ops` lists them) or a list of "
			       "them (*.tasks)", source);
	const struct dag *dag = source_dag(a, source);

	if (!dag)
		return -1;
	vec_push(a, out, task_new(a, dag, source, 1));
	return 0;
}

int source_sequence(struct arena *a, const char *source, const struct kernel_costs *costs,
		    struct task_vec *out, struct occurrence_vec *sequence)
{
	if (source_is_model(source))
		return model_tasks(a, source, costs, out, sequence);
	return operator_tasks(a, source, out) < 0 ? -1 : chain_tasks(a, source, out, sequence);
}

int source_tasks(struct arena *a, const char *source, const struct kernel_costs *costs,
		 struct task_vec *out)
{
	return source_is_model(source) ? model_tasks(a, source, costs, out, NULL)
				       : operator_tasks(a, source, out);
}
