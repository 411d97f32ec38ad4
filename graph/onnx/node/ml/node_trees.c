/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/ml/node_trees.c - ensembles of trees of ai.onnx.ml, as version 5 has them and as the
 * versions before it. */
#include <math.h>

#include "graph/ir/names.h"
#include "graph/onnx/node/ml/forest.h"
#include "graph/onnx/node/ml/scores.h"

/* A list of integers of at least N; NULL and a message. Where it may be left out: zeros. */
static const int64_t *list(struct node *n, const char *name, int64_t want, bool needed)
{
	int count;
	const int64_t *found = node_ints(n, name, &count);

	if (!count && !needed)
		return arena_many(n->b->arena, int64_t, want);
	if (count >= want)
		return found;
	node_error(n, "%s has %d elements of %lld", name, count, (long long)want);
	return NULL;
}

/* The floats of the node's list NAME, or of its tensor NAME or NAME_as_tensor; NULL where there is
 * none of N elements. */
static const double *floats(struct node *n, const char *name, int64_t want)
{
	struct arena *a = n->b->arena;
	const char *doubled = arena_printf(a, "%s_as_tensor", name);
	const struct array *x = NULL;
	int count;

	if (node_has_attr(n, doubled))
		x = node_tensor(n, doubled);
	else if (strcmp(n->op, "TreeEnsemble") == 0)
		x = node_tensor(n, name);
	if (x && x->element != ELEMENT_STRING && x->count >= want) {
		double *all = arena_many(a, double, x->count + 1);

		element_get_f64(x->element, array_aligned(x)->data, 0, x->count, all);
		return all;
	}
	if (x || strcmp(n->op, "TreeEnsemble") == 0)
		return NULL;
	const double *found = node_floats(n, name, &count);

	return count && count >= want ? found : NULL;
}

/* Adds WEIGHT to what NODE of F votes for TARGET. -1 and a message. */
static int vote(struct node *n, struct forest *f, int64_t node, int64_t target, double weight)
{
	if (target < 0 || target >= f->targets)
		return node_error(n, "target %lld of %lld", (long long)target,
				  (long long)f->targets);
	f->vote[node * f->targets + target] += weight;
	f->votes[node * f->targets + target] = 1;
	return 0;
}

static void make_leaf(struct forest *f, int64_t node)
{
	f->mode[node] = BRANCH_LEAF;
	f->yes[node] = f->no[node] = node;
}

/* --- version 5: leaves are apart from nodes; here they stand behind them */

/* The sets of nodes that ask for membership, one after the other, each with a NaN behind it: their
 * elements into the forest's table, or where it is NULL the size of the largest. */
static int64_t read_sets(const double *all, int64_t count, const int64_t *mode, int64_t nodes,
			 struct forest *f)
{
	int64_t largest = 0, at = 0;

	for (int64_t i = 0; i < nodes; i++) {
		int64_t size = 0;

		if (mode[i] != BRANCH_MEMBER)
			continue;
		for (; at < count && !isnan(all[at]); at++, size++)
			if (f)
				f->set[i * f->members + size] = all[at];
		at++;
		largest = size > largest ? size : largest;
	}
	return largest;
}

/* Where a way leads that the standard gives as a leaf's or a node's number. */
static int64_t way(int64_t to, int64_t is_leaf, int64_t nodes)
{
	return is_leaf ? to + nodes : to;
}

static struct forest *read_ensemble(struct node *n)
{
	const struct array *modes = node_tensor(n, "nodes_modes");
	const struct array *sets = node_has_attr(n, "membership_values")
					   ? node_tensor(n, "membership_values") : NULL;
	int trees, leaves;
	const int64_t *roots = node_ints(n, "tree_roots", &trees);
	const int64_t *targets = node_ints(n, "leaf_targetids", &leaves);
	const double *weights = floats(n, "leaf_weights", leaves);

	if (!modes || !weights || modes->element == ELEMENT_STRING) {
		node_error(n, "nodes_modes or leaf_weights is not what it should be");
		return NULL;
	}
	int64_t nodes = modes->count;
	int64_t *mode = arena_many(n->b->arena, int64_t, nodes + 1);
	const double *split = floats(n, "nodes_splits", nodes);
	const int64_t *feature = list(n, "nodes_featureids", nodes, true);
	const int64_t *yes = list(n, "nodes_truenodeids", nodes, true);
	const int64_t *no = list(n, "nodes_falsenodeids", nodes, true);
	const int64_t *yes_leaf = list(n, "nodes_trueleafs", nodes, true);
	const int64_t *no_leaf = list(n, "nodes_falseleafs", nodes, true);
	const int64_t *missing = list(n, "nodes_missing_value_tracks_true", nodes, false);

