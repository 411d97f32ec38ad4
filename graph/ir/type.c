/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/type.c - making, comparing and printing types. */
#include "graph/ir/type.h"

#include <assert.h>

const struct type type_unknown = { .kind = TYPE_UNKNOWN, .element = ELEMENT_COUNT,
				   .rank = RANK_UNKNOWN };

static struct type *make(struct arena *a, enum type_kind kind)
{
	struct type *t = arena_one(a, struct type);

	*t = type_unknown;
	t->kind = kind;
	return t;
}

const struct type *type_tensor(struct arena *a, enum element e, int rank, const struct dim *dim)
{
	struct type *t = make(a, TYPE_TENSOR);

	assert(rank <= GRAPH_MAX_RANK);
	t->element = e;
	t->rank = rank;
	if (rank > 0)
		t->dim = arena_memdup(a, dim, (size_t)rank * sizeof(*dim));
	return t;
}

const struct type *type_shaped(struct arena *a, enum element e, int rank, const int64_t *dim)
{
	struct dim dims[GRAPH_MAX_RANK];

	for (int i = 0; i < rank; i++)
		dims[i] = dim_number(dim[i]);
	return type_tensor(a, e, rank, dims);
}

const struct type *type_unranked(struct arena *a, enum element e)
{
	return type_tensor(a, e, RANK_UNKNOWN, NULL);
}

static const struct type *with_fields(struct arena *a, enum type_kind kind, int n,
				      const struct type *const *fields)
{
	struct type *t = make(a, kind);

	t->nfields = n;
	t->field = arena_memdup(a, fields, (size_t)n * sizeof(*fields));
	return t;
}

const struct type *type_tuple(struct arena *a, int n, const struct type *const *fields)
{
	return with_fields(a, TYPE_TUPLE, n, fields);
}

const struct type *type_sequence(struct arena *a, const struct type *of)
{
	return with_fields(a, TYPE_SEQUENCE, 1, &of);
}

const struct type *type_optional(struct arena *a, const struct type *of)
{
	return with_fields(a, TYPE_OPTIONAL, 1, &of);
}

const struct type *type_function(struct arena *a, int n, const struct type *const *params,
				 const struct type *result)
{
	struct type *t = (struct type *)(uintptr_t)with_fields(a, TYPE_FUNCTION, n, params);

	t->result = result;
	return t;
}

const struct type *type_of_array(struct arena *a, const struct array *x)
{
	return type_shaped(a, x->element, x->rank, x->dim);
}

bool type_is_tensor(const struct type *t)
{
	return t->kind == TYPE_TENSOR;
}

bool type_is_ranked(const struct type *t)
{
	return t->kind == TYPE_TENSOR && t->rank != RANK_UNKNOWN;
}

bool type_is_static(const struct type *t)
{
	int64_t dim[GRAPH_MAX_RANK];

	return t->element != ELEMENT_COUNT && type_shape(t, dim);
}

bool type_shape(const struct type *t, int64_t *dim)
{
	if (!type_is_ranked(t))
		return false;
	for (int i = 0; i < t->rank; i++) {
		if (!dim_is_number(t->dim[i]))
			return false;
		dim[i] = t->dim[i].n;
	}
	return true;
}

int64_t type_count(const struct type *t)
{
	int64_t dim[GRAPH_MAX_RANK];

	return type_is_static(t) && type_shape(t, dim) ? shape_count(t->rank, dim) : -1;
}

int64_t type_bytes(const struct type *t)
{
	int64_t count = type_count(t);

	return count < 0 ? -1 : count * (int64_t)element_bytes(t->element);
}

int type_parts(const struct type *t, int most)
{
	int n = 1;

	for (int i = 0; i < t->nfields && n < most; i++)
		n += type_parts(t->field[i], most - n);
	if (t->result && n < most)
		n += type_parts(t->result, most - n);
	return n < most ? n : most;
}

static bool same_text(const char *x, const char *y)
{
	return x == y || (x && y && strcmp(x, y) == 0);
}

static bool same_fields(const struct type *x, const struct type *y,
			bool (*same)(const struct type *, const struct type *))
{
	if (x->nfields != y->nfields)
		return false;
	for (int i = 0; i < x->nfields; i++)
		if (!same(x->field[i], y->field[i]))
			return false;
	return !x->result == !y->result && (!x->result || same(x->result, y->result));
}

bool type_equal(const struct type *x, const struct type *y)
{
	if (x == y)
		return true;
	if (x->kind != y->kind || x->element != y->element || x->rank != y->rank ||
	    !same_text(x->layout, y->layout))
		return false;
	for (int i = 0; i < x->rank; i++)
		if (!dim_equal(x->dim[i], y->dim[i]) &&
		    (x->dim[i].n >= 0 || y->dim[i].n >= 0 || x->dim[i].expr || y->dim[i].expr))
			return false;
	return same_fields(x, y, type_equal);
}

bool type_fits(const struct type *given, const struct type *wanted)
{
	if (given == wanted || given->kind == TYPE_UNKNOWN || wanted->kind == TYPE_UNKNOWN)
		return true;
	if (wanted->kind == TYPE_OPTIONAL && given->kind != TYPE_OPTIONAL)
		return type_fits(given, wanted->field[0]);
	if (given->kind != wanted->kind)
		return false;
	if (given->kind != TYPE_TENSOR)
		return same_fields(given, wanted, type_fits);
	if (given->element != wanted->element && given->element != ELEMENT_COUNT &&
	    wanted->element != ELEMENT_COUNT)
		return false;
	if (given->rank == RANK_UNKNOWN || wanted->rank == RANK_UNKNOWN)
		return true;
	if (given->rank != wanted->rank)
		return false;
	for (int i = 0; i < given->rank; i++)
		if (given->dim[i].n >= 0 && wanted->dim[i].n >= 0 &&
		    given->dim[i].n != wanted->dim[i].n)
			return false;
	return true;
}

