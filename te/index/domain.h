/* SPDX-License-Identifier: Apache-2.0 */
/* te/index/domain.h - which values the elements of a tensor or expression can have.
 *
 * In:   the domains of the inputs of a DAG.
 * Out:  an enclosure for everything that is computed from them: a range, and a quantum that all
 *       values are whole multiples of.
 * Holds: in exact arithmetic every value is in its domain. Rounding to a type keeps a value a
 *        multiple of its quantum, so that a sum which stays below 2^24 quanta is exact in f32,
 *        whatever its order. */
#ifndef HONE_TE_INDEX_DOMAIN_H
#define HONE_TE_INDEX_DOMAIN_H

#include "te/dag.h"

struct domain {
	double low, high;	/* may be infinite */
	double quantum;		/* a power of two, INFINITY for zero alone; 0: none is known */
};

/* How a type rounds. */
struct precision {
	int bits;		/* of the significand */
	double unit;		/* unit roundoff, 2^-bits */
	double tiny;		/* the least positive number; 0 for integers, which do not round */
	double normal;		/* the least positive number of full precision */
	double greatest;	/* what is at least so large becomes infinite */
};

/* Of results of arithmetic on T, and of elements stored as T: f16 and bf16 differ. */
struct precision precision_of_arithmetic(enum dtype t);
struct precision precision_of_storage(enum dtype t);

/* The greatest magnitude; whether all values fit P without rounding; whether results may fall
 * among the numbers that P keeps with fewer bits, or be too large for it. */
double domain_reach(struct domain d);
bool domain_is_exact(struct domain d, struct precision p);
bool domain_underflows(struct domain d, struct precision p);
bool domain_overflows(struct domain d, struct precision p);

/* What can keep a result from being a finite number. */
enum trouble {
	TROUBLE_NONE,
	TROUBLE_SQRT,		/* of a negative number */
	TROUBLE_LOG,		/* of zero or a negative number */
	TROUBLE_DIVISION,	/* by zero */
	TROUBLE_POW,		/* of a negative number, or of zero to a negative one */
	TROUBLE_OVERFLOW,	/* beyond the type's range */
};
const char *trouble_text(enum trouble t);

/* The domain of node E, no load, from those of its arguments. */
struct domain domain_of_node(const struct expr *e, const struct domain *arg, enum trouble *trouble);
/* Of OP's elements, from that of its body. */
struct domain domain_of_op(const struct op *op, struct domain body);
/* Elements that are combined to one of OP; 1 where it is no reduction. */
double op_terms(const struct op *op);

/* What comes of the domains of a DAG's inputs. */
struct domains {
	int troubles;		/* nodes that may give no finite number */
	enum trouble first;	/* of these the first, and its op; NULL: none */
	const struct op *at;
	int decided;		/* nodes that choose between values, and always choose alike */
	double threshold;	/* the greatest constant that data is compared with; 0: none */
};

/* The domains of all ops of D, whose inputs have those that OF holds at their positions. What stands
 * behind a condition on data is taken to be guarded by it. */
struct domains domains_of_dag(const struct dag *d, struct domain *of);

#endif
