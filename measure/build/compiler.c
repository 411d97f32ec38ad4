/* SPDX-License-Identifier: Apache-2.0 */
/* measure/build/compiler.c - runs a C compiler on a small kernel and the result of that. */
#include "measure/build/compiler.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/workdir.h"
#include "measure/build/pool.h"
#include "measure/process/spawn.h"

/* A cold disk included. Of address space OpenMP reserves 70 MB a thread. */
static const double time_limit_s = 20;
static const size_t memory_limit = (size_t)64 << 30;

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

/* Runs ARGV. True where it exits with 0; the first line that it prints, "" for none, in A. */
static bool run(struct arena *a, const char *const *argv, const char **line)
{
	static const char *const plain[] = {"LC_ALL=C", NULL};
	const struct pool_limits limits = {
		.jobs = 1, .limit_s = time_limit_s, .memory = memory_limit};
	struct command_run r = {.argv = argv};

	*line = "";
	if (pool_run(a, &r, 1, &limits, spawn_env(a, plain)) < 0)
		return false;

	const char *text = r.output ? r.output : "";

	text += strspn(text, " \t\n");
	*line = r.timed_out ? "no end within the time limit"
			    : arena_strndup(a, text, strcspn(text, "\n"));
	return command_succeeded(&r);
}

/* Compiles and runs the kernel; the program's output line, or NULL with *WHY set. */
static const char *try_kernel(struct arena *a, const char *command, const char *folder, bool openmp,
			      const char **why)
{
	const char *in = arena_printf(a, "%s/kernel.c", folder);
	const char *exe = arena_printf(a, "%s/kernel", folder);
	const char *const compile[] = {
		command, "-O3", "-march=native", "-w", in, "-o", exe, openmp ? "-fopenmp" : NULL,
		NULL};
	const char *const program[] = {exe, NULL};
	const char *line;

	if (!run(a, compile, &line)) {
		*why = arena_printf(a, "does not compile%s: %s", openmp ? " with -fopenmp" : "",
				    line);
		return NULL;
	}
	if (!run(a, program, &line)) {
		*why = arena_printf(a, "what it compiles%s does not run: %s",
				    openmp ? " with -fopenmp" : "", line);
		return NULL;
	}
	return line;
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
	const char *const ask[] = {c->command, "--version", NULL};
	const char *line;
	int version = 0;

	if (!run(a, ask, &line)) {
		c->why = "not found";
		return;
	}
	c->version = line;
	line = try_kernel(a, c->command, folder, true, &c->why);
	c->openmp = line && right(line, &version);
	c->openmp_version = c->openmp ? version : 0;
	c->works = c->openmp;
	if (line && !c->works)
		c->why = "with -fopenmp the sum is wrong";
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
	struct workdir folder;
	int rc;

	*out = (struct compiler){.command = arena_strdup(a, command)};
	if (workdir_open(a, &folder) < 0)
		return -1;
	rc = file_write(arena_printf(a, "%s/kernel.c", folder.path), source, sizeof(source) - 1);
	if (rc == 0)
		check(a, folder.path, out);
	workdir_close(&folder);
	return rc;
}
