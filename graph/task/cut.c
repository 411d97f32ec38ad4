/* SPDX-License-Identifier: Apache-2.0 */
/* graph/task/cut.c - bindings become ops of a DAG, one after the other. */
#include "graph/task/cut.h"

#include "base/err.h"
#include "graph/task/label.h"
#include "measure/runner/workload.h"
#include "te/eval.h"

/* An input of the DAG and the value in it. */
struct cut_input {
	struct op *op;
	int value;
};

struct cut_input_vec VEC(struct cut_input);

/* What stands for a value of the function; few are of interest at a time. */
struct dag_cutter {
	const struct cut_group *group;
	struct arena *arena;
	struct dag *dag;
	struct cut_input_vec known;	/* inputs and members so far */
	struct cut_input_vec inputs;	/* all of them, also those that nothing reads */
	struct label label;
};

bool binding_is_view(const struct binding *b)
{
	static const char *const views[] = { "identity", "reshape", "squeeze", "unsqueeze" };

	for (size_t i = 0; b->kind == BIND_CALL && i < sizeof(views) / sizeof(views[0]); i++)
		if (strcmp(b->op->name, views[i]) == 0)
			return true;
	return false;
}

/* May a tensor of type T be in a kernel? */
static bool is_kernel_tensor(const struct type *t)
{
	return type_count(t) > 0 && element_dtype(t->element) != DTYPE_COUNT &&
	       t->rank <= TENSOR_MAX_DIMS && !t->layout;
}

/* A list of integers that says what to do, not what to do it with: it has to be constant. */
static bool is_list(const struct type *t)
{
	return t->kind == TYPE_TENSOR && t->element == ELEMENT_I64 && t->rank <= 1;
}

const char *cut_obstacle(const struct function *f, const struct binding *b)
{
	if (b->kind != BIND_CALL || !b->op->express || b->op->impure)
		return "no tunable form of this operator";
	if (!type_is_static(b->type))
		return "its shape is not known";
	if (b->type->rank == 0)
		return "a scalar";
	if (!is_kernel_tensor(b->type))
		return "not a tensor that kernels know";
	if (b->nargs >= WORKLOAD_ARGS)
		return "more operands than a kernel takes";
	for (int i = 0; i < b->nargs; i++) {
		if (b->args[i] < 0 || function_const(f, b->args[i]))
			continue;
		const struct type *t = function_at(f, b->args[i])->type;

		if (!type_is_static(t))
			return "the shape of an operand is not known";
		if (t->rank == 0)
			return "an operand without dims that is not constant";
		if (!is_kernel_tensor(t) || (is_list(t) && !b->op->pointwise))
			return "an operand that is no tensor that kernels know";
	}
	return NULL;
}

static const struct array *constant(const struct dag_cutter *c, int value)
{
	const struct function *f = c->group->function;

	if (c->group->given && value >= 0 && value < f->nparams)
		return c->group->given[value];
	return function_const(f, value);
}

static struct op *find(const struct dag_cutter *c, int value)
{
	for (int i = 0; i < c->known.n; i++)
		if (c->known.at[i].value == value)
			return c->known.at[i].op;
	return NULL;
}

/* X, R, R2 for data, W, W2 for constants. */
static const char *input_name(struct dag_cutter *c, bool weight)
{
	const char *stem = weight ? "W" : dag_find(c->dag, "X") ? "R" : "X";
	const char *name = stem;

	for (int i = 2; dag_find(c->dag, name); i++)
		name = arena_printf(c->arena, "%s%d", stem, i);
	return name;
}

/* The op that gives operand VALUE; NULL where it is no tensor of kernels. */
static struct op *operand(struct dag_cutter *c, int value)
{
	struct op *op = value < 0 ? NULL : find(c, value);
	int64_t dim[GRAPH_MAX_RANK];

	if (op || value < 0)
		return op;
	const struct type *t = function_at(c->group->function, value)->type;
	const struct array *known = constant(c, value);

	if (!is_kernel_tensor(t) || (known && is_list(t)))
		return NULL;
	type_shape(t, dim);
	op = dag_input(c->dag, input_name(c, known != NULL), element_dtype(t->element), t->rank,
		       dim, known != NULL);
	vec_push(c->arena, &c->known, (struct cut_input){ op, value });
	vec_push(c->arena, &c->inputs, (struct cut_input){ op, value });
	return op;
}

static struct op *express_member(struct dag_cutter *c, int value)
{
	const struct binding *b = function_at(c->group->function, value);
	const struct type **types = arena_many(c->arena, const struct type *, b->nargs);
	const struct array **consts = arena_many(c->arena, const struct array *, b->nargs);
	struct op **ops = arena_many(c->arena, struct op *, b->nargs);
	struct op **views = arena_many(c->arena, struct op *, b->nargs);
	struct express x = { .dag = c->dag, .call = b, .types = types, .ops = ops,
			     .consts = consts, .views = views };

	for (int i = 0; i < b->nargs; i++) {
		types[i] = b->args[i] < 0 ? &type_unknown
					  : function_at(c->group->function, b->args[i])->type;
		consts[i] = constant(c, b->args[i]);
		ops[i] = operand(c, b->args[i]);
	}
	err_set("%s: no tunable form", b->op->name);
	struct op *y = b->op->express(&x);

	for (int i = 0; i < b->nargs; i++)
		if (views[i])
			vec_push(c->arena, &c->inputs, (struct cut_input){ views[i], b->args[i] });
	if (y)
		label_call(&c->label, &x);
	return y;
}

