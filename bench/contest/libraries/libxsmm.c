/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/libxsmm.c - libxsmm as a contestant. Its kernels are made at run time; threads are
 * OpenMP's. */
#include <libxsmm.h>

#include "bench/contest/libraries/libxsmm.h"

struct xsmm_handle {
	const struct xsmm_kind *kind;
	void *own;
};

static void *prepare(struct arena *a, const struct contestant_task *t, const char **why)
{
	struct xsmm_handle *h = arena_one(a, struct xsmm_handle);

	*why = t->why;
	if (!t->work)
		return NULL;
	if (t->work->epilogue.n > 0) {
		*why = arena_printf(a, "libxsmm fuses no %s",
				    epilogue_name(t->work->epilogue.at[0].kind));
		return NULL;
	}
	libxsmm_init();
	h->kind = t->work->kind == WORK_CONV ? &xsmm_convolution : &xsmm_product;
	h->own = h->kind->prepare(a, t, strcmp(t->entry, "plain") == 0, why);
	return h->own ? h : NULL;
}

static int run(void *handle)
{
	const struct xsmm_handle *h = handle;

	h->kind->run(h->own);
	return 0;
}

static const char *kernel(void *handle)
{
	const struct xsmm_handle *h = handle;

	return h->kind->kernel(h->own);
}

static int output(void *handle, void *out)
{
	const struct xsmm_handle *h = handle;

	h->kind->output(h->own, out);
	return 0;
}

static void release(void *handle)
{
	const struct xsmm_handle *h = handle;

	h->kind->release(h->own);
}

static const char *version(struct arena *a)
{
	libxsmm_init();
	return arena_printf(a, "libxsmm %s, OpenMP, %s", LIBXSMM_VERSION, libxsmm_get_target_arch());
}

static const struct contestant_entry entries[] = {
	{ "blocked", "constant weights packed before, others in the clock; images in its own "
		     "blocked layout, matrices plain" },
	{ "plain", "images reordered from the task's layout and back in the clock, their constant "
		   "weights packed before; matrices as they are, nothing packed" },
	{ NULL, NULL },
};

const struct contestant contestant = {
	.name = "libxsmm",
	.entries = entries,
	.version = version,
	.prepare = prepare,
	.run = run,
	.kernel = kernel,
	.output = output,
	.release = release,
};
