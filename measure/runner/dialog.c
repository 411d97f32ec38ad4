/* SPDX-License-Identifier: Apache-2.0 */
/* measure/runner/dialog.c - one request, its answer, or the story of the runner's death. */
#include "measure/runner/dialog.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "measure/runner/sandbox.h"
#include "measure/timing/timing.h"

/* Until the runner begins with a request: it has nothing else to do, but others may. */
#define BEGIN_LIMIT_S 60.0

/* The memory that a fault hit, or missed by little; NULL where that is none of the kernel's. */
static const char *memory_name(struct arena *a, const struct setup *setup, const struct event *e)
{
	if (e->arg == FAULT_WORKSPACE)
		return "its workspace";
	if (e->arg < 0 || e->arg >= setup->n_args)
		return NULL;
	return arena_printf(a, "%s%s", e->packed ? "packed " : "", setup->args[e->arg].name);
}

/* Where the address of a fault lies, in words; "" where that says nothing. */
static const char *describe_address(struct arena *a, const struct setup *setup,
				    const struct event *e)
{
	if (e->arg == FAULT_STACK)
		return ", its stack";
	if (e->address < 4096)
		return ", a null pointer";
	const char *name = memory_name(a, setup, e);

	if (!name)
		return "";
	if (e->offset < 0)
		return arena_printf(a, ", %lld bytes before the begin of %s",
				    (long long)-e->offset, name);
	if (e->offset >= e->bytes)
		return arena_printf(a, ", %lld bytes beyond the end of %s",
				    (long long)(e->offset - e->bytes), name);
	return arena_printf(a, ", a write to %s, which is read-only", name);
}

static const char *describe_call(struct arena *a, const struct event *e)
{
	const char *meaning;
	const char *name = sandbox_call((int)e->address, &meaning);

	if (!name)
		return arena_printf(a, ", system call %lld", (long long)e->address);
	return arena_printf(a, ", %s: a kernel %s", name, meaning);
}

static const char *describe_fault(struct arena *a, const struct setup *setup,
				  const struct event *e)
{
	static const char *const stages[] = {
		[STAGE_SETUP] = "computing the reference",
		[STAGE_LOAD] = "loading",
		[STAGE_PACK] = "packing",
		[STAGE_VERIFY] = "verifying",
		[STAGE_TIME] = "timing",
		[STAGE_REVERIFY] = "verifying again",
		[STAGE_UNLOAD] = "unloading",
	};
	const char *name = sigabbrev_np(e->signal);
	const char *place = "";

	if (e->signal == SIGSEGV || e->signal == SIGBUS)
		place = arena_printf(a, " at 0x%llx%s", (unsigned long long)e->address,
				     describe_address(a, setup, e));
	else if (e->signal == SIGSYS)
		place = describe_call(a, e);
	return arena_printf(a, "SIG%s%s, while %s", name ? name : "?", place, stages[e->stage]);
}

static const char *describe_end(struct arena *a, int status)
{
	if (WIFEXITED(status))
		return arena_printf(a, "called exit(%d)", WEXITSTATUS(status));
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	const char *name = sigabbrev_np(sig);

	return arena_printf(a, "killed by SIG%s%s", name ? name : "?",
			    sig == SIGKILL ? " (out of memory?)" : "");
}

enum trial_status dialog_hear(struct arena *a, struct process *p, const struct setup *setup,
			      double limit_s, struct event *e, const char **text)
{
	int64_t deadline = clock_ns() + (int64_t)(BEGIN_LIMIT_S * 1e9);
	int running = 0;

	*text = NULL;
	for (;;) {
		enum heard heard = process_hear(p, e, deadline);

		if (heard == HEARD_NOTHING) {
			process_kill(p);
			e->index = running;
			*text = arena_printf(a, "did not end within %g s", limit_s);
			return TRIAL_TIMEOUT;
		}
		if (heard == HEARD_DEATH) {
			int status = process_end(p);

			e->index = running;
			if (!*text)
				*text = describe_end(a, status);
			return TRIAL_CRASH;
		}
		switch (e->kind) {
		case EVENT_STARTED:
			running = e->index;
			deadline = clock_ns() + (int64_t)((limit_s + TIMING_AWAIT_MS * 1e-3) * 1e9);
			break;
		case EVENT_FAULT:
			running = e->index;
			*text = describe_fault(a, setup, e);
			break;
		case EVENT_RESULT:
			if (e->retire)
				process_end(p);
			return TRIAL_OK;
		}
	}
}

enum trial_status dialog_ask(struct arena *a, struct process *p, const struct setup *setup,
			     const void *message, size_t bytes, double limit_s, struct event *e,
			     const char **text)
{
	e->index = 0;
	/* Where it is gone already, hearing says how. */
	process_send(p, message, bytes);
	enum trial_status s = dialog_hear(a, p, setup, limit_s, e, text);

	if (s == TRIAL_OK && e->status != TRIAL_OK && e->text[0])
		*text = arena_strdup(a, e->text);
	return s == TRIAL_OK ? e->status : s;
}
