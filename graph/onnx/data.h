/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/data.h - values in files as ONNX's tests have them: input_0.pb, output_0.pb, ... */
#ifndef HONE_GRAPH_ONNX_DATA_H
#define HONE_GRAPH_ONNX_DATA_H

#include "graph/eval/value.h"

/* The value in the file at PATH, which is of a kind that type T may be, in A. 0, or -1 and a
 * message. */
int data_read(struct arena *a, const char *path, const struct type *t, struct value *out);
/* The type that the file of a result has: T, or of what the model does not know that of GOT, which came
 * out. In A. */
const struct type *data_result_type(struct arena *a, const struct type *t, struct value got);
/* The values FOLDER/NAME_I.pb, I in [0, N), of types T; one of which there is no file is empty. */
int data_read_all(struct arena *a, const char *folder, const char *name, int n,
		  const struct type *const *t, struct value *out);
/* Writes V, a tensor, a sequence, or where OPTIONAL one of these or nothing. -1 and a message. */
int data_write(const char *path, const char *name, struct value v, bool optional);

#endif
