/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/express.c - what the operators' tensor expressions share. */
#include "graph/op/express.h"

#include "base/err.h"
#include "te/ops/build.h"

struct op *express_error(const struct express *x, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	call_error(x->call, fmt, ap);
	va_end(ap);
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

const int64_t *express_ints(const struct express *x, int i, int *n)
{
	const struct array *c = i < x->call->nargs ? x->consts[i] : NULL;

	if (!c || c->count > INT32_MAX) {
		express_error(x, "operand %d is no constant", i);
		return NULL;
	}
	int64_t *out = arena_many(x->dag->arena, int64_t, c->count + 1);

	element_get_i64(c->element, c->data, 0, c->count, out);
	*n = (int)c->count;
	return out;
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

struct op *express_map(const struct express *x, const char *name,
		       const struct expr *(*read)(const struct express *x,
						  const struct expr *const *axes))
{
	static const char *const names[GRAPH_MAX_RANK] = { "i", "j", "k", "l", "m", "n", "o", "p" };
	int64_t dim[GRAPH_MAX_RANK];
	struct axis *axes[GRAPH_MAX_RANK];
	const struct expr *at[GRAPH_MAX_RANK];
	int rank = express_result(x, dim);

	if (express_dtype(x) == DTYPE_COUNT || shape_count(rank, dim) < 1)
		return express_error(x, "no kernel computes such a type");
	for (int i = 0; i < rank; i++) {
		axes[i] = dag_axis(x->dag, names[i], dim[i]);
		at[i] = axis_expr(x->dag, axes[i]);
	}
	const struct expr *body = read(x, at);

	return body ? build_map(x->dag, name, axes, rank, body) : NULL;
}

const struct expr *express_load(const struct express *x, int i, const struct expr *const *index)
{
	if (x->ops[i])
		return read_at(x->dag, x->ops[i], index);
	express_error(x, "operand %d is no operand of a kernel", i);
	return NULL;
}

/* The index of each axis [0, n) of FROM, where PLACE is that in all of them together. */
static void split_place(struct arena *a, const struct expr *place, int n, const int64_t *from,
			const struct expr **index)
{
	for (int i = n - 1; i >= 0; i--) {
		const struct expr *extent = expr_int(a, from[i]);

		index[i] = i == 0 ? place : expr_binary(a, EXPR_MOD, place, extent);
		place = expr_binary(a, EXPR_DIV, place, extent);
	}
}

/* Axes of both shapes are taken together from the front until they hold the same number of elements,
 * so that axes that stay do so also in the indices. */
static const struct expr *read_reshaped(const struct express *x, const struct expr *const *axes)
{
	struct arena *a = x->dag->arena;
	const struct expr *index[GRAPH_MAX_RANK];
	int64_t from[GRAPH_MAX_RANK], to[GRAPH_MAX_RANK];
	int nfrom = express_shape(x, 0, from), nto = express_result(x, to);

	for (int i = 0, j = 0; i < nfrom;) {
		int64_t have = from[i], got = 1;
		const struct expr *place = expr_int(a, 0);
		int first = i++;

		while (j < nto && (got < have || to[j] == 1)) {
			place = expr_add(a, expr_mul(a, place, to[j]), axes[j]);
			got *= to[j++];
			while (have < got)
				have *= from[i++];
		}
		while (i < nfrom && j == nto)
			i++;
		split_place(a, place, i - first, from + first, index + first);
	}
	return express_load(x, 0, index);
}

struct op *express_reshape(struct express *x)
{
	return express_map(x, "reshape", read_reshaped);
}
