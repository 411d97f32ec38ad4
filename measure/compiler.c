/* SPDX-License-Identifier: Apache-2.0 */
/* measure/compiler.c - runs a C compiler on a small kernel and the result of that. */
#include "measure/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"

enum { OUTPUT_LIMIT = 1 << 20 };

static const int64_t time_limit_ns = 20000000000; /* a cold disk included */

/* What generated kernels are made of; prints _OPENMP and the sum 0 + 1 + .. + 63. */
static const char source[] = "#include <stdio.h>\n"
			     "typedef float vec __attribute__((vector_size(32)));\n"
			     "int main(void)\n"
			     "{\n"
			     "	static float x[64] __attribute__((aligned(64)));\n"
			     "	int i, openmp = 0;\n"
			     "	float sum = 0;\n"
			     "#ifdef _OPENMP\n"
			     "	openmp = _OPENMP;\n"
			     "#pragma omp parallel for\n"
			     "#endif\n"
			     "	for (i = 0; i < 8; i++) {\n"
			     "		vec v = {0, 1, 2, 3, 4, 5, 6, 7};\n"
			     "		*(vec *)&x[8 * i] = v + 8.0f * (float)i;\n"
			     "	}\n"
			     "	for (i = 0; i < 64; i++)\n"
			     "		sum += x[i];\n"
			     "	printf(\"%d %d\\n\", openmp, (int)sum);\n"
			     "	return 0;\n"
			     "}\n";
static const int source_sum = 64 * 63 / 2;

/* Waits for PID, at most time_limit_ns; its wait status, or -1 where it was killed for that. */
static int wait_for(pid_t pid)
{
	int64_t end = clock_ns() + time_limit_ns;
	const struct timespec nap = {0, 2000000};
	int status = -1;

	for (;;) {
		pid_t got = waitpid(pid, &status, WNOHANG);

		if (got == pid)
			return status;
		if (got < 0 && errno != EINTR)
			return -1;
		if (clock_ns() > end) {
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		nanosleep(&nap, NULL);
	}
}

/* Runs ARGV, all output into the file OUTPUT. True where it exits with 0. */
static bool run(char *const argv[], const char *output)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	pid_t pid = -1;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	posix_spawnattr_init(&attr);
	/* a group of its own, so that a compiler's children go with it */
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);

	int rc = posix_spawnp(&pid, argv[0], &actions, &attr, argv, environ);

	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return rc == 0 && wait_for(pid) == 0;
}

/* The first line of a file that says something; "" where there is none. */
static char *first_line(struct arena *a, const char *path)
{
	size_t size = 0;
	char *text = file_read(a, path, OUTPUT_LIMIT, &size);

	if (!text)
		return arena_strdup(a, "");
	text += strspn(text, " \t\n");
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* Compiles and runs the kernel; the program's output line, or NULL with *WHY set. */
static const char *try_kernel(struct arena *a, const char *command, const char *folder, bool openmp,
			      const char **why)
{
	const char *in = arena_printf(a, "%s/kernel.c", folder);
	const char *exe = arena_printf(a, "%s/kernel", folder);
	const char *log = arena_printf(a, "%s/log", folder);
	char *compile[] = {arena_strdup(a, command),
			   arena_strdup(a, "-O3"),
			   arena_strdup(a, "-march=native"),
			   arena_strdup(a, "-w"),
			   arena_strdup(a, in),
			   arena_strdup(a, "-o"),
			   arena_strdup(a, exe),
			   openmp ? arena_strdup(a, "-fopenmp") : NULL,
			   NULL};
	char *program[] = {arena_strdup(a, exe), NULL};

	if (!run(compile, log)) {
		*why = arena_printf(a, "does not compile%s: %s", openmp ? " with -fopenmp" : "",
				    first_line(a, log));
		return NULL;
	}
	if (!run(program, log)) {
		*why = arena_printf(a, "what it compiles%s does not run: %s",
				    openmp ? " with -fopenmp" : "", first_line(a, log));
		return NULL;
	}
	return first_line(a, log);
}

static bool right(const char *line, int *openmp_version)
{
	char *end;
	long version = strtol(line, &end, 10);

	*openmp_version = (int)version;
	return strtol(end, NULL, 10) == source_sum;
}

static void check(struct arena *a, const char *folder, struct compiler *c)
{
	char *ask[] = {arena_strdup(a, c->command), arena_strdup(a, "--version"), NULL};
	const char *log = arena_printf(a, "%s/log", folder);
	const char *line;
	int version = 0;

	if (!run(ask, log)) {
		c->why = "not found";
		return;
	}
	c->version = first_line(a, log);
	line = try_kernel(a, c->command, folder, true, &c->why);
	c->openmp = line && right(line, &version);
	c->openmp_version = c->openmp ? version : 0;
	c->works = c->openmp;
	if (c->works)
		return;

	const char *plain_why = NULL;

	line = try_kernel(a, c->command, folder, false, &plain_why);
	c->works = line && right(line, &version);
	if (line && !c->works)
		c->why = "what it compiles gives a wrong sum";
	else if (plain_why)
		c->why = plain_why;
}

int compiler_check(struct arena *a, const char *command, struct compiler *out)
{
	char *folder = dir_temp(a);
	int rc = -1;

	*out = (struct compiler){.command = arena_strdup(a, command)};
	if (!folder)
		return -1;
	if (file_write(arena_printf(a, "%s/kernel.c", folder), source, sizeof(source) - 1) == 0) {
		check(a, folder, out);
		rc = 0;
	}
	dir_remove(folder);
	return rc;
}
