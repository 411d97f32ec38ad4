/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/export_build.h - what the build of another project asks of an export: why a task has no
 * kernel, one that nobody tuned instead, and what to watch for changes. */
#ifndef HONE_TOOLS_RECORD_EXPORT_BUILD_H
#define HONE_TOOLS_RECORD_EXPORT_BUILD_H

#include "graph/onnx/onnx.h"
#include "tools/args/query.h"

/* Why no record of T fits Q: what is asked for, and what there is instead. In Q's arena; NULL and a message
 * where the database fails. */
const char *miss_reason(const struct query *q, const struct task *t);

/* The cost model's guess for T, which nobody measured, in the form of a record; false where it has none. */
bool fallback_kernel(const struct query *q, const struct task *t, struct best *out);

/* Writes PATH, a rule of make: OUTPUT depends on all that was read for Q: hone, source, database and FILES of
 * a model. 0, or -1 and a message. */
int depfile_write(const struct query *q, const struct onnx_files *files, const char *output,
		  const char *path);

#endif
