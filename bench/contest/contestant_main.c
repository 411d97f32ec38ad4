/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/contestant_main.c - a program's contestant in the conversation: its task is read,
 * its outputs are written. */
#include <stdlib.h>

#include "base/err.h"
#include "base/file.h"
#include "bench/contest/contestant.h"
#include "bench/contest/contestant_task.h"
#include "te/eval.h"

struct speaker {
	struct contestant_task task;
	void *handle;
};

static int prepare(void *user, struct arena *a, const char *dir, const char *entry, int threads,
		   const char **text)
{
	struct speaker *s = user;

	if (contestant_task_read(a, dir, &s->task) < 0)
		return -1;
	if (s->task.work && !contestant.narrow && !work_is_f32(s->task.work)) {
		s->task.work = NULL;
		s->task.why = "it is asked for f32 alone";
	}
	s->task.entry = arena_strdup(a, entry);
	s->task.threads = threads;
	s->handle = contestant.prepare(a, &s->task, text);
	if (!s->handle)
		return 0;
	*text = contestant.kernel ? contestant.kernel(s->handle) : "";
	return 1;
}

static int run(void *user)
{
	const struct speaker *s = user;

	return contestant.run(s->handle);
}

/* The outputs among the task's arguments, one after the other. */
static void take_outputs(const struct contestant_task *t, char *to)
{
	for (int i = 0; i < t->dag->ops.n; i++) {
		const struct op *op = t->dag->ops.at[i];
		size_t bytes = tensor_bytes(&op->tensor);

		if (op->kind != OP_COMPUTE || !op->output)
			continue;
		memcpy(to, t->args[dag_arg(t->dag, op)], bytes);
		to += bytes;
	}
}

static int check(void *user, const char *file)
{
	const struct speaker *s = user;
	size_t bytes = contestant_output_bytes(s->task.dag);
	void *out = malloc(bytes);

	if (!out)
		return err_set("out of memory (%zu bytes)", bytes);
	int rc = contestant.run(s->handle);

	if (rc == 0 && contestant.output)
		rc = contestant.output(s->handle, out);
	else if (rc == 0)
		take_outputs(&s->task, out);
	if (rc == 0)
		rc = file_write(file, out, bytes);
	free(out);
	return rc;
}

static void release(void *user)
{
	struct speaker *s = user;

	if (contestant.release)
		contestant.release(s->handle);
}

int main(int argc, char **argv)
{
	struct speaker speaker = { 0 };
	struct conversation conversation = {
		.entries = contestant.entries,
		.version = contestant.version,
		.prepare = prepare,
		.check = check,
		.run = run,
		.release = release,
	};

	if (contestant.choose)
		contestant.choose(argv);
	return converse(&conversation, &speaker, argc, argv);
}
