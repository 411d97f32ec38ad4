/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/wire.c - the skeleton of an ONNX file (protobuf encoding: protobuf.dev/programming-guides/
 * encoding), and protobuf-c's unpacking of it under a memory limit. */
#include "graph/onnx/wire.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"

enum {
	MAX_DEPTH = 64,		/* models nest about 8 deep, loops in loops a few more */
	LENGTH_BYTES = 5,	/* of a padded length, up to 2^35 */
};

/* Unpacked messages are larger than their encoding: nodes with short names and no attributes ten
 * times. Beyond these factors only hostile files go; what is large is mostly weights. */
#define MEMORY_BASE    ((size_t)64 << 20)
#define MEMORY_FACTOR  4
#define MESSAGE_FACTOR 12
#define MESSAGE_BYTES  ((size_t)128 << 20)

static size_t memory_for(size_t size)
{
	return MEMORY_BASE + MEMORY_FACTOR * size +
	       MESSAGE_FACTOR * (size < MESSAGE_BYTES ? size : MESSAGE_BYTES);
}

enum wire_type { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* The bytes that are still to be read. */
struct cursor {
	const unsigned char *at, *end;
};

struct skeleton {
	const unsigned char *data;	/* the file */
	size_t limit;
	struct text out;
};

static int damaged(const struct skeleton *k, const unsigned char *at)
{
	return err_set("not an ONNX model, or damaged, at byte %td (truncated? export it again)",
		       at - k->data);
}

static bool read_varint(struct cursor *c, uint64_t *out)
{
	*out = 0;
	for (int shift = 0; shift < 64 && c->at < c->end; shift += 7) {
		unsigned char byte = *c->at++;

		*out |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Moves C behind a field's content and sets BODY to it, without a length in front. */
static bool read_body(struct cursor *c, unsigned type, struct cursor *body)
{
	uint64_t n;

	body->at = c->at;
	switch (type) {
	case WIRE_VARINT:
		if (!read_varint(c, &n))
			return false;
		body->end = c->at;
		return true;
	case WIRE_64:
		n = 8;
		break;
	case WIRE_32:
		n = 4;
		break;
	case WIRE_BYTES:
		if (!read_varint(c, &n))
			return false;
		body->at = c->at;
		break;
	default:
		return false;	/* groups, which ONNX never had */
	}
	if (n > (uint64_t)(c->end - c->at))
		return false;
	c->at += n;
	body->end = c->at;
	return true;
}

static void put_varint(struct text *out, uint64_t v)
{
	char bytes[10];
	size_t n = 0;

	do {
		bytes[n++] = (char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (v);
	text_putn(out, bytes, n);
}

/* Room for a length that is not known yet, and the length once it is. */
static size_t open_length(struct text *out)
{
	text_putn(out, "\0\0\0\0", LENGTH_BYTES);
	return out->n;
}

static void close_length(struct text *out, size_t from)
{
	uint64_t n = out->n - from;

	for (int i = 0; i < LENGTH_BYTES; i++)
		out->s[from - LENGTH_BYTES + (size_t)i] =
			(char)((n >> (7 * i) & 0x7f) | (i < LENGTH_BYTES - 1 ? 0x80 : 0));
}

/* Fields hone does not read: text for people, training. */
static bool is_dropped(const ProtobufCFieldDescriptor *f)
{
	static const char *const names[] = {
		"doc_string",	 "metadata_props", "training_info", "quantization_annotation",
		"denotation",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(f->name, names[i]) == 0)
			return true;
	return false;
}

/* FunctionProto.attribute_proto, which not all descriptions of the format have; and the number it gets
 * in the skeleton, which none has, so that protobuf-c keeps the bytes. */
enum { FUNCTION_DEFAULTS = 11, KEPT_DEFAULTS = 1011 };

static int copy_message(struct skeleton *k, const ProtobufCMessageDescriptor *d, struct cursor c,
			int depth);

/* BODY, a message of kind D, with its length in front. */
static int copy_inner(struct skeleton *k, const ProtobufCMessageDescriptor *d, struct cursor body,
		      int depth)
{
	size_t from = open_length(&k->out);

	if (copy_message(k, d, body, depth + 1) < 0)
		return -1;
	close_length(&k->out, from);
	return 0;
}

static bool is_default(const ProtobufCMessageDescriptor *d, uint64_t tag)
{
	return d == &onnx__function_proto__descriptor &&
	       tag == (FUNCTION_DEFAULTS << 3 | WIRE_BYTES);
}

static int copy_default(struct skeleton *k, struct cursor body, int depth)
{
	put_varint(&k->out, KEPT_DEFAULTS << 3 | WIRE_BYTES);
	return copy_inner(k, &onnx__attribute_proto__descriptor, body, depth);
}

static int copy_field(struct skeleton *k, const ProtobufCFieldDescriptor *f, unsigned type,
		      struct cursor body, int depth)
{
	put_varint(&k->out, (uint64_t)f->id << 3 | type);
	if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
		if (type != WIRE_BYTES)
			return damaged(k, body.at);
		return copy_inner(k, f->descriptor, body, depth);
	}
	if (type == WIRE_BYTES && strcmp(f->name, "raw_data") == 0) {
		struct wire_ref ref = {
			.offset = (uint64_t)(body.at - k->data),
			.length = (uint64_t)(body.end - body.at),
		};

		put_varint(&k->out, sizeof(ref));
		text_putn(&k->out, (const char *)&ref, sizeof(ref));
		return 0;
	}
	if (type == WIRE_BYTES)
		put_varint(&k->out, (uint64_t)(body.end - body.at));
	text_putn(&k->out, (const char *)body.at, (size_t)(body.end - body.at));
	return 0;
}

static int copy_message(struct skeleton *k, const ProtobufCMessageDescriptor *d, struct cursor c,
			int depth)
{
	uint64_t seen = 0;	/* singular fields by place in the descriptor, all below 64 */

	if (depth > MAX_DEPTH)
		return err_set("messages nest more than %d deep: not a model hone can read",
			       MAX_DEPTH);
	while (c.at < c.end) {
		const unsigned char *start = c.at;
		struct cursor body;
		uint64_t tag;

		if (!read_varint(&c, &tag) || tag >> 3 == 0 || tag > UINT32_MAX ||
		    !read_body(&c, tag & 7, &body))
			return damaged(k, start);
		const ProtobufCFieldDescriptor *f =
			protobuf_c_message_descriptor_get_field(d, (unsigned)(tag >> 3));

		if (is_default(d, tag) && copy_default(k, body, depth) < 0)
			return -1;
		if (!f || is_dropped(f) || is_default(d, tag))
			continue;
		uint64_t bit = (uint64_t)1 << (f - d->fields);

		if (f->label != PROTOBUF_C_LABEL_REPEATED && (seen & bit))
			return err_set("damaged at byte %td: %s.%s is given twice", start - k->data,
				       d->short_name, f->name);
		seen |= bit;
		if (copy_field(k, f, tag & 7, body, depth) < 0)
			return -1;
		if (k->out.n > k->limit)
			return err_set("the model's structure is larger than its file allows");
	}
	return 0;
}

/* protobuf-c's memory: each allocation is charged and never credited, which bounds the time too. */
static void *charged_alloc(void *data, size_t size)
{
	size_t *left = data;

	if (size > *left)
		return NULL;
	*left -= size;
	return malloc(size);
}

static void charged_free(void *data, void *pointer)
{
	(void)data;
	free(pointer);
}

ProtobufCMessage *wire_unpack(const ProtobufCMessageDescriptor *d, const unsigned char *data,
			      size_t size)
{
	struct skeleton k = { .data = data, .limit = MEMORY_BASE + size };
	struct cursor all = { .at = data, .end = data + size };
	size_t left = memory_for(size);
	ProtobufCAllocator charged = {
		.alloc = charged_alloc,
		.free = charged_free,
		.allocator_data = &left,
	};
	ProtobufCMessage *m = NULL;

	if (copy_message(&k, d, all, 0) == 0) {
		m = protobuf_c_message_unpack(d, &charged, k.out.n,
					      (const uint8_t *)text_str(&k.out));
		if (!m)
			err_set("not an ONNX file, or damaged (export it again)");
	}
	text_free(&k.out);
	return m;
}

void wire_free(ProtobufCMessage *m)
{
	ProtobufCAllocator charged = { .alloc = charged_alloc, .free = charged_free };

	if (m)
		protobuf_c_message_free_unpacked(m, &charged);
}

Onnx__AttributeProto *wire_function_default(const Onnx__FunctionProto *f, int i)
{
	for (unsigned j = 0; j < f->base.n_unknown_fields; j++) {
		const ProtobufCMessageUnknownField *u = &f->base.unknown_fields[j];
		struct cursor all = { u->data, u->data + u->len }, body;
		size_t left = memory_for(u->len);
		ProtobufCAllocator charged = { charged_alloc, charged_free, &left };

		if (u->tag != KEPT_DEFAULTS || i-- > 0)
			continue;
		if (read_body(&all, WIRE_BYTES, &body))
			return onnx__attribute_proto__unpack(
				&charged, (size_t)(body.end - body.at), body.at);
	}
	return NULL;
}
