/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/tables.h - what differs from model to model, as C. */
#ifndef HONE_RUNTIME_LIBRARY_TABLES_H
#define HONE_RUNTIME_LIBRARY_TABLES_H

#include "base/text.h"
#include "runtime/library/content.h"

/* The plan that text/model.c.in runs: kernels, places, steps, stretches, tensors. */
void library_tables(struct text *out, const struct library_content *c, const char *name);
/* Inputs and outputs as lines of a comment. */
void library_tensor_lines(struct text *out, const struct library_content *c);

/* The C text of kernel I, whose functions begin with NAME_kI; in the content's arena. */
const char *library_kernel_text(const struct library_content *c, const char *name, int i);
/* How make compiles the kernels: kernels.mk. */
void library_kernel_rules(struct text *out, const struct library_content *c, const char *name);

/* What of S may stand in a comment: names come from models. */
void library_put_comment(struct text *out, const char *s);

#endif
