/* SPDX-License-Identifier: Apache-2.0 */
/* te/derive/work.c - the ops of a derivation, and their axes. */
#include "te/derive/work.h"

const struct expr *derive_axis(struct derive_work *d, struct new_axes *axes, const char *prefix,
			       const char *name, int64_t extent)
{
	return new_axes_add(d->a, axes, prefix, name, extent);
}

struct op *derive_op(struct derive_work *d, const char *name, const struct new_axes *axes, int ndim,
		     const struct expr *body)
{
	return derived_add(d->a, d->out, name, axes, ndim, body);
}

const char *derive_name(struct derive_work *d, const char *suffix)
{
	return arena_printf(d->a, "%s_%s", d->op->tensor.name, suffix);
}
