/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/tune_share.h - a campaign that another one begins with takes a part of what that has. */
#ifndef HONE_TOOLS_CAMPAIGN_TUNE_SHARE_H
#define HONE_TOOLS_CAMPAIGN_TUNE_SHARE_H

#include "tools/campaign/tune_args.h"

/* The options of ARGS become those of such a campaign, with SHARE of its time and of its trials, which are several if there is a limit; what they
 * were is given back. */
struct tuner_options tune_share(struct tune_args *args, double share);
/* They are WHOLE again, less what that campaign took. */
void tune_rest(struct tune_args *args, struct tuner_options whole);

#endif
