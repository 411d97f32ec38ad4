/* SPDX-License-Identifier: Apache-2.0 */
/* target/vdla/machine.c - a VDLA's description, from machine.def. */
#include "target/vdla/machine.h"

#include <stddef.h>
#include <string.h>

#include "target/device/description.h"

static const struct described fields[] = {
#define X(field, standard, least, most, values, meaning) { #field, offsetof(struct vdla_machine, field), least, most, DESCRIBED_##values },
#include "target/vdla/machine.def"
#undef X
};

static const struct description description = {
	.what = "a machine", .n = sizeof(fields) / sizeof(fields[0]), .field = fields,
};

const struct vdla_machine vdla_machine_default = {
#define X(field, standard, least, most, values, meaning) .field = standard,
#include "target/vdla/machine.def"
#undef X
};

const char *const vdla_scratchpad_names[VDLA_SCRATCHPADS] = { "inputs", "weights", "accumulators" };

int vdla_machine_parse(struct vdla_machine *out, const char *file, const char *text)
{
	*out = vdla_machine_default;
	return description_parse(&description, out, file, text);
}

int vdla_machine_load(struct vdla_machine *out, const char *path)
{
	*out = vdla_machine_default;
	return description_load(&description, out, path);
}

int vdla_machine_scan(struct vdla_machine *out, struct scan *s)
{
	return description_scan(&description, out, s);
}

const char *vdla_machine_wrong(const struct vdla_machine *m)
{
	return description_wrong(&description, m);
}

void vdla_machine_print(struct text *out, const struct vdla_machine *m)
{
	description_print(out, &description, m);
}

/* Numbers alone, without holes. */
bool vdla_machine_equal(const struct vdla_machine *a, const struct vdla_machine *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}
