/* SPDX-License-Identifier: Apache-2.0 */
/* bench/partition/narrow.c - a quantized model as a file. */
#include "bench/partition/narrow.h"

#include "base/file.h"
#include "runtime/quantize/quantize.h"

const char *narrow_model(struct arena *a, const struct open_options *o, enum element as, const char *folder)
{
	struct quantize_how how = quantize_usual;
	struct open_options plain = *o;	/* samples run by hone alone: no generator is measured for them */
	struct arena *scratch = arena_new();
	struct quant q;
	struct quantize_made made;
	const char *path = NULL, *name = strrchr(o->model, '/');

	how.to = as;
	plain.offload = (struct offload_request){ 0 };
	name = name ? name + 1 : o->model;
	if (quantize_begin(scratch, &plain, &how, &q) == 0 && quantize_make(&q, &plain, &how, &made) == 0) {
		path = arena_printf(a, "%s/%s-%s.json", folder, name, element_name(as));
		if (quantize_write(path, made.z.graph) < 0)
			path = NULL;
	}
	arena_free(scratch);
	return path;
}
