/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/panel.h - operands in panels: as many elements side by side as a tile of the reader has, one run of
 * them for each step of its reduction. */
#ifndef HONE_SEARCH_SPACE_PANEL_H
#define HONE_SEARCH_SPACE_PANEL_H

#include "schedule/state.h"

/* The first tiled reduction for which panels of STAGE pay; -1: none. */
int panel_reader(const struct state *s, int stage);
/* Is it for one reader alone to say how STAGE is stored? Others need a copy. */
bool panel_is_own(const struct state *s, int stage);

/* Stores STAGE, whose only reader is panel_reader(), in panels for it: *OUT is a step LAYOUT whose block is open.
 * False where no dim runs along its tile. */
bool panel_layout(const struct state *s, int stage, struct step *out);
/* Whether each tile of the reader is one panel. One that is shifted, or behind a shorter one, begins within a panel, and
 * takes its lanes from two: 8 times as slow, where one was seen. */
bool panel_is_whole(const struct state *s, const struct step *layout);
/* Sets the block of the step to the tile that the reader has now. */
void panel_fit(const struct state *s, struct step *layout);

#endif
