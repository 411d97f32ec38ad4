/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/onnx.h - models in ONNX files as graphs of core operators.
 *
 * In:   a file (with its external data beside it), operator sets ONNX_MIN_OPSET to ONNX_MAX_OPSET.
 * Out:  a typed graph of core operators; the reader alone knows of operator sets.
 * Bounded in time and memory by the file's size. */
#ifndef HONE_GRAPH_ONNX_ONNX_H
#define HONE_GRAPH_ONNX_ONNX_H

#include "base/hash.h"
#include "graph/ir/ir.h"

/* Of the operators in sets before 7, those that did not change since are read. */
enum { ONNX_MIN_OPSET = 1, ONNX_MAX_OPSET = 28 };

/* A size for a dim that the model leaves open; an error where there is no such dim. */
struct onnx_dim {
	const char *name;	/* the model's; "INPUT.AXIS" for one of an input that has none */
	int64_t size;
};

/* A node that hone cannot read. */
struct onnx_problem {
	const char *node;	/* its name in the model; "" */
	const char *op;		/* its operator, with the domain where it is not ONNX's */
	int opset;		/* version of that domain's operator set; 0: not imported */
	const char *message;	/* why, and what to do */
};

struct onnx_problem_vec VEC(struct onnx_problem);

/* All such nodes of a model but those that need what these would give. */
struct onnx_problems {
	struct arena *arena;	/* where they live */
	struct onnx_problem_vec list;
	int more;		/* beyond ONNX_MAX_PROBLEMS, which is as many as the list has */
};

enum { ONNX_MAX_PROBLEMS = 1000 };

/* A file that was read. Constants may lie in its data. */
struct onnx_file {
	const char *path;
	struct hash128 state;	/* hash_file() before it was read */
	const unsigned char *data;
	size_t bytes;
};

struct onnx_file_vec VEC(struct onnx_file);

/* The files of a model: its own first, then those of its external data. */
struct onnx_files {
	struct arena *arena;	/* where the list lives */
	struct onnx_file_vec list;
};

struct onnx_options {
	const struct onnx_dim *dims;
	int ndims;
	struct onnx_problems *problems;	/* filled in where it is not NULL */
	struct onnx_files *files;	/* the same */
};

/* Maps the file at PATH, as long as A lives, and adds it to FILES (NULL: to none). Its data; NULL and a
 * message on failure or above LIMIT bytes. */
const unsigned char *onnx_map(struct arena *a, struct onnx_files *files, const char *path,
			      size_t limit, size_t *size);

/* The graph in the file at PATH, which lives in A; NULL and a message that names node, operator,
 * operator set and what to do. OPTIONS may be NULL. */
struct graph *onnx_read(struct arena *a, const char *path, const struct onnx_options *options);
/* The same of SIZE bytes of DATA, which live as long as A; NAME is for messages,
 * FOLDER where external data lies (NULL: nowhere). */
struct graph *onnx_parse(struct arena *a, const char *name, const char *folder,
			 const unsigned char *data, size_t size, const struct onnx_options *options);

#endif
