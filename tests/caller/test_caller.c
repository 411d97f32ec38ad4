/* SPDX-License-Identifier: Apache-2.0 */
/* tests/caller/test_caller.c - exported kernels in a program that knows them by their header alone:
 * what tests/caller/caller.c gets is what the naive evaluation has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "codegen/emit.h"
#include "codegen/export.h"
#include "schedule/nest.h"
#include "schedule/text/step_text.h"
#include "search/trust/reference.h"
#include "te/eval.h"
#include "te/text/text.h"
#include "tests/skip.h"

enum { MAX_THREADS = 3, SEED = 11, MAX_OUTPUT = 1 << 24 };

#define KEY "00112233445566778899aabbccddeeff"

/* A row of 80 KB is computed inside the loop over the rows: too much for the stack. */
#define ROWS                                                                                       \
	"input X: f32[6, 20000]\n"                                                                 \
	"E[i, j] = exp(X[i, j])\n"                                                                 \
	"S[i] = sum(j < 20000) E[i, j]\n"                                                          \
	"Y[i, j] = E[i, j] / S[i]\n"
#define ATTACHED "compute_at S Y i; compute_at E Y i"
/* All of T is computed before Y. */
#define PRODUCT                                                                                    \
	"input X: f32[37, 50]\nconst W: f32[50, 21]\n"                                             \
	"T[i, k] = max(X[i, k], 0)\n"                                                              \
	"Y[i, j] = sum(k < 50) T[i, k] * W[k, j]\n"                                                \
	"Z[i] = sum(k < 50) T[i, k]\n"
#define BLOCKED "split Y j 8; reorder Y j.0 i k j.1; vectorize Y j.1; layout W"

/* V is made of W once, in two stages. */
#define WEIGHTS                                                                                    \
	"input X: f32[37, 50]\nconst W: f32[50, 21]\n"                                             \
	"M[j] = max(k < 50) abs(W[k, j])\n"                                                        \
	"V[k, j] = W[k, j] / (M[j] + 1)\n"                                                         \
	"Y[i, j] = sum(k < 50) X[i, k] * V[k, j]\n"
#define OFFLINE "place V offline; split Y j 8; reorder Y j.0 i k j.1; vectorize Y j.1"

static const struct use {
	const char *name, *te, *steps;
	size_t shared, thread;	/* least bytes of workspace */
} uses[] = {
	{ "plain", PRODUCT, BLOCKED "; inline T", 0, 0 },
	{ "intermediate", PRODUCT, BLOCKED, 37 * 50 * 4, 0 },
	{ "intermediate, parallel", PRODUCT, BLOCKED "; parallel Y j.0; parallel T i",
	  37 * 50 * 4, 0 },
	{ "offline", WEIGHTS, OFFLINE "; layout V", 0, 0 },
	{ "offline, in panels", WEIGHTS, OFFLINE "; layout V order=1,0,1%8", 0, 0 },
	{ "local array", ROWS, ATTACHED, 80000, 0 },
	{ "local arrays of threads", ROWS, ATTACHED "; parallel Y i", 0, 80000 },
};

struct exported_use {
	struct arena *a;
	const struct use *use;
	const struct dag *dag;
	const struct reference *reference;
	const char *folder, *symbol;
	struct emit_needs needs;
	int n_args, n_inputs;
};

static void must(int rc)
{
	if (rc < 0)
		fail_msg("%s", err_get());
}

/* Writes the kernel of S as hone export does. */
static void export(struct exported_use *u, const struct state *s)
{
	const char *why = "";
	const struct program *p = lower(u->a, s, target_here(), &why);

	if (!p)
		fail_msg("%s: %s", u->use->name, why);
	const struct export_kernel kernel = {
		.program = p, .task = "a task", .key = KEY, .op = "use", .shape = "", .steps = "",
		.device = "", .fingerprint = "", .toolchain = "", .threads = 1, .rank = 1, .caveat = "",
		.evidence = json_object(),
	};
	const struct export_set set = { .kernels = &kernel, .n = 1, .command = "a test" };

	if (!export_kernel(u->a, u->folder, &set, 0))
		fail_msg("%s", err_get());
	json_t *manifest = export_index(u->folder, &set);

	assert_non_null(manifest);
	u->symbol = export_symbol_of(u->a, &set, 0);
	u->needs = emit_needs(p);
	json_decref(manifest);
	json_decref(kernel.evidence);
}

