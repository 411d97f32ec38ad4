/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/parse_type.c - types, and the extents in them. */
#include "base/err.h"
#include "graph/text/parse.h"

/* Types nest a few deep; expressions of extents are what te/ simplifies in no time. */
enum { MAX_NESTING = 32, MAX_FIELDS = 4096 };

int parse_token(struct scan *s, const char *token)
{
	return scan_token(s, token) ? 0 : scan_error(s, "expected '%s'", token);
}

char *parse_name(struct scan *s, struct arena *a)
{
	char *name = scan_name(s, a);

	return name ? name : scan_quoted(s, a);
}

/* --- extents */

/* An extent being read. */
struct dim_text {
	struct scan *s;
	struct graph *g;
	int depth;
};

static int sum(struct dim_text *t, struct dim *out);

/* min(x, y) or max(x, y) behind its name. */
static int extreme(struct dim_text *t, struct dim (*of)(struct arena *, struct dim, struct dim),
		   struct dim *out)
{
	struct dim x, y;

	if (sum(t, &x) < 0 || parse_token(t->s, ",") < 0 || sum(t, &y) < 0)
		return -1;
	*out = of(t->g->arena, x, y);
	return parse_token(t->s, ")");
}

static int symbol(struct dim_text *t, struct dim *out)
{
	struct scan at = *t->s;
	const char *name = parse_name(t->s, t->g->arena);

	if (!name)
		return scan_error(&at, "expected an extent: a number, a name or ?");
	if (strcmp(name, "min") == 0 && scan_token(t->s, "("))
		return extreme(t, dim_min, out);
	if (strcmp(name, "max") == 0 && scan_token(t->s, "("))
		return extreme(t, dim_max, out);
	*out = dim_expr(t->g->arena, expr_axis(t->g->arena, graph_symbol(t->g, name)));
	return 0;
}

static int factor(struct dim_text *t, struct dim *out)
{
	int64_t n;

	if (t->depth > MAX_NESTING)
		return scan_error(t->s, "an extent nested deeper than %d", MAX_NESTING);
	if (scan_int(t->s, &n)) {
		if (n < -GRAPH_MAX_DIM || n > GRAPH_MAX_DIM)
			return scan_error(t->s, "an extent beyond 2^40");
		*out = dim_of(t->g->arena, n);
		return 0;
	}
	if (scan_token(t->s, "-")) {
		struct dim x;

		t->depth++;
		int rc = factor(t, &x);

		t->depth--;
		*out = dim_sub(t->g->arena, dim_number(0), rc < 0 ? dim_unknown() : x);
		return rc;
	}
	if (scan_token(t->s, "("))
		return sum(t, out) < 0 ? -1 : parse_token(t->s, ")");
	return symbol(t, out);
}

static struct dim remainder_of(struct arena *a, struct dim x, struct dim y)
{
	return dim_sub(a, x, dim_mul(a, dim_div(a, x, y), y));
}

static int product(struct dim_text *t, struct dim *out)
{
	struct dim y;

	if (factor(t, out) < 0)
		return -1;
	for (;;) {
		struct dim (*op)(struct arena *, struct dim, struct dim) =
			scan_token(t->s, "*") ? dim_mul
			: scan_token(t->s, "/") ? dim_div
			: scan_token(t->s, "%") ? remainder_of : NULL;

		if (!op)
			return 0;
		if (factor(t, &y) < 0)
			return -1;
		*out = op(t->g->arena, *out, y);
	}
}

static int sum(struct dim_text *t, struct dim *out)
{
	struct dim y;
	int rc = product(t, out);

	for (t->depth++; rc == 0;) {
		bool plus = scan_token(t->s, "+");

		if (!plus && !scan_token(t->s, "-"))
			break;
		rc = product(t, &y);
		if (rc == 0)
			*out = plus ? dim_add(t->g->arena, *out, y) : dim_sub(t->g->arena, *out, y);
	}
	t->depth--;
	return rc;
}

int parse_dim(struct scan *s, struct graph *g, struct dim *out)
{
	struct dim_text t = { s, g, 0 };
	struct scan at = *s;
	int64_t v;

	if (scan_token(s, "?")) {
		*out = dim_unknown();
		return 0;
	}
	if (sum(&t, out) < 0)
		return -1;
	return dim_value(*out, &v) && v < 0 ? scan_error(&at, "an extent below 0") : 0;
}

/* --- types */

/* A type being read. */
struct type_text {
	struct scan *s;
	struct graph *g;
	int depth;
};

static const struct type *any_type(struct type_text *t);

