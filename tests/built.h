/* SPDX-License-Identifier: Apache-2.0 */
/* tests/built.h - programs as kernels in memory, built as the search builds them. */
#ifndef HONE_TESTS_BUILT_H
#define HONE_TESTS_BUILT_H

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/err.h"
#include "codegen/emit.h"
#include "codegen/team.h"
#include "measure/build/builder.h"

/* The trial of P, to be built; false where it cannot be written. */
static inline bool built_trial(struct arena *a, const struct program *p, struct trial *out)
{
	struct text text = { 0 };
	bool ok = emit_c(&text, p, "hone_kernel", NULL);

	*out = (struct trial){ .source = arena_strdup(a, text_str(&text)) };
	text_free(&text);
	return ok;
}

/* Compiler CC (NULL: the default) with FLAGS behind the usual ones. */
static inline struct build_pool *built_by(const char *cc, const char *flags)
{
	struct build_pool *b =
		build_pool_new(&(struct build_pool_options){.cc = cc, .flags = flags});

	if (!b)
		fail_msg("%s", err_get());
	return b;
}

/* The objects are B's, to be freed after the last kernel has run. */
static inline void built_all(struct arena *a, struct build_pool *b, struct trial *trials, int n)
{
	if (build_all(a, b, trials, n) < 0)
		fail_msg("%s", err_get());
	for (int i = 0; i < n; i++)
		if (!trials[i].object)
			fail_msg("%s: %s", build_pool_toolchain(b), trials[i].text);
}

static inline struct callable built_kernel(const struct trial *t)
{
	void *object = dlopen(t->object, RTLD_NOW | RTLD_LOCAL);
	struct callable kernel = { 0 };

	if (!object)
		fail_msg("%s", dlerror());
	if (callable_find(&kernel, object, "hone_kernel") < 0)
		fail_msg("%s", err_get());
	return kernel;
}

/* Runs the kernel of T once with one thread. */
static inline void built_run(struct arena *a, const struct trial *t, void *const *args)
{
	struct callable k = built_kernel(t);

	void *workspace = arena_aligned(a, k.workspace_bytes(1), CALLABLE_ALIGN);

	callable_call(&k, 1, args, workspace);
}

#endif
