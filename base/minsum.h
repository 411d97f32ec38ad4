/* SPDX-License-Identifier: Apache-2.0 */
/* base/minsum.h - the least sum of small tables over a few choices each.
 *
 * In:   variables with a few values each, and tables of costs over some of them.
 * Out:  a value for each variable, what the tables come to there, and a bound that no choice is
 *       below.
 * Holds: variables are eliminated one after the other [Bertele and Brioschi 1972; Dechter 1999]:
 *        the answer is the least where no table on the way becomes larger than MINSUM_TABLE, as in
 *        trees and whatever is nearly one. Larger ones are taken apart (mini-buckets [Dechter and
 *        Rish 2003]), which leaves a bound from below and a good choice. */
#ifndef HONE_BASE_MINSUM_H
#define HONE_BASE_MINSUM_H

#include <stdint.h>

#include "base/vec.h"

/* Entries of a table that is made on the way: 8 MiB, and so a second for some hundred of them. */
enum { MINSUM_TABLE = 1 << 20 };

/* A cost for each combination of values of VARS, the last one's value fastest; may be INFINITY. */
struct minsum_table {
	int n;
	const int *vars;	/* ascending, each once */
	double *cost;
};

struct minsum_table_vec VEC(struct minsum_table);

struct minsum {
	struct arena *arena;	/* of the problem and its answer */
	int n;			/* variables */
	const int *size;	/* of each, its values: at least 1 */
	struct minsum_table_vec tables;
};

struct minsum_answer {
	int *value;	/* by variable */
	double cost;	/* INFINITY where the choice found is none */
	double bound;	/* equal to cost where exact */
	bool exact;
};

/* A new table over the N VARS, ascending, all of it 0. */
struct minsum_table *minsum_table(struct minsum *m, int n, const int *vars);
/* Its entry where VALUE, by variable of the problem, is chosen. */
double *minsum_entry(const struct minsum *m, const struct minsum_table *t, const int *value);
/* What the tables come to at VALUE. */
double minsum_cost(const struct minsum *m, const int *value);

/* How many entries T has. */
int64_t minsum_entries(const struct minsum *m, const struct minsum_table *t);

struct minsum_answer minsum_solve(struct minsum *m);
/* The same, or what it gave for the very problem in an earlier run. */
struct minsum_answer minsum_solve_once(struct minsum *m);

#endif
