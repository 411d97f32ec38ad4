/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/known.h - what is known of a call, by the hash of all that it is.
 *
 * 128 bits are taken for equality. */
#ifndef HONE_GRAPH_IR_KNOWN_H
#define HONE_GRAPH_IR_KNOWN_H

#include "base/hash.h"
#include "graph/ir/ir.h"

/* A map from hashes to integers, in an arena; zeroed it is empty. */
struct known_calls {
	struct known_slot *slots;
	int n, cap;	/* cap is a power of two, at least 2 n */
};

/* What stands for HASH; what is new there is OTHERWISE. The place may be written to until the next
 * call. */
int *known_at(struct arena *a, struct known_calls *k, struct hash128 hash, int otherwise);

/* Element and dims of T, which is static; all attributes of B; all of X; all of D. */
void hash_type(struct hasher *h, const struct type *t);
void hash_attrs(struct hasher *h, const struct binding *b);
void hash_array(struct hasher *h, const struct array *x);
void hash_demand(struct hasher *h, struct demand d);

#endif
