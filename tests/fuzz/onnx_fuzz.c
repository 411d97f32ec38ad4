/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/onnx_fuzz.c - libFuzzer: any bytes, through reading, inference, grouping, tasks.
 *
 *	make fuzz-onnx FUZZ_SECONDS=60
 *
 * Bytes changed at random rarely stay a protobuf message, so half of the mutations unpack the
 * model, change one field of one message, and pack it again. */
#include <stdint.h>
#include <stdlib.h>

#include "base/rng.h"
#include "graph/extract.h"
#include "graph/infer.h"
#include "graph/onnx.h"
#include "graph/onnx.pb-c.h"
#include "graph/op.h"
#include "graph/task.h"
#include "tests/fuzz/fuzz.h"

/* Weak, because tests/fuzz/replay.c has none, and asks for no mutation. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	struct graph *g = onnx_parse(a, "fuzz", arena_memdup(a, data, size), size);

	if (g && graph_infer(g) == 0) {
		struct text t = { 0 };

		graph_print(&t, g);
		graph_set_dim(g, "N", 3);
		if (graph_infer(g) == 0) {
			struct grouping *groups = graph_group(a, g);

			grouping_print(&t, g->main, groups);
			graph_tasks(a, g, groups);
		}
		text_free(&t);
	}
	arena_free(a);
	return 0;
}

/* Walks a message; the field that TARGET counts down to is changed. */
struct change {
	struct rng rng;
	int64_t target;
};

static int64_t odd_int(struct rng *r)
{
	static const int64_t values[] = { 0, 1, -1, 2, 3, 7, 8, 13, 64, 255, 256, -2, INT32_MAX,
					  INT32_MIN, INT64_MAX, INT64_MIN, 1LL << 31, 1LL << 40,
					  1LL << 46, 1LL << 62 };

	return values[rng_below(r, sizeof(values) / sizeof(values[0]))];
}

static void change_string(struct change *c, const char *name, char **s)
{
	const char *op = oper_name((enum oper)(1 + rng_below(&c->rng, OPER_COUNT - 1)));

	free(*s);
	if (strcmp(name, "op_type") == 0) {
		*s = strdup(op);
		return;
	}
	/* Values of the seeds have names of one letter: sometimes one that is there. */
	*s = calloc(1, 2);
	(*s)[0] = (char)('a' + rng_below(&c->rng, 26));
}

static void change_field(struct change *c, const ProtobufCFieldDescriptor *f, void *at)
{
	ProtobufCBinaryData *bytes = at;

	switch (f->type) {
	case PROTOBUF_C_TYPE_INT64:
		*(int64_t *)at = odd_int(&c->rng);
		break;
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_ENUM:
		*(int32_t *)at = (int32_t)rng_below(&c->rng, 18);
		break;
	case PROTOBUF_C_TYPE_FLOAT:
		*(float *)at = (float)odd_int(&c->rng);
		break;
	case PROTOBUF_C_TYPE_STRING:
		change_string(c, f->name, at);
		break;
	case PROTOBUF_C_TYPE_BYTES:
		if (bytes->len >= sizeof(int64_t)) {
			int64_t v = odd_int(&c->rng);
			size_t slots = bytes->len / sizeof(v);

			memcpy(bytes->data + sizeof(v) * (size_t)rng_below(&c->rng, (int64_t)slots),
			       &v, sizeof(v));
		}
		break;
	default:
		break;
	}
}

static void walk(struct change *c, ProtobufCMessage *m);

static void walk_item(struct change *c, const ProtobufCFieldDescriptor *f, void *at)
{
	if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
		if (*(ProtobufCMessage **)at)
			walk(c, *(ProtobufCMessage **)at);
	} else if (c->target-- == 0) {
		change_field(c, f, at);
	}
}

static size_t item_bytes(const ProtobufCFieldDescriptor *f)
{
	switch (f->type) {
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_ENUM:
	case PROTOBUF_C_TYPE_FLOAT:
		return 4;
	case PROTOBUF_C_TYPE_BYTES:
		return sizeof(ProtobufCBinaryData);
	default:
		return 8;
	}
}

static void walk(struct change *c, ProtobufCMessage *m)
{
	for (unsigned i = 0; i < m->descriptor->n_fields && c->target >= 0; i++) {
		const ProtobufCFieldDescriptor *f = &m->descriptor->fields[i];
		char *at = (char *)m + f->offset;
		const char *quantity = (const char *)m + f->quantifier_offset;

		if (f->label == PROTOBUF_C_LABEL_REPEATED) {
			size_t n = *(const size_t *)quantity;

			/* A list may lose its last item: the count of others no longer fits. */
			if (n > 0 && f->type != PROTOBUF_C_TYPE_MESSAGE && c->target-- == 0 &&
			    item_bytes(f) <= 8 && f->type != PROTOBUF_C_TYPE_STRING)
				*(size_t *)(uintptr_t)quantity = n - 1;
			for (size_t j = 0; j < n && c->target >= 0; j++)
				walk_item(c, f, *(char **)at + j * item_bytes(f));
		} else if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
			if (*(const uint32_t *)quantity == f->id)
				walk_item(c, f, at);
		} else if (f->type == PROTOBUF_C_TYPE_MESSAGE ||
			   f->type == PROTOBUF_C_TYPE_STRING) {
			if (*(void **)at && *(void **)at != f->default_value)
				walk_item(c, f, at);
		} else if (*(const protobuf_c_boolean *)quantity) {
			walk_item(c, f, at);
		}
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct change count = { .target = INT64_MAX };
	struct change c = { .rng = rng_seed(seed) };
	Onnx__ModelProto *m = NULL;

	if (rng_chance(&c.rng, 0.5))
		m = onnx__model_proto__unpack(NULL, size, data);
	if (!m)
		return LLVMFuzzerMutate(data, size, max);
	walk(&count, &m->base);
	if (count.target < INT64_MAX) {
		c.target = rng_below(&c.rng, INT64_MAX - count.target);
		walk(&c, &m->base);
	}
	size_t packed = onnx__model_proto__get_packed_size(m);

	if (packed <= max)
		size = onnx__model_proto__pack(m, data);
	onnx__model_proto__free_unpacked(m, NULL);
	return size;
}
