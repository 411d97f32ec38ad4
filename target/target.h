/* SPDX-License-Identifier: Apache-2.0 */
/* target/target.h - what the code of a kernel can be, and how it is built and run.
 *
 * In:   one file for each target, a line for it in target/targets.def.
 * Out:  const tables. Whoever makes, ranks, prints, builds or runs kernels reads them, and knows nothing
 *       else of a machine; what was measured of one is in measure/device/.
 * Holds: vector bytes are a power of two; names and isas are unique. */
#ifndef HONE_TARGET_TARGET_H
#define HONE_TARGET_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* What a loop is asked to be; annotation.def has it in words. */
enum annotation {
#define X(id, name, meaning) ANNOTATION_##id,
#include "target/annotation.def"
#undef X
	ANNOTATION_COUNT
};
/* "parallel"; "" of a plain loop. */
const char *annotation_name(enum annotation a);

/* Where a kernel's own data can be. */
enum memory_scope {
#define X(id, name, meaning) SCOPE_##id,
#include "target/scope.def"
#undef X
	SCOPE_COUNT
};
const char *memory_scope_name(enum memory_scope s);

/* What the analytic prior takes steps for, in cycles unless told otherwise. */
struct unit_costs {
	double pipes;		/* vector multiply-adds started a cycle */
	double latency;		/* of one, from and to registers */
	double memory_latency;	/* with a load and a store of the sum around it */
	double operation;	/* on vectors, among all that a body does */
	double load, store;	/* that hit L1, likewise */
	double askew;		/* more, of a store that may cross lines */
	double spill;		/* of a value that does not fit: it goes out and comes in, late */
	double spill_share;	/* of each other operation: compilers move some to and fro with it */
	double start_ns;	/* of a loop that threads share */
};

struct operand_scopes {
	enum memory_scope a, b, sum;
};

struct target {
	const char *name;	/* "x86-64-avx2" */
	const char *isa;	/* in fingerprints of devices and in synthetic ones: "avx2" */
	const char *summary;	/* one line for people */
	int vector_bytes;
	int vector_registers;
	/* Whose vectors are half as wide, with the same instructions: machines may start more of them. NULL: none tells. */
	const struct target *half;
	size_t scope_bytes[SCOPE_COUNT];	/* that one thread may have of each */
	size_t frame_bytes;	/* of the stack, for what compilers keep there, and libm */
	int statements;		/* that a kernel is written with, at most */
	/* Under a mask they take about as long as without: then borders and tails are masks, not loops. */
	bool masked_loads, masked_stores;
	int stream_bytes;	/* of the least vector that can be stored past the caches; 0: none can */
	int line_bytes;		/* of a cache line, that can be prefetched; 0: there is none */
	bool alike;		/* compilers are asked for lanes where the turns of a plain loop are of different elements */
	uint32_t extensions;	/* of target/extension.def, by bits, that all machines have that it is for */
	/* The scratchpads in which its intrinsics have a, b and their sums; then nothing is read or written by others.
	 * NULL: they take theirs from wherever it is. */
	const struct operand_scopes *operands;
	/* What loops become, by annotation; NULL: there are none such. */
	const char *bindings[ANNOTATION_COUNT];
	const struct unit_costs *costs;

	const char *arch;	/* of the processor, as in names of cross compilers: "x86_64"; NULL: any */
	/* Flags of gcc and clang that name it where it is not the machine's own; NULL: none. Of its own
	 * code is made with -march=native, which knows more of it. */
	const char *march;
	const char *tuning;	/* a flag behind that, taken where the compiler has it; NULL: none */
	const char *defined;	/* what compilers for it define, as a condition of C's; NULL: any do */
	const char *clang_attribute;	/* of functions, where flags are not ours to give; NULL: none */
	bool (*runs)(void);	/* on this machine */
	const char *emulator;	/* a program that runs its programs elsewhere; NULL: none */
};

/* In the text of a toolchain, before the name of a target that is not the machine's own. */
#define TARGET_MARK " target="

#define X(id) extern const struct target target_##id;
#include "target/targets.def"
#undef X

enum target_number {
#define X(id) TARGET_##id,
#include "target/targets.def"
#undef X
	TARGET_COUNT
};

/* All of them, the widest first within an architecture. */
const struct target *target_at(int i);
/* Its place among them. */
int target_number(const struct target *t);
/* By name or by isa; NULL: there is none. */
const struct target *target_named(const char *name);
const struct target *target_of_isa(const char *isa);
/* That the text of a toolchain names; OWN where it names none. */
const struct target *target_of_toolchain(const char *text, const struct target *own);
/* This machine's own: the first that runs here. */
const struct target *target_here(void);
/* Whether T is that: then -march=native makes its code. */
bool target_is_own(const struct target *t);
/* Whether T is for processors of another architecture than this machine's. */
bool target_is_foreign(const struct target *t);
/* "a, b, c": of all, or of those that run HERE. */
void target_print_names(struct text *out, bool here);
/* The one that a user named: NULL and a message where there is none, or where it cannot run here. */
const struct target *target_choose(const char *name);

/* Elements of BYTES in a vector. */
static inline int target_lanes(const struct target *t, size_t bytes)
{
	return t->vector_bytes / (int)bytes;
}

/* Whether T has loops of this kind. */
static inline bool target_binds(const struct target *t, enum annotation a)
{
	return t->bindings[a];
}

#endif
