/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/expression/versions.h - loops whose turns compute different things, as the rows of a transform.
 *
 * In:   a stage whose body is a chain of selects: one choice for each value of an axis, or of its remainder.
 * Out:  their loops are the innermost around lanes, so that all choices find what they read in registers. */
#ifndef HONE_SEARCH_SPACE_EXPRESSION_VERSIONS_H
#define HONE_SEARCH_SPACE_EXPRESSION_VERSIONS_H

#include "search/space/sketch.h"

/* Adds the steps for STAGE, whose innermost loops are annotated. False where one is refused. */
bool sketch_add_versions(struct sketch *s, int stage);

#endif
