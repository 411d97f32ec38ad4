/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/panel.h - copies of operands in panels: as many elements side by side as a tile of the reader has,
 * one run of them for each step of its reduction. */
#ifndef HONE_SEARCH_SPACE_PANEL_H
#define HONE_SEARCH_SPACE_PANEL_H

#include "schedule/state.h"

/* Stores STAGE, which one reduction reads by plain axes, in panels for it: *OUT is a step LAYOUT whose block
 * is open. False where no dim runs along its tile, or none along its reduction. */
bool panel_layout(const struct state *s, int stage, struct step *out);
/* Sets the block of the step to the tile that the reader has now. */
void panel_fit(const struct state *s, struct step *layout);

#endif
