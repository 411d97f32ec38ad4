/* SPDX-License-Identifier: Apache-2.0 */
/* hone_generator.h - what a code generator is to hone: a library, a compiler or a device that computes
 * parts of models.
 *
 * A generator is one `const struct hone_generator` in a shared object, under the name `hone_generator`.
 * hone finds what it would take by patterns, asks `claims` about each match, and has what was claimed
 * compiled, measured, and run where that makes the model faster than its own kernels do.
 *
 * Tensors are dense. All memory that hone hands over is hone's; outputs are 64-byte aligned, inputs and
 * constants to their elements at least. A string that a generator returns lives as long as what it was
 * asked about. */
#ifndef HONE_GENERATOR_H
#define HONE_GENERATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header; a generator of another version is refused. */
#define HONE_GENERATOR_ABI 3

#define HONE_MAX_RANK 8

enum hone_type {
	HONE_F32,
	HONE_F64,
	HONE_F16,
	HONE_BF16,
	HONE_I8,
	HONE_U8,
	HONE_I32,
	HONE_I64,
	HONE_BOOL,
	HONE_OTHER,	/* which no generator knows */
};

/* How the channels of an image, a tensor [n, c, spatial...], are stored: */
enum {
	HONE_CHANNELS_FIRST = 0,	/* row-major, as its dims are; so is all that is no image */
	HONE_CHANNELS_LAST = 1,		/* [n, spatial..., c] */
	/* B > 1: in blocks of B, which divides them: [n, c / B, spatial..., B] */
};

struct hone_region_tensor {
	enum hone_type type;
	int rank;
	int64_t dim[HONE_MAX_RANK];	/* whatever the order that the elements are stored in */
	int channels;		/* of an image that a generator of HONE_KERNELS is asked about */
	const void *data;	/* the elements of a constant, row-major; NULL: it is computed, or an input */
};

/* A number or a list of numbers, or a text. */
struct hone_region_attr {
	const char *name;
	int n;
	const int64_t *ints;	/* or */
	const double *floats;	/* or */
	const char *text;
};

/* A core operator; docs/partition.md lists them. All its attributes are there, also those at
 * their defaults. */
struct hone_region_call {
	const char *op;
	int ninputs;
	const int *inputs;	/* tensors of the region; -1: left out */
	int output;
	int nattrs;
	const struct hone_region_attr *attrs;
};

/* Calls in an order in which they can run. */
struct hone_region {
	int ntensors;
	const struct hone_region_tensor *tensors;
	int ncalls;
	const struct hone_region_call *calls;
	int ninputs, noutputs;
	const int *inputs, *outputs;	/* tensors */
};

struct hone_pattern {
	const char *name;	/* NULL ends a list */
	const char *text;	/* conv2d[groups=1] bias_add? relu?; see docs/partition.md */
};

/* What a generator is given at once. */
enum hone_grain {
	/* Regions as large as they get, of any number of matches that hang together. Tensors are row-major. */
	HONE_REGIONS,
	/* What hone would compute by one kernel, where one match is all of it. Images at its borders are
	 * stored as suits their neighbours: hone asks about each storage, measures those that are claimed,
	 * and chooses for the whole model, so that kernels of several libraries and its own meet without a
	 * detour. There is one output. */
	HONE_KERNELS,
};

/* What a generator returns is 0 where all went well; else it writes to WHY, which has room for
 * HONE_WHY_BYTES, what went wrong. */
#define HONE_WHY_BYTES 256

/* What one run of a region takes of a device's time, us. All 0: not known of this one. */
struct hone_cost {
	double kernels_us;	/* computing */
	double launches_us;	/* starting what computes */
	double transfers_us;	/* moving inputs and outputs between the host's memory and the device's */
};

struct hone_generator {
	int abi;			/* HONE_GENERATOR_ABI */
	const char *name;		/* as --backend has it */
	const char *summary;
	const struct hone_pattern *patterns;
	enum hone_grain grain;
	/* Of a region of HONE_REGIONS at most; larger ones are cut. 0: no limit. */
	int most_calls;
	size_t most_bytes;		/* of its tensors, constants too */
	/* TEXT is what the user wrote behind = in --backend NAME=TEXT, as it was written. Called once, before
	 * all other functions, and not at all where there was no =. NULL: such a = is an error. */
	int (*configure)(const char *text, char *why);
	/* The library and its version, and whatever else times depend on, as how it was configured: they are
	 * recorded under it. "oneDNN 3.1.0". */
	const char *(*version)(void);
	const char *extension;		/* of files of what compile writes: "c"; NULL: "bin" */
	/* Would it compute REGION, which one pattern matched? NULL: it takes all that match. */
	int (*claims)(const struct hone_region *region, char *why);
	/* What a run of REGION takes where that is known and not to be measured, as of a simulated device.
	 * NULL, or all 0: it is measured. */
	struct hone_cost (*cost)(const struct hone_region *region, int threads);
	/* The code of REGION, or whatever else is to be kept of it between runs, in pieces to WRITE. NULL:
	 * nothing is, the region says all. */
	int (*compile)(const struct hone_region *region,
		       void (*write)(void *sink, const void *bytes, size_t n), void *sink, char *why);
	/* REGION made ready for THREADS threads: weights packed, kernels chosen. REGION, with its constants,
	 * stays as it is until release. ARTIFACT is what compile wrote, SIZE bytes; what it needs of that
	 * later it copies. */
	int (*init)(const struct hone_region *region, const void *artifact, size_t size, int threads,
		    void **handle, char *why);
	/* Computes OUTPUTS of INPUTS, in the region's order. One call at a time for each handle, by any
	 * thread: not always the one that called init. */
	int (*run)(void *handle, const void *const *inputs, void *const *outputs, char *why);
	void (*release)(void *handle);
};

#ifdef __cplusplus
}
#endif

#endif
