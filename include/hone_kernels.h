/* SPDX-License-Identifier: Apache-2.0 */
/* hone_kernels.h - kernels of your own that hone calls, by the code generator `csource`.
 *
 * A library of kernels is a shared object, which the environment's HONE_CSOURCE_KERNELS names. It has a
 * function kernel_NAME for each operator that it computes, NAME being the operator's: kernel_add,
 * kernel_matmul; of convolutions with the number of spatial dims: kernel_conv1d, kernel_conv2d,
 * kernel_conv3d. docs/partition.md lists operators, operands and attributes.
 *
 * Tensors are dense and row-major, images [n, c, spatial...]. */
#ifndef HONE_KERNELS_H
#define HONE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hone_kernel_type {
	HONE_KERNEL_F32,
	HONE_KERNEL_F64,
	HONE_KERNEL_F16,
	HONE_KERNEL_BF16,
	HONE_KERNEL_I8,
	HONE_KERNEL_U8,
	HONE_KERNEL_I32,
	HONE_KERNEL_I64,
	HONE_KERNEL_BOOL,
};

struct hone_kernel_tensor {
	enum hone_kernel_type type;
	int rank;		/* -1: an operand that was left out */
	int64_t dim[8];
};

/* Numbers or a text; all that the operator has are there, a list at its default is empty. */
struct hone_kernel_attr {
	const char *name;
	int n;
	const int64_t *ints;	/* or */
	const double *floats;	/* or */
	const char *text;
};

/* All that is known of a call before it runs; it stays as it is. */
struct hone_kernel_call {
	const char *name;	/* as in kernel_NAME */
	int ninputs;
	const struct hone_kernel_tensor *inputs;
	struct hone_kernel_tensor output;
	int nattrs;
	const struct hone_kernel_attr *attrs;
};

/* Computes OUTPUT, all of it, of INPUTS, of which one that was left out is NULL, with at most THREADS
 * threads. 0; anything else ends the run. */
typedef int hone_kernel(const struct hone_kernel_call *call, const void *const *inputs, void *output,
			int threads);

/* A library may have this function under the name `kernels_refuse`: why it cannot compute CALL, a string
 * that stays; NULL: it can. Where it has none, each kernel takes all calls of its operator. */
typedef const char *hone_kernels_refuse(const struct hone_kernel_call *call);

#ifdef __cplusplus
}
#endif

#endif
