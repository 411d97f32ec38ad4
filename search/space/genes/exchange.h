/* SPDX-License-Identifier: Apache-2.0 */
/* search/space/genes/exchange.h - two axes change places: tiles that are long one way become long the other.
 *
 * Holds: one decision at a time leads through kernels that are several times slower: a tile along a row wants the window's row written
 *        out, one along a column its column (docs/performance.md). */
#ifndef HONE_SEARCH_SPACE_GENES_EXCHANGE_H
#define HONE_SEARCH_SPACE_GENES_EXCHANGE_H

#include "base/rng.h"
#include "search/space/genes/genes.h"

/* Exchanges what G, of SKETCH, has decided of the sizes of two axes of a stage that are tiled alike, and takes back orders, borders and
 * places there. False, and G as it was, where no two are. */
bool exchange_axes(struct genes *g, const struct sketch *sketch, struct rng *rng);

#endif
