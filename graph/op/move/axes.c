/* SPDX-License-Identifier: Apache-2.0 */
/* graph/op/move/axes.c - lists of axes, and what operators that move data share. */
#include "graph/op/move/axes.h"

int call_choice(const struct binding *call, const char *attr, const char *const *names, int n)
{
	const char *name = call_string(call, attr);
	int i = 0;

	while (i < n && strcmp(names[i], name) != 0)
		i++;
	return i;
}

bool axes_find(int n, const int64_t *axes, int rank, int *where)
{
	for (int i = 0; i < rank; i++)
		where[i] = -1;
	for (int i = 0; i < n; i++) {
		int64_t axis = index_among(axes ? axes[i] : i, rank);

		if (axis < 0 || where[axis] >= 0)
			return false;
		where[axis] = i;
	}
	return true;
}

int infer_list(const struct infer *x, int i)
{
	if (infer_class(x, i, CLASS_INTEGERS) < 0)
		return -1;
	if (infer_rank(x, i) > 1)
		return infer_error(x, "operand %d has rank %d, not 1", i, infer_rank(x, i));
	return 0;
}

int infer_length(const struct infer *x, int i)
{
	const struct type *t = infer_type(x, i);

	if (!type_is_ranked(t) || t->rank > 1)
		return -1;
	if (t->rank == 0)
		return 1;
	return t->dim[0].n < 0 || t->dim[0].n > INT32_MAX ? -1 : (int)t->dim[0].n;
}
