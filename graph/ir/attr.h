/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/attr.h - attributes of calls and functions: what is known when a graph is made. */
#ifndef HONE_GRAPH_IR_ATTR_H
#define HONE_GRAPH_IR_ATTR_H

#include "base/vec.h"
#include "graph/ir/element.h"

enum attr_kind {
	ATTR_INT,
	ATTR_FLOAT,
	ATTR_STRING,
	ATTR_INTS,
	ATTR_FLOATS,
	ATTR_ELEMENT,	/* an element type */
};

struct attr {
	const char *name;
	enum attr_kind kind;
	int n;	/* of ints or floats; 1 for a single one */
	union {
		const int64_t *ints;	/* INT, INTS, ELEMENT */
		const double *floats;	/* FLOAT, FLOATS */
		const char *string;
	};
};

struct attr_vec VEC(struct attr);

/* An attribute that an operator has. */
struct attr_spec {
	const char *name;	/* NULL ends the list */
	enum attr_kind kind;
	double number;		/* default of INT, FLOAT and ELEMENT; lists are empty by default */
	const char *string;	/* default of STRING */
	const char *meaning;	/* for people */
};

/* Appends to V; the value is copied to A. */
void attrs_int(struct arena *a, struct attr_vec *v, const char *name, int64_t value);
void attrs_float(struct arena *a, struct attr_vec *v, const char *name, double value);
void attrs_string(struct arena *a, struct attr_vec *v, const char *name, const char *value);
void attrs_element(struct arena *a, struct attr_vec *v, const char *name, enum element value);
void attrs_ints(struct arena *a, struct attr_vec *v, const char *name, int n, const int64_t *value);
void attrs_floats(struct arena *a, struct attr_vec *v, const char *name, int n,
		  const double *value);

/* NULL where there is none. */
const struct attr *attrs_find(const struct attr *attrs, int n, const char *name);

#endif
