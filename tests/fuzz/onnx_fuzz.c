/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/onnx_fuzz.c - libFuzzer: any bytes as a model, read and interpreted with tiny limits.
 *
 *	make fuzz-onnx FUZZ_SECONDS=60
 *
 * Bytes changed at random rarely stay a protobuf message, so half of the mutations unpack the
 * model, change one field of one message, and pack it again. */
#include <stdint.h>
#include <stdlib.h>

#include "base/rng.h"
#include "graph/eval/interp.h"
#include "graph/onnx/onnx.h"
#include "graph/onnx/onnx.pb-c.h"
#include "tests/fuzz/fuzz.h"

/* Weak, because tests/fuzz/replay.c has none, and asks for no mutation. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* What a run of a fuzzed model may take, and the elements of one of its inputs. */
static const struct interp_limits limits = { .bytes = 1 << 20, .seconds = 0.5, .depth = 20 };
enum { INPUT_ELEMENTS = 4096, OPEN_DIM = 3 };

/* Ones of a tensor's type, dims that are open 3; empty where that is none or too large. */
static struct value ones(const struct type *t)
{
	int64_t dim[GRAPH_MAX_RANK];

	if (!type_is_tensor(t) || t->element == ELEMENT_STRING)
		return value_empty();
	int rank = t->rank == RANK_UNKNOWN ? 1 : t->rank;

	for (int i = 0; i < rank; i++)
		dim[i] = type_is_ranked(t) && dim_is_number(t->dim[i]) ? t->dim[i].n : OPEN_DIM;
	int64_t count = shape_count(rank, dim);

	if (count < 0 || count > INPUT_ELEMENTS)
		return value_empty();
	struct array *x = array_new(t->element == ELEMENT_COUNT ? ELEMENT_F32 : t->element, rank, dim);

	for (int64_t i = 0; i < count; i++)
		element_store(x->element, x->data, i, 1);
	return value_of_array(x);
}

static void run(struct arena *a, const struct graph *g)
{
	const struct function *f = graph_main(g);
	struct value *args = values_new(f->nparams), v;
	bool given = true;

	for (int i = 0; i < f->nparams; i++) {
		args[i] = ones(f->bindings.at[i].type);
		given = given && args[i].kind == VALUE_ARRAY;
	}
	struct interp interp = interp_begin(a, g, limits);

	if (!given)
		values_release(args, f->nparams);
	else if (interp_run(&interp, g->main, args, f->nparams, &v) == 0)
		value_release(v);
	interp_end(&interp);
	free(args);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new();
	struct graph *g = onnx_parse(a, "fuzz", NULL, arena_memdup(a, data, size), size, NULL);

	if (g)
		run(a, g);
	arena_free(a);
	return 0;
}

/* Walks a message; the field that TARGET counts down to is changed. */
struct field_change {
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

static const char *const operators[] = {
#define X(domain, name, since, function) #name,
#define SAME(domain, name, since, core)	 #name,
#include "graph/onnx/nodes.def"
};

static void change_string(struct field_change *c, const char *name, char **s)
{
	const char *op = operators[rng_below(&c->rng, sizeof(operators) / sizeof(operators[0]))];

	free(*s);
	if (strcmp(name, "op_type") == 0) {
		*s = strdup(op);
		return;
	}
	/* Values of the seeds have names of one letter: sometimes one that is there. */
	*s = calloc(1, 2);
	(*s)[0] = (char)('a' + rng_below(&c->rng, 26));
}

static void change_field(struct field_change *c, const ProtobufCFieldDescriptor *f, void *at)
{
	ProtobufCBinaryData *bytes = at;

	switch (f->type) {
	case PROTOBUF_C_TYPE_INT64:
		*(int64_t *)at = odd_int(&c->rng);
		break;
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_ENUM:
		*(int32_t *)at = (int32_t)rng_below(&c->rng, 28);
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

static void walk(struct field_change *c, ProtobufCMessage *m);

static void walk_item(struct field_change *c, const ProtobufCFieldDescriptor *f, void *at)
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

static void walk(struct field_change *c, ProtobufCMessage *m)
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
	struct field_change count = { .target = INT64_MAX };
	struct field_change c = { .rng = rng_seed(seed) };
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
