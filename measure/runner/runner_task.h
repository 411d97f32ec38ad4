/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/runner_task.h - inside hone-runner: the data of the task, and kernels that run on it.
 *
 * Holds: inputs are mapped read-only and shared with no other process; the outputs are the
 *        runner's own, and the same for all sets of inputs. */
#ifndef HONE_MEASURE_RUNNER_RUNNER_TASK_H
#define HONE_MEASURE_RUNNER_RUNNER_TASK_H

#include "measure/runner/buffer.h"
#include "measure/runner/counters.h"
#include "measure/runner/protocol.h"
#include "measure/runner/verify.h"

/* A loaded object. */
struct loaded_kernel {
	void *object;			/* of dlopen; NULL: none */
	struct callable call;
	struct timed timed;
	void *args[2 * WORKLOAD_ARGS];	/* the reference's bounds come behind the outputs */
	struct guarded_buffer packed[WORKLOAD_ARGS];	/* of constants that it wants packed */
	struct guarded_buffer workspace;	/* not mapped where it wants none */
	struct evicted evicted;			/* constants that are not to be found in caches */
	struct evicted handed_on;		/* images, of which each of several threads has a part in its cache */
};

struct runner_task {
	struct setup setup;
	int n_inputs;
	struct input_image {
		struct guarded_buffer data[WORKLOAD_ARGS];	/* inputs; what outputs should be */
		struct guarded_buffer bound[WORKLOAD_ARGS];	/* of outputs only */
	} image[INPUT_SETS];
	enum input_set set;		/* that kernels are bound to */
	struct guarded_buffer args[WORKLOAD_ARGS];	/* inputs of that set, its own; outputs */
	struct guarded_buffer spare[WORKLOAD_ARGS];	/* memory of packed constants, to be used again:
							 * faulting its pages in takes longer than packing */
	struct timing timing;
	struct counters *counters;	/* made when first needed */
	/* What is running, for the fault handler. */
	const struct loaded_kernel *current;
	enum runner_stage stage;
	int index;
	double limit_us;		/* of the race of what is verified before it is timed; 0: there is none */
};

/* Starts the threads, maps the buffers, fills the memory file where it is not prepared. False and a
 * text on failure. */
bool task_setup(struct runner_task *t, const struct setup *setup, char text[PROTOCOL_TEXT]);

/* Loads the kernel SYMBOL of PATH and gives it its workspace, of at most MOST bytes. TRIAL_OK, or the status and a text;
 * the kernel is to be unloaded in any case. */
enum trial_status kernel_load(struct runner_task *t, struct loaded_kernel *k, const char *path,
			      const char *symbol, size_t most, char text[PROTOCOL_TEXT]);
/* Leaves the memory of its packed constants to the next kernel. */
void kernel_unload(struct runner_task *t, struct loaded_kernel *k);
/* Lets a loaded kernel work on SET: packs what it wants packed. As kernel_load. */
enum trial_status kernel_bind(struct runner_task *t, struct loaded_kernel *k, enum input_set set,
			      char text[PROTOCOL_TEXT]);
/* What no kernel uses now and the next one may. */
size_t task_spare_bytes(const struct runner_task *t);
/* Runs the kernel once on poisoned outputs and a poisoned workspace, and compares all outputs. */
enum trial_status kernel_verify(struct runner_task *t, struct loaded_kernel *k,
				enum runner_stage stage, char text[PROTOCOL_TEXT]);
/* Between these a kernel that takes longer than RACE lets a first run take ends the process, which says so in
 * the place of the result. */
void deadline_begin(double limit_us);
void deadline_end(void);
/* Runs the kernel where its threads' stacks are full of all-ones bytes, a NaN in every float type:
 * what it reads before it has written it shows in its outputs. */
void poison_run(const struct loaded_kernel *k);

/* Reports deadly signals of the calling process over SOCKET, with what TASK was doing, and ends
 * it. TASK must stay where it is. */
void fault_install(const struct runner_task *task, int socket);

#endif
