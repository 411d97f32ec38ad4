/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/channels_last.h - a sum over windows whose channels are not innermost, as one whose channels are.
 *
 * Windows along the lanes would have transforms gather, and products read tiles that lie apart. So data is copied
 * once, and the result once, each with its channels behind its windows. */
#ifndef HONE_TE_DERIVE_CHANNELS_LAST_H
#define HONE_TE_DERIVE_CHANNELS_LAST_H

#include "te/derive/work.h"

/* Adds the op that copies D's data, and has D read that; false where channels are innermost already, or are along no
 * dim of their own. */
bool channels_last_data(struct derive_work *d);
/* D's op with its channels innermost: which of its dims that was; -1 where it is as it was, for the same reasons. */
int channels_last_output(struct derive_work *d);
/* Adds the op that stores Y, the result, as OP does, whose dim CHANNELS they are. */
void channels_last_undo(struct derive_work *d, const struct tensor *y, const struct op *op, int channels);

#endif