/* X and Y field by field through COMBINE; NULL where a field gives it. */
static const struct type *combine_fields(struct arena *a, const struct type *x,
					 const struct type *y,
					 const struct type *(*combine)(struct arena *,
								       const struct type *,
								       const struct type *))
{
	const struct type **fields = arena_many(a, const struct type *, x->nfields);
	struct type *t = make(a, x->kind);

	for (int i = 0; i < x->nfields; i++)
		if (!(fields[i] = combine(a, x->field[i], y->field[i])))
			return NULL;
	t->nfields = x->nfields;
	t->field = fields;
	t->result = x->result;
	return x->result && !(t->result = combine(a, x->result, y->result)) ? NULL : t;
}

const struct type *type_join(struct arena *a, const struct type *x, const struct type *y)
{
	struct dim dims[GRAPH_MAX_RANK];

	if (type_equal(x, y))
		return x;
	if (x->kind != y->kind || x->nfields != y->nfields || !x->result != !y->result)
		return &type_unknown;
	if (x->kind != TYPE_TENSOR)
		return combine_fields(a, x, y, type_join);
	enum element e = x->element == y->element ? x->element : ELEMENT_COUNT;

	if (x->rank != y->rank || x->rank == RANK_UNKNOWN)
		return type_unranked(a, e);
	for (int i = 0; i < x->rank; i++)
		dims[i] = dim_equal(x->dim[i], y->dim[i]) ? x->dim[i] : dim_unknown();
	return type_tensor(a, e, x->rank, dims);
}

const struct type *type_meet(struct arena *a, const struct type *x, const struct type *y)
{
	struct dim dims[GRAPH_MAX_RANK];

	if (x == y || y->kind == TYPE_UNKNOWN)
		return x;
	if (x->kind == TYPE_UNKNOWN)
		return y;
	if (!type_fits(x, y))
		return NULL;
	if (x->kind != TYPE_TENSOR)
		return combine_fields(a, x, y, type_meet);
	enum element e = x->element != ELEMENT_COUNT ? x->element : y->element;

	if (x->rank == RANK_UNKNOWN || y->rank == RANK_UNKNOWN) {
		const struct type *ranked = x->rank == RANK_UNKNOWN ? y : x;

		return type_tensor(a, e, ranked->rank, ranked->dim);
	}
	for (int i = 0; i < x->rank; i++)
		dims[i] = x->dim[i].n >= 0 || (x->dim[i].expr && y->dim[i].n < 0) ? x->dim[i]
										 : y->dim[i];
	return type_tensor(a, e, x->rank, dims);
}

const struct type *type_substitute(struct arena *a, const struct type *t, const struct axis *s,
				   struct dim to)
{
	struct type *out = make(a, t->kind);
	const struct type **fields = arena_many(a, const struct type *, t->nfields);
	struct dim *dims = arena_many(a, struct dim, t->rank > 0 ? t->rank : 0);

	*out = *t;
	for (int i = 0; i < t->rank; i++)
		dims[i] = dim_substitute(a, t->dim[i], s, to);
	for (int i = 0; i < t->nfields; i++)
		fields[i] = type_substitute(a, t->field[i], s, to);
	out->dim = dims;
	out->field = fields;
	if (t->result)
		out->result = type_substitute(a, t->result, s, to);
	return out;
}

static void print_list(struct text *out, const struct type *t)
{
	text_puts(out, "(");
	for (int i = 0; i < t->nfields; i++) {
		text_puts(out, i ? ", " : "");
		type_print(out, t->field[i]);
	}
	text_puts(out, t->kind == TYPE_TUPLE && t->nfields == 1 ? ",)" : ")");
}

void type_print(struct text *out, const struct type *t)
{
	switch (t->kind) {
	case TYPE_UNKNOWN:
		text_puts(out, "?");
		return;
	case TYPE_TENSOR:
		text_puts(out, element_name(t->element));
		text_puts(out, t->rank == RANK_UNKNOWN ? "[...]" : "[");
		for (int i = 0; i < t->rank; i++) {
			text_puts(out, i ? ", " : "");
			dim_print(out, t->dim[i]);
		}
		text_puts(out, t->rank == RANK_UNKNOWN ? "" : "]");
		if (t->layout) {
			text_puts(out, "@");
			text_name(out, t->layout);
		}
		return;
	case TYPE_TUPLE:
		print_list(out, t);
		return;
	case TYPE_SEQUENCE:
		text_puts(out, "[");
		type_print(out, t->field[0]);
		text_puts(out, "]");
		return;
	case TYPE_OPTIONAL: {
		bool bare = t->field[0]->kind != TYPE_FUNCTION;

		text_puts(out, bare ? "" : "(");
		type_print(out, t->field[0]);
		text_puts(out, bare ? "?" : ")?");
		return;
	}
	case TYPE_FUNCTION:
		text_puts(out, "fn");
		print_list(out, t);
		text_puts(out, " -> ");
		type_print(out, t->result);
		return;
	}
}

const char *type_string(struct arena *a, const struct type *t)
{
	struct text out = { 0 };

	type_print(&out, t);
	const char *s = arena_strdup(a, text_str(&out));

	text_free(&out);
	return s;
}
