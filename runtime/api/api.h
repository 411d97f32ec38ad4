/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/api/api.h - what the files of the public library share. */
#ifndef HONE_RUNTIME_API_API_H
#define HONE_RUNTIME_API_API_H

#include "include/hone.h"
#include "runtime/open.h"

struct hone_model {
	struct arena *arena;
	struct opened opened;
	struct hone_tensor *inputs, *outputs;	/* as many as main has */
	struct hone_graph *from;		/* held; NULL: it was opened from a file */
};

/* The model of GRAPH, which HOLDER has: one holder of it is the model's from here on, also where it fails; both NULL:
 * of the file PATH. */
int api_open(const char *path, struct hone_graph *holder, const struct graph *graph,
	     const struct hone_options *options, struct hone_model **model);

/* Sets the message, and gives STATUS. */
#define api_fail(status, ...) (err_set(__VA_ARGS__), (status))

/* The form that DLPack has for elements E; bits 0 where there is none. */
DLDataType dlpack_type(enum element e);
/* T, an input that is to be an E (ELEMENT_COUNT: whatever it is), as an array in A: around its data where they are
 * dense and aligned to their elements, else a copy. */
int dlpack_read(struct arena *a, const DLTensor *t, enum element e, struct value *out);
/* The elements of V with a holder of their own, which V gives up where it is the only one. */
int dlpack_give(struct value v, DLManagedTensor **out);
/* The elements of V into T's memory. */
int dlpack_write(struct value v, const DLTensor *t);

#endif
