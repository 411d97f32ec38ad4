/* SPDX-License-Identifier: Apache-2.0 */
/* schedule/stage.h - what the files that make stages share. */
#ifndef HONE_SCHEDULE_STAGE_H
#define HONE_SCHEDULE_STAGE_H

#include "schedule/state.h"

/* A stage that computes OP, with its axes as loops; IDENTITY is the tensor that loads name. */
struct stage *stage_new(struct arena *a, const struct op *op, const struct tensor *identity);

#endif
