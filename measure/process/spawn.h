/* SPDX-License-Identifier: Apache-2.0 */
/* measure/process/spawn.h - child processes: each leads a process group of its own, so that it can be
 * ended with all it started. posix_spawn only: OpenMP's runtime does not survive a plain fork. */
#ifndef HONE_MEASURE_PROCESS_SPAWN_H
#define HONE_MEASURE_PROCESS_SPAWN_H

#include <sys/types.h>

#include "base/arena.h"

enum { SPAWN_FDS = 5 };

/* The descriptor to give where the child shall have /dev/null. */
enum { SPAWN_NULL = -1 };

/* Starts ARGV, searched along PATH. The child's descriptor i is FDS[i], i < N_FDS; all others that
 * are close-on-exec are closed. Its process id, or -1 and a message. */
pid_t spawn_group(const char *const *argv, char *const *envp, const int *fds, int n_fds);
/* The program NAME: PATH, or what the environment has for VARIABLE, or beside this program, or where it
 * is installed. In A; NULL and a message. */
const char *spawn_find(struct arena *a, const char *name, const char *variable, const char *path);
/* The environment with the variables of SET ("NAME=value", NULL at its end) put in, in A. */
char **spawn_env(struct arena *a, const char *const *set);
/* Kills the group and waits for its leader; returns the wait status. */
int spawn_kill(pid_t pid);

/* Where the threads of this process list their children, to be opened ahead; -1 where the kernel has
 * none. */
int spawn_list(void);
/* Kills the groups of all children of all threads in LIST, and lets no thread start another: the process is to
 * end. Nothing where it is -1. Safe in a signal handler. */
void spawn_kill_all(int list);

#endif
