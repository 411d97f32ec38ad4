/* SPDX-License-Identifier: Apache-2.0 */
/* tests/library/called.h - a library in caller.c, a program that knows its header alone: what comes out is
 * what a session has, bit for bit, with one thread and several, and from several callers at once.
 *
 * Needs TOP_SRCDIR; what goes wrong fails the test. */
#ifndef HONE_TESTS_LIBRARY_CALLED_H
#define HONE_TESTS_LIBRARY_CALLED_H

#include <cmocka.h>

#include "tests/library/built.h"

enum { CALLED_THREADS = 2, CALLED_CALLERS = 4, CALLED_SEED = 7 };

/* Lines but no variables: following these is half of the time that gcc takes for a large kernel. */
#define CALLED_SANITIZE "-g1 -fsanitize=address,undefined -fno-sanitize-recover=all"

static inline void called_must(int rc)
{
	if (rc < 0)
		fail_msg("%s", err_get());
}

/* Runs L's session on any arguments, which caller.c then has too. */
static inline void called_prepare(struct built_library *l)
{
	built_any_args(l, CALLED_SEED);
	called_must(session_run(l->session, l->args, l->results));
	called_must(built_put_args(l));
}

static inline struct built_library called_open(const char *path)
{
	struct built_library l;

	called_must(built_open(&l, &(struct open_options){ .model = path,
							   .threads = CALLED_THREADS }));
	called_prepare(&l);
	return l;
}

/* GIVEN: more arguments of make. */
static inline void called_make(const struct built_library *l, const char *given, const char *cc)
{
	if (!built_make(l, TOP_SRCDIR "/tests/library/caller.c", given, cc))
		fail_msg("make %s CC='%s'", given, cc);
}

/* Results are in the library's folder. */
static inline void called_call(const struct built_library *l, int threads, int callers, int offset)
{
	const char *command = arena_printf(l->a, "cd %s && rm -f out_* && ./caller . %d %d %d",
					   l->folder, threads, callers, offset);

	if (system(command) != 0)
		fail_msg("%s", command);
}

static inline void called_run(const struct built_library *l, int threads, int callers, int offset)
{
	called_call(l, threads, callers, offset);
	for (int i = 0; i < graph_main(l->model.graph)->nresults; i++) {
		const struct array *got = built_output(l, i);

		if (!got)
			fail_msg("%s", err_get());
		if (!array_equal(got, l->results[i].array))
			fail_msg("%d threads, %d callers: output %d differs from the session's",
				 threads, callers, i);
	}
}

static inline void called_run_each_way(const struct built_library *l)
{
	for (int threads = 1; threads <= CALLED_THREADS; threads++)
		called_run(l, threads, 1, 0);
	called_run(l, CALLED_THREADS, CALLED_CALLERS, 0);
	called_run(l, 1, 1, 4);
}

/* Each way with the checkers around the kernels, then once with them inside: their checks part what is
 * else one instruction, which gives other last bits. GIVEN as called_make() has it. */
static inline void called_run_sanitized(const struct built_library *l, const char *given)
{
	static const char around[] = "CFLAGS='-O1 " CALLED_SANITIZE "'";
	static const char inside[] = "KERNEL_CC=gcc KERNEL_EXTRA='" CALLED_SANITIZE "'";

	called_make(l, arena_printf(l->a, "%s %s", given, around), "gcc " CALLED_SANITIZE);
	called_run_each_way(l);
	called_make(l, arena_printf(l->a, "%s %s %s", given, around, inside),
		    "gcc " CALLED_SANITIZE);
	called_call(l, CALLED_THREADS, CALLED_CALLERS, 0);
}

#endif
