/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/offload/generators.c - each is loaded once, and has a name of its own. */
#include "runtime/offload/generators.h"

#include "base/err.h"

int offload_generators_load(struct arena *a, const struct offload_request *r, struct offload_generators *out)
{
	*out = (struct offload_generators){ 0 };
	for (int i = 0; i < r->nbackends; i++) {
		struct backend b;

		if (backend_load(a, r->backends[i], &b) < 0)
			return -1;
		if (backend_find(out->kernels.at, out->kernels.n, b.generator->name) ||
		    backend_find(out->regions.at, out->regions.n, b.generator->name))
			return err_set("two generators are called '%s'", b.generator->name);
		vec_push(a, b.generator->grain == HONE_KERNELS ? &out->kernels : &out->regions, b);
	}
	return 0;
}

struct backend_vec offload_generators_all(struct arena *a, const struct offload_generators *g)
{
	struct backend_vec all = { 0 };

	for (int i = 0; i < g->kernels.n; i++)
		vec_push(a, &all, g->kernels.at[i]);
	for (int i = 0; i < g->regions.n; i++)
		vec_push(a, &all, g->regions.at[i]);
	return all;
}
