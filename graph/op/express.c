/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/express.c - what the operators' tensor expressions share. */
#include "graph/op/express.h"

#include "base/err.h"

struct op *express_error(const struct express *x, const char *fmt, ...)
{
	struct text message = { 0 };
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(&message, fmt, ap);
	va_end(ap);
	err_set("%s: %s", x->call->op->name, text_str(&message));
	text_free(&message);
	return NULL;
}

bool express_scalar(const struct express *x, int i, double *v)
{
	const struct array *c = i < x->call->nargs ? x->consts[i] : NULL;

	if (!c || c->count != 1)
		return false;
	*v = array_float(c, 0);
	return element_is_float(c->element) || (*v < 0x1p53 && *v > -0x1p53);
}

struct op *express_view(struct express *x, int i, int rank, const int64_t *dim)
{
	const struct op *of = x->ops[i];

	if (!of || of->kind == OP_COMPUTE)
		return express_error(x, "operand %d is computed by the kernel itself", i);
	struct op *view = dag_input(x->dag, of->tensor.name, of->tensor.dtype, rank, dim,
				    of->kind == OP_CONST);

	if (x->views)
		x->views[i] = view;
	return view;
}

struct op *express_channels(struct express *x, int i, int j)
{
	const struct type *v = x->types[i], *data = x->types[j];
	int channel = v->rank - (data->rank - 1);	/* of v, where the data has it in dim 1 */

	if (!x->ops[i] || x->ops[i]->kind != OP_CONST || data->rank < 2 || channel < 0 ||
	    channel > 1 || channel >= v->rank || type_count(v) < 2 ||
	    v->dim[channel].n != type_count(v) || v->dim[channel].n != data->dim[1].n)
		return NULL;
	return express_view(x, i, 1, &v->dim[channel].n);
}

int express_shape(const struct express *x, int i, int64_t *dim)
{
	type_shape(x->types[i], dim);
	return x->types[i]->rank;
}

int express_result(const struct express *x, int64_t *dim)
{
	type_shape(x->call->type, dim);
	return x->call->type->rank;
}

enum dtype express_dtype(const struct express *x)
{
	return element_dtype(x->call->type->element);
}
