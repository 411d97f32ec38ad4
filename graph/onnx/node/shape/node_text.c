/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/shape/node_text.c - strings, and counts of what occurs in sequences of them. */
#include "graph/onnx/compose.h"

int node_string_split(struct node *n)
{
	struct attr_vec attrs = { 0 };

	attrs_string(n->b->arena, &attrs, "delimiter", node_string(n, "delimiter", ""));
	if (node_has_attr(n, "maxsplit"))
		attrs_int(n->b->arena, &attrs, "max", node_int(n, "maxsplit", 0));
	return node_give_fields(n, build_with(n->b, &core_string_split, &attrs, node_arg(n, 0)));
}

static const char *lower(struct arena *a, const char *s)
{
	char *copy = arena_strdup(a, s);

	for (char *p = copy; *p; p++)
		*p = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
	return copy;
}

int node_string_normalizer(struct node *n)
{
	struct arena *a = n->b->arena;
	struct attr_vec attrs = { 0 };
	int count;
	const char *const *words = node_strings(n, "stopwords", &count);
	const char *joined = count ? words[0] : "";

	for (int i = 1; i < count; i++)
		joined = arena_printf(a, "%s\n%s", joined, words[i]);
	attrs_string(a, &attrs, "case", lower(a, node_string(n, "case_change_action", "NONE")));
	attrs_int(a, &attrs, "case_sensitive", node_int(n, "is_case_sensitive", 0));
	attrs_string(a, &attrs, "stopwords", joined);
	attrs_string(a, &attrs, "locale", node_string(n, "locale", ""));
	return node_give(n, 0, build_with(n->b, &core_string_normalize, &attrs, node_arg(n, 0)));
}

int node_regex_full_match(struct node *n)
{
	const struct attr_vec *pattern =
		with_string(n->b, "pattern", node_string(n, "pattern", ""));

	return node_give(n, 0, build_with(n->b, &core_regex_match, pattern, node_arg(n, 0)));
}

/* --- TfIdfVectorizer */

struct grams {
	struct node *node;
	int x;			/* [..., length] */
	int pool;		/* all grams of all lengths, one after the other */
	int64_t columns;	/* of the result */
};

/* The grams, integers or strings, as a constant; VALUE_NONE where there is none. */
static int pool(struct node *n)
{
	int count;
	const int64_t *ints = node_ints(n, "pool_int64s", &count);

	if (count)
		return build_ints(n->b, count, ints);
	const char *const *strings = node_strings(n, "pool_strings", &count);
	struct array *x = array_in(n->b->arena, ELEMENT_STRING, 1, &(int64_t){ count });

	if (count)
		memcpy(x->data, strings, (size_t)count * sizeof(*strings));
	return count ? build_const(n->b, x) : VALUE_NONE;
}

/* How often each of COUNT grams of LENGTH, which begin at FIRST in the pool, occurs in x where SKIP
 * elements lie between two of its own: i64[..., count]. */
static int occurrences(const struct grams *g, int64_t first, int64_t count, int64_t length,
		       int64_t skip)
{
	struct builder *b = g->node->b;
	int grams = compose_reshape(b, compose_slice(b, g->pool, 0, first, first + count * length),
				    INTS(count, length));
	int span = build_int(b, (length - 1) * (skip + 1));
	int starts = build(b, &core_sub, compose_extent(b, g->x, -1), span);
	int places = compose_unsqueeze(b, compose_iota(b, starts), 1);
	int steps = build(b, &core_mul, compose_iota(b, build_int(b, length)),
			  build_int(b, skip + 1));
	int windows = compose_gather(b, g->x, -1, build(b, &core_add, places, steps));
	/* [..., starts, 1, length] beside [count, length] */
	int same = build(b, &core_equal, compose_unsqueeze(b, windows, -2), grams);
	int whole = compose_reduce(b, &core_reduce_min, compose_cast(b, same, ELEMENT_I64),
				   INTS(-1), false);

	return compose_reduce(b, &core_reduce_sum, whole, INTS(-2), false);
}

