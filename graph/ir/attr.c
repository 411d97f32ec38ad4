/* SPDX-License-Identifier: Apache-2.0 */
/* graph/ir/attr.c - lists of attributes. */
#include "graph/ir/attr.h"

static void push_ints(struct arena *a, struct attr_vec *v, const char *name, enum attr_kind kind,
		      int n, const int64_t *value)
{
	vec_push(a, v, (struct attr){ .name = name, .kind = kind, .n = n,
		.ints = arena_memdup(a, value, (size_t)n * sizeof(*value)) });
}

static void push_floats(struct arena *a, struct attr_vec *v, const char *name, enum attr_kind kind,
			int n, const double *value)
{
	vec_push(a, v, (struct attr){ .name = name, .kind = kind, .n = n,
		.floats = arena_memdup(a, value, (size_t)n * sizeof(*value)) });
}

void attrs_int(struct arena *a, struct attr_vec *v, const char *name, int64_t value)
{
	push_ints(a, v, name, ATTR_INT, 1, &value);
}

void attrs_element(struct arena *a, struct attr_vec *v, const char *name, enum element value)
{
	push_ints(a, v, name, ATTR_ELEMENT, 1, &(int64_t){ (int64_t)value });
}

void attrs_ints(struct arena *a, struct attr_vec *v, const char *name, int n, const int64_t *value)
{
	push_ints(a, v, name, ATTR_INTS, n, value);
}

void attrs_float(struct arena *a, struct attr_vec *v, const char *name, double value)
{
	push_floats(a, v, name, ATTR_FLOAT, 1, &value);
}

void attrs_floats(struct arena *a, struct attr_vec *v, const char *name, int n,
		  const double *value)
{
	push_floats(a, v, name, ATTR_FLOATS, n, value);
}

void attrs_string(struct arena *a, struct attr_vec *v, const char *name, const char *value)
{
	vec_push(a, v, (struct attr){ .name = name, .kind = ATTR_STRING, .n = 1,
				      .string = arena_strdup(a, value) });
}

const struct attr *attrs_find(const struct attr *attrs, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(attrs[i].name, name) == 0)
			return &attrs[i];
	return NULL;
}
