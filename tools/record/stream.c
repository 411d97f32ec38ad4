/* SPDX-License-Identifier: Apache-2.0 */
/* tools/record/stream.c - a kernel as a VDLA's text. */
#include "tools/record/stream.h"

#include "base/err.h"
#include "codegen/vdla/generate.h"
#include "measure/device/simulated.h"
#include "target/vdla/assembler.h"

const char *stream_of(struct arena *a, const struct device *d, const struct program *p)
{
	struct vdla_machine machine;
	struct text t = { 0 };
	const char *why = NULL;

	if (device_machine(d, &machine) < 0)
		return NULL;
	const struct vdla_binary *b = vdla_generate(a, p, &machine, &why);

	if (!b) {
		err_set("the kernel has no instructions: %s", why);
		return NULL;
	}
	vdla_binary_print(&t, b);
	const char *text = arena_strdup(a, text_str(&t));

	text_free(&t);
	return text;
}
