/* SPDX-License-Identifier: Apache-2.0 */
/* tests/property/emulating.h - compilers of kernels whose products of matrices no machine here may have. */
#ifndef HONE_TESTS_PROPERTY_EMULATING_H
#define HONE_TESTS_PROPERTY_EMULATING_H

#include "measure/build/builder.h"
#include "target/intrinsic.h"

/* With functions of ours in the place of AMX's. */
static inline struct build_pool *emulating_builder(const char *cc, const struct target *t)
{
	const struct build_pool_options o = {
		.target = t, .cc = cc, .jobs = 2, .flags = "-include " TOP_SRCDIR "/tests/property/amx_emulated.h"
	};

	return build_pool_new(&o);
}

/* Kernels with products of bf16 round by an instruction that has no emulation, but all machines that have AMX for bf16. */
static inline bool can_emulate(bool bf16, const struct target *t)
{
	return t->runs() && (!bf16 || intrinsic_is_there(intrinsic_at(INTRINSIC_AVX512_VDPBF16PS), t));
}

#endif
