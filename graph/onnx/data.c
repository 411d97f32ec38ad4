/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/data.c - ONNX's TensorProto, SequenceProto and OptionalProto as values, and back. */
#include "graph/onnx/data.h"

#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/onnx/data.pb-c.h"
#include "graph/onnx/tensor.h"

#define MAX_FILE ((size_t)2 << 30)	/* protobuf's own limit */
/* What elements of less than a byte, or in lists, may take beyond the file's size. */
#define ROOM_BASE   (INT64_C(64) << 20)
#define ROOM_FACTOR 8

/* Kinds of values in elem_type. */
enum { KIND_TENSOR = 1, KIND_SEQUENCE = 3, KIND_OPTIONAL = 5 };

/* --- reading */

static int from_tensor(struct tensor_source *s, const Onnx__TensorProto *p, struct value *out)
{
	const struct array *x = tensor_read(s, p);

	*out = x ? value_of_array(x) : value_empty();
	return x ? 0 : -1;
}

static int from_optional(struct tensor_source *s, const Onnx__OptionalProto *p, struct value *out);

/* wire_unpack() has bounded how deep they nest. */
static int from_sequence(struct tensor_source *s, const Onnx__SequenceProto *p, struct value *out)
{
	size_t n = p->n_tensor_values + p->n_sequence_values + p->n_optional_values;
	struct value *items = arena_many(s->arena, struct value, n);
	struct value *next = items;
	int rc = 0;

	for (size_t i = 0; i < p->n_tensor_values && rc == 0; i++)
		rc = from_tensor(s, p->tensor_values[i], next++);
	for (size_t i = 0; i < p->n_sequence_values && rc == 0; i++)
		rc = from_sequence(s, p->sequence_values[i], next++);
	for (size_t i = 0; i < p->n_optional_values && rc == 0; i++)
		rc = from_optional(s, p->optional_values[i], next++);
	if (rc == 0)
		*out = value_of_items(VALUE_SEQUENCE, (int)n, items);
	else
		values_release(items, (int)n);
	return rc;
}

static int from_optional(struct tensor_source *s, const Onnx__OptionalProto *p, struct value *out)
{
	*out = value_empty();
	if (p->tensor_value)
		return from_tensor(s, p->tensor_value, out);
	if (p->sequence_value)
		return from_sequence(s, p->sequence_value, out);
	return p->optional_value ? from_optional(s, p->optional_value, out) : 0;
}

/* Files made by ONNX before 1.13 have bfloat16 as the bits in uint16. */
static void restore_bfloat16(struct arena *a, const struct type *t, struct value *v)
{
	const struct array *x = v->kind == VALUE_ARRAY ? v->array : NULL;

	if (x && type_is_tensor(t) && t->element == ELEMENT_BF16 && x->element == ELEMENT_U16)
		v->array = array_around(a, ELEMENT_BF16, x->rank, x->dim, x->data);
}

int data_read(struct arena *a, const char *path, const struct type *t, struct value *out)
{
	size_t size;
	char *data = file_read(a, path, MAX_FILE, &size);
	const ProtobufCMessageDescriptor *d = &onnx__tensor_proto__descriptor;

	if (!data)
		return -1;
	if (t->kind == TYPE_SEQUENCE)
		d = &onnx__sequence_proto__descriptor;
	else if (t->kind == TYPE_OPTIONAL)
		d = &onnx__optional_proto__descriptor;
	struct tensor_source s = { .arena = a, .data = (const unsigned char *)data,
				   .room = ROOM_BASE + ROOM_FACTOR * (int64_t)size };
	ProtobufCMessage *m = wire_unpack(d, s.data, size);
	int rc = -1;

	if (m && t->kind == TYPE_SEQUENCE)
		rc = from_sequence(&s, (Onnx__SequenceProto *)m, out);
	else if (m && t->kind == TYPE_OPTIONAL)
		rc = from_optional(&s, (Onnx__OptionalProto *)m, out);
	else if (m)
		rc = from_tensor(&s, (Onnx__TensorProto *)m, out);
	wire_free(m);
	if (rc < 0)
		return err_prefix("%s", path);
	restore_bfloat16(a, t, out);
	return 0;
}

const struct type *data_result_type(struct arena *a, const struct type *t, struct value got)
{
	return t->kind == TYPE_UNKNOWN ? value_type(a, got) : t;
}

