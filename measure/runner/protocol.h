/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/protocol.h - what hone and hone-runner say to each other, over a SOCK_SEQPACKET pair:
 * one struct a message. Both come from the same build, so that the structs are the format.
 *
 * The runner's descriptor 3 is the socket, 4 a memory file that holds the sets of inputs, their
 * reference outputs and bounds; it outlives a runner that crashes. hone sends requests one at a time. The runner
 * answers each with STARTED and then, unless it dies, one RESULT (a request ROUNDS: STARTED
 * before each sample, RESULT for each kernel). */
#ifndef HONE_MEASURE_RUNNER_PROTOCOL_H
#define HONE_MEASURE_RUNNER_PROTOCOL_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/timing/timing.h"
#include "measure/trial.h"
#include "measure/runner/workload.h"

enum { RUNNER_SOCKET = 3, RUNNER_MEMORY = 4, RUNNER_FDS = 5 };
enum { PROTOCOL_TEXT = 1024, PROTOCOL_SYMBOL = 64, REMEASURE_MAX = 64 };

enum request_kind {
	REQUEST_SETUP,		/* a struct setup instead of a struct request */
	REQUEST_MEASURE,	/* PATH: the whole protocol for one candidate */
	REQUEST_ADD,		/* PATH: load and verify, keep for ROUNDS */
	REQUEST_ROUNDS,		/* samples of all kept kernels in turn, at least ROUNDS; then drop them */
};

struct setup_arg {
	char name[WORKLOAD_NAME];
	enum dtype dtype;
	enum arg_role role;
	int64_t count;
	struct domain range[INPUT_SETS];
};

struct setup {
	enum request_kind kind;
	bool prepared;			/* the memory file is filled */
	bool cold;			/* caches, before each run */
	bool cold_weights;		/* constants alone */
	int threads, n_args;
	uint64_t seed;
	uint64_t flush_bytes, flush_private;	/* flush_new() */
	uint64_t memory;		/* address space beyond what the buffers need */
	double min_ms, max_ms;
	double rms_most;		/* as struct workload has it */
	double memory_us;		/* as struct workload has it */
	struct cores_known cores;
	struct setup_arg args[WORKLOAD_ARGS];
	/* Objects to compute outputs and bounds of each set with, unless prepared. */
	char reference[INPUT_SETS][PATH_MAX];
};

struct request {
	enum request_kind kind;
	int rounds;
	double limit_us;		/* of the race; 0: there is none */
	char path[PATH_MAX];
	char symbol[PROTOCOL_SYMBOL];	/* of the kernel in it */
};

enum event_kind { EVENT_STARTED, EVENT_RESULT, EVENT_FAULT };

/* What the runner was doing, for the message about its death. */
enum runner_stage {
	STAGE_SETUP,
	STAGE_LOAD,
	STAGE_PACK,
	STAGE_VERIFY,
	STAGE_TIME,
	STAGE_REVERIFY,
	STAGE_UNLOAD,
};

enum { FAULT_NOWHERE = -1, FAULT_STACK = -2, FAULT_WORKSPACE = -3 };

struct event {
	enum event_kind kind;
	int index;			/* of the kernel in ROUNDS, else 0 */
	/* EVENT_FAULT */
	enum runner_stage stage;
	int signal;
	int arg;			/* whose guard pages or data were hit, or a FAULT_ */
	bool packed;			/* the packed form of it */
	uint64_t address;		/* of SIGSYS the number of the system call */
	int64_t offset, bytes;		/* from the argument's first byte; its size */
	/* EVENT_RESULT: the rest */
	enum trial_status status;
	bool retire;			/* this runner is not to be used again */
	int n_samples, disturbed, n_counters;
	double time_us, run_ms, verify_ms;
	struct cores_known cores;
	char text[PROTOCOL_TEXT];
	struct counter counters[COUNTERS_MAX];
	double samples[SAMPLES_MAX];
	char counted[SAMPLES_MAX + 1];	/* series_counted() */
};

/* Bytes of an event without its result. */
#define EVENT_HEAD offsetof(struct event, status)

#endif
