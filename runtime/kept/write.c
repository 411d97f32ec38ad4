/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/write.c - from a model that is open to a kept file. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/text/text.h"
#include "runtime/kept/form.h"
#include "runtime/kept/kept.h"

/* Of one file, and of all: constants that passes computed are as large as a model's weights where
 * these had scales to take in (ResNet-50 as it is trained: 98 MiB), and else nearly nothing. */
#define MOST_BYTES ((size_t)512 << 20)
#define MOST_KEPT  ((int64_t)1 << 30)

/* A file that is being made. */
struct kept_writer {
	struct arena *arena;
	const struct onnx_files *files;
	struct file_part *parts;	/* the model's files, then this one */
	struct text out;
	struct kept_constant_vec VEC(struct kept_constant { const void *data; size_t at; }) known;
};

/* Where BYTES at DATA are in the model's files; -1: nowhere. */
static int64_t find_in_files(const struct kept_writer *k, const void *data, size_t bytes)
{
	for (int i = 0; i < k->files->list.n; i++) {
		const struct onnx_file *f = &k->files->list.at[i];
		size_t at = (size_t)((uintptr_t)data - (uintptr_t)f->data);

		if ((uintptr_t)data >= (uintptr_t)f->data && at <= f->bytes &&
		    bytes <= f->bytes - at)
			return (int64_t)(k->parts[i].at + at);
	}
	return -1;
}

/* Where it is in this one. */
static size_t add_constant(struct kept_writer *k, const void *data, size_t bytes)
{
	static const char zeros[KEPT_ALIGN];

	for (int i = 0; i < k->known.n; i++)
		if (k->known.at[i].data == data)
			return k->known.at[i].at;
	text_putn(&k->out, zeros, (KEPT_ALIGN - k->out.n % KEPT_ALIGN) % KEPT_ALIGN);
	size_t at = k->out.n;

	vec_push(k->arena, &k->known, (struct kept_constant){ data, at });
	if (at + bytes <= MOST_BYTES)
		text_putn(&k->out, data, bytes);
	else
		k->out.n = MOST_BYTES + 1;	/* too large, whatever else comes */
	return at;
}

static size_t place(void *user, const struct array *x)
{
	struct kept_writer *k = user;
	size_t bytes = array_bytes(x);
	int64_t at = find_in_files(k, x->data, bytes);

	return at >= 0 ? (size_t)at
		       : k->parts[k->files->list.n].at + add_constant(k, x->data, bytes);
}

/* [path, bytes, state] */
static json_t *file_json(const struct onnx_file *f)
{
	char real[PATH_MAX], hex[HASH_TEXT];

	return json_pack("[s, I, s]", realpath(f->path, real) ? real : f->path,
			 (json_int_t)f->bytes, hash_text(f->state, hex));
}

static json_t *files_json(const struct onnx_files *files)
{
	json_t *out = json_array();
	bool whole = true;

	for (int i = 0; i < files->list.n; i++)
		whole &= json_array_append_new(out, file_json(&files->list.at[i])) == 0;
	return kept_whole(out, whole);
}

/* NULL as kept_whole() says. */
static char *describe(const struct kept_writer *k, const struct opened *m)
{
	json_t *json = json_pack("{s:o, s:o, s:o}", "files", files_json(k->files), "tasks",
				 kept_tasks_json(m), "images", kept_images_json(&m->images));
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}

/* The whole file in K's text; false where M is not to be kept. */
static bool fill(struct kept_writer *k, const struct opened *m)
{
	struct kept_head head = { .magic = KEPT_MAGIC };
	struct text graph = { 0 };
	char *json = describe(k, m);

	text_putn(&k->out, (const char *)&head, sizeof(head));
	graph_print_beside(&graph, m->graph, (struct text_place){ place, k });
	bool whole = json && k->out.n <= MOST_BYTES;

	if (whole) {
		head.graph = k->out.n;
		text_putn(&k->out, text_str(&graph), graph.n + 1);
		head.json = k->out.n;
		text_puts(&k->out, json);
		memcpy(k->out.s, &head, sizeof(head));
		head.hash = kept_hash(k->out.s, k->out.n);
		memcpy(k->out.s, &head, sizeof(head));
	}
	text_free(&graph);
	free(json);
	return whole;
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

/* Is the file at PLACE read back as the graph that it was made of? */
static bool reads_back(struct arena *a, const char *place, const struct graph *g)
{
	struct opened back;

	return kept_recall(a, place, 1, &back) && same_values(g, back.graph);
}

void kept_write(const char *place_of, const struct onnx_files *files, const struct opened *m)
{
	struct arena *a = arena_new();
	int n = files->list.n;
	struct kept_writer k = { .arena = a, .files = files,
			    .parts = arena_many(a, struct file_part, n + 1) };
	const char *folder = arena_strndup(a, place_of,
					   (size_t)(strrchr(place_of, '/') - place_of));

	for (int i = 0; i < n; i++)
		k.parts[i].bytes = files->list.at[i].bytes;
	files_lay(k.parts, n + 1);
	if (fill(&k, m)) {
		if (dir_make(folder) == 0 && file_write(place_of, k.out.s, k.out.n) == 0 &&
		    !reads_back(a, place_of, m->graph))
			unlink(place_of);
		dir_trim_bytes(folder, MOST_KEPT, 0);
	}
	text_free(&k.out);
	arena_free(a);
}
