/* SPDX-License-Identifier: Apache-2.0 */
/* target/intrinsic.h - instructions that have a form of their own in kernels, by what they mean.
 *
 * In:   target/intrinsic.def, a line for each.
 * Out:  a const table. The schedule names one of them, the pass tensorize proves that loops mean it, and the
 *       emitter writes its text; whoever interprets a nest sees the loops.
 * Holds: names are unique; a group is four bytes, lanes fill a vector of the target. */
#ifndef HONE_TARGET_INTRINSIC_H
#define HONE_TARGET_INTRINSIC_H

#include "target/target.h"
#include "te/dtype.h"

enum extension {
	EXTENSION_NONE,
#define X(id, macro) EXTENSION_##id,
#include "target/extension.def"
#undef X
};

enum intrinsic_id {
#define X(id, ...) INTRINSIC_##id,
#include "target/intrinsic.def"
#undef X
	INTRINSIC_COUNT
};

/* The columns of target/intrinsic.def, and where it stands there. */
struct intrinsic {
	enum intrinsic_id id;
	const char *name;
	const char *isa;
	enum extension extension;
	enum dtype sum, a, b;
	int group;
	int lanes;
	int rows, depth;
	double instructions;
	const char *header;
	const char *text;
};

const struct intrinsic *intrinsic_at(enum intrinsic_id id);
/* NULL: there is none of that name. */
const struct intrinsic *intrinsic_named(const char *name);
/* The macro without which a compiler does not know it; NULL: all for its target do. */
const char *intrinsic_macro(const struct intrinsic *x);
/* Does it multiply matrices? */
static inline bool intrinsic_is_matrix(const struct intrinsic *x)
{
	return x->rows > 1;
}
/* May code for T have it, on some machine? */
bool intrinsic_is_of(const struct intrinsic *x, const struct target *t);
/* Can code for T have it as T is compiled here: do all of T's machines have it, or does this one, whose own T is? */
bool intrinsic_is_there(const struct intrinsic *x, const struct target *t);

#endif
