/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/form.h - the form of a kept file: a head, constants, the graph as text with a NUL,
 * and all else in JSON.
 *
 * Constants are named by their place in data that nobody has in one file: those of the model, one
 * behind the other, and then this one (files_lay()). */
#ifndef HONE_RUNTIME_KEPT_FORM_H
#define HONE_RUNTIME_KEPT_FORM_H

#include <jansson.h>

#include "base/file.h"
#include "runtime/open.h"

/* At the file's begin; constants follow at a multiple of KEPT_ALIGN. */
struct kept_head {
	char magic[8];
	struct hash128 hash;	/* of all behind it */
	uint64_t graph, json;	/* where they begin; JSON goes on to the end */
};

#define KEPT_MAGIC "hone-go"	/* and a NUL */
enum { KEPT_ALIGN = 64 };	/* of the widest vectors: kernels read such constants where they are */

/* The hash of a file of BYTES at DATA. */
static inline struct hash128 kept_hash(const void *data, size_t bytes)
{
	size_t from = offsetof(struct kept_head, graph);

	return hash_bytes((const char *)data + from, bytes - from);
}

/* JSON, or NULL where it is not WHOLE: text in it is no UTF-8. Such a model is read anew each time. */
static inline json_t *kept_whole(json_t *json, bool whole)
{
	if (whole)
		return json;
	json_decref(json);
	return NULL;
}

/* Tasks with their choices; a new reference. NULL as above. */
json_t *kept_tasks_json(const struct opened *m);
/* The same of JSON in A, for G, kernels loaded for THREADS threads: OUT's tasks and choices. False where
 * it is damaged, or lacks a kernel. */
bool kept_tasks_read(struct arena *a, const json_t *json, const struct graph *g, int threads,
		     struct opened *out);
json_t *kept_images_json(const struct layout_choice *c);
bool kept_images_read(const json_t *json, struct layout_choice *out);

#endif
