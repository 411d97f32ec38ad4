/* SPDX-License-Identifier: Apache-2.0 */
/* target/matrix.c - the C text of functions for AMX.
 *
 * Linux lets a process use tiles once it has asked: arch_prctl(ARCH_REQ_XCOMP_PERM, 18), its system call 158
 * (Documentation/arch/x86/xstate.rst). A kernel asks once, where it first configures tiles, so that it runs in any
 * program. "# define" is none of the kernel's own macros, which end with it (measure/build/join.h). gcc's
 * functions do not say that they read memory: what was stored before has to be there. */
#include "target/matrix.h"

const char matrix_macros[] =
	"/* clang before 16 spells these otherwise. */\n"
	"#if defined __AMXINT8__ && !defined __AMX_INT8__\n# define __AMX_INT8__ 1\n#endif\n"
	"#if defined __AMXBF16__ && !defined __AMX_BF16__\n# define __AMX_BF16__ 1\n#endif\n";

const char matrix_functions[] =
	"#define STORED __asm__ volatile(\"\" ::: \"memory\")\n"
	"#define matrix_zero(tile) _tile_zero(tile)\n"
	"#define matrix_load(tile, from, bytes) do { STORED; _tile_loadd(tile, from, bytes); } while (0)\n"
	"#define matrix_store(tile, to, bytes) do { _tile_stored(tile, to, bytes); STORED; } while (0)\n"
	"/* Tiles 0 to 3 are sums, 4 and 5 have their rows, 6 and 7 the others' by which these are multiplied. */\n"
	"static inline uint32_t matrix_shape(uint32_t now, uint32_t rows, uint32_t depth)\n"
	"{\n\tstatic int asked;\n"
	"\t_Alignas(64) uint8_t form[64] = {1};\n\tconst uint32_t shape = rows << 8 | depth;\n\n"
	"\tif (now == shape)\n\t\treturn now;\n"
	"\tif (!__atomic_load_n(&asked, __ATOMIC_RELAXED)) {\n\t\tlong result;\n\n"
	"\t\t__asm__ volatile(\"syscall\" : \"=a\"(result) : \"0\"(158L), \"D\"(0x1023L), \"S\"(18L)\n"
	"\t\t\t\t : \"rcx\", \"r11\", \"memory\");\n"
	"\t\t__atomic_store_n(&asked, 1, __ATOMIC_RELAXED);\n\t}\n"
	"\tfor (int tile = 0; tile < 8; tile++) {\n"
	"\t\tform[16 + 2 * tile] = (uint8_t)(tile / 2 == 2 ? 4 * depth : 64);	/* bytes of a row */\n"
	"\t\tform[48 + tile] = (uint8_t)(tile < 6 ? rows : depth);\n\t}\n"
	"\tSTORED;\n\t_tile_loadconfig(form);\n\treturn shape;\n}\n"
	"static inline void matrix_end(uint32_t now)\n{\n\tif (now)\n\t\t_tile_release();\n}\n";
