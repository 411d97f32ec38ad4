/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/math/node_einsum.c - Einstein's summation as transpositions and batched products.
 *
 * Operands are contracted from left to right. A label is a letter, or for the dims that an ellipsis
 * stands for, counted from its last one, a number above all letters. */
#include <ctype.h>

#include "base/err.h"
#include "graph/onnx/compose.h"

enum { ELLIPSIS = 256 };

/* The labels of the dims of a value; of the result, of which there is no value yet. */
struct labelled {
	int value;
	int n;
	int label[GRAPH_MAX_RANK];
};

static int find(const struct labelled *t, int label)
{
	for (int i = 0; i < t->n; i++)
		if (t->label[i] == label)
			return i;
	return -1;
}

static int append(struct labelled *t, int label)
{
	if (t->n == GRAPH_MAX_RANK)
		return err_set("a term of more than %d dims", GRAPH_MAX_RANK);
	t->label[t->n++] = label;
	return 0;
}

/* Reads labels up to , or - or the end, MORE dims for an ellipsis; what follows in *AT. */
static int read_term(const char **at, int more, struct labelled *t)
{
	for (; **at && **at != ',' && **at != '-'; ++*at) {
		if (isspace((unsigned char)**at))
			continue;
		if (isalpha((unsigned char)**at)) {
			if (append(t, (unsigned char)**at) < 0)
				return -1;
			continue;
		}
		if (strncmp(*at, "...", 3) != 0)
			return err_set("'%.20s' in the equation is no label", *at);
		*at += 2;
		for (int i = more - 1; i >= 0; i--)
			if (append(t, ELLIPSIS + i) < 0)
				return -1;
	}
	return 0;
}

/* The same of an operand: an ellipsis has the dims that letters leave. */
static int read_operand(struct builder *b, const char **at, struct labelled *t)
{
	int rank = compose_rank(b, t->value), letters = 0;

	if (rank < 0)
		return -1;
	for (const char *p = *at; *p && *p != ',' && *p != '-'; p++)
		letters += isalpha((unsigned char)*p) != 0;
	if (letters <= rank && read_term(at, rank - letters, t) < 0)
		return -1;
	if (t->n != rank)
		return err_set("an operand of %d dims and its labels do not agree", rank);
	return 0;
}

/* The result's labels where the equation does not say them: the ellipsis, then what stands once, in
 * order of the alphabet. */
static int implied(const struct labelled *terms, int n, struct labelled *out)
{
	int seen[ELLIPSIS + GRAPH_MAX_RANK] = { 0 };

	for (int i = 0; i < n; i++)
		for (int j = 0; j < terms[i].n; j++)
			seen[terms[i].label[j]]++;
	for (int label = ELLIPSIS + GRAPH_MAX_RANK - 1; label >= ELLIPSIS; label--)
		if (seen[label] && append(out, label) < 0)
			return -1;
	for (int label = 0; label < ELLIPSIS; label++)
		if (seen[label] == 1 && append(out, label) < 0)
			return -1;
	return 0;
}

/* The dims of T in the order of WANTED, which has all of its labels; those T lacks are of extent
 * 1. */
static int arrange(struct builder *b, const struct labelled *t, const struct labelled *wanted)
{
	int64_t perm[GRAPH_MAX_RANK], missing[GRAPH_MAX_RANK];
	int n = 0, nmissing = 0;

	for (int i = 0; i < wanted->n; i++) {
		int at = find(t, wanted->label[i]);

		if (at >= 0)
			perm[n++] = at;
		else
			missing[nmissing++] = i;
	}
	int x = n ? compose_transpose(b, t->value, n, perm) : t->value;

	return nmissing ? build(b, &core_unsqueeze, x, build_ints(b, nmissing, missing)) : x;
}

/* Takes the diagonal of the first two dims of one label in T, if there are such, as its first
 * dim. */
static bool take_diagonal(struct builder *b, struct labelled *t)
{
	int i = 0, j = 0;

	for (i = 0; i < t->n; i++) {
		for (j = i + 1; j < t->n && t->label[j] != t->label[i]; j++)
			;
		if (j < t->n)
			break;
	}
	if (i == t->n)
		return false;
	int64_t perm[GRAPH_MAX_RANK] = { i, j };
	struct labelled next = { .n = 1, .label = { t->label[i] } };

	for (int k = 0; k < t->n; k++)
		if (k != i && k != j) {
			perm[next.n + 1] = k;
			next.label[next.n++] = t->label[k];
		}
	int along = compose_unsqueeze(b, compose_iota(b, compose_extent(b, t->value, i)), 1);

	next.value = build(b, &core_gather_nd, compose_transpose(b, t->value, t->n, perm),
			   compose_concat(b, 1, VALUES(along, along)));
	*t = next;
	return true;
}

/* Sums T over labels that neither OTHER (may be NULL) nor KEPT has. */
static void sum_out(struct builder *b, struct labelled *t, const struct labelled *other,
		    const struct labelled *kept)
{
	struct labelled next = { 0 };
	int64_t axes[GRAPH_MAX_RANK];
	int n = 0;

	for (int i = 0; i < t->n; i++) {
		if (find(kept, t->label[i]) >= 0 || (other && find(other, t->label[i]) >= 0))
			next.label[next.n++] = t->label[i];
		else
			axes[n++] = i;
	}
	next.value = n ? compose_reduce(b, &core_reduce_sum, t->value, n, axes, false) : t->value;
	*t = next;
}

