/* SPDX-License-Identifier: Apache-2.0 */
/* codegen/export_args.h - what a caller of an exported kernel has to bring; for codegen/export*.c only. */
#ifndef HONE_CODEGEN_EXPORT_ARGS_H
#define HONE_CODEGEN_EXPORT_ARGS_H

#include "codegen/emit.h"
#include "codegen/export.h"

/* Argument I as the caller has it, before packing. */
const struct tensor *exported_tensor(const struct program *p, int i);
/* What argument I takes once it is packed; 0: it is not. */
size_t exported_packed_bytes(const struct program *p, int i);
/* input, const or output. */
const char *exported_role(const struct program *p, int i);
size_t exported_workspace_bytes(struct emit_needs needs, int threads);

#endif
