/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/tensor.h - ONNX's element types and tensors. */
#ifndef HONE_GRAPH_ONNX_TENSOR_H
#define HONE_GRAPH_ONNX_TENSOR_H

#include "base/vec.h"
#include "graph/ir/array.h"
#include "graph/ir/names.h"
#include "graph/onnx/onnx.h"
#include "graph/onnx/wire.h"

/* A file of external data. */
struct mapped {
	const unsigned char *data;
	size_t size;
};

struct mapped_vec VEC(struct mapped);

/* Where the bytes of tensors are. */
struct tensor_source {
	struct arena *arena;	/* arrays live here */
	const unsigned char *data;	/* the file, which raw data refers to; it lives as long */
	bool in_file;		/* it is mapped for reading alone, so that large tensors stay there */
	const char *folder;	/* where external data lies; NULL: nowhere */
	struct onnx_files *read;	/* to be told of files; NULL: nobody */
	struct names files;	/* by location: index of those that are mapped */
	struct mapped_vec mapped;
	int64_t room;		/* bytes of elements that may still be copied */
};

/* The type that ONNX's NUMBER means; -1 and a message where hone has none. */
int onnx_element(int64_t number, enum element *out);
/* The inverse; 0 where ONNX has none. */
int onnx_element_number(enum element e);
/* Bits of an element in raw data. */
int onnx_element_bits(enum element e);

/* The tensor P; its elements lie where they are in the file where they are aligned there, or are many
 * (array_mapped()). NULL and a message. */
const struct array *tensor_read(struct tensor_source *s, const Onnx__TensorProto *p);
/* The same of a sparse one, made dense. */
const struct array *tensor_read_sparse(struct tensor_source *s, const Onnx__SparseTensorProto *p);

/* The bytes of P, which are in another file, and their number; NULL and a message. */
const unsigned char *tensor_external(struct tensor_source *s, const Onnx__TensorProto *p,
				     uint64_t *bytes);

#endif
