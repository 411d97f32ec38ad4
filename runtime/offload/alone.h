/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/alone.h - what generators take for each kernel by itself.
 *
 * In:   tasks, as they were cut from a model.
 * Out:  offers: each generator's time for each task that it claims, where none is known yet.
 * Holds: a kernel is timed as a step of a model would find it: what it reads was just written, all else is
 *        out of the core's own caches. */
#ifndef HONE_RUNTIME_OFFLOAD_ALONE_H
#define HONE_RUNTIME_OFFLOAD_ALONE_H

#include "base/tell.h"
#include "runtime/offload/offers.h"

/* Told to LISTENER: how many are to be measured. 0, or -1 and a message. */
int offers_measure(struct offers *o, const struct model_task_vec *tasks, const struct listener *listener);
/* Why BACKEND does not compute T, in A; NULL: it would. */
const char *offer_refusal(struct arena *a, const struct offers *o, const struct model_task *t, int backend);

#endif
