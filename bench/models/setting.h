/* SPDX-License-Identifier: Apache-2.0 */
/* bench/models/setting.h - what all players of a whole model are given: a folder with
 *
 *	setting.json		{"model": PATH, "db": PATH or null, "dims": {NAME: SIZE, ...},
 *				 "inputs": [NAME, ...]}
 *	input0.npy, ...		the inputs, in this order
 *
 * They answer `prepare` with `ok CREATED FIRST WORDS`: the nanoseconds in which the session was
 * made of the file, those of the first run, and what the engine has to say. The FILE of `check` is
 * a folder that they make, with output0.npy, ... in the order of the model. */
#ifndef HONE_BENCH_MODELS_SETTING_H
#define HONE_BENCH_MODELS_SETTING_H

#include "graph/eval/value.h"
#include "graph/onnx/onnx.h"

struct setting {
	const char *model;		/* absolute paths */
	const char *db;			/* of our records; NULL: none */
	const struct onnx_dim *dims;	/* that the model leaves open */
	int ndims;
	const char *const *inputs;	/* names */
	int ninputs;
};

/* Writes S and its INPUTS into FOLDER. -1 and a message. */
int setting_write(const char *folder, const struct setting *s, const struct value *inputs);
/* All in A. -1 and a message. */
int setting_read(struct arena *a, const char *folder, struct setting *out);

/* FOLDER/PREFIX0.npy, ... for N values, which must be tensors of numbers; read into A. -1 and a
 * message. */
int tensors_write(const char *folder, const char *prefix, const struct value *values, int n);
int tensors_read(struct arena *a, const char *folder, const char *prefix, struct value *out, int n);

#endif
