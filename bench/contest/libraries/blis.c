/* SPDX-License-Identifier: Apache-2.0 */
/* bench/contest/libraries/blis.c - BLIS's sgemm on the DAG's own layouts, whatever their strides; batches
 * are a loop.
 *
 * The library takes AVX2 kernels on CPUs with AVX-512 whose number of multipliers it does not know.
 * Then it is started again, told to take those of AVX-512. */
#include <blis.h>

#include "bench/contest/libraries/sgemm.h"

static void *prepare(struct arena *a, const struct contestant_task *t, const char **why)
{
	struct product *p = arena_one(a, struct product);

	if (!product_of(a, t, p, why))
		return NULL;
	bli_thread_set_num_threads(t->threads);
	return p;
}

static int run(void *handle)
{
	struct product *p = handle;
	float one = 1, zero = 0;

	for (int64_t i = 0; i < p->nbatch; i++)
		bli_sgemm(BLIS_NO_TRANSPOSE, BLIS_NO_TRANSPOSE, p->m, p->n, p->k, &one,
			  p->a.at + p->batch[i].a, p->a.row, p->a.column,
			  p->b.at + p->batch[i].b, p->b.row, p->b.column, &zero,
			  p->y.at + p->batch[i].y, p->y.row, p->y.column);
	return 0;
}

static const char *version(struct arena *a)
{
	const char *threads = bli_info_get_enable_openmp()     ? "OpenMP"
			      : bli_info_get_enable_pthreads() ? "pthreads"
							       : "one thread";

	return arena_printf(a, "BLIS %s, %s, %s", bli_info_get_version_str(), threads,
			    bli_arch_string(bli_arch_query_id()));
}

/* The kernels to ask for: -1 where those that it has chosen are as good. */
static int better_arch(void)
{
#if defined(__x86_64__)
	bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
		      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");

	bli_init();
	if (avx512 && bli_arch_query_id() == BLIS_ARCH_HASWELL)
		return BLIS_ARCH_SKX;
#endif
	return -1;
}

static void choose(char **argv)
{
	int arch = better_arch();
	char number[16];

	snprintf(number, sizeof(number), "%d", arch);
	if (arch >= 0)	/* it reads the variable when it is first called */
		sgemm_choose("BLIS_ARCH_TYPE", number, argv);
}

const struct contestant contestant = {
	.name = "blis",
	.entries = sgemm_entries,
	.choose = choose,
	.version = version,
	.prepare = prepare,
	.run = run,
	.kernel = sgemm_kernel,
};
