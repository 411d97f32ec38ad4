/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/export_args.c - arguments and memory of an exported kernel. */
#include "codegen/export_args.h"

const struct tensor *exported_tensor(const struct program *p, int i)
{
	const struct pack *pack = program_pack(p, i);

	return pack ? &pack->raw->tensor : &p->args.at[i]->tensor;
}

size_t exported_packed_bytes(const struct program *p, int i)
{
	const struct pack *pack = program_pack(p, i);

	return pack ? emit_packed_bytes(p, pack) : 0;
}

const char *exported_role(const struct program *p, int i)
{
	const struct buffer *b = p->args.at[i];

	if (b->kind == BUFFER_OUTPUT)
		return "output";
	return b->constant ? "const" : "input";
}

size_t exported_workspace_bytes(struct emit_needs needs, int threads)
{
	return needs.shared + needs.thread * (size_t)threads;
}
