/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/external.c - tensors whose bytes are in files beside the model. */
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "graph/onnx/tensor.h"

/* External files may be larger than any machine's memory; so large they are refused. */
#define MAX_EXTERNAL ((size_t)1 << 42)

struct external {
	const char *location;
	uint64_t offset;
	uint64_t length;	/* 0: to the end */
};

static int read_number(const char *key, const char *text, uint64_t *out)
{
	char *end;

	*out = strtoull(text, &end, 10);
	if (!*text || *end || *text == '-')
		return err_set("external data: %s '%.100s' is no number", key, text);
	return 0;
}

static int read_external(const Onnx__TensorProto *p, struct external *out)
{
	*out = (struct external){ 0 };
	for (size_t i = 0; i < p->n_external_data; i++) {
		const char *key = p->external_data[i]->key, *value = p->external_data[i]->value;

		if (!key || !value)
			continue;
		if (strcmp(key, "location") == 0)
			out->location = value;
		if (strcmp(key, "offset") == 0 && read_number(key, value, &out->offset) < 0)
			return -1;
		if (strcmp(key, "length") == 0 && read_number(key, value, &out->length) < 0)
			return -1;
	}
	return out->location ? 0 : err_set("external data: no location is given");
}

/* Does LOCATION stay inside of the folder that it is relative to? */
static bool is_inside(const char *location)
{
	if (*location == '/' || !*location)
		return false;
	for (const char *part = location; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
			return false;
	}
	return true;
}

static const struct mapped *map(struct tensor_source *s, const char *location)
{
	int i = names_get(&s->files, location, -1);
	struct mapped m;

	if (i >= 0)
		return &s->mapped.at[i];
	if (!s->folder || !is_inside(location)) {
		err_set("external data: '%.200s' is not below the model's folder (move it there, "
			"and save the model with relative locations)", location);
		return NULL;
	}
	m.data = onnx_map(s->arena, s->read, arena_printf(s->arena, "%s/%s", s->folder, location),
			  MAX_EXTERNAL, &m.size);
	if (!m.data)
		return NULL;
	names_add(s->arena, &s->files, arena_strdup(s->arena, location), s->mapped.n);
	vec_push(s->arena, &s->mapped, m);
	return &s->mapped.at[s->mapped.n - 1];
}

const unsigned char *tensor_external(struct tensor_source *s, const Onnx__TensorProto *p,
				     uint64_t *bytes)
{
	struct external x;

	if (read_external(p, &x) < 0)
		return NULL;
	const struct mapped *m = map(s, x.location);

	if (!m)
		return NULL;
	if (x.offset > m->size || x.length > m->size - x.offset) {
		err_set("external data: '%.200s' has %zu bytes, of which %llu from %llu on are "
			"wanted (is it the file that belongs to the model?)", x.location, m->size,
			(unsigned long long)x.length, (unsigned long long)x.offset);
		return NULL;
	}
	*bytes = x.length ? x.length : m->size - x.offset;
	return m->data + x.offset;
}
