/* SPDX-License-Identifier: Apache-2.0 */
/* hone.h - the public interface of libhone: opens a model, tells what goes in and what comes out,
 * runs it with the kernels that were tuned for it.
 *
 *	hone_open("resnet50.onnx", &(struct hone_options){ .db = "tune.db" }, &model)
 *	hone_instance_new(model, &instance)
 *	hone_run(instance, inputs, 1, outputs, 1)	as often as one likes
 *
 * Functions that can fail return HONE_OK or one of the other codes; hone_error() then says what
 * happened, where, and what to do, and what the function was to give is NULL. Nothing here prints or
 * exits; where memory for small things runs out the process is aborted.
 *
 * Tensors are those of DLPack (dlpack/dlpack.h, of 0.6 or later): a shape of extents, outermost
 * first, strides in elements.
 *
 * Threads: a model is not changed once it is open, and may be used by any number of threads. An
 * instance is one thread's at a time; several of them, of one model or of many, run at once. */
#ifndef HONE_H
#define HONE_H

#include <dlpack/dlpack.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HONE_API __attribute__((visibility("default")))

/* The version of the library, for example "0.1.0". Static. */
HONE_API const char *hone_version(void);

enum hone_status {
	HONE_OK = 0,
	HONE_INVALID = -1,	/* the call is wrong: an index, a number of tensors, a shape, a type */
	HONE_UNSUPPORTED = -2,	/* the call is right, but hone does not do that */
	HONE_FAILED = -3,	/* a file, a model, a compiler, or a limit of time or memory */
};

/* The calling thread's last error; "" where there was none. Valid until the thread's next call of
 * a hone function. */
HONE_API const char *hone_error(void);

/* ---- Models */

struct hone_model;

/* A size for a dim that the model leaves open: by its name, or as "INPUT.AXIS" for one of an input that
 * the model does not name. A name that it does not have is an error. */
struct hone_dim {
	const char *name;
	int64_t size;
};

/* All zeros is a good choice. */
struct hone_options {
	const char *db;			/* file of records that `hone tune` made; NULL: kernels are
					 * the cost model's guess */
	int threads;			/* that a run may use; 0: as many as there are cores for us */
	const struct hone_dim *dims;
	int ndims;
	/* Told of what one should know though nothing failed; NULL: nobody. The line has no end. */
	void (*warn)(void *user, const char *line);
	void *user;
};

/* Reads, fuses and compiles the model in the file at PATH (.onnx, or hone's own .graph and .json), or opens the
 * module (.hone) that `hone compile` wrote of one, which has its kernels and a number of threads of its own.
 * OPTIONS may be NULL, and is not kept. Kernels that were compiled once are found again in the
 * user's cache folder. */
HONE_API int hone_open(const char *path, const struct hone_options *options,
		       struct hone_model **model);
/* Behind the last of its instances; NULL is allowed. Results of runs stay. */
HONE_API void hone_close(struct hone_model *model);

/* What is known of an input or an output. */
struct hone_tensor {
	const char *name;	/* in the model; the model's */
	DLDataType type;	/* bits 0: not known, or nothing that DLPack has */
	int ndim;		/* -1: not known, or no tensor */
	const int64_t *shape;	/* ndim extents, -1 for one that is not known; the model's */
};

HONE_API int hone_input_count(const struct hone_model *model);
HONE_API int hone_output_count(const struct hone_model *model);
/* Input or output INDEX, counted from 0, in the order of the model's file. */
HONE_API int hone_input(const struct hone_model *model, int index, struct hone_tensor *tensor);
HONE_API int hone_output(const struct hone_model *model, int index, struct hone_tensor *tensor);

/* ---- Runs */

struct hone_instance;

/* Memory to run MODEL in; the constants are the model's. */
HONE_API int hone_instance_new(const struct hone_model *model, struct hone_instance **instance);
/* NULL is allowed. */
HONE_API void hone_instance_free(struct hone_instance *instance);

/* One run. INPUTS are as many as the model has, of its types and shapes, on kDLCPU, only read, and
 * needed no longer than the call. Those that are dense are read where they lie (fastest where that is
 * aligned to 64 bytes), others are copied first. Each of OUTPUTS gets a dense tensor of its own
 * memory, which the caller ends by its deleter, in any thread, also when the model is closed. Bools
 * are code 6 (kDLBool of later DLPack) of 8 bits, as input also kDLUInt of 8. */
HONE_API int hone_run(struct hone_instance *instance, const DLTensor *inputs, int ninputs,
		      DLManagedTensor **outputs, int noutputs);
/* The same into memory of the caller's: OUTPUTS are dense or strided tensors of the results' types
 * and shapes that overlap no other tensor of the call. Where the call fails their elements are of any
 * value. */
HONE_API int hone_run_into(struct hone_instance *instance, const DLTensor *inputs, int ninputs,
			   const DLTensor *outputs, int noutputs);

#ifdef __cplusplus
}
#endif

#endif
