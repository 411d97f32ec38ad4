/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node.c - nodes: their operands by name, their normaliser, their outputs' names. */
#include "graph/onnx/node.h"

#include "base/err.h"
#include "graph/onnx/reader.h"

/* A line of nodes.def. */
struct normaliser {
	enum node_domain domain;
	const char *op;
	int since;
	int (*make)(struct node *n);
	const struct core_op *same;	/* in place of make */
};

static const struct normaliser normalisers[] = {
#define X(domain, name, since, function) { DOMAIN_##domain, #name, since, node_##function, NULL },
#define SAME(domain, name, since, core)	 { DOMAIN_##domain, #name, since, NULL, &core_##core },
#include "graph/onnx/nodes.def"
};

enum { NORMALISERS = sizeof(normalisers) / sizeof(normalisers[0]) };

void onnx_index_operators(struct onnx_reader *r)
{
	for (int i = 0; i < NORMALISERS; i++)
		names_add(r->scratch, &r->operators, normalisers[i].op, i);
}

/* The last line of OP's that is not newer than the operator set; NULL and a message. */
static const struct normaliser *find(const struct onnx_reader *r, enum node_domain domain,
				     const char *op, int opset)
{
	const struct normaliser *found = NULL;
	int i = names_get(&r->operators, op, NORMALISERS);

	for (; i < NORMALISERS && strcmp(normalisers[i].op, op) == 0; i++)
		if (normalisers[i].domain == domain && normalisers[i].since <= opset)
			found = &normalisers[i];
	if (!found)
		err_set("hone does not know this operator (export with another operator set, or "
			"replace it in the model)");
	return found;
}

int node_error(const struct node *n, const char *fmt, ...)
{
	struct text text = { 0 };
	va_list ap;

	(void)n;
	va_start(ap, fmt);
	text_vprintf(&text, fmt, ap);
	va_end(ap);
	err_set("%s", text_str(&text));
	text_free(&text);
	return -1;
}

int node_arg(const struct node *n, int i)
{
	return i < n->nargs ? n->args[i] : VALUE_NONE;
}

bool node_has(const struct node *n, int i)
{
	return node_arg(n, i) != VALUE_NONE;
}

const struct type *node_type(const struct node *n, int i)
{
	return build_type(n->b, node_arg(n, i));
}

enum element node_element(const struct node *n, int i)
{
	const struct type *t = node_type(n, i);

	return type_is_tensor(t) ? t->element : ELEMENT_COUNT;
}

const struct array *node_const(const struct node *n, int i)
{
	return node_has(n, i) ? build_array(n->b, n->args[i]) : NULL;
}

bool node_wants(const struct node *n, int i)
{
	return i < n->nouts && *n->proto->output[i];
}

int node_give(struct node *n, int i, int value)
{
	if (value == VALUE_FAILED)
		return -1;
	if (i < n->nouts)
		n->outs[i] = value;
	return 0;
}

int node_give_fields(struct node *n, int value)
{
	for (int i = 0; i < n->nouts; i++)
		if (node_wants(n, i) && node_give(n, i, build_field(n->b, value, i)) < 0)
			return -1;
	return value == VALUE_FAILED ? -1 : 0;
}

/* --- reading one */

/* The operands' values. 1: all; 0: one of them failed before; -1 and a message. */
static int read_args(struct onnx_reader *r, const struct onnx_scope *s, struct node *n)
{
	int *args = arena_many(r->arena, int, n->proto->n_input);

	n->args = args;
	n->nargs = (int)n->proto->n_input;
	for (int i = 0; i < n->nargs; i++) {
		args[i] = scope_find(s, n->proto->input[i]);
		if (args[i] == VALUE_UNDEFINED)
			return err_set("operand '%.200s' is not defined before it (a cycle, or "
				       "nodes out of order)", n->proto->input[i]);
		if (args[i] == VALUE_FAILED)
			return 0;
	}
	while (n->nargs > 0 && args[n->nargs - 1] == VALUE_NONE)
		n->nargs--;
	return 1;
}

static int make(struct onnx_reader *r, struct node *n, enum node_domain domain)
{
	const char *key = arena_printf(r->scratch, "%s::%s",
				       domain == DOMAIN_ONNX ? "" : n->proto->domain, n->op);
	int own = names_get(&r->functions, key, -1);

	if (own >= 0)
		return function_call(n, r->model->functions[own]);
	const struct normaliser *line = find(r, domain, n->op, n->opset);

	if (!line)
		return -1;
	int rc = line->same ? node_give(n, 0, build_call(n->b, line->same, n->nargs, n->args, NULL))
			    : line->make(n);

	return n->failed ? -1 : rc;
}

static int check_outputs(const struct node *n)
{
	for (int i = 0; i < n->nouts; i++)
		if (node_wants(n, i) && n->outs[i] == VALUE_NONE)
			return err_set("its output %d is not supported", i);
	return 0;
}

int node_read(struct onnx_reader *r, struct onnx_scope *s, const Onnx__NodeProto *p)
{
	enum node_domain domain = node_domain_find(p->domain);
	struct node n = {
		.b = s->builder, .reader = r, .scope = s, .proto = p,
		.op = p->op_type ? p->op_type : "",
		.opset = domain == DOMAIN_COUNT ? 0 : s->opset[domain],
		.nouts = (int)p->n_output,
	};
	const struct origin *origin = s->builder->origin;
	int before = problem_count(r);

	if (r->nodes_left-- <= 0) {
		r->nodes_left = 0;
		return err_set("more nodes than the file's size allows (functions that call "
			       "others many times?)");
	}
	n.outs = arena_many(r->scratch, int, n.nouts);
	for (int i = 0; i < n.nouts; i++)
		n.outs[i] = VALUE_NONE;
	s->builder->origin = origin_new(r->arena, arena_strdup(r->arena, p->name ? p->name : ""),
					(struct demand){ DEMAND_NONE, NULL });
	int rc = read_args(r, s, &n);

	if (rc > 0)
		rc = make(r, &n, domain) < 0 || check_outputs(&n) < 0 ? -1 : 1;
	s->builder->origin = origin;
	if (rc < 0 && problem_count(r) == before)
		problem_add(r, p, n.opset);
	for (int i = 0; i < n.nouts; i++)
		if (*p->output[i] &&
		    scope_define(r, s, p->output[i], rc > 0 ? n.outs[i] : VALUE_FAILED) < 0)
			return -1;
	return 0;
}
