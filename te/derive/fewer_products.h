/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/fewer_products.h - which sums have derivations that round otherwise. */
#ifndef HONE_TE_DERIVE_FEWER_PRODUCTS_H
#define HONE_TE_DERIVE_FEWER_PRODUCTS_H

#include "te/dag.h"

/* Can OP be computed as products of transformed tiles (te/derive/winograd.h) of some size, as it is, phase by phase, or with phases as channels? */
bool has_fewer_products(const struct op *op);

#endif