int data_read_all(struct arena *a, const char *folder, const char *name, int n,
		  const struct type *const *t, struct value *out)
{
	for (int i = 0; i < n; i++)
		out[i] = value_empty();
	for (int i = 0; i < n; i++) {
		const char *path = arena_printf(a, "%s/%s_%d.pb", folder, name, i);

		if (access(path, F_OK) == 0 && data_read(a, path, t[i], &out[i]) < 0) {
			values_release(out, n);
			return -1;
		}
	}
	return 0;
}

/* --- writing */

static Onnx__TensorProto *to_tensor(struct arena *a, const struct array *x)
{
	Onnx__TensorProto *p = arena_one(a, Onnx__TensorProto);
	int bits = onnx_element_bits(x->element), per_byte = bits && bits < 8 ? 8 / bits : 1;

	onnx__tensor_proto__init(p);
	p->has_data_type = 1;
	p->data_type = onnx_element_number(x->element);
	p->n_dims = (size_t)x->rank;
	p->dims = arena_memdup(a, x->dim, (size_t)x->rank * sizeof(x->dim[0]));
	if (x->element == ELEMENT_STRING) {
		p->n_string_data = (size_t)x->count;
		p->string_data = arena_many(a, ProtobufCBinaryData, x->count);
		for (int64_t i = 0; i < x->count; i++) {
			const char *text = array_string(x, i);

			p->string_data[i].len = strlen(text);
			p->string_data[i].data = (uint8_t *)arena_strdup(a, text);
		}
		return p;
	}
	p->has_raw_data = 1;
	p->raw_data.len = (array_bytes(x) + (size_t)per_byte - 1) / (size_t)per_byte;
	p->raw_data.data = x->data;
	if (per_byte == 1)
		return p;
	p->raw_data.data = arena_alloc(a, p->raw_data.len);
	for (int64_t i = 0; i < x->count; i++)
		p->raw_data.data[i / per_byte] |= (uint8_t)(
			(((unsigned char *)x->data)[i] & ((1 << bits) - 1)) << (i % per_byte * bits));
	return p;
}

static Onnx__SequenceProto *to_sequence(struct arena *a, const struct items *items)
{
	Onnx__SequenceProto *p = arena_one(a, Onnx__SequenceProto);

	onnx__sequence_proto__init(p);
	p->has_elem_type = 1;
	p->elem_type = KIND_TENSOR;
	p->tensor_values = arena_many(a, Onnx__TensorProto *, items->n);
	p->sequence_values = arena_many(a, Onnx__SequenceProto *, items->n);
	for (int i = 0; i < items->n; i++) {
		const struct value *v = &items->at[i];

		if (v->kind == VALUE_ARRAY)
			p->tensor_values[p->n_tensor_values++] = to_tensor(a, v->array);
		else if (v->kind == VALUE_SEQUENCE)
			p->sequence_values[p->n_sequence_values++] = to_sequence(a, v->items);
	}
	if (p->n_sequence_values)
		p->elem_type = KIND_SEQUENCE;
	return p;
}

static Onnx__OptionalProto *to_optional(struct arena *a, struct value v)
{
	Onnx__OptionalProto *p = arena_one(a, Onnx__OptionalProto);

	onnx__optional_proto__init(p);
	p->has_elem_type = v.kind != VALUE_EMPTY;
	p->elem_type = v.kind == VALUE_SEQUENCE ? KIND_SEQUENCE : KIND_TENSOR;
	if (v.kind == VALUE_ARRAY)
		p->tensor_value = to_tensor(a, v.array);
	if (v.kind == VALUE_SEQUENCE)
		p->sequence_value = to_sequence(a, v.items);
	return p;
}

int data_write(const char *path, const char *name, struct value v, bool optional)
{
	struct arena *a = arena_new();
	ProtobufCMessage *m = NULL;

	if (optional) {
		Onnx__OptionalProto *p = to_optional(a, v);

		p->name = arena_strdup(a, name);
		m = &p->base;
	} else if (v.kind == VALUE_SEQUENCE) {
		Onnx__SequenceProto *p = to_sequence(a, v.items);

		p->name = arena_strdup(a, name);
		m = &p->base;
	} else if (v.kind == VALUE_ARRAY) {
		Onnx__TensorProto *p = to_tensor(a, v.array);

		p->name = arena_strdup(a, name);
		m = &p->base;
	}
	int rc = m ? 0 : err_set("%s: the value of '%s' is neither a tensor nor a sequence", path, name);

	if (m) {
		uint8_t *data = arena_alloc(a, protobuf_c_message_get_packed_size(m));

		rc = file_write(path, data, protobuf_c_message_pack(m, data));
	}
	arena_free(a);
	return rc;
}
