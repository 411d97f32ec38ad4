/* SPDX-License-Identifier: Apache-2.0 */
/* tools/vdla/units.c - where the cycles of each unit went, as JSON. */
#include "tools/vdla/vdla.h"

static json_t *unit_json(enum vdla_unit u, const struct vdla_unit_cycles *c)
{
	json_t *waiting = json_object();

	for (int k = 0; k < VDLA_CHANNELS; k++)
		json_object_set_new(waiting, vdla_channel_names[k], json_integer(c->waiting[k]));
	return json_pack("{s:s, s:I, s:I, s:o, s:I, s:I}", "unit", vdla_unit_names[u], "instructions",
			 (json_int_t)c->instructions, "busy", (json_int_t)c->busy, "waiting", waiting, "port",
			 (json_int_t)c->port, "idle", (json_int_t)c->idle);
}

json_t *vdla_units_json(const struct vdla_cycles *c)
{
	json_t *units = json_array();

	for (int u = 0; u < VDLA_UNITS; u++)
		json_array_append_new(units, unit_json((enum vdla_unit)u, &c->unit[u]));
	return units;
}