struct readers {
	struct dag *dag;
	bool *read;	/* by op */
};

static bool note_load(const struct expr *e, void *user)
{
	struct readers *r = user;

	for (int i = 0; e->kind == EXPR_LOAD && i < r->dag->ops.n; i++)
		r->read[i] |= &r->dag->ops.at[i]->tensor == e->tensor;
	return true;
}

/* Drops the inputs that no expression reads: constants that became literals, or vectors. */
static void drop_unread(struct dag_cutter *c)
{
	struct op_vec *ops = &c->dag->ops;
	struct readers r = { c->dag, arena_many(c->arena, bool, ops->n) };
	int n = 0;

	for (int i = 0; i < ops->n; i++)
		if (ops->at[i]->kind == OP_COMPUTE)
			expr_visit(ops->at[i]->body, note_load, &r);
	for (int i = 0; i < ops->n; i++)
		if (r.read[i] || ops->at[i]->kind == OP_COMPUTE)
			ops->at[n++] = ops->at[i];
	ops->n = n;
}

static struct value_vec inputs_of(const struct dag_cutter *c)
{
	struct value_vec values = { 0 };

	for (int i = 0; i < c->dag->ops.n; i++)
		for (int j = 0; j < c->inputs.n; j++)
			if (c->inputs.at[j].op == c->dag->ops.at[i])
				vec_push(c->arena, &values, c->inputs.at[j].value);
	return values;
}

/* Member I where it is a call of OP on the result of the member before, which nothing else reads,
 * and on a constant vector of the last dim: that operand's value; else VALUE_NONE. */
static int last_dim_operand(const struct dag_cutter *c, int i, const struct core_op *op)
{
	const struct cut_group *g = c->group;
	const struct binding *b = i < g->nmembers ? function_at(g->function, g->members[i]) : NULL;

	if (!b || b->op != op)
		return VALUE_NONE;
	int second = b->args[0] == g->members[i - 1];	/* the vector, where it comes second */
	int vector = b->args[second];
	const struct type *t = function_at(g->function, vector)->type;

	for (int j = i + 1; j < g->nmembers; j++)
		for (int k = 0; k < function_at(g->function, g->members[j])->nargs; k++)
			if (function_at(g->function, g->members[j])->args[k] == g->members[i - 1])
				return VALUE_NONE;
	return b->args[!second] == g->members[i - 1] && constant(c, vector) && t->rank == 1 &&
			       t->dim[0].n == b->type->dim[b->type->rank - 1].n
		       ? vector : VALUE_NONE;
}

/* A layer norm with the scale and shift behind it as one expression, the one that te/ has for it,
 * in *Y; how many members that are. 0 where member I and those behind it are none. */
static int express_layer_norm(struct dag_cutter *c, int i, struct op **y)
{
	const struct binding *b = function_at(c->group->function, c->group->members[i]);
	int n;
	const int64_t *axes = b->op == &core_normalize ? call_ints(b, "axes", &n) : NULL;

	if (!axes || n != 1 || (axes[0] != -1 && axes[0] != b->type->rank - 1) ||
	    !call_flag(b, "center"))
		return 0;
	int scale = last_dim_operand(c, i + 1, &core_mul);
	int shift = scale < 0 ? VALUE_NONE : last_dim_operand(c, i + 2, &core_add);

	if (scale < 0)
		return 0;
	struct op *x = operand(c, b->args[0]);
	struct op *by = operand(c, scale);

	*y = op_layer_norm(c->dag, x, by, operand(c, shift), call_float(b, "epsilon"));
	label_layer_norm(&c->label, b);
	return shift < 0 ? 2 : 3;
}

/* -1 and a message. */
static int express_members(struct dag_cutter *c)
{
	const struct cut_group *g = c->group;

	for (int i = 0; i < g->nmembers; i++) {
		const char *obstacle = cut_obstacle(g->function,
						    function_at(g->function, g->members[i]));
		struct op *y = NULL;

		if (obstacle)
			return err_set("%s", obstacle);
		int taken = express_layer_norm(c, i, &y);

		if (taken)
			i += taken - 1;
		else
			y = express_member(c, g->members[i]);
		if (!y)
			return -1;
		vec_push(c->arena, &c->known, (struct cut_input){ y, g->members[i] });
	}
	drop_unread(c);
	if (dag_freeze(c->dag) < 0)
		return -1;
	if (dag_arg_count(c->dag) > WORKLOAD_ARGS)
		return err_set("more tensors than a kernel takes");
	return 0;
}

/* What the model calls the members, where there is no DAG. */
static void describe(struct dag_cutter *c)
{
	for (int i = 0; i < c->group->nmembers; i++)
		label_plain(&c->label, function_at(c->group->function, c->group->members[i]));
}

struct cut_dag cut_group(struct arena *a, const struct cut_group *g)
{
	struct dag_cutter c = { .group = g, .arena = a, .dag = dag_new(a, "task") };
	struct cut_dag out = { 0 };

	if (express_members(&c) < 0) {
		out.reason = arena_strdup(a, err_get());
		label_clear(&c.label);
		describe(&c);
	} else {
		out.dag = c.dag;
		out.inputs = inputs_of(&c);
	}
	label_end(&c.label, a, function_at(g->function, g->members[g->nmembers - 1])->type,
		  &out.op, &out.shape);
	c.dag->name = out.op;
	return out;
}

struct demand cut_demand(const struct cut_from *from)
{
	return from->function ? function_demand(from->function) : (struct demand){ DEMAND_NONE, NULL };
}
