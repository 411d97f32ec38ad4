/* SPDX-License-Identifier: Apache-2.0 */
/* base/vec.h - growable arrays that live in an arena.
 *
 *	struct step_vec VEC(struct step);
 *	vec_push(a, &v, step);
 *	for (int i = 0; i < v.n; i++) use(v.at[i]);
 *
 * Growing abandons the old storage to the arena; pointers into it stay readable until then. */
#ifndef HONE_BASE_VEC_H
#define HONE_BASE_VEC_H

#include "base/arena.h"

/* The body of a struct that is an array of TYPE: items at[0..n). */
#define VEC(type)                                                                                  \
	{                                                                                          \
		type *at;                                                                          \
		int n;                                                                             \
		int cap;                                                                           \
	}

/* Storage for CAP items of SIZE bytes, the first N copied from OLD. */
void *vec_grow(struct arena *a, const void *old, int n, int cap, size_t size);

#define vec_reserve(a, v, want)                                                                    \
	do {                                                                                       \
		if ((v)->cap < (want)) {                                                           \
			int cap_ = (v)->cap ? (v)->cap : 4;                                        \
			while (cap_ < (want))                                                      \
				cap_ *= 2;                                                         \
			(v)->at = vec_grow((a), (v)->at, (v)->n, cap_, sizeof(*(v)->at));          \
			(v)->cap = cap_;                                                           \
		}                                                                                  \
	} while (0)

#define vec_push(a, v, ...)                                                                        \
	do {                                                                                       \
		vec_reserve((a), (v), (v)->n + 1);                                                 \
		(v)->at[(v)->n++] = (__VA_ARGS__);                                                 \
	} while (0)

/* Inserts at position I, moving what follows. */
#define vec_insert(a, v, i, ...)                                                                   \
	do {                                                                                       \
		vec_reserve((a), (v), (v)->n + 1);                                                 \
		memmove(&(v)->at[(i) + 1], &(v)->at[(i)],                                          \
			(size_t)((v)->n - (i)) * sizeof(*(v)->at));                                \
		(v)->at[(i)] = (__VA_ARGS__);                                                      \
		(v)->n++;                                                                          \
	} while (0)

#define vec_remove(v, i)                                                                           \
	do {                                                                                       \
		(v)->n--;                                                                          \
		memmove(&(v)->at[(i)], &(v)->at[(i) + 1],                                          \
			(size_t)((v)->n - (i)) * sizeof(*(v)->at));                                \
	} while (0)

#endif
