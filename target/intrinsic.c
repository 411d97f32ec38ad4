/* SPDX-License-Identifier: Apache-2.0 */
/* target/intrinsic.c - the table of intrinsics, and what this machine has of them. */
#include "target/intrinsic.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

static const struct intrinsic intrinsics[] = {
#define X(id, name, isa, extension, sum, a, b, group, lanes, instructions, header, text)            \
	{ INTRINSIC_##id, name, isa, EXTENSION_##extension, DTYPE_##sum, DTYPE_##a, DTYPE_##b, group, \
	  lanes, instructions, header, text },
#include "target/intrinsic.def"
#undef X
};

const struct intrinsic *intrinsic_at(enum intrinsic_id id)
{
	return &intrinsics[id];
}

const struct intrinsic *intrinsic_named(const char *name)
{
	for (int i = 0; i < INTRINSIC_COUNT; i++)
		if (strcmp(intrinsics[i].name, name) == 0)
			return &intrinsics[i];
	return NULL;
}

const char *intrinsic_macro(const struct intrinsic *x)
{
	static const char *const macro[] = {
		[EXTENSION_NONE] = NULL,
#define X(id, macro) [EXTENSION_##id] = macro,
#include "target/extension.def"
#undef X
	};

	return macro[x->extension];
}

bool intrinsic_is_of(const struct intrinsic *x, const struct target *t)
{
	return strcmp(x->isa, t->isa) == 0;
}

#if defined(__x86_64__)
/* Bit BIT of a register of cpuid leaf 7: ecx of subleaf 0, eax of subleaf 1. Not all compilers' names for
 * __builtin_cpu_supports have these. */
static bool leaf7(unsigned subleaf, int bit)
{
	unsigned eax, ebx, ecx, edx;

	if (!__get_cpuid_count(7, subleaf, &eax, &ebx, &ecx, &edx))
		return false;
	return (subleaf ? eax : ecx) >> bit & 1;
}
#endif

/* Has this machine E? What the system must do for it, it does for the target already. */
static bool machine_has(enum extension e)
{
	switch (e) {
	case EXTENSION_NONE:
		return true;
#if defined(__x86_64__)
	case EXTENSION_AVX512_VNNI:
		return leaf7(0, 11);
	case EXTENSION_AVX_VNNI:
		return leaf7(1, 4);
	case EXTENSION_AVX512_BF16:
		return leaf7(1, 5);
	case EXTENSION_DOTPROD:
		return false;
#else
	case EXTENSION_AVX512_VNNI:
	case EXTENSION_AVX_VNNI:
	case EXTENSION_AVX512_BF16:
		return false;
	case EXTENSION_DOTPROD:
#if defined(__aarch64__)
		return getauxval(AT_HWCAP) & HWCAP_ASIMDDP;
#else
		return false;
#endif
#endif
	}
	return false;
}

bool intrinsic_is_there(const struct intrinsic *x, const struct target *t)
{
	if (!intrinsic_is_of(x, t))
		return false;
	return x->extension == EXTENSION_NONE || (target_is_own(t) && machine_has(x->extension));
}
