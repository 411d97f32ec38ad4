/* SPDX-License-Identifier: Apache-2.0 */
/* measure/device/simulated.c - figures of a VDLA by its description, which its flags are. */
#include "measure/device/simulated.h"

#include <string.h>

#include "target/vdla/target.h"

/* Operations of a 16x16 product: a multiply-add is two. */
#define PRODUCT_FLOP (2.0 * VDLA_LANES * VDLA_LANES)

/* TEXT with each FROM as TO, in A: a description is one line among the flags of a device. */
static const char *exchange(struct arena *a, const char *text, char from, char to)
{
	char *s = arena_strdup(a, text);

	for (char *at = s; *at; at++)
		*at = *at == from ? to : *at;
	return s;
}

static void describe_figures(struct device *d, const struct vdla_machine *m)
{
	double mhz = m->clock_mhz, peak = PRODUCT_FLOP * mhz * 1e-3, memory = m->dma_bytes * mhz * 1e-3;
	const struct device_rate bytes = { memory, memory };

	d->measured = (struct device_measured){ .valid = true, .threads = 1, .noise = 1, .mem = bytes };
	d->measured.peak[target_number(&target_vdla)] = (struct device_rate){ peak, peak };
	/* Of scratchpads, a product reads an input and adds to an entry of sums in each cycle. */
	d->measured.l1 = d->measured.l2 = (struct device_rate){ VDLA_LANES * mhz * 1e-3, VDLA_LANES * mhz * 1e-3 };
	d->caches[0].claimed = d->caches[0].probed = m->input_bytes;
	d->caches[1].claimed = d->caches[1].probed = m->weight_bytes;
}

struct device *device_simulated(struct arena *a, const struct vdla_machine *m)
{
	struct device *d = arena_one(a, struct device);
	struct text t = { 0 };

	vdla_machine_print(&t, m);
	d->flags = exchange(a, text_str(&t), '\n', ',');
	text_free(&t);
	d->name = arena_printf(a, "VDLA, %d MHz, %d bytes of memory a cycle (simulated)", m->clock_mhz, m->dma_bytes);
	d->model = "VDLA";
	d->vendor = "hone";
	d->own = &target_vdla;
	d->target = vdla_target(a, m);
	d->packages = d->cores = d->pus = d->threads = 1;
	describe_figures(d, m);
	hash_text(hash_bytes(d->flags, strlen(d->flags)), d->fingerprint);
	return d;
}

bool device_is_simulated(const struct device *d)
{
	return d->own == &target_vdla;
}

int device_machine(const struct device *d, struct vdla_machine *out)
{
	struct arena *a = arena_new();
	int rc = vdla_machine_parse(out, d->name, exchange(a, d->flags, ',', '\n'));

	arena_free(a);
	return rc;
}