static struct exported_use use_new(const struct use *use)
{
	struct exported_use u = { .a = arena_new(), .use = use };
	struct dag *d = dag_parse(u.a, use->name, use->te);
	struct state *s = d ? state_parse(u.a, d, use->name, use->steps) : NULL;

	if (!s)
		fail_msg("%s", err_get());
	u.dag = d;
	u.folder = dir_temp(u.a);
	u.n_args = dag_arg_count(d);
	for (int i = 0; i < d->ops.n; i++)
		u.n_inputs += d->ops.at[i]->kind != OP_COMPUTE;
	export(&u, s);
	u.reference = reference_new(u.a, d, SEED, NULL);
	if (!u.reference)
		fail_msg("%s", err_get());
	return u;
}

static void compile(const struct exported_use *u, const char *cc)
{
	const char *names = arena_printf(u->a, "-DKERNEL=%s -DINPUTS=%d -DARGS=%d -DCALLERS=%d "
					       "-DSTACK=%zu",
					 u->symbol, u->n_inputs, u->n_args, INPUT_SETS,
					 u->needs.stack);
	const char *command = arena_printf(
		u->a, "cd %s && %s -Wall -Wextra %s -I. %s -o caller "
		      "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc "
		      TOP_SRCDIR "/tests/caller/caller.c %s.c -pthread -lm",
		u->folder, cc, export_flags(u->a, target_here()), names, u->symbol);

	if (system(command) != 0)
		fail_msg("%s: %s", u->use->name, command);
}

static size_t arg_bytes(const struct exported_use *u, int arg)
{
	for (int i = 0; i < u->dag->ops.n; i++)
		if (dag_arg(u->dag, u->dag->ops.at[i]) == arg)
			return tensor_bytes(&u->dag->ops.at[i]->tensor);
	return 0;
}

static const char *arg_path(const struct exported_use *u, int caller, int arg)
{
	return arena_printf(u->a, "%s/%d-%d", u->folder, caller, arg);
}

/* Each caller has a set of inputs: getting at another one's memory would show. */
static void check_caller(const struct exported_use *u, int caller, void **args, int threads)
{
	for (int i = u->n_inputs; i < u->n_args; i++) {
		size_t bytes;

		args[i] = file_read(u->a, arg_path(u, caller, i), MAX_OUTPUT, &bytes);
		if (!args[i])
			fail_msg("%s", err_get());
		assert_int_equal(bytes, arg_bytes(u, i));
	}
	const char *wrong = reference_check(u->a, u->reference, caller, args);

	if (wrong)
		fail_msg("%s, caller %d, %d threads: %s", u->use->name, caller, threads, wrong);
}

static void run(const struct exported_use *u, int threads)
{
	void **args[INPUT_SETS];

	for (int caller = 0; caller < INPUT_SETS; caller++) {
		args[caller] = reference_args(u->a, u->reference, caller);
		for (int i = 0; i < u->n_args; i++)
			must(file_write(arg_path(u, caller, i), args[caller][i], arg_bytes(u, i)));
	}
	/* Threads of OpenMP get as little stack as the callers. */
	if (system(arena_printf(u->a, "OMP_STACKSIZE=%zuB %s/caller %s %d",
				u->needs.stack + target_here()->frame_bytes, u->folder, u->folder, threads)) != 0)
		fail_msg("%s, %d threads", u->use->name, threads);
	for (int caller = 0; caller < INPUT_SETS; caller++)
		check_caller(u, caller, args[caller], threads);
}

static void check(const char *cc)
{
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++) {
		struct exported_use u = use_new(&uses[i]);

		assert_true(u.needs.stack <= 64 * 1024);
		assert_true(u.needs.shared >= uses[i].shared && u.needs.thread >= uses[i].thread);
		assert_int_equal(!u.needs.shared, !uses[i].shared);
		assert_int_equal(!u.needs.thread, !uses[i].thread);
		compile(&u, cc);
		for (int threads = 1; threads <= MAX_THREADS; threads++)
			run(&u, threads);
		dir_remove(u.folder);
		arena_free(u.a);
	}
}

static void test_gcc(void **state)
{
	(void)state;
	check("gcc");
}

static void test_clang(void **state)
{
	(void)state;
	if (system("command -v clang >/dev/null") != 0)
		skip_test("there is no clang");
	check("clang");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gcc),
		cmocka_unit_test(test_clang),
	};

	return cmocka_run_group_tests_name("caller", tests, NULL, NULL);
}