	if (!split || !feature || !yes || !no || !yes_leaf || !no_leaf || !missing)
		return NULL;
	element_get_i64(modes->element, modes->data, 0, nodes, mode);
	const double *members = sets ? floats(n, "membership_values", sets->count) : NULL;
	int64_t nmembers = members ? sets->count : 0;
	struct forest *f = forest_new(n->b->arena, nodes + leaves, trees,
				      node_int(n, "n_targets", 1),
				      read_sets(members, nmembers, mode, nodes, NULL));

	if (!f)
		return NULL;
	for (int64_t i = 0; i < nodes; i++) {
		if (mode[i] < 0 || mode[i] >= BRANCH_LEAF) {
			node_error(n, "node %lld asks %lld", (long long)i, (long long)mode[i]);
			return NULL;
		}
		f->feature[i] = feature[i];
		f->split[i] = split[i];
		f->mode[i] = mode[i];
		f->missing[i] = missing[i] != 0;
		f->yes[i] = way(yes[i], yes_leaf[i], nodes);
		f->no[i] = way(no[i], no_leaf[i], nodes);
	}
	read_sets(members, nmembers, mode, nodes, f);
	for (int i = 0; i < leaves; i++) {
		make_leaf(f, nodes + i);
		if (vote(n, f, nodes + i, targets[i], weights[i]) < 0)
			return NULL;
	}
	memcpy(f->root, roots, (size_t)trees * sizeof(*roots));
	return f;
}

int node_tree_ensemble(struct node *n)
{
	static const char *const transforms[] = { "NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO",
						  "PROBIT" };
	struct builder *b = n->b;
	int64_t how = node_int(n, "aggregate_function", GATHERED_SUM);
	int64_t transform = node_int(n, "post_transform", 0);
	struct forest *f = read_ensemble(n);

	if (!f)
		return -1;
	if (how < 0 || how > GATHERED_MAX || transform < 0 || transform >= ARRAY_LEN(transforms))
		return node_error(n, "aggregate_function %lld, post_transform %lld",
				  (long long)how, (long long)transform);
	int y = forest_votes(b, f, node_arg(n, 0), (enum gathered)how);

	y = scores_transformed(b, y, transforms[transform]);
	return node_give(n, 0, compose_cast_like(b, y, node_arg(n, 0)));
}

/* --- before: nodes go by numbers of their tree's, leaves are among them, modes are words */

struct numbered {
	struct node *node;
	const int64_t *tree, *number;	/* of each node */
	struct names places;		/* "tree:number" to index */
};

/* The index of a node; -1 and a message where there is none. */
static int64_t place(struct numbered *x, int64_t tree, int64_t number)
{
	const char *key = arena_printf(x->node->b->arena, "%lld:%lld", (long long)tree,
				       (long long)number);
	int at = names_get(&x->places, key, -1);

	if (at < 0)
		node_error(x->node, "tree %lld has no node %lld", (long long)tree,
			   (long long)number);
	return at;
}

static enum branch mode_of(const char *word)
{
	static const char *const words[] = {
		"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ",
		"BRANCH_MEMBER", "LEAF",
	};
	int i = 0;

	while (i < ARRAY_LEN(words) && strcmp(word, words[i]) != 0)
		i++;
	return (enum branch)i;
}

/* The nodes in order, and the first of each tree as its root: their places, and how many trees. */
static int index_nodes(struct numbered *x, int64_t nodes, int64_t *roots)
{
	struct arena *a = x->node->b->arena;
	int trees = 0;

	for (int64_t i = 0; i < nodes; i++) {
		names_add(a, &x->places, arena_printf(a, "%lld:%lld", (long long)x->tree[i],
						      (long long)x->number[i]), (int)i);
		if (i == 0 || x->tree[i] != x->tree[i - 1])
			roots[trees++] = i;
	}
	return trees;
}

static int read_node(struct numbered *x, struct forest *f, int64_t i, const char *word,
		     int64_t yes, int64_t no)
{
	f->mode[i] = mode_of(word);
	if (f->mode[i] == BRANCH_LEAF) {
		make_leaf(f, i);
		return 0;
	}
	if (f->mode[i] == BRANCH_COUNT || f->mode[i] == BRANCH_MEMBER)
		return node_error(x->node, "mode '%.50s' of a node", word);
	f->yes[i] = place(x, x->tree[i], yes);
	f->no[i] = place(x, x->tree[i], no);
	return f->yes[i] < 0 || f->no[i] < 0 ? -1 : 0;
}

