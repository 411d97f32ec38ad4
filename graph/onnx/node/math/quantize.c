/* SPDX-License-Identifier: Apache-2.0 */
/* graph/onnx/node/math/quantize.c - numbers in few bits, from and to. */
#include "graph/onnx/node/math/quantize.h"

int quantize_widen(struct builder *b, int q, int zero)
{
	enum element to = element_is_float(compose_element(b, q)) ? ELEMENT_F32 : ELEMENT_I32;
	int x = compose_cast(b, q, to);

	return zero == VALUE_NONE ? x : build(b, &core_sub, x, compose_cast(b, zero, to));
}

int quantize_round(struct builder *b, int x, int zero, enum element to, bool saturate)
{
	bool whole = !element_is_float(to);
	struct attr_vec attrs = { 0 };

	if (to == ELEMENT_COUNT)
		return VALUE_FAILED;
	/* rounded in its own precision, the sum made where all integers of TO are exact */
	x = compose_cast(b, whole ? build(b, &core_round, x) : x, ELEMENT_F32);
	if (zero != VALUE_NONE)
		x = build(b, &core_add, x, compose_cast(b, zero, ELEMENT_F32));
	if (whole)
		x = build(b, &core_clip, x, build_scalar(b, ELEMENT_F32, (double)element_min(to)),
			  build_scalar(b, ELEMENT_F32, (double)element_max(to)));
	attrs_element(b->arena, &attrs, "to", to);
	attrs_int(b->arena, &attrs, "saturate", saturate);
	return build_with(b, &core_cast, &attrs, x);
}
