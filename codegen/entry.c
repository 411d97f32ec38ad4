/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/entry.c - a whole run of a kernel as one function, for callers without a team of their own. */
#include "codegen/emit.h"

/* In all of these %1$s is the symbol. */
static const char head[] =
	"\nint32_t %1$s(void *const *args, void *workspace, int32_t threads)\n{\n"
	"\tif (threads < 1 || (!workspace && %1$s_workspace_bytes(threads) > 0))\n"
	"\t\treturn -1;\n";
/* OpenMP may give fewer threads than asked. */
static const char team[] =
	"#ifdef _OPENMP\n"
	"\tif (threads > 1) {\n"
	"#pragma omp parallel num_threads(threads)\n"
	"\t\tfor (int32_t phase = 0; phase < %1$s_phases(); phase++) {\n"
	"\t\t\t%1$s_part(phase, args, workspace, omp_get_thread_num(), "
	"omp_get_num_threads());\n"
	"#pragma omp barrier\n"
	"\t\t}\n"
	"\t\treturn 0;\n"
	"\t}\n"
	"#endif\n";
static const char alone[] =
	"\tfor (int32_t phase = 0; phase < %1$s_phases(); phase++)\n"
	"\t\t%1$s_part(phase, args, workspace, 0, 1);\n"
	"\treturn 0;\n}\n";

void emit_entry(struct text *out, const struct program *p, const char *symbol)
{
	bool parallel = program_is_parallel(p);

	if (parallel)
		text_puts(out, "\n#ifdef _OPENMP\n#include <omp.h>\n#endif\n");
	text_printf(out, head, symbol);
	if (parallel)
		text_printf(out, team, symbol);
	text_printf(out, alone, symbol);
}
