/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/kernel/kernel_build.c - one trial through the builder. */
#include "runtime/kernel/kernel_build.h"

#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "search/kernel_text.h"
#include "search/task.h"

struct build_pool *kernel_builder(const struct device *d, const char *cc, const char *recorded,
				  bool *same)
{
	/* By name only: what a database says is never run. */
	const char *const tried[] = {cc, "clang", "gcc"};
	const struct target *target = device_code(d);

	for (int i = 0; recorded && i < (cc ? 1 : 3); i++) {
		const struct build_pool_options o = {.target = target, .cc = tried[i], .jobs = 1};
		struct build_pool *b = tried[i] ? build_pool_new(&o) : NULL;

		*same = b && strcmp(build_pool_toolchain(b), recorded) == 0;
		if (*same)
			return b;
		build_pool_free(b);
	}
	*same = !recorded;
	return build_pool_new(&(struct build_pool_options){.target = target, .cc = cc, .jobs = 1});
}

const char *kernel_compile(struct arena *a, struct build_pool *b, const struct state *s,
			   const struct target *target)
{
	struct trial trial = {0};
	const char *why = "";

	trial.source = state_source(a, s, target, &why);
	if (!trial.source) {
		err_set("the kernel cannot be written: %s", why);
		return NULL;
	}
	if (build_all(a, b, &trial, 1) < 0)
		return NULL;
	if (!trial.object)
		err_set("the kernel does not compile: %s", trial.text ? trial.text : "");
	return trial.object;
}

int kernel_build(struct arena *a, struct build_pool *b, const struct state *s,
		 const struct target *target, int threads, struct kernel *k)
{
	const char *object = kernel_compile(a, b, s, target);
	int rc = object ? kernel_load(k, object, threads) : -1;

	if (object)
		unlink(object);
	return rc;
}
