/* SPDX-License-Identifier: Apache-2.0 */
/* graph/text/literal_hash.c - what stands for the elements of a constant that are left out. */
#include "graph/text/literal.h"

struct hash128 literal_hash(const struct array *x)
{
	struct hasher *h = hasher_new();

	hasher_str(h, element_name(x->element));
	for (int i = 0; i < x->rank; i++)
		hasher_int(h, x->dim[i]);
	if (x->element != ELEMENT_STRING)
		hasher_bytes(h, x->data, array_bytes(x));
	for (int64_t i = 0; x->element == ELEMENT_STRING && i < x->count; i++)
		hasher_str(h, array_string(x, i));
	return hasher_end(h);
}