/* X with its last dims, NLEFT and then NRIGHT of them, as two. */
static int as_matrix(struct builder *b, int x, int batch, int nleft)
{
	int shape = build(b, &core_shape_of, x);
	int left = compose_slice(b, shape, 0, batch, batch + nleft);
	int right = compose_slice(b, shape, 0, batch + nleft, INT64_MAX);
	int dims[] = { compose_slice(b, shape, 0, 0, batch),
		       compose_reduce(b, &core_reduce_prod, left, INTS(0), true),
		       compose_reduce(b, &core_reduce_prod, right, INTS(0), true) };

	return build_with(b, &core_reshape, with_int(b, "allowzero", 1), x,
			  compose_concat(b, 0, 3, dims));
}

/* The labels FROM..., then MORE... */
static int join(struct labelled *out, const struct labelled *from, const struct labelled *more)
{
	*out = *from;
	for (int i = 0; i < more->n; i++)
		if (append(out, more->label[i]) < 0)
			return -1;
	return 0;
}

/* x and y as one term with the labels that KEPT has: a product of matrices [batch, left, inner] and
 * [batch, inner, right]. */
static int contract(struct builder *b, struct labelled *x, struct labelled *y,
		    const struct labelled *kept)
{
	struct labelled batch = { 0 }, left = { 0 }, inner = { 0 }, right = { 0 }, a, c;

	sum_out(b, x, y, kept);
	sum_out(b, y, x, kept);
	for (int i = 0; i < x->n; i++) {
		int label = x->label[i];
		struct labelled *to = find(y, label) < 0 ? &left
				  : find(kept, label) < 0 ? &inner : &batch;

		to->label[to->n++] = label;
	}
	for (int i = 0; i < y->n; i++)
		if (find(x, y->label[i]) < 0)
			right.label[right.n++] = y->label[i];
	if (join(&a, &batch, &left) < 0 || join(&a, &a, &inner) < 0 ||
	    join(&c, &batch, &inner) < 0 || join(&c, &c, &right) < 0)
		return -1;
	int p = arrange(b, x, &a), q = arrange(b, y, &c);
	int product = build(b, &core_matmul, as_matrix(b, p, batch.n, left.n),
			    as_matrix(b, q, batch.n, inner.n));
	/* the extents of left and right as they were; those of the batch as the product has them */
	int dims[] = { compose_slice(b, build(b, &core_shape_of, product), 0, 0, batch.n),
		       compose_slice(b, build(b, &core_shape_of, p), 0, batch.n,
				     batch.n + left.n),
		       compose_slice(b, build(b, &core_shape_of, q), 0, batch.n + inner.n,
				     INT64_MAX) };
	struct labelled out;

	if (join(&out, &batch, &left) < 0 || join(&out, &out, &right) < 0)
		return -1;
	out.value = build_with(b, &core_reshape, with_int(b, "allowzero", 1), product,
			       compose_concat(b, 0, 3, dims));
	*x = out;
	return 0;
}

/* The labels that operands after the first I, or the result, still need. */
static int needed(const struct labelled *terms, int n, int i, const struct labelled *out,
		  struct labelled *kept)
{
	*kept = *out;
	for (int k = i + 1; k < n; k++)
		for (int j = 0; j < terms[k].n; j++)
			if (find(kept, terms[k].label[j]) < 0 &&
			    append(kept, terms[k].label[j]) < 0)
				return -1;
	return 0;
}

static int read_equation(struct node *n, struct labelled *terms, struct labelled *out)
{
	const char *at = node_string(n, "equation", "");

	for (int i = 0; i < n->nargs; i++) {
		terms[i].value = node_arg(n, i);
		if (read_operand(n->b, &at, &terms[i]) < 0)
			return -1;
		while (take_diagonal(n->b, &terms[i]))
			;
		if (*at == ',')
			at++;
	}
	if (!*at)
		return implied(terms, n->nargs, out);
	int most = 0;

	for (int i = 0; i < n->nargs; i++)
		for (int j = 0; j < terms[i].n; j++)
			if (terms[i].label[j] - ELLIPSIS + 1 > most)
				most = terms[i].label[j] - ELLIPSIS + 1;
	if (strncmp(at, "->", 2) != 0)
		return err_set("'%.20s' in the equation: -> is wanted", at);
	at += 2;
	return read_term(&at, most, out);
}

int node_einsum(struct node *n)
{
	struct builder *b = n->b;
	struct labelled *terms = arena_many(b->arena, struct labelled, n->nargs), out = { 0 }, kept;

	if (n->nargs == 0)
		return node_error(n, "no operands");
	if (read_equation(n, terms, &out) < 0)
		return -1;
	for (int i = 1; i < n->nargs; i++)
		if (needed(terms, n->nargs, i, &out, &kept) < 0 ||
		    contract(b, &terms[0], &terms[i], &kept) < 0)
			return -1;
	sum_out(b, &terms[0], NULL, &out);
	for (int i = 0; i < out.n; i++)
		if (find(&terms[0], out.label[i]) < 0)
			return node_error(n, "the result has a label that no operand has");
	return node_give(n, 0, arrange(b, &terms[0], &out));
}
