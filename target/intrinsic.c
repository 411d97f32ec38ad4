/* SPDX-License-Identifier: Apache-2.0 */
/* target/intrinsic.c - the table of intrinsics, and what this machine has of them. */
#include "target/intrinsic.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

static const struct intrinsic intrinsics[] = {
#define X(id, name, isa, extension, sum, a, b, group, lanes, rows, depth, instructions, header, text) \
	{ INTRINSIC_##id, name, isa, EXTENSION_##extension, DTYPE_##sum, DTYPE_##a, DTYPE_##b, group, \
	  lanes, rows, depth, instructions, header, text },
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
/* Bit BIT of a register, "abcd", of cpuid leaf 7. Not all compilers' names for __builtin_cpu_supports have these. */
static bool leaf7(unsigned subleaf, char name, int bit)
{
	unsigned r[4];

	return __get_cpuid_count(7, subleaf, &r[0], &r[1], &r[2], &r[3]) && r[name - 'a'] >> bit & 1;
}

/* Would Linux let this process have the data of tiles? (Documentation/arch/x86/xstate.rst: ARCH_GET_XCOMP_SUPP, component
 * 18.) Kernels ask for it. */
static bool system_has_tiles(void)
{
	enum { GET_SUPPORTED = 0x1021, TILE_DATA = 18 };
	uint64_t components = 0;

	return syscall(SYS_arch_prctl, GET_SUPPORTED, &components) == 0 && components >> TILE_DATA & 1;
}
#endif

/* Has this machine E? What the system must do for it, it does for the target already, but for tiles. */
static bool machine_has(enum extension e)
{
	switch (e) {
	case EXTENSION_NONE:
		return true;
#if defined(__x86_64__)
	case EXTENSION_AVX512_VNNI:
		return leaf7(0, 'c', 11);
	case EXTENSION_AVX_VNNI:
		return leaf7(1, 'a', 4);
	case EXTENSION_AVX512_BF16:
		return leaf7(1, 'a', 5);
	case EXTENSION_AMX_INT8:
		return leaf7(0, 'd', 25) && system_has_tiles();
	case EXTENSION_AMX_BF16:
		return leaf7(0, 'd', 22) && system_has_tiles();
	case EXTENSION_DOTPROD:
		return false;
#else
	case EXTENSION_AVX512_VNNI:
	case EXTENSION_AVX_VNNI:
	case EXTENSION_AVX512_BF16:
	case EXTENSION_AMX_INT8:
	case EXTENSION_AMX_BF16:
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
	return x->extension == EXTENSION_NONE || t->extensions >> x->extension & 1 ||
	       (target_is_own(t) && machine_has(x->extension));
}