/* Votes are in lists that begin with PREFIX. */
static int read_votes(struct numbered *x, struct forest *f, const char *prefix)
{
	struct node *n = x->node;
	struct arena *a = n->b->arena;
	int count;
	const int64_t *target = node_ints(n, arena_printf(a, "%s_ids", prefix), &count);
	const int64_t *tree = list(n, arena_printf(a, "%s_treeids", prefix), count, true);
	const int64_t *number = list(n, arena_printf(a, "%s_nodeids", prefix), count, true);
	const double *weight = floats(n, arena_printf(a, "%s_weights", prefix), count);

	if (!tree || !number || !weight)
		return node_error(n, "its lists of votes are not of one length");
	for (int i = 0; i < count; i++) {
		int64_t at = place(x, tree[i], number[i]);

		if (at < 0 || vote(n, f, at, target[i], weight[i]) < 0)
			return -1;
	}
	return 0;
}

static struct forest *read_numbered(struct node *n, const char *prefix, int64_t targets)
{
	struct arena *a = n->b->arena;
	struct numbered x = { .node = n };
	int nodes;
	const char *const *words = node_strings(n, "nodes_modes", &nodes);
	const int64_t *feature = list(n, "nodes_featureids", nodes, true);
	const int64_t *yes = list(n, "nodes_truenodeids", nodes, true);
	const int64_t *no = list(n, "nodes_falsenodeids", nodes, true);
	const int64_t *missing = list(n, "nodes_missing_value_tracks_true", nodes, false);
	const double *split = floats(n, "nodes_values", nodes);
	int64_t *roots = arena_many(a, int64_t, nodes + 1);

	x.tree = list(n, "nodes_treeids", nodes, true);
	x.number = list(n, "nodes_nodeids", nodes, true);
	if (!feature || !yes || !no || !missing || !split || !x.tree || !x.number) {
		node_error(n, "its lists of nodes are not of one length");
		return NULL;
	}
	int trees = index_nodes(&x, nodes, roots);
	struct forest *f = forest_new(a, nodes, trees, targets, 0);

	if (!f)
		return NULL;
	memcpy(f->root, roots, (size_t)trees * sizeof(*roots));
	for (int64_t i = 0; i < nodes; i++) {
		f->feature[i] = feature[i];
		f->split[i] = split[i];
		f->missing[i] = missing[i] != 0;
		if (read_node(&x, f, i, words[i], yes[i], no[i]) < 0)
			return NULL;
	}
	return read_votes(&x, f, prefix) < 0 ? NULL : f;
}

/* VOTES with the node's base values added. */
static int with_base(struct node *n, int votes, int64_t targets)
{
	struct builder *b = n->b;
	const double *base = floats(n, "base_values", targets);

	if (!base)
		return votes;
	return build(b, &core_add, votes,
		     build_const(b, array_around(b->arena, ELEMENT_F64, 1, &targets, base)));
}

int node_tree_ensemble_regressor(struct node *n)
{
	static const char *const ways[] = { "AVERAGE", "SUM", "MIN", "MAX" };
	struct builder *b = n->b;
	const char *way = node_string(n, "aggregate_function", "SUM");
	int64_t targets = node_int(n, "n_targets", 1);
	struct forest *f = read_numbered(n, "target", targets);
	int how = 0;

	while (how < ARRAY_LEN(ways) && strcmp(way, ways[how]) != 0)
		how++;
	if (!f || how == ARRAY_LEN(ways))
		return f ? node_error(n, "aggregate_function '%.50s'", way) : -1;
	int y = with_base(n, forest_votes(b, f, node_arg(n, 0), (enum gathered)how), targets);

	return node_give(n, 0, compose_cast(b, scores_transformed(
				b, y, node_string(n, "post_transform", "NONE")), ELEMENT_F32));
}

/* Do all votes speak for one class? */
static bool of_one_class(struct node *n)
{
	int count;
	const int64_t *ids = node_ints(n, "class_ids", &count);

	for (int i = 1; i < count; i++)
		if (ids[i] != ids[0])
			return false;
	return count > 0;
}

int node_tree_ensemble_classifier(struct node *n)
{
	struct builder *b = n->b;
	const char *transform = node_string(n, "post_transform", "NONE");
	int classes = scores_classes(n, "classlabels_int64s", "classlabels_strings");
	struct forest *f = read_numbered(n, "class", classes);

	if (!f)
		return -1;
	int scores = with_base(n, forest_votes(b, f, node_arg(n, 0), GATHERED_SUM), classes);

	if (of_one_class(n)) {
		bool even = strcmp(transform, "NONE") == 0 || strcmp(transform, "PROBIT") == 0;

		scores = scores_of_both(b, compose_slice(b, scores, 1, 0, 1), even);
	}
	scores = compose_cast(b, scores_transformed(b, scores, transform), ELEMENT_F32);
	if (node_give(n, 1, scores) < 0)
		return -1;
	return node_give(n, 0, scores_labels(n, scores, "classlabels_int64s",
					     "classlabels_strings"));
}
