/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/sum.h - what a choice of states comes to, for graph/layout/ only: kernels, and the
 * transforms between what makes an image and what reads it. */
#ifndef HONE_GRAPH_LAYOUT_SUM_H
#define HONE_GRAPH_LAYOUT_SUM_H

#include "graph/layout/space.h"

/* An image's value as a variable. */
struct form {
	int home;	/* place among its storages */
	unsigned set;	/* of places, home among them */
};

enum { MAX_FORMS = MANNER_COUNT << (MANNER_COUNT - 1) };

struct forms {
	int n;
	struct form at[MAX_FORMS];
};

struct layout_sum {
	struct arena *arena;
	const struct layout_space *space;
	const struct function *main;
	const double *us;
	struct forms *forms;	/* by value of main */
	const bool *plain;	/* by value: somebody reads it who is no node */
	struct value_vec *reads;	/* by node: values that its states read */
};

/* For choices in X, with US by task of X (NULL: only weights are asked for); in A. */
struct layout_sum layout_sum_new(struct arena *a, const struct layout_space *x, const double *us);
/* The set of places in which the kernels of S want VALUE. */
unsigned layout_wanted(const struct layout_sum *c, const struct layout_state *s, int value);
/* The place in which S makes the image of VALUE, its node's; where its reader computes it inside, the
 * plain one, which takes nothing. */
int layout_home(const struct layout_sum *c, const struct layout_state *s, int value);
/* What making the storages of form F of VALUE takes; what the kernels of S take. */
double layout_form_us(const struct layout_sum *c, int value, struct form f);
double layout_state_us(const struct layout_sum *c, const struct layout_state *s);
/* All of STATE, by node; INFINITY where pacts do not hold. */
double layout_choice_us(const struct layout_sum *c, const int *state);

#endif
