/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/recall.c - from a file to a model, without reading the model. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "graph/text/text.h"
#include "runtime/kept/form.h"
#include "runtime/kept/kept.h"

/* Larger than any that is written. */
#define MOST_BYTES ((size_t)1 << 40)

/* --- is it whole? */

static int check(const unsigned char *data, size_t bytes, struct kept_head *head)
{
	if (bytes < sizeof(*head) || memcmp(data, KEPT_MAGIC, sizeof(head->magic)) != 0)
		return err_set("it is no module: hone compile MODEL -o FILE.hone makes one");
	memcpy(head, data, sizeof(*head));
	if (head->format != KEPT_FORMAT)
		return err_set("it has format %llu, this hone reads %d: compile the model again with it",
			       (unsigned long long)head->format, KEPT_FORMAT);
	if (head->bytes > bytes)
		return err_set("it is cut off: %zu of %llu bytes are there; copy it again, or compile the model again",
			       bytes, (unsigned long long)head->bytes);
	if (head->bytes != bytes || !hash_equal(head->hash, kept_hash(data, bytes)) ||
	    head->graph < sizeof(*head) || head->graph >= head->json || head->json >= bytes || data[head->json - 1])
		return err_set("it is damaged: copy it again, or compile the model again");
	return 0;
}

int kept_look(const char *path, struct kept_file *out)
{
	struct arena *scratch = arena_new();
	size_t bytes = 0;
	const unsigned char *data = file_map(scratch, path, MOST_BYTES, &bytes);
	json_error_t error;
	int rc = data ? check(data, bytes, &out->head) : -1;

	out->path = path;
	out->json = rc == 0 ? json_loadb((const char *)data + out->head.json, bytes - out->head.json, 0, &error)
			    : NULL;
	if (rc == 0 && !out->json)
		rc = err_set("what it says is no JSON: %s", error.text);
	arena_free(scratch);
	return rc < 0 && data ? err_prefix("%s", path) : rc;
}

void kept_end(struct kept_file *f)
{
	json_decref(f->json);
	f->json = NULL;
}

/* --- its graph */

/* The model's files as they are listed, all unchanged, and behind them F; *N of them. */
static struct file_part *parts_of(struct arena *a, const struct kept_file *f, int *n)
{
	const json_t *list = json_object_get(f->json, "files");
	struct file_part *parts = arena_many(a, struct file_part, json_array_size(list) + 1);
	json_t *one;
	size_t i;

	json_array_foreach(kept_any(list), i, one) {
		const char *path, *state;
		json_int_t size;
		struct hash128 then;

		if (json_unpack(one, "[s, I, s]", &path, &size, &state) < 0 || size < 0 ||
		    !hash_parse(state, &then) || !hash_equal(then, hash_file(path))) {
			err_set("%s: a file of its model was changed", f->path);
			return NULL;
		}
		parts[i] = (struct file_part){ .path = arena_strdup(a, path),
					       .bytes = (size_t)size };
	}
	*n = (int)json_array_size(list) + 1;
	parts[*n - 1] = (struct file_part){ .path = f->path, .bytes = f->head.bytes };
	return parts;
}

struct graph *kept_graph(struct arena *a, const struct kept_file *f, const unsigned char **data)
{
	int n;
	struct text_data beside = { .mapped = true };
	struct file_part *parts = parts_of(a, f, &n);

	if (!parts || !(beside.data = files_map(a, parts, n, &beside.bytes)))
		return NULL;
	const unsigned char *own = beside.data + parts[n - 1].at;

	/* Another process may have written another file there meanwhile. */
	if (memcmp(own, &f->head, sizeof(f->head)) != 0) {
		err_set("%s: it was written to while it was read", f->path);
		return NULL;
	}
	if (data)
		*data = own;
	return graph_parse_beside(a, f->path, (const char *)own + f->head.graph, beside);
}

/* --- all of it */

int kept_bad(const struct kept_reader *r, const char *what)
{
	return err_set("%s: its %s are not what this hone writes: compile the model again", r->file->path, what);
}

int kept_bytes_read(const struct kept_reader *r, const json_t *json, const void **data, size_t *bytes)
{
	json_int_t at, n;

	if (json_unpack(kept_any(json), "[I, I]", &at, &n) < 0 || at < 0 || n < 0 ||
	    (uint64_t)at > r->file->head.bytes || (uint64_t)n > r->file->head.bytes - (uint64_t)at)
		return kept_bad(r, "places of bytes");
	*data = r->data + at;
	*bytes = (size_t)n;
	return 0;
}

bool kept_applies(const struct kept_reader *r, int function, int value)
{
	const struct graph *g = r->out->graph;

	if (function < 0 || function >= g->functions.n)
		return false;
	const struct function *f = g->functions.at[function];

	return value >= f->nparams && value < f->bindings.n && function_at(f, value)->kind == BIND_APPLY &&
	       function_at(f, value)->function >= 0;
}

int kept_read(struct arena *a, const struct kept_file *f, const struct kept_with *with, struct opened *out)
{
	struct kept_reader r = { .a = a, .file = f, .with = with, .out = out };
	const json_t *json = f->json;

	*out = (struct opened){ 0 };
	out->graph = kept_graph(a, f, &r.data);
	int rc = !out->graph || kept_images_read(&r, json_object_get(json, "images")) < 0 ||
		 kept_tasks_read(&r, json_object_get(json, "tasks")) < 0 ||
		 kept_generators_read(&r, json_object_get(json, "generators")) < 0 ? -1 : 0;

	if (r.folder)
		dir_remove(r.folder);
	return rc;
}

static void free_arena(void *a)
{
	arena_free(a);
}

bool kept_recall(struct arena *a, const char *place, const struct open_options *o,
		 const struct choice_plan *plan, struct opened *out)
{
	const struct kept_with with = { plan->threads, offload_generators_all(a, &plan->generators),
					o->offload.fall_back };
	struct arena *own = arena_new();	/* with what was made ready, where something cannot be */
	struct kept_file f = { 0 };
	bool whole = access(place, R_OK) == 0 && kept_look(place, &f) == 0 && kept_read(own, &f, &with, out) == 0;

	if (whole) {
		arena_defer(a, free_arena, own);
		utimensat(AT_FDCWD, place, NULL, 0);	/* its time is that of its last use */
	} else {
		arena_free(own);
		*out = (struct opened){ 0 };
	}
	kept_end(&f);
	return whole;
}
