/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/pointwise/number_text.h - elements as strings, as numpy reads and writes them. */
#ifndef HONE_GRAPH_OP_POINTWISE_NUMBER_TEXT_H
#define HONE_GRAPH_OP_POINTWISE_NUMBER_TEXT_H

#include "graph/ir/element.h"

/* The longest is an f64 with a decimal exponent below 16: 17 digits, zeros, sign and point. */
enum { NUMBER_TEXT = 48 };

/* Element I: integers as they are, bools as True or False, floats with the fewest digits that are
 * read back as the same, scientific from 1e16 on and below 1e-4; nan, inf. */
void number_print(enum element e, const void *data, int64_t i, char out[NUMBER_TEXT]);
/* Stores S as element I; false where it is no number. */
bool number_parse(const char *s, enum element e, void *data, int64_t i);

#endif
