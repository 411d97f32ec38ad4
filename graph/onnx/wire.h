/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/wire.h - from the bytes of an ONNX file to protobuf-c's messages, safely.
 *
 * protobuf-c trusts its input in two ways that a file from outside may abuse: it recurses as deep
 * as messages nest, and it copies every byte string, which for weights doubles the memory. So the
 * file is first copied into a skeleton that keeps only what hone reads, with nesting and repeated
 * singular fields refused, and with each TensorProto.raw_data replaced by a struct wire_ref. */
#ifndef HONE_GRAPH_ONNX_WIRE_H
#define HONE_GRAPH_ONNX_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "graph/onnx/onnx.pb-c.h"

/* What raw_data holds in the skeleton: where the bytes are in the file. */
struct wire_ref {
	uint64_t offset, length;
};

/* A message of kind D in SIZE bytes of DATA, to be freed by wire_free; NULL and a message on
 * failure. Memory is bounded by a small multiple of SIZE. */
ProtobufCMessage *wire_unpack(const ProtobufCMessageDescriptor *d, const unsigned char *data,
			      size_t size);
void wire_free(ProtobufCMessage *m);

/* The defaults of a function's attributes, which are newer than the description of the format that
 * hone is built with: the I-th, to be freed by wire_free; NULL where there are no more. */
Onnx__AttributeProto *wire_function_default(const Onnx__FunctionProto *f, int i);

#endif
