/* SPDX-License-Identifier: Apache-2.0 */
/* measure/timing/pin.c - cores through hwloc. */
#include "measure/timing/pin.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

struct pin {
	hwloc_topology_t topology;
	hwloc_bitmap_t allowed;
};

static int limit_to(struct pin *p, const char *cpus)
{
	hwloc_bitmap_t asked = hwloc_bitmap_alloc();
	int rc = 0;

	if (hwloc_bitmap_list_sscanf(asked, cpus) < 0 || hwloc_bitmap_iszero(asked))
		rc = err_set("'%s' is no list of cores (write it as 0,2-3)", cpus);
	else if (!hwloc_bitmap_isincluded(asked, p->allowed))
		rc = err_set("cores '%s' are not all there, or not allowed to this process "
			     "(taskset -p shows those that are)", cpus);
	else
		hwloc_bitmap_copy(p->allowed, asked);
	hwloc_bitmap_free(asked);
	return rc;
}

struct pin *pin_new(const char *cpus)
{
	struct pin *p = calloc(1, sizeof(*p));

	if (!p)
		die("out of memory");
	if (hwloc_topology_init(&p->topology) < 0) {
		err_set("hwloc: cannot start: %s", strerror(errno));
		free(p);
		return NULL;
	}
	p->allowed = hwloc_bitmap_alloc();
	if (hwloc_topology_load(p->topology) < 0) {
		err_set("hwloc: cannot read this machine: %s", strerror(errno));
		pin_free(p);
		return NULL;
	}
	hwloc_bitmap_copy(p->allowed, hwloc_topology_get_allowed_cpuset(p->topology));
	/* taskset and the like narrow what hwloc calls allowed. */
	hwloc_bitmap_t bound = hwloc_bitmap_alloc();

	if (hwloc_get_cpubind(p->topology, bound, HWLOC_CPUBIND_PROCESS) == 0)
		hwloc_bitmap_and(p->allowed, p->allowed, bound);
	hwloc_bitmap_free(bound);
	if (cpus && *cpus && limit_to(p, cpus) < 0) {
		pin_free(p);
		return NULL;
	}
	return p;
}

void pin_free(struct pin *p)
{
	if (!p)
		return;
	hwloc_bitmap_free(p->allowed);
	hwloc_topology_destroy(p->topology);
	free(p);
}

/* Adds hardware threads from the last core on, the NTH of each core, until SET has WANT. */
static void add_from_cores(const struct pin *p, hwloc_bitmap_t set, int nth, int want)
{
	int cores = hwloc_get_nbobjs_by_type(p->topology, HWLOC_OBJ_CORE);

	for (int i = cores - 1; i >= 0 && hwloc_bitmap_weight(set) < want; i--) {
		hwloc_obj_t core = hwloc_get_obj_by_type(p->topology, HWLOC_OBJ_CORE, (unsigned)i);
		int left = nth;

		for (int pu = hwloc_bitmap_first(core->cpuset); pu >= 0;
		     pu = hwloc_bitmap_next(core->cpuset, pu))
			if (hwloc_bitmap_isset(p->allowed, (unsigned)pu) && left-- == 0)
				hwloc_bitmap_set(set, (unsigned)pu);
	}
}

/* The cores for THREADS, to be freed; NULL and a message where there are fewer. */
static hwloc_bitmap_t choose(const struct pin *p, int threads)
{
	enum { SMT_MAX = 8 };	/* hardware threads of a core, POWER's at most */
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	for (int nth = 0; nth < SMT_MAX && hwloc_bitmap_weight(set) < threads; nth++)
		add_from_cores(p, set, nth, threads);
	if (hwloc_bitmap_weight(set) >= threads)
		return set;
	err_set("%d threads are more than the %d cores at hand (--threads, --cpus)", threads,
		hwloc_bitmap_weight(p->allowed));
	hwloc_bitmap_free(set);
	return NULL;
}

static const char *list_of(struct arena *a, hwloc_const_bitmap_t set)
{
	char *text;

	if (hwloc_bitmap_list_asprintf(&text, set) < 0)
		die("out of memory");
	const char *list = arena_strdup(a, text);

	free(text);
	return list;
}

const char *pin_process(struct arena *a, const struct pin *p, pid_t pid, int threads)
{
	hwloc_bitmap_t set = choose(p, threads);
	const char *list = NULL;

	if (!set)
		return NULL;
	if (hwloc_set_proc_cpubind(p->topology, pid, set, 0) < 0)
		err_set("cannot pin the runner to its cores: %s", strerror(errno));
	else
		list = list_of(a, set);
	hwloc_bitmap_free(set);
	return list;
}

int pin_shares(struct arena *a, const struct pin *p, int threads, struct pin_shares *out)
{
	hwloc_const_bitmap_t all = hwloc_topology_get_allowed_cpuset(p->topology);
	hwloc_bitmap_t set = choose(p, threads), spare = hwloc_bitmap_alloc();

	if (!set) {
		hwloc_bitmap_free(spare);
		return -1;
	}
	hwloc_get_cpubind(p->topology, spare, HWLOC_CPUBIND_PROCESS);
	hwloc_bitmap_and(spare, spare, all);
	for (hwloc_obj_t core = NULL;
	     (core = hwloc_get_next_obj_by_type(p->topology, HWLOC_OBJ_CORE, core));)
		if (hwloc_bitmap_intersects(core->cpuset, set))
			hwloc_bitmap_andnot(spare, spare, core->cpuset);
	*out = (struct pin_shares){ list_of(a, set), list_of(a, spare),
				    hwloc_bitmap_weight(spare) };
	hwloc_bitmap_free(set);
	hwloc_bitmap_free(spare);
	return 0;
}
