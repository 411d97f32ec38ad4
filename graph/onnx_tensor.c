/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx_tensor.c - ONNX's types and tensors. */
#include <stdlib.h>

#include "base/err.h"
#include "graph/onnx_read.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "raw_data is read as it lies there");

static const struct {
	const char *name;
	enum dtype dtype;	/* DTYPE_COUNT: ONNX has it, hone does not */
} types[] = {
	[1] = { "float", DTYPE_F32 },	      [2] = { "uint8", DTYPE_U8 },
	[3] = { "int8", DTYPE_I8 },	      [4] = { "uint16", DTYPE_COUNT },
	[5] = { "int16", DTYPE_COUNT },	      [6] = { "int32", DTYPE_I32 },
	[7] = { "int64", DTYPE_I64 },	      [8] = { "string", DTYPE_COUNT },
	[9] = { "bool", DTYPE_BOOL },	      [10] = { "float16", DTYPE_F16 },
	[11] = { "double", DTYPE_F64 },	      [12] = { "uint32", DTYPE_COUNT },
	[13] = { "uint64", DTYPE_COUNT },     [14] = { "complex64", DTYPE_COUNT },
	[15] = { "complex128", DTYPE_COUNT }, [16] = { "bfloat16", DTYPE_BF16 },
};

bool onnx_dtype(int32_t number, enum dtype *out)
{
	if (number < 1 || number >= (int32_t)(sizeof(types) / sizeof(types[0]))) {
		err_set("element type %d is not one of ONNX's", number);
		return false;
	}
	*out = types[number].dtype;
	if (*out == DTYPE_COUNT)
		err_set("tensors of %s are not supported", types[number].name);
	return *out != DTYPE_COUNT;
}

int onnx_type(struct arena *a, const Onnx__TypeProto *p, struct type *out)
{
	*out = type_unknown();
	if (!p || p->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
		return 0;
	const Onnx__TypeProto__Tensor *t = p->tensor_type;

	if (!onnx_dtype(t->elem_type, &out->dtype))
		return out->dtype == DTYPE_COUNT && t->elem_type > 0 ? 0 : -1;
	if (!t->shape)
		return 0;
	if (t->shape->n_dim > GRAPH_MAX_RANK)
		return err_set("a tensor of rank %zu (at most %d)", t->shape->n_dim,
			       GRAPH_MAX_RANK);
	out->rank = (int)t->shape->n_dim;
	for (int i = 0; i < out->rank; i++) {
		const Onnx__TensorShapeProto__Dimension *d = t->shape->dim[i];

		out->dim[i] = dim_unknown();
		if (d->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
		    *d->dim_param)
			out->dim[i].name = arena_strdup(a, d->dim_param);
		if (d->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
			continue;
		/* Some exporters write -1 for an unknown dim. */
		if (d->dim_value < -1 || d->dim_value > GRAPH_MAX_DIM)
			return err_set("a dim of %lld", (long long)d->dim_value);
		out->dim[i].n = d->dim_value;
	}
	if (type_has_shape(out) && type_count(out) < 0)
		return err_set("a tensor with more elements than the limit allows");
	return 0;
}

static int tensor_type(const Onnx__TensorProto *p, struct type *out)
{
	enum dtype dtype;

	if (!onnx_dtype(p->data_type, &dtype))
		return -1;
	if (p->n_dims > GRAPH_MAX_RANK)
		return err_set("rank %zu (at most %d)", p->n_dims, GRAPH_MAX_RANK);
	for (size_t i = 0; i < p->n_dims; i++)
		if (p->dims[i] < 0 || p->dims[i] > GRAPH_MAX_DIM)
			return err_set("a dim of %lld", (long long)p->dims[i]);
	*out = type_tensor(dtype, (int)p->n_dims, p->dims);
	if (type_count(out) < 0)
		return err_set("more elements than the limit allows");
	return 0;
}

/* Raw bytes, used where they lie in the file. Numbers rarely lie aligned there, so they are moved
 * down over their own tag and length, which have been read already: at least 3 bytes where there
 * are 128 and more of data. What that does not align is copied. */
static const void *raw_data(struct onnx_reader *r, struct wire_ref ref, size_t align)
{
	unsigned char *at = r->data + ref.offset;
	size_t shift = (size_t)((uintptr_t)at % align);

	if (shift == 0)
		return at;
	if (shift > 3 || ref.length < 128)
		return arena_memdup(r->arena, at, ref.length);
	return memmove(at - shift, at, ref.length);
}

/* The elements from the list a type has its own, each stored as wide as int32 for the small. */
static const void *listed_data(struct onnx_reader *r, const Onnx__TensorProto *p,
			       const struct type *t, size_t *n)
{
	size_t bytes = dtype_bytes(t->dtype);

	switch (t->dtype) {
	case DTYPE_F32:
		*n = p->n_float_data;
		return arena_memdup(r->arena, p->float_data, *n * bytes);
	case DTYPE_F64:
		*n = p->n_double_data;
		return arena_memdup(r->arena, p->double_data, *n * bytes);
	case DTYPE_I64:
		*n = p->n_int64_data;
		return arena_memdup(r->arena, p->int64_data, *n * bytes);
	default:
		break;
	}
	*n = p->n_int32_data;
	char *out = arena_alloc(r->arena, *n * bytes);

	for (size_t i = 0; i < *n; i++)	/* little-endian: the low bytes come first */
		memcpy(out + i * bytes, &p->int32_data[i], bytes);
	return out;
}

int onnx_tensor(struct onnx_reader *r, const Onnx__TensorProto *p, struct constant *out)
{
	if (tensor_type(p, &out->type) < 0)
		return -1;
	if (p->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL || p->n_external_data)
		return err_set("its data is in another file, which is not read: save the model "
			       "with its weights inside");
	if (p->segment)
		return err_set("its data comes in segments, which are not read");
	size_t want = (size_t)type_count(&out->type);
	size_t have;

	if (p->has_raw_data && p->raw_data.len == sizeof(struct wire_ref)) {
		size_t bytes = dtype_bytes(out->type.dtype);
		struct wire_ref ref;

		memcpy(&ref, p->raw_data.data, sizeof(ref));
		if (ref.length != want * bytes)
			return err_set("%llu bytes of data, its shape and type want %zu",
				       (unsigned long long)ref.length, want * bytes);
		out->data = raw_data(r, ref, bytes);
		return 0;
	}
	out->data = listed_data(r, p, &out->type, &have);
	if (have != want)
		return err_set("%zu elements of data, its shape wants %zu", have, want);
	return 0;
}
