/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/tensor.c - ONNX's tensors: raw, listed, sparse. */
#include "graph/onnx/tensor.h"

#include "base/err.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "raw data is read as it lies there");

static const struct {
	const char *name;
	enum element element;
	int bits;
} kinds[] = {
#define X(number, name, element, bits) [number] = { name, element, bits },
#include "graph/onnx/elements.def"
#undef X
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

int onnx_element(int64_t number, enum element *out)
{
	if (number < 1 || number >= KINDS)
		return err_set("element type %lld is not one of ONNX's that hone knows",
			       (long long)number);
	if (kinds[number].element == ELEMENT_COUNT)
		return err_set("tensors of %s are not supported", kinds[number].name);
	*out = kinds[number].element;
	return 0;
}

int onnx_element_number(enum element e)
{
	for (int i = 1; i < KINDS; i++)
		if (kinds[i].element == e)
			return i;
	return 0;
}

int onnx_element_bits(enum element e)
{
	return kinds[onnx_element_number(e)].bits;
}

/* Takes BYTES from what the source may copy; -1 and a message where it is used up. */
static int charge(struct tensor_source *s, int64_t bytes)
{
	if (bytes > s->room)
		return err_set("more constants than the file's size allows");
	s->room -= bytes;
	return 0;
}

static int read_shape(const Onnx__TensorProto *p, struct array *out)
{
	if (onnx_element(p->data_type, &out->element) < 0)
		return -1;
	if (p->n_dims > GRAPH_MAX_RANK)
		return err_set("rank %zu (at most %d)", p->n_dims, GRAPH_MAX_RANK);
	out->rank = (int)p->n_dims;
	for (int i = 0; i < out->rank; i++) {
		out->dim[i] = p->dims[i];
		if (p->dims[i] < 0 || p->dims[i] > GRAPH_MAX_DIM)
			return err_set("a dim of %lld", (long long)p->dims[i]);
	}
	out->count = shape_count(out->rank, out->dim);
	if (out->count < 0)
		return err_set("more elements than the limit allows");
	return 0;
}

static struct array *own(struct tensor_source *s, const struct array *shape)
{
	size_t bytes = (size_t)shape->count * element_bytes(shape->element);

	if (charge(s, (int64_t)bytes) < 0)
		return NULL;
	return array_in(s->arena, shape->element, shape->rank, shape->dim);
}

/* --- bytes */

/* Elements of BITS from bytes that hold several, the first in the low bits. */
static const struct array *unpack(struct tensor_source *s, const struct array *shape, int bits,
				  const unsigned char *from)
{
	struct array *out = own(s, shape);
	bool is_signed = element_class(shape->element) == ELEMENT_CLASS_SIGNED;
	int per_byte = 8 / bits;

	for (int64_t i = 0; out && i < out->count; i++) {
		int v = from[i / per_byte] >> (i % per_byte * bits) & ((1 << bits) - 1);

		if (is_signed && v >> (bits - 1))
			v -= 1 << bits;
		((signed char *)out->data)[i] = (signed char)v;
	}
	return out;
}

/* A byte of a bool may be any in a file, and is 0 or 1 in hone. */
static bool is_tame(const struct array *shape, const unsigned char *from)
{
	if (shape->element != ELEMENT_BOOL)
		return true;
	for (int64_t i = 0; i < shape->count; i++)
		if (from[i] > 1)
			return false;
	return true;
}

/* Floats of fewer bytes, and shapes and the like of any size, are copied where they are not aligned: what
 * computes with them need not ask. As many as the system maps at a time. */
#define STAY_BYTES ((uint64_t)64 << 10)

static bool may_stay(const struct array *shape, const unsigned char *from, uint64_t bytes, bool mapped)
{
	if ((uintptr_t)from % element_bytes(shape->element) == 0)
		return is_tame(shape, from);
	return mapped && bytes >= STAY_BYTES && element_is_float(shape->element);
}

/* The array of SHAPE whose elements are BYTES at FROM, which lives as long as it; MAPPED: in a file. */
static const struct array *from_bytes(struct tensor_source *s, const struct array *shape,
				      const unsigned char *from, uint64_t bytes, bool mapped)
{
	int bits = onnx_element_bits(shape->element);
	uint64_t want = ((uint64_t)shape->count * (unsigned)bits + 7) / 8;

	if (bits == 0) {
		err_set("strings do not come as raw data");
		return NULL;
	}
	if (bytes != want) {
		err_set("%llu bytes of data, its shape and type want %llu",
			(unsigned long long)bytes, (unsigned long long)want);
		return NULL;
	}
	if (bits < 8)
		return unpack(s, shape, bits, from);
	if (may_stay(shape, from, bytes, mapped))
		return (mapped ? array_mapped : array_around)(s->arena, shape->element, shape->rank,
							      shape->dim, from);
	struct array *out = own(s, shape);

	if (!out)
		return NULL;
	memcpy(out->data, from, bytes);
	for (int64_t i = 0; shape->element == ELEMENT_BOOL && i < out->count; i++)
		((unsigned char *)out->data)[i] = from[i] != 0;
	return out;
}

static const struct array *from_raw(struct tensor_source *s, const struct array *shape,
				    const Onnx__TensorProto *p)
{
	struct wire_ref ref;

	memcpy(&ref, p->raw_data.data, sizeof(ref));
	return from_bytes(s, shape, s->data + ref.offset, ref.length, s->in_file);
}

/* --- lists */

static int check_listed(size_t have, size_t want)
{
	if (have != want)
		return err_set("%zu elements of data, its shape wants %zu", have, want);
	return 0;
}

/* A list whose items are elements of the type. */
static const struct array *same(struct tensor_source *s, const struct array *shape, size_t n,
				const void *items)
{
	if (check_listed(n, (size_t)shape->count) < 0)
		return NULL;
	struct array *out = own(s, shape);

	if (out && n)
		memcpy(out->data, items, array_bytes(out));
	return out;
}

static const struct array *strings(struct tensor_source *s, const struct array *shape,
				   const Onnx__TensorProto *p)
{
	if (check_listed(p->n_string_data, (size_t)shape->count) < 0)
		return NULL;
	struct array *out = own(s, shape);

	for (int64_t i = 0; out && i < out->count; i++) {
		const ProtobufCBinaryData *text = &p->string_data[i];

		if (charge(s, (int64_t)text->len) < 0)
			return NULL;
		((const char **)out->data)[i] = arena_strndup(
			s->arena, text->len ? (const char *)text->data : "", text->len);
	}
	return out;
}

/* Small types in int32_data: bit patterns of floats, several elements of less than a byte in one. */
static const struct array *narrow(struct tensor_source *s, const struct array *shape,
				  const Onnx__TensorProto *p)
{
	int bits = onnx_element_bits(shape->element);
	size_t bytes = element_bytes(shape->element);
	size_t count = (size_t)shape->count;
	size_t items = bits < 8 ? (count * (size_t)bits + 7) / 8 : count;

	if (check_listed(p->n_int32_data, items) < 0 || charge(s, (int64_t)(items * bytes)) < 0)
		return NULL;
	unsigned char *packed = arena_alloc(s->arena, items * bytes + 1);

	for (size_t i = 0; i < items; i++)	/* little-endian: the low bytes come first */
		memcpy(packed + i * bytes, &p->int32_data[i], bytes);
	return from_bytes(s, shape, packed, items * bytes, false);
}

static const struct array *from_lists(struct tensor_source *s, const struct array *shape,
				      const Onnx__TensorProto *p)
{
	switch (shape->element) {
	case ELEMENT_F32:
		return same(s, shape, p->n_float_data, p->float_data);
	case ELEMENT_F64:
		return same(s, shape, p->n_double_data, p->double_data);
	case ELEMENT_I64:
		return same(s, shape, p->n_int64_data, p->int64_data);
	case ELEMENT_U64:
		return same(s, shape, p->n_uint64_data, p->uint64_data);
	case ELEMENT_STRING:
		return strings(s, shape, p);
	case ELEMENT_U32: {
		if (check_listed(p->n_uint64_data, (size_t)shape->count) < 0)
			return NULL;
		struct array *out = own(s, shape);

		if (out)
			element_put_i64(ELEMENT_U32, out->data, 0, out->count,
					(const int64_t *)p->uint64_data);
		return out;
	}
	default:
		return narrow(s, shape, p);
	}
}

const struct array *tensor_read(struct tensor_source *s, const Onnx__TensorProto *p)
{
	struct array shape = { 0 };

	if (read_shape(p, &shape) < 0)
		return NULL;
	if (p->segment) {
		err_set("its data comes in segments, which are not read");
		return NULL;
	}
	if (p->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
		uint64_t bytes;
		const unsigned char *data = tensor_external(s, p, &bytes);

		return data ? from_bytes(s, &shape, data, bytes, true) : NULL;
	}
	if (p->has_raw_data && p->raw_data.len == sizeof(struct wire_ref))
		return from_raw(s, &shape, p);
	return from_lists(s, &shape, p);
}

/* --- sparse ones */

/* The place of value I: one index into the flat tensor, or one for each dim. -1: outside. */
static int64_t place(const struct array *shape, const struct array *indices, int64_t i)
{
	int64_t flat = 0;

	if (indices->rank == 1)
		flat = array_int(indices, i);
	for (int d = 0; indices->rank == 2 && d < shape->rank; d++) {
		int64_t at = array_int(indices, i * shape->rank + d);

		if (at < 0 || at >= shape->dim[d])
			return -1;
		flat = flat * shape->dim[d] + at;
	}
	return flat < shape->count ? flat : -1;
}

const struct array *tensor_read_sparse(struct tensor_source *s, const Onnx__SparseTensorProto *p)
{
	if (!p->values || !p->indices) {
		err_set("a sparse tensor without values or indices");
		return NULL;
	}
	const struct array *values = tensor_read(s, p->values);
	const struct array *indices = values ? tensor_read(s, p->indices) : NULL;
	Onnx__TensorProto dense = *p->values;
	struct array shape;

	dense.n_dims = p->n_dims;
	dense.dims = p->dims;
	if (!indices || read_shape(&dense, &shape) < 0)
		return NULL;
	if (indices->element != ELEMENT_I64 || values->rank != 1 || indices->rank < 1 ||
	    indices->rank > 2 || indices->dim[0] != values->count ||
	    (indices->rank == 2 && indices->dim[1] != shape.rank)) {
		err_set("a sparse tensor whose indices do not fit its values");
		return NULL;
	}
	struct array *out = own(s, &shape);
	size_t bytes = element_bytes(shape.element);

	for (int64_t i = 0; out && i < values->count; i++) {
		int64_t at = place(&shape, indices, i);

		if (at < 0) {
			err_set("a sparse tensor with an index outside of it");
			return NULL;
		}
		memcpy((char *)out->data + (size_t)at * bytes,
		       (char *)values->data + (size_t)i * bytes, bytes);
	}
	return out;
}
