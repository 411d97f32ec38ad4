/* SPDX-License-Identifier: Apache-2.0 */
/* partition/generators/onednn/window.c - strides, dilations and padding of a call. */
#include "partition/generators/onednn/window.h"

#include <string.h>

/* Along spatial dim I, of IN elements and OUT places. */
static void slide(struct onednn_window *s, const struct hone_region_call *c, int i, int64_t in, int64_t out)
{
	const char *pad = maker_attr(c, "auto_pad")->text;
	int64_t span, missing;

	s->stride[i] = maker_number(c, "strides", i, 1);
	s->dilation[i] = maker_number(c, "dilations", i, 1) - 1;	/* oneDNN has the elements between taps */
	span = (s->kernel[i] - 1) * (s->dilation[i] + 1) + 1;
	missing = (out - 1) * s->stride[i] + span - in;
	if (pad && strncmp(pad, "same", 4) == 0) {
		missing = missing > 0 ? missing : 0;
		s->before[i] = strcmp(pad, "same_lower") == 0 ? missing - missing / 2 : missing / 2;
		s->after[i] = missing - s->before[i];
	} else {
		s->before[i] = maker_number(c, "pads", i, 0);
		s->after[i] = maker_number(c, "pads", s->nd + i, 0);
	}
	s->beyond |= missing - s->before[i] > s->after[i];
	s->apart |= s->before[i] >= span || s->after[i] >= span;
	if (missing - s->before[i] > s->after[i])
		s->after[i] = missing - s->before[i];
}

int window_read(struct region_maker *m, const struct hone_region_call *c, const int64_t *kernel,
		struct onednn_window *s)
{
	const struct hone_region_tensor *x = &m->region->tensors[c->inputs[0]];
	const struct hone_region_tensor *y = &m->region->tensors[c->output];

	*s = (struct onednn_window){ .nd = x->rank - 2 };
	if (s->nd < 1 || s->nd > 3 || y->rank != x->rank)
		return plan_refuse(m->plan, "images of one to three spatial dims only");
	for (int i = 0; i < s->nd; i++) {
		s->kernel[i] = kernel ? kernel[i] : maker_number(c, "kernel", i, 1);
		slide(s, c, i, x->dim[2 + i], y->dim[2 + i]);
		if (s->before[i] < 0 || s->after[i] < 0)
			return plan_refuse(m->plan, "negative padding");
	}
	return 0;
}
