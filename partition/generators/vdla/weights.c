/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/vdla/weights.c - where each weight goes. */
#include "partition/generators/vdla/weights.h"

#include <string.h>

#include "base/integer.h"
#include "target/vdla/machine.h"

struct weight_shape weight_shape_of(int64_t ic, int64_t oc, int64_t groups)
{
	int64_t in = ic / groups, out = oc / groups;
	/* The fewest groups whose channels are whole blocks, in and out. */
	int64_t each = VDLA_LANES / gcd(gcd(in, out), VDLA_LANES);
	struct weight_shape s = { .ic = ic, .oc = oc, .groups = groups, .blocks = ceil_div(groups, each),
				  .ic_each = each * in, .oc_each = each * out };

	if (groups == 1 || s.blocks * s.ic_each != round_up(ic, VDLA_LANES) || s.blocks * s.oc_each != round_up(oc, VDLA_LANES)) {
		s.blocks = 1;
		s.ic_each = round_up(ic, VDLA_LANES);
		s.oc_each = round_up(oc, VDLA_LANES);
	}
	return s;
}

static struct array *new_weight(struct arena *a, const struct weight_shape *s)
{
	const int64_t dim[] = { s->blocks * s->oc_each, s->ic_each, s->kernel[0], s->kernel[1] };

	return array_in(a, ELEMENT_I8, 4, dim);
}

/* The first tap from channel I of its group to channel O. */
static int8_t *taps_of(struct array *w, const struct weight_shape *s, int64_t o, int64_t i)
{
	int64_t in = o / (s->oc / s->groups) * (s->ic / s->groups) + i;	/* of all channels */

	return (int8_t *)w->data + (o * s->ic_each + in % s->ic_each) * s->kernel[0] * s->kernel[1];
}

const struct array *weight_in_blocks(struct arena *a, const struct array *w, const struct weight_shape *s)
{
	struct array *out = new_weight(a, s);
	int64_t taps = s->kernel[0] * s->kernel[1], in = s->ic / s->groups;

	for (int64_t o = 0; o < s->oc; o++)
		for (int64_t i = 0; i < in; i++)
			memcpy(taps_of(out, s, o, i), (const int8_t *)w->data + (o * in + i) * taps, (size_t)taps);
	return out;
}

const struct array *matrix_in_blocks(struct arena *a, const struct array *w, bool turned, const struct weight_shape *s)
{
	struct array *out = new_weight(a, s);
	int64_t taps = s->kernel[0] * s->kernel[1], rows = s->ic * taps;
	const int8_t *from = w->data;

	for (int64_t o = 0; o < s->oc; o++)
		for (int64_t i = 0; i < s->ic; i++)
			for (int64_t t = 0; t < taps; t++) {
				int64_t row = i * taps + t;

				taps_of(out, s, o, i)[t] = turned ? from[o * rows + row] : from[row * s->oc + o];
			}
	return out;
}

const struct array *ones_in_blocks(struct arena *a, const struct weight_shape *s)
{
	struct array *out = new_weight(a, s);

	for (int64_t o = 0; o < s->oc; o++)
		memset(taps_of(out, s, o, 0), 1, (size_t)(s->kernel[0] * s->kernel[1]));
	return out;
}

/* Has an instruction room for C, a number? */
static bool fits_instruction(const struct array *c)
{
	return c->element != ELEMENT_I32 || (*(const int32_t *)c->data >= INT16_MIN && *(const int32_t *)c->data <= INT16_MAX);
}

const struct array *channels_in_blocks(struct arena *a, const struct array *c, int rank, int64_t channels)
{
	const int64_t dim[] = { round_up(channels, VDLA_LANES), 1, 1 };
	int at = c->rank - rank + 1;	/* the dim that stands beside channels */
	bool alone = c->count == 1;

	if (alone && fits_instruction(c))
		return array_around(a, c->element, 0, NULL, c->data);
	if (c->element != ELEMENT_I32 || (!alone && (c->count != channels || at < 0 || c->dim[at] != channels)))
		return NULL;
	struct array *out = array_in(a, ELEMENT_I32, 3, dim);

	for (int64_t i = 0; i < channels; i++)
		((int32_t *)out->data)[i] = ((const int32_t *)c->data)[alone ? 0 : i];
	return out;
}
