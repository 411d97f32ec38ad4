/* SPDX-License-Identifier: Apache-2.0 */
/* tests/built.h - programs as kernels in memory, built as the search builds them. */
#ifndef HONE_TESTS_BUILT_H
#define HONE_TESTS_BUILT_H

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "codegen/emit.h"
#include "measure/builder.h"

typedef int32_t kernel_fn(void *const *args);

/* The trial of P, to be built; false where its C would be too much text. */
static inline bool built_trial(struct arena *a, const struct program *p, int vector_bytes,
			       struct trial *out)
{
	struct emit_options options = { .symbol = "hone_kernel", .vector_bytes = vector_bytes };
	struct text text = { 0 };
	bool ok = emit_c(&text, p, &options, NULL);

	*out = (struct trial){ .source = arena_strdup(a, text_str(&text)),
			       .parallel = program_is_parallel(p) };
	text_free(&text);
	return ok;
}

/* Compiler CC (NULL: the default) with FLAGS behind the usual ones. */
static inline struct builder *built_by(const char *cc, const char *flags)
{
	struct builder *b = builder_new(&(struct builder_options){ .cc = cc, .flags = flags });

	if (!b)
		fail_msg("%s", err_get());
	return b;
}

/* The objects are B's, to be freed after the last kernel has run. */
static inline void built_all(struct arena *a, struct builder *b, struct trial *trials, int n)
{
	if (build_all(a, b, trials, n) < 0)
		fail_msg("%s", err_get());
	for (int i = 0; i < n; i++)
		if (!trials[i].object)
			fail_msg("%s: %s", builder_toolchain(b), trials[i].text);
}

static inline kernel_fn *built_kernel(const struct trial *t)
{
	void *object = dlopen(t->object, RTLD_NOW | RTLD_LOCAL);
	void *found = object ? dlsym(object, "hone_kernel") : NULL;
	kernel_fn *kernel;

	if (!found)
		fail_msg("%s", dlerror());
	memcpy(&kernel, &found, sizeof(found));	/* ISO C has no cast for that */
	return kernel;
}

#endif