static const struct type *tensor(struct type_text *t, enum element e)
{
	struct dim dims[GRAPH_MAX_RANK];
	int64_t known[GRAPH_MAX_RANK];
	int rank = 0, n = 0;

	if (scan_token(t->s, "...")) {
		rank = RANK_UNKNOWN;
		if (parse_token(t->s, "]") < 0)
			return NULL;
	}
	while (rank >= 0 && !scan_token(t->s, "]")) {
		if (rank > 0 && parse_token(t->s, ",") < 0)
			return NULL;
		if (rank == GRAPH_MAX_RANK) {
			scan_error(t->s, "more than %d dims", GRAPH_MAX_RANK);
			return NULL;
		}
		if (parse_dim(t->s, t->g, &dims[rank]) < 0)
			return NULL;
		n += dim_value(dims[rank++], &known[n]);
	}
	if (shape_count(n, known) < 0) {
		scan_error(t->s, "more elements than memory could hold");
		return NULL;
	}
	struct type *out = (struct type *)(uintptr_t)type_tensor(t->g->arena, e, rank, dims);

	if (scan_token(t->s, "@") && !(out->layout = parse_name(t->s, t->g->arena))) {
		scan_error(t->s, "expected the name of a layout");
		return NULL;
	}
	return out;
}

/* Types up to CLOSE, which may have a comma before it where there is one alone. */
static int fields(struct type_text *t, struct type_vec *out, bool *comma)
{
	*comma = false;
	while (!scan_token(t->s, ")")) {
		if (out->n > 0 && parse_token(t->s, ",") < 0)
			return -1;
		*comma = out->n > 0;
		if (out->n == 1 && scan_token(t->s, ")"))
			return 0;
		if (out->n == MAX_FIELDS)
			return scan_error(t->s, "more than %d types in a list", MAX_FIELDS);
		const struct type *field = any_type(t);

		if (!field)
			return -1;
		vec_push(t->g->arena, out, field);
	}
	return 0;
}

/* A tuple, or a type in parentheses. */
static const struct type *tuple(struct type_text *t)
{
	struct type_vec list = { 0 };
	bool comma;

	if (fields(t, &list, &comma) < 0)
		return NULL;
	return list.n == 1 && !comma ? list.at[0] : type_tuple(t->g->arena, list.n, list.at);
}

static const struct type *function_type(struct type_text *t)
{
	struct type_vec list = { 0 };
	const struct type *result;
	bool comma;

	if (parse_token(t->s, "(") < 0 || fields(t, &list, &comma) < 0 ||
	    parse_token(t->s, "->") < 0 || !(result = any_type(t)))
		return NULL;
	return type_function(t->g->arena, list.n, list.at, result);
}

static const struct type *sequence(struct type_text *t)
{
	const struct type *of = any_type(t);

	return of && parse_token(t->s, "]") == 0 ? type_sequence(t->g->arena, of) : NULL;
}

static const struct type *named(struct type_text *t)
{
	struct scan at = *t->s;
	const char *name = scan_name(t->s, t->g->arena);
	enum element e;

	if (name && strcmp(name, "fn") == 0)
		return function_type(t);
	if (!name || !element_parse(name, &e)) {
		scan_error(&at, "expected a type, such as f32[2, 3]");
		return NULL;
	}
	return parse_token(t->s, "[") < 0 ? NULL : tensor(t, e);
}

static const struct type *any_type(struct type_text *t)
{
	const struct type *type;

	if (t->depth == MAX_NESTING) {
		scan_error(t->s, "a type nested deeper than %d", MAX_NESTING);
		return NULL;
	}
	t->depth++;
	if (scan_token(t->s, "("))
		type = tuple(t);
	else if (scan_token(t->s, "["))
		type = sequence(t);
	else if (scan_token(t->s, "?"))
		type = *t->s->at == '[' && t->s->at++ ? tensor(t, ELEMENT_COUNT) : &type_unknown;
	else
		type = named(t);
	for (int n = 0; type && scan_token(t->s, "?"); n++) {
		if (n == MAX_NESTING) {
			scan_error(t->s, "a type nested deeper than %d", MAX_NESTING);
			return NULL;
		}
		type = type_optional(t->g->arena, type);
	}
	t->depth--;
	return type;
}

const struct type *parse_type(struct scan *s, struct graph *g)
{
	struct type_text t = { s, g, 0 };

	return any_type(&t);
}

const struct type *type_parse(struct graph *g, const char *file, const char *text)
{
	struct scan s = scan_text(file, text);
	const struct type *t = parse_type(&s, g);

	if (t && !scan_at_end(&s)) {
		scan_error(&s, "expected nothing behind the type");
		return NULL;
	}
	return t;
}
