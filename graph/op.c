/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op.c - the operator table as data. */
#include "graph/op.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MANY INT_MAX

static const struct {
	const char *name;
	int min, max;
	enum oper_role role;
} table[] = {
	/* An unknown operator may do anything: nothing joins it. */
	[OPER_UNKNOWN] = { NULL, 0, MANY, ROLE_MOVE },
#define X(name, text, min, max, shape, role) [OPER_##name] = { text, min, max, ROLE_##role },
#include "graph/op.def"
#undef X
};

enum oper oper_find(const char *name)
{
	for (int i = OPER_UNKNOWN + 1; i < OPER_COUNT; i++)
		if (strcmp(table[i].name, name) == 0)
			return (enum oper)i;
	return OPER_UNKNOWN;
}

const char *oper_name(enum oper op)
{
	return table[op].name;
}

enum oper_role oper_role(enum oper op)
{
	return table[op].role;
}

int oper_min_args(enum oper op)
{
	return table[op].min;
}

int oper_max_args(enum oper op)
{
	return table[op].max;
}
