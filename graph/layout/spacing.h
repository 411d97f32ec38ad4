/* SPDX-License-Identifier: Apache-2.0 */
/* graph/layout/spacing.h - a space that is being made, for graph/layout/ only.
 *
 * The usual states come first. Then each of graph/layout/alternatives.def adds what the rules of
 * fusion do not have: its file defines layout_NAME(), which looks at all nodes. */
#ifndef HONE_GRAPH_LAYOUT_SPACING_H
#define HONE_GRAPH_LAYOUT_SPACING_H

#include "graph/ir/known.h"
#include "graph/layout/space.h"

struct cut_dag_vec VEC(struct cut_dag);

struct spacing {
	struct layout_space *space;
	const struct function *main;
	const bool *needed;		/* by value of main */
	const int *uses;		/* by value of main, by what is needed */
	struct names seen;		/* key of a DAG, to index of tasks */
	struct known_calls cut;		/* function, to index of plain */
	struct cut_dag_vec plain;
	struct graph *transforms;	/* has nothing but functions of the identity */
};

/* A state that is being made: kernels are added to it in order. */
struct state_maker {
	struct spacing *spacing;
	struct layout_state state;
	int tasks_before;		/* of the space */
	bool failed;			/* a kernel has no tensor expression so, or all is plain */
};

#define X(name) void layout_##name(struct spacing *s);
#include "graph/layout/alternatives.def"
#undef X

/* The application that NODE is; the fused function that it applies. */
const struct binding *spacing_application(const struct spacing *s, int node);
const struct function *spacing_function(const struct spacing *s, int node);
/* Values are those of main, and kernels (struct layout_kernel). */
const struct type *spacing_type(const struct spacing *s, int value);
/* The constants VALUES put together along AXIS: a value. */
int spacing_constant(struct spacing *s, int n, const int *values, int axis);
int spacing_pact(struct spacing *s);

/* The task of the space that C is, which has a DAG. */
int spacing_task(struct spacing *s, const struct cut_dag *c);

struct state_maker state_begin(struct spacing *s, enum layout_manner manner, int pact);
/* FUNCTION of ARGS (copied), with all images in the state's manner: a value. */
int state_kernel(struct state_maker *m, int function, int nargs, const int *args);
/* NODE may be in the state, unless that failed. That of its kernels which computes most is like
 * LIKE. Was it added? */
bool state_end(struct state_maker *m, int node, const struct layout_likeness *like);
/* The task of the usual state of NODE in MANNER; -1. */
int spacing_usual(const struct spacing *s, int node, enum layout_manner manner);

#endif
