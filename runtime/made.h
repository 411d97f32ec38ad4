/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/made.h - graphs that were made in this process, with kernels.
 *
 * In:   a graph behind the pass `scales`, not fused yet.
 * Out:  what sessions are made of; nothing of it is kept but the kernels' objects. */
#ifndef HONE_RUNTIME_MADE_H
#define HONE_RUNTIME_MADE_H

#include "runtime/open.h"

/* G with the kernels that O's database has, else guesses, in A; O's model is not read. NULL and a
 * message. */
const struct model_code *made_code(struct arena *a, struct graph *g, const struct open_options *o);

#endif
