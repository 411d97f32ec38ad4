/* SPDX-License-Identifier: Apache-2.0 */
/* graph/model.c - from a name on the command line to a graph. */
#include "graph/model.h"

#include "base/err.h"

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

bool model_is(const char *source)
{
	return ends_with(source, ".onnx");
}

struct graph *model_read(struct arena *a, const char *source, const struct onnx_options *options)
{
	return onnx_read(a, source, options);
}

struct graph *model_open(struct arena *a, const char *source, const struct onnx_options *options,
			 const char *last)
{
	(void)last;
	return model_read(a, source, options);
}
