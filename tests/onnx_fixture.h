/* SPDX-License-Identifier: Apache-2.0 */
/* tests/onnx_fixture.h - small ONNX models built in memory, for tests that spoil a part of them. */
#ifndef HONE_TESTS_ONNX_FIXTURE_H
#define HONE_TESTS_ONNX_FIXTURE_H

#include <stdlib.h>

#include "base/arena.h"
#include "graph/onnx/onnx.pb-c.h"

/* image [1, 2, 4, 4] -> Conv with w [3, 2, 3, 3], pads 1 -> hidden -> Relu -> scores. The fields
 * are there to be changed before fixture_pack. */
struct onnx_fixture {
	Onnx__ModelProto model;
	Onnx__OperatorSetIdProto opset, *opsets[1];
	Onnx__GraphProto graph;
	Onnx__NodeProto conv, relu, *nodes[2];
	char *conv_in[2], *conv_out[1], *relu_in[1], *relu_out[1];
	Onnx__AttributeProto pads, *conv_attrs[1];
	int64_t pad_list[4];
	Onnx__TensorProto weight, *weights[1];
	int64_t weight_dims[4];
	float weight_data[54];
	Onnx__ValueInfoProto image, *inputs[1], scores, *outputs[1];
	Onnx__TypeProto image_type;
	Onnx__TypeProto__Tensor image_tensor;
	Onnx__TensorShapeProto image_shape;
	Onnx__TensorShapeProto__Dimension dims[4], *dim_list[4];
};

static inline void fixture_init_image(struct onnx_fixture *x)
{
	static const int64_t shape[4] = { 1, 2, 4, 4 };

	onnx__value_info_proto__init(&x->image);
	onnx__type_proto__init(&x->image_type);
	onnx__type_proto__tensor__init(&x->image_tensor);
	onnx__tensor_shape_proto__init(&x->image_shape);
	for (int i = 0; i < 4; i++) {
		onnx__tensor_shape_proto__dimension__init(&x->dims[i]);
		x->dims[i].value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
		x->dims[i].dim_value = shape[i];
		x->dim_list[i] = &x->dims[i];
	}
	x->image_shape.n_dim = 4;
	x->image_shape.dim = x->dim_list;
	x->image_tensor.has_elem_type = 1;
	x->image_tensor.elem_type = 1;
	x->image_tensor.shape = &x->image_shape;
	x->image_type.value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
	x->image_type.tensor_type = &x->image_tensor;
	x->image.name = "image";
	x->image.type = &x->image_type;
	x->inputs[0] = &x->image;
}

static inline void fixture_init_weight(struct onnx_fixture *x)
{
	static const int64_t shape[4] = { 3, 2, 3, 3 };

	onnx__tensor_proto__init(&x->weight);
	for (int i = 0; i < 54; i++)
		x->weight_data[i] = (float)i;
	for (int i = 0; i < 4; i++)
		x->weight_dims[i] = shape[i];
	x->weight.name = "w";
	x->weight.has_data_type = 1;
	x->weight.data_type = 1;
	x->weight.n_dims = 4;
	x->weight.dims = x->weight_dims;
	x->weight.has_raw_data = 1;
	x->weight.raw_data.len = sizeof(x->weight_data);
	x->weight.raw_data.data = (uint8_t *)x->weight_data;
	x->weights[0] = &x->weight;
}

static inline void fixture_init_nodes(struct onnx_fixture *x)
{
	onnx__node_proto__init(&x->conv);
	onnx__node_proto__init(&x->relu);
	onnx__attribute_proto__init(&x->pads);
	for (int i = 0; i < 4; i++)
		x->pad_list[i] = 1;
	x->pads.name = "pads";
	x->pads.has_type = 1;
	x->pads.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
	x->pads.n_ints = 4;
	x->pads.ints = x->pad_list;
	x->conv_attrs[0] = &x->pads;
	x->conv_in[0] = "image";
	x->conv_in[1] = "w";
	x->conv_out[0] = x->relu_in[0] = "hidden";
	x->relu_out[0] = "scores";
	x->conv.op_type = "Conv";
	x->conv.n_input = 2;
	x->conv.input = x->conv_in;
	x->conv.n_output = 1;
	x->conv.output = x->conv_out;
	x->conv.n_attribute = 1;
	x->conv.attribute = x->conv_attrs;
	x->relu.op_type = "Relu";
	x->relu.n_input = 1;
	x->relu.input = x->relu_in;
	x->relu.n_output = 1;
	x->relu.output = x->relu_out;
	x->nodes[0] = &x->conv;
	x->nodes[1] = &x->relu;
}

static inline void fixture_init(struct onnx_fixture *x)
{
	onnx__model_proto__init(&x->model);
	onnx__operator_set_id_proto__init(&x->opset);
	onnx__graph_proto__init(&x->graph);
	onnx__value_info_proto__init(&x->scores);
	fixture_init_image(x);
	fixture_init_weight(x);
	fixture_init_nodes(x);
	x->opset.has_version = 1;
	x->opset.version = 13;
	x->opsets[0] = &x->opset;
	x->scores.name = "scores";
	x->outputs[0] = &x->scores;
	x->graph.n_node = 2;
	x->graph.node = x->nodes;
	x->graph.n_initializer = 1;
	x->graph.initializer = x->weights;
	x->graph.n_input = 1;
	x->graph.input = x->inputs;
	x->graph.n_output = 1;
	x->graph.output = x->outputs;
	x->model.n_opset_import = 1;
	x->model.opset_import = x->opsets;
	x->model.graph = &x->graph;
}

/* The model's bytes, in A. */
static inline unsigned char *fixture_pack(struct arena *a, struct onnx_fixture *x, size_t *size)
{
	unsigned char *data = arena_alloc(a, onnx__model_proto__get_packed_size(&x->model));

	*size = onnx__model_proto__pack(&x->model, data);
	return data;
}

#endif
