/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/runner_fault.c - hone-runner: a last message from a process about to die.
 *
 * The handler runs on a stack of its own (the fault may be a full stack) and calls nothing that is
 * not async-signal-safe. */
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "measure/runner/runner_task.h"
#include "measure/runner/sandbox.h"

enum { HANDLER_STACK = 64 << 10, EXIT_FAULT = 112 };

/* A signal handler has no argument of ours: what it needs is the program's, set once. */
static const struct runner_task *fault_task;
static int fault_socket;
static char *stack_top;
static size_t stack_bytes;
static _Alignas(64) char handler_stack[HANDLER_STACK];

static const int deadly[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS };

/* Where ADDRESS is in B, which E names by ARG; false where it is elsewhere. */
static bool hits(struct event *e, const struct guarded_buffer *b, int arg, const char *address)
{
	if (!buffer_holds(b, address))
		return false;
	e->arg = arg;
	e->offset = address - b->data;
	e->bytes = (int64_t)b->bytes;
	return true;
}

/* Names the memory that ADDRESS belongs to. */
static void locate(struct event *e, const char *address)
{
	const struct runner_task *t = fault_task;
	const struct loaded_kernel *k = t->current;

	e->arg = FAULT_NOWHERE;
	/* The stack's guard gap lies below its limit. */
	if (address < stack_top && address > stack_top - stack_bytes - (1 << 20))
		e->arg = FAULT_STACK;
	for (int i = 0; i < t->setup.n_args; i++) {
		hits(e, &t->args[i], i, address);
		e->packed |= k && hits(e, &k->packed[i], i, address);
	}
	if (k)
		hits(e, &k->workspace, FAULT_WORKSPACE, address);
}

static void handle(int sig, siginfo_t *info, void *context)
{
	struct event e = { .kind = EVENT_FAULT, .signal = sig, .arg = FAULT_NOWHERE };
	bool has_address = sig == SIGSEGV || sig == SIGBUS;

	if (sig == SIGSYS && sandbox_answer(info->si_syscall, context))
		return;
	e.index = fault_task->index;
	e.stage = fault_task->stage;
	if (has_address) {
		e.address = (uint64_t)(uintptr_t)info->si_addr;
		locate(&e, info->si_addr);
	} else if (sig == SIGSYS) {
		e.address = (uint64_t)info->si_syscall;
	}
	send(fault_socket, &e, EVENT_HEAD, MSG_NOSIGNAL);
	_exit(EXIT_FAULT);
}

void fault_install(const struct runner_task *task, int socket)
{
	struct sigaction act = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	struct rlimit limit;

	fault_task = task;
	fault_socket = socket;
	stack_top = (char *)__builtin_frame_address(0);
	getrlimit(RLIMIT_STACK, &limit);
	stack_bytes = (size_t)limit.rlim_cur;
	sigaltstack(&stack, NULL);
	sigemptyset(&act.sa_mask);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		sigaction(deadly[i], &act, NULL);
}
