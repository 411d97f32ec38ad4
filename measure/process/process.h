/* SPDX-License-Identifier: Apache-2.0 */
/* measure/process/process.h - the hone-runner process as its parent sees it: start, messages with a
 * deadline, how it died. */
#ifndef HONE_MEASURE_PROCESS_PROCESS_H
#define HONE_MEASURE_PROCESS_PROCESS_H

#include "measure/timing/pin.h"
#include "measure/runner/protocol.h"

struct process {
	pid_t pid;		/* 0: none */
	int socket;
};

enum heard {
	HEARD_EVENT,
	HEARD_DEATH,		/* the process ended, or its socket did */
	HEARD_NOTHING,		/* until the deadline */
};

/* The program: PATH, or $HONE_RUNNER, or beside this program, or where it is installed. In A; NULL
 * and a message. */
const char *process_find(struct arena *a, const char *path);
/* Starts it with the memory file MEMORY, pinned to THREADS cores; the list of them in *CPUS, in
 * A. 0, or -1 and a message. */
int process_start(struct arena *a, struct process *p, const char *path, const struct pin *pin,
		  int threads, int memory, const char **cpus);
/* Closes its socket, which ends a healthy runner, and then what is left of its group; returns its
 * wait status, that of SIGKILL where it would not end by itself. */
int process_end(struct process *p);
/* Kills it and its group at once. */
void process_kill(struct process *p);
/* False where the process is gone. */
bool process_send(const struct process *p, const void *message, size_t bytes);
/* Waits for one event until clock_ns() is DEADLINE. */
enum heard process_hear(const struct process *p, struct event *e, int64_t deadline);

#endif
