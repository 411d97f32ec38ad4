/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/short_rows.h - sums whose lanes would read at a stride, where a row of results fills no vector: lanes for all that
 * windows read cost nothing then (te/derive/strides/lane_windows.h). */
#ifndef HONE_SEARCH_SPACE_SHORT_ROWS_H
#define HONE_SEARCH_SPACE_SHORT_ROWS_H

#include "search/space/sketch.h"

/* Emits S with STAGE derived by BY, where it has such rows and no more weights than results: over channels
 * there are more, and each comes from afar for a row or two. */
void short_rows_emit(struct sketcher *k, const struct sketch *s, int stage, enum derivation by);

#endif
