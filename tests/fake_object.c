/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fake_object.c - a code generator in a shared object, which a test compiles as it wants it:
 *
 *	FAKE_GRAIN	HONE_KERNELS or HONE_REGIONS
 *	FAKE_PATTERN	of what it claims
 *	FAKE_HASTE	products are left at 0: wrong, and faster than any that is right
 *	FAKE_SLEEP_US	what relu takes it at least
 *	FAKE_COST	us, that it says of itself; 0: it lets itself be timed */
#include <unistd.h>

#include "tests/fake_compute.h"

static int has(const struct hone_region *r, const char *op)
{
	for (int i = 0; i < r->ncalls; i++)
		if (strcmp(r->calls[i].op, op) == 0)
			return 1;
	return 0;
}

static int run(void *handle, const void *const *inputs, void *const *outputs, char *why)
{
	const struct hone_region *r = ((struct fake_handle *)handle)->region;

	if (FAKE_SLEEP_US && has(r, "relu"))
		usleep(FAKE_SLEEP_US);
	if (!FAKE_HASTE || !has(r, "matmul"))
		return fake_run(handle, inputs, outputs, why);
	for (int i = 0; i < r->noutputs; i++)
		memset(outputs[i], 0, (size_t)fake_count(&r->tensors[r->outputs[i]]) * sizeof(float));
	return 0;
}

static double cost(const struct hone_region *r, int threads)
{
	(void)r, (void)threads;
	return FAKE_COST;
}

static const char *version(void)
{
	return "fake 1";
}

static const struct hone_pattern patterns[] = { { "all", FAKE_PATTERN }, { NULL, NULL } };

extern const struct hone_generator hone_generator;
const struct hone_generator hone_generator = {
	.abi = HONE_GENERATOR_ABI, .name = "fake", .summary = "for tests", .patterns = patterns,
	.grain = FAKE_GRAIN, .version = version, .claims = fake_claims, .cost = cost, .init = fake_init, .run = run,
	.release = fake_release,
};
