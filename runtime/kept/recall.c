/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/recall.c - from a kept file to a model, without reading the model. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/text/text.h"
#include "runtime/kept/form.h"
#include "runtime/kept/kept.h"

/* Larger than any that is written. */
#define MOST_BYTES ((size_t)4 << 30)

/* The JSON in the file of BYTES at DATA; NULL where it is damaged. */
static json_t *described(const unsigned char *data, size_t bytes, struct kept_head *head)
{
	if (bytes < sizeof(*head))
		return NULL;
	memcpy(head, data, sizeof(*head));
	if (memcmp(head->magic, KEPT_MAGIC, sizeof(head->magic)) != 0 ||
	    !hash_equal(head->hash, kept_hash(data, bytes)))
		return NULL;
	return json_loadb((const char *)data + head->json, bytes - head->json, 0, NULL);
}

/* The model's files as they are listed, all unchanged, and behind them PLACE; *N of them. */
static struct file_part *parts_of(struct arena *a, const json_t *list, const char *place,
				  size_t bytes, int *n)
{
	struct file_part *parts = arena_many(a, struct file_part, json_array_size(list) + 1);
	json_t *one;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)list, i, one) {
		const char *path, *state;
		json_int_t size;
		struct hash128 then;

		if (json_unpack(one, "[s, I, s]", &path, &size, &state) < 0 || size < 0 ||
		    !hash_parse(state, &then) || !hash_equal(then, hash_file(path)))
			return NULL;
		parts[i] = (struct file_part){ .path = arena_strdup(a, path),
					       .bytes = (size_t)size };
	}
	*n = (int)i + 1;
	parts[i] = (struct file_part){ .path = place, .bytes = bytes };
	return parts;
}

/* The graph with constants in all of the files. */
static struct graph *read_graph(struct arena *a, const json_t *json, const char *place,
				size_t bytes, const struct kept_head *head)
{
	int n;
	struct text_data beside = { .mapped = true };
	struct file_part *parts = parts_of(a, json_object_get(json, "files"), place, bytes, &n);

	if (!parts || !(beside.data = files_map(a, parts, n, &beside.bytes)))
		return NULL;
	/* Another process may have kept another file there meanwhile. */
	const char *kept = (const char *)beside.data + parts[n - 1].at;

	if (memcmp(kept, head, sizeof(*head)) != 0)
		return NULL;
	return graph_parse_beside(a, place, kept + head->graph, beside);
}

bool kept_recall(struct arena *a, const char *place, int threads, struct opened *out)
{
	struct arena *scratch = arena_new();
	struct kept_head head;
	size_t bytes = 0;
	bool there = access(place, R_OK) == 0;
	const unsigned char *data = there ? file_map(scratch, place, MOST_BYTES, &bytes) : NULL;
	json_t *json = data ? described(data, bytes, &head) : NULL;

	*out = (struct opened){ 0 };
	out->graph = json ? read_graph(a, json, place, bytes, &head) : NULL;
	bool whole = out->graph &&
		     kept_images_read(json_object_get(json, "images"), &out->images) &&
		     kept_tasks_read(a, json_object_get(json, "tasks"), out->graph, threads, out);

	if (whole)	/* its time is that of its last use */
		utimensat(AT_FDCWD, place, NULL, 0);
	json_decref(json);
	arena_free(scratch);
	return whole;
}
