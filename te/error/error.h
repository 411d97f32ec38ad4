/* SPDX-License-Identifier: Apache-2.0 */
/* te/error/error.h - the reference of a DAG: what its outputs are, and how far off a right kernel may be.
 *
 * In:   a frozen DAG, the domains of its inputs.
 * Out:  another DAG on the same inputs. It computes in f64, whatever the types, first the outputs
 *       WANT in order, rounded once to their types, then for each of them a tensor BOUND.
 * Holds: a kernel that computes the DAG's operations in any order, with the roundings of
 *        te/scalar.h or fewer, differs from WANT by BOUND at most, element by element.
 *
 * This is a running error analysis (Higham, Accuracy and Stability of Numerical Algorithms, 2002,
 * section 3.3): along with each value goes a bound on its error, from the very magnitudes that
 * entered it. An operation adds the unit roundoff of its type times its result, and hands on its
 * operands' errors through its derivative. A condition on values that are closer than their errors
 * may be decided either way. A sum of n terms adds
 *	min(n, ERROR_LAMBDA sqrt(n)) u sum |terms|
 * (Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis, SIAM J. Sci. Comput.
 * 41(5), 2019), and nothing where the domain says that all its partial sums are exact. */
#ifndef HONE_TE_ERROR_ERROR_H
#define HONE_TE_ERROR_ERROR_H

#include "te/index/domain.h"

/* The error of a running sum of positive terms, one after the other, has a standard deviation of
 * about sqrt(n) u sum / 3 (roundings uniform, partial sums growing evenly): this is twelve of them,
 * for the worst of millions of elements is looked at. Terms that are all alike are rounded alike and
 * their errors add up, to n/4 u sum at most: covered up to n = 256. */
#define ERROR_LAMBDA 4.0

/* What a convolution by Winograd's products may be off, in units of roundoff of what its outputs usually are:
 * 1.2e-4 in f32. The root mean square of F(6x6,3x3) is 6e-6 with 64 to 256 channels, but the last places of a tile are
 * off by three times that, and the worst of millions of elements by four to five times more. One term of 65,536
 * that is missing still shows. */
#define ERROR_DERIVED 2048.0

/* And what an output of 32 bits or more may be off in all where sums may be derived: the root mean square of its error, in
 * parts of its own. F(6x6,3x3) has 4 to 6e-6, a direct sum of some thousand terms 1e-6. */
#define ERROR_DERIVED_RMS 1e-5

/* Errors of the functions in units of roundoff: what hone's own exp and the C library promise
 * (glibc manual, Known Maximum Errors in Math Functions: at most 2 for f32 and f64), doubled. */
#define ERROR_FUNCTION_UNITS 4.0
/* Those of hone's own quotients of polynomials, which are at most 6.9 off (target/vectors/map.def). */
#define ERROR_QUOTIENT_UNITS 8.0

/* The type of an output's BOUND. */
static inline enum dtype error_bound_type(enum dtype t)
{
	return t == DTYPE_F64 ? DTYPE_F64 : DTYPE_F32;
}

/* The reference of D in D's kind of form, in A; OF has the domains of D's inputs at their
 * positions, and gets those of the other ops. Not frozen on failure: NULL and a message. */
struct dag *error_dag(struct arena *a, const struct dag *d, struct domain *of);

#endif
