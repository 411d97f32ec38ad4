/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/border.c - channels in blocks. */
#include "partition/generators/vdla/border.h"

#include <string.h>

#include "base/integer.h"
#include "include/hone_generator_read.h"

struct blocked_tensor {
	int64_t n, channels, pixels;
	size_t bytes;		/* of an element */
};

static bool border_of(const struct hone_region_tensor *t, struct blocked_tensor *out)
{
	if ((t->rank != 4 && t->rank != 2) || (t->type != HONE_I8 && t->type != HONE_I32))
		return false;
	*out = (struct blocked_tensor){ t->dim[0], t->dim[1], hone_count(t, 2), hone_type_bytes(t->type) };
	return true;
}

int64_t border_bytes(const struct hone_region_tensor *t)
{
	struct blocked_tensor b;

	return border_of(t, &b) ? b.n * round_up(b.channels, VDLA_LANES) * b.pixels * (int64_t)b.bytes : 0;
}

/* Element P of channel C of image I, in units of elements. */
static inline int64_t place_of(const struct blocked_tensor *b, int64_t i, int64_t c, int64_t p)
{
	return ((i * ceil_div(b->channels, VDLA_LANES) + c / VDLA_LANES) * b->pixels + p) * VDLA_LANES + c % VDLA_LANES;
}

void border_send(const struct hone_region_tensor *t, const void *host, void *device)
{
	const char *from = host;
	struct blocked_tensor b = { 0 };

	border_of(t, &b);
	memset(device, 0, (size_t)border_bytes(t));
	for (int64_t i = 0; i < b.n; i++)
		for (int64_t c = 0; c < b.channels; c++)
			for (int64_t p = 0; p < b.pixels; p++, from += b.bytes)
				memcpy((char *)device + (size_t)place_of(&b, i, c, p) * b.bytes, from, b.bytes);
}

void border_fetch(const struct hone_region_tensor *t, const void *device, void *host)
{
	struct blocked_tensor b = { 0 };
	char *to = host;

	border_of(t, &b);
	for (int64_t i = 0; i < b.n; i++)
		for (int64_t c = 0; c < b.channels; c++)
			for (int64_t p = 0; p < b.pixels; p++, to += b.bytes)
				memcpy(to, (const char *)device + (size_t)place_of(&b, i, c, p) * b.bytes, b.bytes);
}

int64_t border_cycles(const struct vdla_machine *m, const struct hone_region_tensor *t)
{
	return m->link_start + ceil_div(border_bytes(t), m->link_bytes);
}
