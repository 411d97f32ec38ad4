/* SPDX-License-Identifier: Apache-2.0 */
/* tools/campaign/tune_json.h - `hone tune --json`: what happens, as it happens, a JSON object a line on stdout. */
#ifndef HONE_TOOLS_CAMPAIGN_TUNE_JSON_H
#define HONE_TOOLS_CAMPAIGN_TUNE_JSON_H

#include "search/campaign/tuner.h"
#include "tools/campaign/notify.h"

/* Where the campaign stands, or a line for people. */
void tune_json_tell(const struct tell *t);
/* How it ended: what->event says that; BARREN: some task got no kernel. */
void tune_json_end(const struct notice *what, bool barren);

#endif
