/* SPDX-License-Identifier: Apache-2.0 */
/* costmodel/trees.c - reads XGBoost's dumps, and walks from roots to leaves. */
#include "costmodel/trees.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "costmodel/booster.h"

enum { LEAF = -1 };

struct tree_node {
	int feature;	/* LEAF: none */
	float value;	/* of a leaf; else what the feature is compared with */
	int next[2];	/* by the nodes' numbers: where the feature is not less, and where it is */
};

struct trees {
	int n, most;
	int nodes;		/* of a tree, at most; its root is number 0 */
	struct tree_node node[];	/* MOST * NODES */
};

struct trees *trees_new(int most, int depth)
{
	int nodes = (2 << depth) - 1;
	struct trees *t = cost_allocate(1, sizeof(*t) + (size_t)most * (size_t)nodes * sizeof(*t->node));

	t->most = most;
	t->nodes = nodes;
	return t;
}

void trees_free(struct trees *t)
{
	free(t);
}

/* --- reading */

/* Each of these goes on behind what it has read. (sscanf looks for the end of all text first, at each line.) */
static bool take(const char **at, const char *word)
{
	size_t n = strlen(word);
	bool same = strncmp(*at, word, n) == 0;

	*at += same ? n : 0;
	return same;
}

static bool take_int(const char **at, int *out)
{
	const char *begin = *at;

	*out = (int)strtol(begin, (char **)at, 10);
	return *at != begin;
}

static bool take_float(const char **at, float *out)
{
	const char *begin = *at;

	*out = strtof(begin, (char **)at);
	return *at != begin;
}

static bool take_node(const char **at, int *id, struct tree_node *out)
{
	*out = (struct tree_node){ .feature = LEAF };
	if (!take_int(at, id))
		return false;
	if (take(at, ":leaf="))
		return take_float(at, &out->value);
	return take(at, ":[f") && take_int(at, &out->feature) && take(at, "<") && take_float(at, &out->value) &&
	       take(at, "] yes=") && take_int(at, &out->next[1]) && take(at, ",no=") && take_int(at, &out->next[0]);
}

/* A line for each node. Nodes that follow one have greater numbers than it, so that each walk ends. */
static bool read_tree(const struct trees *t, const char *text, struct tree_node *root)
{
	int id, leaves = 0, others = 0;
	struct tree_node one;

	for (int i = 0; i < t->nodes; i++)
		root[i] = (struct tree_node){ .feature = LEAF };
	for (const char *at = text; *at; at += strspn(at, "\n")) {
		if (!take_node(&at, &id, &one) || id < 0 || id >= t->nodes)
			return false;
		*(one.feature == LEAF ? &leaves : &others) += 1;
		for (int i = 0; i < 2 && one.feature != LEAF; i++)
			if (one.next[i] <= id || one.next[i] >= t->nodes)
				return false;
		root[id] = one;
		at += strcspn(at, "\n");
	}
	return leaves == others + 1;
}

int trees_read(struct trees *t, const char *const *text, int n)
{
	for (t->n = 0; t->n < n; t->n++)
		if (t->n == t->most || !read_tree(t, text[t->n], t->node + t->n * t->nodes))
			return err_set("a tree that was learned cannot be read: %.60s", text[t->n]);
	return 0;
}

/* --- sums */

static float leaf_of(const struct tree_node *root, const float *row)
{
	const struct tree_node *at = root;

	while (at->feature != LEAF)
		at = root + at->next[row[at->feature] < at->value];
	return at->value;
}

void trees_sum(const struct trees *t, const float *rows, int n, int columns, float *sums)
{
	for (int i = 0; i < n; i++) {
		const float *row = rows + (ptrdiff_t)i * columns;

		sums[i] = 0;
		for (int k = 0; k < t->n; k++)
			sums[i] += leaf_of(t->node + k * t->nodes, row);
	}
}