/* COUNTS [..., count] of the grams from number FIRST on in their columns of the result. */
static int in_columns(const struct grams *g, int counts, int first, int count)
{
	struct builder *b = g->node->b;
	int n;
	const int64_t *column = node_ints(g->node, "ngram_indexes", &n);
	struct array *map = array_in(b->arena, ELEMENT_F32, 2, (int64_t[]){ count, g->columns });

	for (int i = 0; i < count; i++)
		((float *)map->data)[i * g->columns + column[first + i]] = 1;
	return build(b, &core_matmul, compose_cast(b, counts, ELEMENT_F32), build_const(b, map));
}

/* Counts by column, for grams of all lengths and skips that the node wants; VALUE_NONE: no gram. */
static int count_all(struct grams *g, const int64_t *starts, int nstarts, int64_t ngrams)
{
	struct node *n = g->node;
	int64_t least = node_int(n, "min_gram_length", 1), most = node_int(n, "max_gram_length", 1);
	int64_t skips = node_int(n, "max_skip_count", 0), seen = 0;
	int64_t all = type_count(build_type(n->b, g->pool));
	int y = VALUE_NONE;

	for (int i = 0; i < nstarts; i++) {
		int64_t end = i + 1 < nstarts ? starts[i + 1] : all, length = i + 1;
		int64_t count = (end - starts[i]) / length;

		if (starts[i] < 0 || end < starts[i] || end > all || seen + count > ngrams) {
			node_error(n, "ngram_counts do not fit the pool");
			return VALUE_FAILED;
		}
		for (int64_t skip = 0; count && length >= least && length <= most &&
				       skip <= (length > 1 ? skips : 0); skip++) {
			int found = in_columns(g, occurrences(g, starts[i], count, length, skip),
					       (int)seen, (int)count);

			y = y == VALUE_NONE ? found : build(n->b, &core_add, y, found);
		}
		seen += count;
	}
	return y;
}

/* What each column's count is worth. */
static int column_weights(const struct grams *g, const int64_t *column, int n)
{
	struct builder *b = g->node->b;
	int count;
	const double *weight = node_floats(g->node, "weights", &count);
	struct array *x = array_in(b->arena, ELEMENT_F32, 1, &g->columns);

	for (int i = 0; i < n; i++)
		((float *)x->data)[column[i]] = i < count ? (float)weight[i] : 1;
	return build_const(b, x);
}

int node_tf_idf_vectorizer(struct node *n)
{
	struct builder *b = n->b;
	struct grams g = { .node = n, .x = node_arg(n, 0), .pool = pool(n) };
	const char *mode = node_string(n, "mode", "TF");
	int nstarts, ncolumns;
	const int64_t *starts = node_ints(n, "ngram_counts", &nstarts);
	const int64_t *column = node_ints(n, "ngram_indexes", &ncolumns);

	for (int i = 0; i < ncolumns; i++) {
		if (column[i] < 0 || column[i] >= INT32_MAX)
			return node_error(n, "ngram_indexes has %lld", (long long)column[i]);
		if (column[i] >= g.columns)
			g.columns = column[i] + 1;
	}
	if (g.pool == VALUE_NONE || !ncolumns)
		return node_error(n, "it has no pool of grams");
	if (compose_element(b, g.pool) == ELEMENT_I64)
		g.x = compose_cast(b, g.x, ELEMENT_I64);
	int y = count_all(&g, starts, nstarts, ncolumns);

	if (y == VALUE_NONE)
		return node_error(n, "its pool has no gram of the lengths that it wants");
	if (strcmp(mode, "IDF") == 0)
		y = compose_with_number(b, &core_min, y, 1);
	if (strcmp(mode, "TF") != 0)
		y = build(b, &core_mul, y, column_weights(&g, column, ncolumns));
	return node_give(n, 0, y);
}
