/* SPDX-License-Identifier: Apache-2.0 */
/* te/limits.h - how large a tensor from outside (a text, a model, a command line) may be, such that
 * no size or index computed from it overflows. */
#ifndef HONE_TE_LIMITS_H
#define HONE_TE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct expr;

/* One extent, and the absolute value of any index expression. */
#define EXTENT_MAX ((int64_t)INT32_MAX)
/* Elements of one tensor. */
#define ELEMENTS_MAX (INT64_C(1) << 40)

/* 0 where a tensor may have SHAPE; -1 and a message that begins with NAME otherwise. */
int shape_check(const char *name, int ndim, const int64_t *shape);
/* False where the index arithmetic in BODY could overflow the reasoning about it, or make it slow. */
bool indices_fit(const struct expr *body);
/* The same of an expression of a nest, whose loops may be as long as a tensor. */
bool nest_indices_fit(const struct expr *e);

#endif
