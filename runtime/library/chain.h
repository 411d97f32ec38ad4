/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/library/chain.h - a model whose main function is one stretch, or stretches and regions of
 * generators, one behind the other, as one list.
 *
 * What lies between them gets a place in the memory of an instance, beside the memory that each stretch
 * needs while it runs (runtime/plan/plan.h). */
#ifndef HONE_RUNTIME_LIBRARY_CHAIN_H
#define HONE_RUNTIME_LIBRARY_CHAIN_H

#include "runtime/code.h"
#include "runtime/library/content.h"

/* Is CODE such a model? Main may also have no more than parameters and constants. */
bool library_is_chain(const struct model_code *code);
/* Adds all of it. -1 and a message. */
int library_add_chain(struct library_content *c, const struct model_code *code);

#endif
