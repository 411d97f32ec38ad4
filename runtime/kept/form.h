/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kept/form.h - the form of a file with a model that is ready to run: a head, constants and other
 * bytes, the graph as text with a NUL, and all else in JSON.
 *
 * Constants are named by their place in data that nobody has in one file: those of the model, one
 * behind the other, and then this one (files_lay()). Other bytes are [place, bytes] in this one.
 *
 * Two kinds of file have it. A kept one is for this machine and this hone: its constants may be in the model's
 * files, its kernels among hone's objects. A module has no model's files: all is in it. */
#ifndef HONE_RUNTIME_KEPT_FORM_H
#define HONE_RUNTIME_KEPT_FORM_H

#include <jansson.h>

#include "base/file.h"
#include "runtime/open.h"

/* At the file's begin; constants follow at a multiple of KEPT_ALIGN. */
struct kept_head {
	char magic[8];
	uint64_t format;
	struct hash128 hash;	/* of all behind it */
	uint64_t bytes;		/* of the file */
	uint64_t graph, json;	/* where they begin; JSON goes on to the end */
};

#define KEPT_MAGIC "hone-go"	/* and a NUL */

enum {
	/* Goes up with each change of what is in such a file, of what core operators mean, and of how kernels are
	 * called: modules are read by later hones. */
	KEPT_FORMAT = 1,
	KEPT_ALIGN = 64,	/* of the widest vectors: kernels read such constants where they are */
};

/* The hash of a file of BYTES at DATA. */
static inline struct hash128 kept_hash(const void *data, size_t bytes)
{
	size_t from = offsetof(struct kept_head, bytes);

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

/* jansson has no const. */
static inline json_t *kept_any(const json_t *json)
{
	return (json_t *)(uintptr_t)json;
}

/* ---- A file that is being made. */

struct kept_writer;

/* What is in it. */
struct kept_content {
	const struct opened *model;
	const struct onnx_files *files;	/* where constants may stay; NULL: it is a module */
	const json_t *module;		/* what a module says of itself; NULL */
	size_t most;			/* bytes that it may have */
};

/* Writes it to PATH, and reads its graph back. 0, or -1 and a message; then there is no file. */
int kept_make(const char *path, const struct kept_content *content);

bool kept_is_module(const struct kept_writer *k);
/* Puts BYTES of DATA into K's file, once whatever often they come. [place, bytes], a new reference. */
json_t *kept_bytes_json(struct kept_writer *k, const void *data, size_t bytes);
/* Tasks with their choices; a new reference. NULL as kept_whole() says. */
json_t *kept_tasks_json(struct kept_writer *k, const struct opened *m);
/* Generators, and what they compute; the same. */
json_t *kept_generators_json(struct kept_writer *k, const struct opened *m);
json_t *kept_images_json(const struct layout_choice *c);

/* ---- A file that is being read. */

/* One that is whole: its head and its JSON. */
struct kept_file {
	const char *path;
	struct kept_head head;
	json_t *json;
};

/* What it is made ready with. */
struct kept_with {
	int threads;
	struct backend_vec backends;	/* that it may name; as long as what is read */
	bool fall_back;			/* as struct offload_request has it */
};

struct kept_reader {
	struct arena *a;
	const struct kept_file *file;
	const struct kept_with *with;
	const unsigned char *data;	/* of the file, mapped as long as A */
	const char *folder;		/* for objects out of it, while it is read; NULL: there was none yet */
	struct opened *out;		/* with its graph */
	struct choice *choices;		/* by task of it */
	struct offer *times;		/* by region of it */
};

/* 0, or -1 and a message: there is no such file, or none that is whole. PATH lives as long as OUT. */
int kept_look(const char *path, struct kept_file *out);
void kept_end(struct kept_file *f);
/* Its graph, in A, with constants in all of the files, and its bytes in *DATA unless that is NULL. NULL and a
 * message. */
struct graph *kept_graph(struct arena *a, const struct kept_file *f, const unsigned char **data);
/* What it has, in A: *OUT but for its code, its tasks without their DAGs. 0, or -1 and a message. */
int kept_read(struct arena *a, const struct kept_file *f, const struct kept_with *with, struct opened *out);

/* Says that WHAT of R's file is not what hone writes; -1. */
int kept_bad(const struct kept_reader *r, const char *what);
/* The bytes that kept_bytes_json() made JSON of. */
int kept_bytes_read(const struct kept_reader *r, const json_t *json, const void **data, size_t *bytes);
/* Is VALUE of FUNCTION of R's graph an application of a function? */
bool kept_applies(const struct kept_reader *r, int function, int value);
/* The parts of R's model. */
int kept_tasks_read(struct kept_reader *r, const json_t *json);
int kept_generators_read(struct kept_reader *r, const json_t *json);
int kept_images_read(struct kept_reader *r, const json_t *json);

#endif
