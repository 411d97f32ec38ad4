/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/write.c - from a model that is open to a file. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "graph/text/text.h"
#include "runtime/kept/form.h"
#include "runtime/kept/kept.h"

/* Of one file, and of all: constants that passes computed are as large as a model's weights where
 * these had scales to take in (ResNet-50 as it is trained: 98 MiB), and else nearly nothing. */
#define MOST_BYTES ((size_t)512 << 20)
#define MOST_KEPT  ((int64_t)1 << 30)

/* What was put into it: the hash of BYTES from AT on. */
struct kept_bytes {
	struct hash128 hash;
	size_t bytes, at;
};

struct kept_bytes_vec VEC(struct kept_bytes);

struct kept_writer {
	struct arena *arena;
	const struct kept_content *content;
	struct onnx_file_vec list;	/* the model's files where constants stay */
	struct file_part *parts;	/* these, then this one */
	struct text out;
	struct kept_bytes_vec known;
	bool full;		/* it would have more bytes than it may */
};

bool kept_is_module(const struct kept_writer *k)
{
	return !k->content->files;
}

/* Where BYTES at DATA are in the model's files; -1: nowhere. */
static int64_t find_in_files(const struct kept_writer *k, const void *data, size_t bytes)
{
	for (int i = 0; i < k->list.n; i++) {
		const struct onnx_file *f = &k->list.at[i];
		size_t at = (size_t)((uintptr_t)data - (uintptr_t)f->data);

		if ((uintptr_t)data >= (uintptr_t)f->data && at <= f->bytes &&
		    bytes <= f->bytes - at)
			return (int64_t)(k->parts[i].at + at);
	}
	return -1;
}

/* Where it is in this one. */
static size_t add_bytes(struct kept_writer *k, const void *data, size_t bytes)
{
	static const char zeros[KEPT_ALIGN];
	struct hash128 hash = hash_bytes(data, bytes);

	for (int i = 0; i < k->known.n; i++)
		if (k->known.at[i].bytes == bytes && hash_equal(k->known.at[i].hash, hash))
			return k->known.at[i].at;
	k->full |= bytes > k->content->most || k->out.n > k->content->most - bytes;
	if (k->full)
		return 0;
	text_putn(&k->out, zeros, (KEPT_ALIGN - k->out.n % KEPT_ALIGN) % KEPT_ALIGN);
	size_t at = k->out.n;

	vec_push(k->arena, &k->known, (struct kept_bytes){ hash, bytes, at });
	text_putn(&k->out, data, bytes);
	return at;
}

json_t *kept_bytes_json(struct kept_writer *k, const void *data, size_t bytes)
{
	size_t at = bytes ? add_bytes(k, data, bytes) : 0;

	return json_pack("[I, I]", (json_int_t)at, (json_int_t)bytes);
}

static size_t place(void *user, const struct array *x)
{
	struct kept_writer *k = user;
	size_t bytes = array_bytes(x);
	int64_t at = find_in_files(k, x->data, bytes);

	return at >= 0 ? (size_t)at : k->parts[k->list.n].at + add_bytes(k, x->data, bytes);
}

/* [path, bytes, state] */
static json_t *file_json(const struct onnx_file *f)
{
	char real[PATH_MAX], hex[HASH_TEXT];

	return json_pack("[s, I, s]", realpath(f->path, real) ? real : f->path,
			 (json_int_t)f->bytes, hash_text(f->state, hex));
}

static json_t *files_json(const struct kept_writer *k)
{
	json_t *out = json_array();
	bool whole = true;

	for (int i = 0; i < k->list.n; i++)
		whole &= json_array_append_new(out, file_json(&k->list.at[i])) == 0;
	return kept_whole(out, whole);
}

/* NULL as kept_whole() says. */
static char *describe(struct kept_writer *k)
{
	const struct opened *m = k->content->model;
	json_t *json = json_pack("{s:O*, s:o, s:o, s:o, s:o}", "module", k->content->module, "files", files_json(k),
				 "tasks", kept_tasks_json(k, m), "generators", kept_generators_json(k, m),
				 "images", kept_images_json(&m->images));
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}

/* The whole file in K's text; -1 and a message where there cannot be one. */
static int fill(struct kept_writer *k)
{
	struct kept_head head = { .magic = KEPT_MAGIC, .format = KEPT_FORMAT };
	struct text graph = { 0 };
	int rc = 0;

	text_putn(&k->out, (const char *)&head, sizeof(head));
	graph_print_beside(&graph, k->content->model->graph, (struct text_place){ place, k });
	char *json = describe(k);

	if (!json)
		rc = err_set("a name in the model, or of a file, is no UTF-8, or a kernel is gone");
	else if (k->full)
		rc = err_set("it would have more than %zu bytes", k->content->most);
	if (rc == 0) {
		head.graph = k->out.n;
		text_putn(&k->out, text_str(&graph), graph.n + 1);
		head.json = k->out.n;
		text_puts(&k->out, json);
		head.bytes = k->out.n;
		memcpy(k->out.s, &head, sizeof(head));
		head.hash = kept_hash(k->out.s, k->out.n);
		memcpy(k->out.s, &head, sizeof(head));
	}
	text_free(&graph);
	free(json);
	return rc;
}

/* Do all values of G have the same numbers in H? Tasks name them by these. */
static bool same_values(const struct graph *g, const struct graph *h)
{
	if (g->functions.n != h->functions.n || g->main != h->main)
		return false;
	for (int i = 0; i < g->functions.n; i++) {
		const struct binding_vec *a = &g->functions.at[i]->bindings;
		const struct binding_vec *b = &h->functions.at[i]->bindings;

		if (a->n != b->n)
			return false;
		for (int v = 0; v < a->n; v++)
			if (a->at[v].kind != b->at[v].kind ||
			    a->at[v].function != b->at[v].function)
				return false;
	}
	return true;
}

/* Is the file at PATH read back as the graph that it was made of? */
static int read_back(struct arena *a, const char *path, const struct graph *g)
{
	struct kept_file f = { 0 };
	const struct graph *back = kept_look(path, &f) < 0 ? NULL : kept_graph(a, &f, NULL);
	int rc = !back ? -1 : same_values(g, back) ? 0 : err_set("it is read back as another model");

	kept_end(&f);
	return rc;
}

int kept_make(const char *path, const struct kept_content *content)
{
	struct arena *a = arena_new();
	struct kept_writer k = { .arena = a, .content = content };

	if (content->files)
		k.list = content->files->list;
	k.parts = arena_many(a, struct file_part, k.list.n + 1);
	for (int i = 0; i < k.list.n; i++)
		k.parts[i].bytes = k.list.at[i].bytes;
	files_lay(k.parts, k.list.n + 1);
	int rc = fill(&k);

	if (rc < 0)
		err_prefix("%s cannot be written", path);
	else
		rc = file_write(path, k.out.s, k.out.n);
	text_free(&k.out);
	if (rc == 0 && (rc = read_back(a, path, content->model->graph)) < 0) {
		err_prefix("%s", path);
		unlink(path);
	}
	arena_free(a);
	return rc;
}

void kept_write(const char *place_of, const struct onnx_files *files, const struct opened *m)
{
	struct arena *a = arena_new();
	const char *folder = arena_strndup(a, place_of,
					   (size_t)(strrchr(place_of, '/') - place_of));

	if (dir_make(folder) == 0)
		kept_make(place_of, &(struct kept_content){ .model = m, .files = files, .most = MOST_BYTES });
	dir_trim_bytes(folder, MOST_KEPT, 0);
	arena_free(a);
}
