/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/values/npy.h - arrays in NumPy's file format (numpy.org/doc/stable/reference/generated/
 * numpy.lib.format.html): versions 1 to 3, C order, little-endian. */
#ifndef HONE_RUNTIME_VALUES_NPY_H
#define HONE_RUNTIME_VALUES_NPY_H

#include "graph/ir/array.h"

/* The array in the file at PATH, in A; NULL and a message where there is none, or of a type that
 * hone's models do not have. */
const struct array *npy_read(struct arena *a, const char *path);
/* Types that NumPy does not have (bf16, floats of 8 bits) are written as f32, integers of less than a
 * byte as bytes. -1 and a message; strings are refused. */
int npy_write(const char *path, const struct array *x);

#endif
